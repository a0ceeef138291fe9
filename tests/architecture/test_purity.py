"""The domain and the ports hold facts and decisions: no IO, no clock, no chance, no library."""

import pytest
from tests.architecture.purity import breaches
from tests.architecture.sources import read_sources, source
from tests.architecture.verdict import expect_none

BREACHES = {
    "a library": "import pydantic",
    "a clock": "from time import monotonic",
    "chance": "import random",
    "an outer room": "from hongyan.application import admit",
    "a relative import that hides its target": "from ..adapters import lark",
    "an import in a function": "def f() -> None:\n    import socket",
    "the wall clock": "import datetime\n\ndef f() -> object:\n    return datetime.datetime.now(tz=None)",
    "today's date": "from datetime import date\nTODAY = date.today()",
    "a file": "def f() -> object:\n    return open('x')",
    "the screen": "def f() -> None:\n    print('x')",
    "the keyboard": "def f() -> str:\n    return input()",
    "a cache in a module": "SEEN = {}",
    "an annotated list in a module": "SEEN: list[str] = []",
    "a set made by a call": "SEEN = set()",
    "a global": "COUNT = 0\n\ndef f() -> None:\n    global COUNT\n    COUNT += 1",
    "a coroutine": "async def f() -> None: ...",
}


def test_domain_and_ports_are_pure() -> None:
    expect_none(line for module in read_sources("src") for line in breaches(module))


@pytest.mark.parametrize("text", BREACHES.values(), ids=BREACHES.keys())
def test_a_breach_in_the_domain_is_found(text: str) -> None:
    assert breaches(source("src/hongyan/domain/toy.py", text))


def test_ports_may_wait_and_lean_on_the_domain_which_may_not_lean_on_them() -> None:
    text = "from hongyan.domain.identity import AppId\n\nasync def send(app: AppId) -> None: ..."
    assert breaches(source("src/hongyan/ports/toy.py", text)) == []
    assert breaches(source("src/hongyan/domain/toy.py", "from hongyan.ports.store import Store"))


def test_frozen_tables_are_allowed() -> None:
    text = (
        "from typing import Final\nMOVES: Final = {1: 2}\nTABLE: Final[dict[int, int]] = {}\n"
        "NAMES = ('a',)\nSEEN = frozenset({'b'})\n__all__ = ['NAMES']"
    )
    assert breaches(source("src/hongyan/domain/toy.py", text)) == []


def test_other_rooms_are_not_judged() -> None:
    assert breaches(source("src/hongyan/adapters/store/toy.py", "import sqlite3")) == []
