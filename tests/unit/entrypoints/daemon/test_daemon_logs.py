"""The log file: one JSON line an event, private, and without what stood in a variable."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from hongyan.entrypoints.daemon.logs import log_to


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "gateway.log").read_text(encoding="utf-8").splitlines()]


def test_an_event_is_one_line_with_its_fields(tmp_path: Path) -> None:
    log_to(tmp_path)
    structlog.get_logger("hongyan.test").info("turn.started", turn="turn_1", name="雁")
    [line] = lines(tmp_path)
    assert (line["event"], line["turn"], line["name"], line["level"]) == ("turn.started", "turn_1", "雁", "info")
    assert (tmp_path / "gateway.log").stat().st_mode & 0o777 == 0o600


def test_a_library_speaks_from_a_warning_on(tmp_path: Path) -> None:
    log_to(tmp_path)
    logging.getLogger("httpx").info("GET https://open.feishu.cn/?token=s3cret")
    logging.getLogger("uvicorn.error").warning("invalid request")
    assert [line["event"] for line in lines(tmp_path)] == ["invalid request"]


@pytest.mark.scenario("P48")
def test_a_traceback_shows_no_variable(tmp_path: Path) -> None:
    log_to(tmp_path)

    def fail(app_secret: str) -> None:
        raise ValueError(len(app_secret))

    try:
        fail("s3cret")
    except ValueError as error:
        structlog.get_logger("hongyan.test").error("it.broke", exc_info=error)
    text = (tmp_path / "gateway.log").read_text(encoding="utf-8")
    assert '"exc_type": "ValueError"' in text
    assert "s3cret" not in text
