"""The one thread that writes: it drains what is waiting, commits it as one transaction, and reports once.

A unit is one `Changes`. Units that wait together share one COMMIT, and so one sync of the disk. Most batches hold no
unit that fails, so a batch first runs without savepoints; when one fails, the batch is undone and runs again with a
savepoint for each unit, and the failing one is undone alone. There is no timer: the batch is whatever queued up
during the last commit, so a single caller never waits for company. Nothing is reported before COMMIT has returned.
"""

import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from hongyan.adapters.store.compiler import Statement
from hongyan.adapters.store.failures import ENGINE_ERRORS, statement_failure, translate
from hongyan.domain.errors import ConflictError, HongyanError, StoreError

__all__ = ["Unit", "Writer"]

Ticket = TypeVar("Ticket")
Outcome: TypeAlias = tuple[int, ...] | HongyanError


@dataclass(slots=True)
class Unit(Generic[Ticket]):
    """One transaction on its way: compiled steps with their expected counts, and what became of them."""

    label: str
    steps: Sequence[tuple[Statement, frozenset[int]]]
    ticket: Ticket
    outcome: Outcome = field(default=(), init=False)


class Writer(Generic[Ticket]):
    """Own the writing connection. `report` is called in the writer's thread, once a batch, after its COMMIT."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        database: Path,
        report: Callable[[list[Unit[Ticket]]], None],
        batch_limit: int,
    ) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._execute = self._cursor.execute
        self._database = database
        self._report = report
        self._batch_limit = batch_limit
        self._waiting: queue.SimpleQueue[Unit[Ticket] | None] = queue.SimpleQueue()
        self._stopping = self._abandoned = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, unit: Unit[Ticket]) -> None:
        """Queue a unit; it is reported exactly once unless the writer is abandoned."""
        self._waiting.put(unit)

    def stop(self, timeout_seconds: float) -> bool:
        """Commit what is queued, close the connection and wait; False when that took too long."""
        self._waiting.put(None)
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def abandon(self, timeout_seconds: float) -> bool:
        """Stop as a crash would: what is queued is dropped unreported, a batch under way may still be committed."""
        self._abandoned = True
        return self.stop(timeout_seconds)

    def _run(self) -> None:
        try:
            while batch := self._next_batch():
                self._commit(batch)
                self._report(batch)
        finally:
            self._connection.close()

    def _next_batch(self) -> list[Unit[Ticket]]:
        """Wait for a unit and take those behind it; an empty list ends the thread."""
        batch: list[Unit[Ticket]] = []
        unit = None if self._stopping else self._waiting.get()
        while unit is not None:
            batch.append(unit)
            if len(batch) == self._batch_limit or self._waiting.empty():
                break
            unit = self._waiting.get_nowait()
        self._stopping = unit is None
        return [] if self._abandoned else batch

    def _commit(self, batch: list[Unit[Ticket]]) -> None:
        try:
            if not self._together(batch) and len(batch) > 1:
                self._apart(batch)
        except ENGINE_ERRORS as error:
            self._fail(batch, translate(error, self._database))
        except Exception as error:  # noqa: BLE001 - the supervising loop: an unknown failure must not end the thread
            self._fail(batch, StoreError(f"the writer failed: {error!r}"))

    def _together(self, batch: list[Unit[Ticket]]) -> bool:
        """Commit the whole batch, or nothing of it when a unit fails."""
        self._execute("BEGIN IMMEDIATE")
        for unit in batch:
            unit.outcome = self._apply(unit)
            if not isinstance(unit.outcome, tuple):
                self._execute("ROLLBACK")
                return False
        self._execute("COMMIT")
        return True

    def _apart(self, batch: list[Unit[Ticket]]) -> None:
        """Commit the units that hold and leave out the others."""
        self._execute("BEGIN IMMEDIATE")
        for unit in batch:
            self._execute("SAVEPOINT unit")
            unit.outcome = self._apply(unit)
            if not isinstance(unit.outcome, tuple):
                self._execute("ROLLBACK TO unit")
            self._execute("RELEASE unit")
        self._execute("COMMIT")

    def _apply(self, unit: Unit[Ticket]) -> Outcome:
        """Run the steps of a unit. Raise only when the engine gave up the whole transaction."""
        counts: list[int] = []
        for (text, parameters), expected in unit.steps:
            try:
                count = self._execute(text, parameters).rowcount
            except ENGINE_ERRORS as error:
                if not self._connection.in_transaction:
                    raise
                return statement_failure(error, self._database, label=unit.label, step=len(counts))
            if count not in expected:
                return ConflictError(unit.label, len(counts))
            counts.append(count)
        return tuple(counts)

    def _fail(self, batch: list[Unit[Ticket]], failure: StoreError) -> None:
        """Undo the transaction; a unit that had already failed by itself keeps its own answer."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._execute("ROLLBACK")
        for unit in batch:
            if isinstance(unit.outcome, tuple):
                unit.outcome = type(failure)(failure.message)  # an exception belongs to one caller
