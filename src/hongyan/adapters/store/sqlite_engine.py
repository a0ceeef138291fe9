"""The store on SQLite: one writer thread with group commit, and read-only connections for queries."""

import asyncio
import queue
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from hongyan.adapters.store.compiler import Compiler
from hongyan.adapters.store.failures import ENGINE_ERRORS, PRIMARY, translate
from hongyan.adapters.store.queries import packaged_queries
from hongyan.adapters.store.rows import Decoder
from hongyan.adapters.store.sqlite_connections import SqliteOptions, open_at_hand, open_reading, open_writing
from hongyan.adapters.store.sqlite_writer import Unit, Writer
from hongyan.domain.changes import Changes, Value, plain
from hongyan.domain.errors import StoreError
from hongyan.ports.store import Query

__all__ = ["SqliteStore"]

Row = TypeVar("Row")
Ticket: TypeAlias = tuple[Changes, asyncio.Future[tuple[int, ...]]]
Fetched: TypeAlias = tuple[Sequence[str], list[Sequence[Any]]]

_NOT_NOW: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT})
_CLOSE_SECONDS: Final = 30.0  # a batch of the largest size at a very slow disk


class SqliteStore:
    """The committed state of one gateway, in the file at `path`, which must exist with its schema.

    `on_commit` is called in the loop for each kept unit, after it is durable and before its caller goes on.
    """

    def __init__(
        self,
        path: Path,
        options: SqliteOptions | None = None,
        *,
        on_commit: Callable[[Changes], None] | None = None,
    ) -> None:
        self._path = path
        self._options = options or SqliteOptions()
        self._queries = packaged_queries() if self._options.queries is None else self._options.queries
        self._on_commit = on_commit
        self._compile = Compiler("?").compile
        self._decoders: dict[tuple[str, type], Decoder[Any]] = {}
        self._connections: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        self._at_hand: sqlite3.Connection | None = None
        self._pool = ThreadPoolExecutor(self._options.readers, thread_name_prefix="store-reader")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer: Writer[Ticket] | None = None
        self.batches = 0
        self.units = 0

    async def open(self) -> None:
        """Open the connections. Raise StoreDamagedError, StoreBusyError or another StoreError when that fails."""
        self._loop = asyncio.get_running_loop()
        self._writer = await self._loop.run_in_executor(self._pool, self._connect)

    async def close(self) -> None:
        """Commit what is queued, answer its callers and close; a second call does nothing."""
        writer, self._writer = self._writer, None
        if writer is None or self._loop is None:
            return
        await self._loop.run_in_executor(None, self._close_readers)
        if not await self._loop.run_in_executor(None, writer.stop, _CLOSE_SECONDS):
            raise StoreError(f"the writer did not stop within {_CLOSE_SECONDS:.0f} s")

    def abandon(self) -> None:
        """Stop as a crash would: queued units are lost and unanswered. For tests that restart on the same files."""
        writer, self._writer = self._writer, None
        self._close_readers()
        if writer is not None:
            writer.abandon(_CLOSE_SECONDS)

    async def commit(self, changes: Changes) -> tuple[int, ...]:
        """Apply every step or none; see the port."""
        if self._writer is None or self._loop is None:
            raise StoreError("the store is not open")
        steps = [(self._compile(step), step.expect) for step in changes.steps]
        if not steps:
            return ()
        durable: asyncio.Future[tuple[int, ...]] = self._loop.create_future()
        self._writer.submit(Unit(changes.label, steps, (changes, durable)))
        return await durable

    async def one(self, query: Query[Row], **arguments: Value) -> Row | None:
        """Give the only row, or None; see the port."""
        rows = await self._fetch(query, arguments, limit=2)
        if len(rows) > 1:
            raise StoreError(f"query {query.name} gave more than one row")
        return rows[0] if rows else None

    async def all(self, query: Query[Row], **arguments: Value) -> Sequence[Row]:
        """Give all rows in the query's own order."""
        return await self._fetch(query, arguments, limit=None)

    async def _fetch(self, query: Query[Row], arguments: Mapping[str, Value], limit: int | None) -> list[Row]:
        named = self._queries.get(query.name)
        if named is None:
            raise StoreError(f"no query is called {query.name}")
        if named.parameters != arguments.keys():
            raise StoreError(f"query {query.name} takes {sorted(named.parameters)}, not {sorted(arguments)}")
        if self._writer is None or self._loop is None:
            raise StoreError("the store is not open")
        values = {name: plain(value) for name, value in arguments.items()}
        found = self._at_once(named.sql, values, limit)
        if found is None:
            found = await self._loop.run_in_executor(self._pool, self._read, named.sql, values, limit)
        columns, rows = found
        decode = self._decoder(query, columns).decode
        return [decode(row) for row in rows]

    def _at_once(self, sql: str, values: Mapping[str, Value], limit: int | None) -> Fetched | None:
        """Read what is small without a thread; None when it is larger than that, or another process is in the way.

        The way to another thread and back costs more than most reads, and one message needs forty of them.
        """
        if self._at_hand is None:
            return None
        try:
            return _fetched(self._at_hand, sql, values, limit)
        except ENGINE_ERRORS as error:
            if isinstance(error, sqlite3.Error) and error.sqlite_errorcode & PRIMARY in _NOT_NOW:
                return None
            raise translate(error, self._path) from error

    def _decoder(self, query: Query[Row], columns: Sequence[str]) -> Decoder[Row]:
        decoder = self._decoders.get((query.name, query.row))
        if decoder is None:
            decoder = self._decoders[query.name, query.row] = Decoder(query.row, columns)
        return decoder

    def _read(self, sql: str, values: Mapping[str, Value], limit: int | None) -> Fetched:
        connection = self._connections.get_nowait()
        try:
            return _fetched(connection, sql, values, limit)
        except ENGINE_ERRORS as error:
            raise translate(error, self._path) from error
        finally:
            self._connections.put(connection)

    def _connect(self) -> Writer[Ticket]:
        reading: list[sqlite3.Connection] = []
        with ExitStack() as opened:
            try:
                writing = opened.enter_context(closing(open_writing(self._path, self._options)))
                at_hand = opened.enter_context(closing(open_at_hand(self._path, self._options)))
                for _ in range(self._options.readers):
                    reading.append(opened.enter_context(closing(open_reading(self._path, self._options))))
            except ENGINE_ERRORS as error:
                raise translate(error, self._path) from error
            opened.pop_all()
        for connection in reading:
            self._connections.put(connection)
        self._at_hand = at_hand
        return Writer(writing, self._path, self._report, self._options.batch_limit)

    def _close_readers(self) -> None:
        """Let reads under way end and close their connections; the writer's, closed last, then folds the WAL in."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        at_hand, self._at_hand = self._at_hand, None
        if at_hand is not None:
            at_hand.close()
        with suppress(queue.Empty):
            while True:
                self._connections.get_nowait().close()

    def _report(self, batch: list[Unit[Ticket]]) -> None:
        """Hand a finished batch from the writer's thread to the loop; a closed loop has nobody who waits."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._settle, batch)

    def _settle(self, batch: list[Unit[Ticket]]) -> None:
        self.batches += 1
        self.units += len(batch)
        for unit in batch:
            _, durable = unit.ticket
            if durable.done():  # its caller was cancelled
                continue
            if isinstance(unit.outcome, tuple):
                durable.set_result(unit.outcome)
            else:
                durable.set_exception(unit.outcome)
        if self._on_commit is not None:
            for unit in batch:
                if isinstance(unit.outcome, tuple):
                    self._on_commit(unit.ticket[0])


def _fetched(connection: sqlite3.Connection, sql: str, values: Mapping[str, Value], limit: int | None) -> Fetched:
    cursor = connection.execute(sql, values)
    try:
        rows = cursor.fetchall() if limit is None else cursor.fetchmany(limit)
        columns = [column[0] for column in cursor.description]
    finally:
        cursor.close()  # an open cursor would hold the snapshot of this read
    return columns, rows
