"""A counter and a terminal for every test of the command line."""

from collections.abc import Iterator

import pytest
from tests.unit.entrypoints.cli.counter import Counter, Terminal, open_counter


@pytest.fixture
def counter() -> Iterator[Counter]:
    """A fake gateway that answers what it is told to."""
    with open_counter() as opened:
        yield opened


@pytest.fixture
def hongyan(counter: Counter, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """The command line on the counter's home."""
    return Terminal(capsys, counter.home)
