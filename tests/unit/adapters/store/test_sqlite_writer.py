"""How the writer groups, undoes and reports."""

import queue
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest

from hongyan.adapters.store.sqlite_writer import Unit, Writer
from hongyan.domain.errors import ConflictError, StoreError

WAIT_SECONDS = 20.0
ONE = frozenset({1})


class SpyConnection(sqlite3.Connection):
    """Keeps every statement, can hold BEGIN back, and can fail a statement when told to."""

    statements: list[str]
    gate: threading.Event
    begun: threading.Event
    failing: dict[str, Exception]

    def cursor(self, factory: object = None) -> "SpyCursor":  # type: ignore[override]  # the writer gives no factory
        return SpyCursor(self)


class SpyCursor(sqlite3.Cursor):
    """Runs statements as its connection was told to."""

    connection: SpyConnection

    def execute(self, sql: str, parameters: object = (), /) -> Self:
        self.connection.statements.append(sql)
        if sql.startswith("BEGIN"):
            self.connection.begun.set()
            assert self.connection.gate.wait(WAIT_SECONDS)
        if sql in self.connection.failing:
            raise self.connection.failing.pop(sql)
        return super().execute(sql, parameters)  # type: ignore[arg-type]  # typeshed's parameter type is private


@dataclass
class Bench:
    """A writer on a small table, what it ran, and what it reported."""

    writer: Writer[int]
    connection: SpyConnection
    reports: "queue.SimpleQueue[list[Unit[int]]]" = field(default_factory=queue.SimpleQueue)

    def submit(self, *texts: str) -> list[Unit[int]]:
        units = [Unit(f"u{n}", [((text, ()), ONE)], n) for n, text in enumerate(texts)]
        for unit in units:
            self.writer.submit(unit)
        return units

    def report(self) -> list[Unit[int]]:
        return self.reports.get(timeout=WAIT_SECONDS)

    def rows(self) -> Sequence[tuple[int]]:
        return sqlite3.Connection.execute(self.connection, "SELECT n FROM t ORDER BY n").fetchall()


@contextmanager
def bench(tmp_path: Path, *, batch_limit: int = 256, held: bool = False) -> Iterator[Bench]:
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path, factory=SpyConnection, isolation_level=None, check_same_thread=False)
    connection.statements, connection.failing = [], {}
    connection.gate, connection.begun = threading.Event(), threading.Event()
    if not held:
        connection.gate.set()
    sqlite3.Connection.execute(connection, "CREATE TABLE t (n INTEGER PRIMARY KEY)")
    reports: queue.SimpleQueue[list[Unit[int]]] = queue.SimpleQueue()
    writer = Writer(connection, path, reports.put, batch_limit)
    try:
        yield Bench(writer, connection, reports)
    finally:
        connection.gate.set()
        assert writer.stop(WAIT_SECONDS)


def insert(number: int) -> str:
    return f"INSERT INTO t VALUES ({number})"


def test_a_single_unit_is_committed_at_once_without_a_savepoint(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.submit(insert(1))
        assert [unit.outcome for unit in at.report()] == [(1,)]
        assert at.connection.statements == ["BEGIN IMMEDIATE", insert(1), "COMMIT"]


def test_units_that_wait_together_share_one_commit_and_one_report(tmp_path: Path) -> None:
    with bench(tmp_path, held=True) as at:
        at.submit(*(insert(n) for n in range(41)))
        at.connection.gate.set()
        sizes = [len(at.report())]
        while sum(sizes) < 41:
            sizes.append(len(at.report()))
        assert len(sizes) <= 2  # the first may have left before the others were queued
        assert at.connection.statements.count("COMMIT") == len(sizes)


def test_a_batch_is_never_larger_than_its_limit(tmp_path: Path) -> None:
    with bench(tmp_path, batch_limit=4, held=True) as at:
        at.submit(*(insert(n) for n in range(10)))
        at.connection.gate.set()
        sizes: list[int] = []
        while sum(sizes) < 10:
            sizes.append(len(at.report()))
        assert max(sizes) == 4


def test_a_batch_without_a_failing_unit_needs_no_savepoint(tmp_path: Path) -> None:
    with bench(tmp_path, held=True) as at:
        at.submit(*(insert(n) for n in range(9)))
        at.connection.gate.set()
        reported = 0
        while reported < 9:
            reported += len(at.report())
        assert not [text for text in at.connection.statements if text.startswith(("SAVEPOINT", "ROLLBACK"))]


def test_a_refused_single_unit_leaves_no_transaction_open(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.submit("DELETE FROM t WHERE n = 5")
        (unit,) = at.report()
        assert isinstance(unit.outcome, ConflictError)
        assert at.connection.statements[-1] == "ROLLBACK"
        assert not at.connection.in_transaction


def test_a_failed_commit_fails_every_unit_and_keeps_none(tmp_path: Path) -> None:
    with bench(tmp_path, held=True) as at:
        at.connection.failing["COMMIT"] = sqlite3.OperationalError("disk I/O error")
        at.submit(insert(0))
        at.connection.gate.set()
        (unit,) = at.report()
        assert isinstance(unit.outcome, StoreError)
        at.submit(insert(1))
        assert [unit.outcome for unit in at.report()] == [(1,)]
        assert at.rows() == [(1,)]


def test_each_caller_of_a_failed_batch_gets_an_error_of_its_own(tmp_path: Path) -> None:
    with bench(tmp_path, held=True) as at:
        at.submit("DELETE FROM t", insert(1), insert(2), insert(3))
        at.connection.failing["RELEASE unit"] = sqlite3.OperationalError("disk I/O error")
        at.connection.gate.set()
        units: list[Unit[int]] = []
        while len(units) < 4:
            units += at.report()
        failures = [unit.outcome for unit in units if isinstance(unit.outcome, StoreError)]
        assert len(failures) >= 2
        assert len({id(failure) for failure in failures}) == len(failures)


def test_an_abandoned_writer_drops_what_is_queued_and_reports_no_more(tmp_path: Path) -> None:
    with bench(tmp_path, batch_limit=1, held=True) as at:
        at.submit(*(insert(n) for n in range(9)))
        at.connection.begun.wait(WAIT_SECONDS)
        assert not at.writer.abandon(0)
        at.connection.gate.set()
        assert at.writer.stop(WAIT_SECONDS)
        assert [unit.ticket for unit in at.report()] == [0]
        assert at.reports.empty()
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        assert connection.execute("SELECT n FROM t").fetchall() == [(0,)]


def test_the_thread_outlives_an_unknown_failure(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.connection.failing["BEGIN IMMEDIATE"] = MemoryError()
        at.submit(insert(0))
        assert isinstance(at.report()[0].outcome, StoreError)
        at.submit(insert(1))
        assert at.report()[0].outcome == (1,)


@pytest.mark.parametrize("broken", ["INSERT INTO t VALUES (0)", "INSERT INTO nowhere VALUES (1)"])
def test_a_failing_statement_undoes_its_own_unit_only(tmp_path: Path, broken: str) -> None:
    with bench(tmp_path, held=True) as at:
        at.submit(insert(0), insert(1), broken, insert(2))
        at.connection.gate.set()
        units: list[Unit[int]] = []
        while len(units) < 4:
            units += at.report()
        assert [isinstance(unit.outcome, tuple) for unit in units] == [True, True, False, True]
        assert at.rows() == [(0,), (1,), (2,)]
