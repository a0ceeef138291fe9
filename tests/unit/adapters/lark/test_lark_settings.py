"""Which addresses an App may be reached at, and what its settings show."""

import pytest
from tests.unit.adapters.lark.scripted import SECRET, settings

from hongyan.adapters.lark.settings import LarkSettings
from hongyan.domain.errors import ConfigurationError
from hongyan.domain.identity import Brand


@pytest.mark.parametrize(
    ("brand", "address"),
    [(Brand.FEISHU, "https://open.feishu.cn"), (Brand.LARK, "https://open.larksuite.com")],
)
def test_each_brand_has_its_own_address(brand: Brand, address: str) -> None:
    assert settings(brand=brand, base_url="").base_url == address


@pytest.mark.parametrize(
    "address",
    [
        "http://open.feishu.cn",
        "http://10.0.0.1:80",
        "ftp://open.feishu.cn",
        "open.feishu.cn",
        "https://open.feishu.cn/open-apis",
        "https://name:word@open.feishu.cn",
        "https://open.feishu.cn?a=b",
        "https://[::1",
    ],
)
def test_an_address_that_is_no_plain_secure_origin_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        settings(base_url=address)
    assert refused.value.code == "config.base_url"
    assert "word" not in str(refused.value)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:1"])
def test_this_machine_may_be_reached_without_encryption(address: str) -> None:
    chosen: LarkSettings = settings(base_url=address + "/")
    assert chosen.base_url == address
    assert chosen.on_loopback


def test_settings_do_not_show_the_secret() -> None:
    assert SECRET not in repr(settings())
