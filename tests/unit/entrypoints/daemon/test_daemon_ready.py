"""What a start leaves for others: the ready file and the links."""

import json
from pathlib import Path

import pytest

from hongyan.entrypoints.daemon.failures import UsageError
from hongyan.entrypoints.daemon.neighbour import Links
from hongyan.entrypoints.daemon.ready import Ready, print_links, write_ready

READY = Ready("http://127.0.0.1:1/login?t=x", "token", None, None, 1, 2)


def test_the_ready_file_is_whole_and_private(tmp_path: Path) -> None:
    write_ready(tmp_path / "ready.json", READY)
    [only] = tmp_path.iterdir()
    assert only.stat().st_mode & 0o777 == 0o600
    assert json.loads(only.read_text(encoding="utf-8"))["api_token"] == "token"


def test_the_ready_file_of_another_start_is_kept(tmp_path: Path) -> None:
    (tmp_path / "ready.json").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError):
        write_ready(tmp_path / "ready.json", READY)
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("language", "word"), [("zh_CN.UTF-8", "控制台"), ("en_US.UTF-8", "Console"), ("C", "Console")]
)
def test_the_links_are_said_in_the_readers_language(
    capsys: pytest.CaptureFixture[str], language: str, word: str
) -> None:
    print_links(Links("http://a", "http://b"), language)
    said = capsys.readouterr().out
    assert [line.strip() for line in said.splitlines() if "http" in line] == ["http://a", "http://b"]
    assert word in said
