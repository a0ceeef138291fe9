"""What one App needs to be reached: who it is, its secret, which cloud, and how long to wait."""

import ipaddress
from dataclasses import dataclass
from typing import Final

import httpx
from pydantic import SecretStr

from hongyan.domain.errors import ConfigurationError
from hongyan.domain.identity import AppId, Brand

__all__ = ["LarkSettings", "is_loopback"]

DEFAULT_BASE_URL: Final = {
    Brand.FEISHU: "https://open.feishu.cn",
    Brand.LARK: "https://open.larksuite.com",
}


@dataclass(frozen=True, slots=True)
class LarkSettings:
    """One App's credentials and address; an empty `base_url` means the brand's own.

    Raise ConfigurationError (`config.base_url`) for an address that is not `scheme://host[:port]`, or that would carry
    the secret in the clear to another machine.
    """

    app_id: AppId
    app_secret: SecretStr
    brand: Brand = Brand.FEISHU
    base_url: str = ""
    timeout_seconds: float = 10.0
    max_connections: int = 8

    def __post_init__(self) -> None:
        address = self.base_url.rstrip("/") or DEFAULT_BASE_URL[self.brand]
        object.__setattr__(self, "base_url", _checked(address))

    @property
    def on_loopback(self) -> bool:
        """Tell whether the platform is a stand-in on this machine."""
        return is_loopback(httpx.URL(self.base_url).host)


def is_loopback(host: str) -> bool:
    """Tell whether a host name can only mean this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _checked(address: str) -> str:
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        raise _refusal("cannot be read as an address") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise _refusal("is not an http or https address")
    # The address is not repeated in a message: it may hold a password.
    if url.userinfo or url.query or url.fragment or url.path != "/":
        raise _refusal("has more than scheme, host and port")
    if url.scheme == "http" and not is_loopback(url.host):
        raise _refusal("would send the App's secret unencrypted")
    return address


def _refusal(why: str) -> ConfigurationError:
    return ConfigurationError(
        "config.base_url",
        f"the App's base_url {why}",
        hint="Write https://HOST, or http:// for an address of this machine; leave it out for the brand's own.",
    )
