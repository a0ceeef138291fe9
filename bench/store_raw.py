"""The reference of the store's benchmark: the same statements, hand-written, on bare sqlite3, 64 units a commit."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

from bench.store_tables import BODY, LANES, TABLES

__all__ = ["raw_rate"]

_UNITS_A_COMMIT: Final = 64

Statements: TypeAlias = list[tuple[str, tuple[str | int, ...]]]

_RECEIVE: Final = "INSERT INTO inbound (id, lane, body, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_QUEUE: Final = "UPDATE lane SET pending = pending + 1 WHERE key = ?"
_JOB: Final = (
    "INSERT INTO job (id, lane, position, state, at) VALUES (?, ?, (SELECT pending FROM lane WHERE key = ?), 0, ?)"
)
_LEASE: Final = "UPDATE lane SET owner = ?, lease = ?, epoch = epoch + 1 WHERE key = ? AND owner IS NULL"
_CLAIM: Final = "UPDATE job SET state = 1, owner = ? WHERE id = ? AND state = 0"
_INTENT: Final = "INSERT INTO outbox (id, job, state, body, at) VALUES (?, ?, 0, ?, ?)"
_RECEIPT: Final = "UPDATE outbox SET state = 2, receipt = ? WHERE id = ? AND state = 0"
_DONE: Final = "UPDATE job SET state = 3 WHERE id = ? AND owner = ?"
_FREE: Final = "UPDATE lane SET owner = NULL, pending = pending - 1 WHERE key = ? AND owner = ?"


def raw_rate(folder: Path, messages: int) -> float:
    """Give messages a second; each unit's row counts are checked as the store does."""
    with closing(sqlite3.connect(folder / "raw.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(TABLES)
        execute = connection.execute
        units = list(_units(messages))
        start = time.perf_counter()
        for number, unit in enumerate(units):
            if number % _UNITS_A_COMMIT == 0:
                if number:
                    execute("COMMIT")
                execute("BEGIN IMMEDIATE")
            for text, parameters in unit:
                if execute(text, parameters).rowcount != 1:
                    raise AssertionError(text)
        execute("COMMIT")
        return messages / (time.perf_counter() - start)


def _units(messages: int) -> Iterator[Statements]:
    """Give the units of all messages, one message a lane at a time."""
    for first in range(0, messages, LANES):
        numbers = range(first, min(first + LANES, messages))
        for stage in (_accept, _claim, _intend, _receive, _complete):
            for number in numbers:
                yield stage(f"m{number}", f"L{number % LANES}")


def _accept(name: str, lane: str) -> Statements:
    now = time.time_ns()
    return [(_RECEIVE, (name, lane, BODY, now)), (_QUEUE, (lane,)), (_JOB, (name, lane, lane, now))]


def _claim(name: str, lane: str) -> Statements:
    return [(_LEASE, ("w", time.time_ns(), lane)), (_CLAIM, ("w", name))]


def _intend(name: str, _: str) -> Statements:
    return [(_INTENT, (name, name, BODY, time.time_ns()))]


def _receive(name: str, _: str) -> Statements:
    return [(_RECEIPT, ("r", name))]


def _complete(name: str, lane: str) -> Statements:
    return [(_DONE, (name, "w")), (_FREE, (lane, "w"))]
