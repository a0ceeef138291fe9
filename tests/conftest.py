"""What holds for every test: examples that do not change from run to run, and no connection leaves this machine."""

from __future__ import annotations

import gc
import ipaddress
import logging
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import coverage
import pytest
import structlog
from hypothesis import HealthCheck, settings

# The same examples in every run, so that a red test is red for everyone. `HYPOTHESIS_PROFILE=long` searches afresh.
settings.register_profile("steady", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile(
    "long", deadline=None, max_examples=2_000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


# Tracing doubles the processor time of what it sees, and whole gateways in motion take most of a run. So a usual run
# measures the tests that are about single pieces; `HONGYAN_MEASURE=all scripts/test` measures every test.
MEASURED: Final = ("unit", "contract")
MEASURES_ALL: Final = os.environ.get("HONGYAN_MEASURE") == "all"


class OutsideConnectionError(AssertionError):
    """A test tried to reach an address that is not this machine; not an OSError, which code under test may handle."""


def is_local(host: object) -> bool:
    """True for loopback addresses and the names that always mean them."""
    if host in {None, "", "localhost", b"localhost"}:
        return True
    try:
        return ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        return False


def _checked_connect(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in {socket.AF_INET, socket.AF_INET6} and not is_local(address[0]):
            raise OutsideConnectionError(f"a test connects to {address[0]}")
        return connect(self, address)

    return guarded


def _checked_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(host: Any, *arguments: Any, **keywords: Any) -> Any:
        if not is_local(host):
            raise OutsideConnectionError(f"a test looks up {host!r}")
        return lookup(host, *arguments, **keywords)

    return guarded


def pytest_collection_finish() -> None:
    """Take what is loaded and collected by now out of the garbage collector's sight; it lives to the end anyway."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def measured_where_it_tells(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the branch coverage rest during tests of whole gateways."""
    running = coverage.Coverage.current()
    room = request.path.relative_to(Path(__file__).parent).parts[0]
    if running is None or MEASURES_ALL or room in MEASURED:
        yield
        return
    running.stop()
    yield
    running.start()


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Give every test the logging that it would have alone, whatever the one before set up."""
    loggers = [logging.getLogger(name) for name in ("", "httpx", "httpcore", "uvicorn", "websockets", "asyncio")]
    before = [(one, one.level, one.propagate, one.disabled, tuple(one.handlers)) for one in loggers]
    yield
    for one, level, propagate, disabled, handlers in before:
        one.level, one.propagate, one.disabled = level, propagate, disabled
        for handler in tuple(one.handlers):
            if handler not in handlers and not type(handler).__module__.startswith("_pytest"):
                one.removeHandler(handler)
    logging.Logger.manager._clear_cache()  # type: ignore[attr-defined]  # levels were set past `setLevel`
    structlog.reset_defaults()


@pytest.fixture(scope="session", autouse=True)
def only_this_machine() -> Iterator[None]:
    """Refuse every connection and name look-up beyond loopback, in this process, for the whole run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _checked_connect(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", _checked_connect(socket.socket.connect_ex))
        patch.setattr(socket, "getaddrinfo", _checked_lookup(socket.getaddrinfo))
        yield
