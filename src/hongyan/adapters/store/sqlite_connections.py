"""How connections to the database file are opened: one that writes, some that only read."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hongyan.adapters.store.queries import NamedQuery

__all__ = ["SqliteOptions", "open_at_hand", "open_reading", "open_writing"]

_STATEMENTS: Final = 512  # prepared statements kept a connection: more than the shapes the application knows
_STEPS_AT_HAND: Final = 10_000  # of SQLite's machine, well below a millisecond; a scan of due work takes hundreds
_WAL_PAGES: Final = 8_000  # between two checkpoints: each holds a commit up for several syncs, so they must be rare
_WAL_BYTES: Final = 64 * 1024 * 1024  # a WAL that a long read let grow is cut back to this


@dataclass(frozen=True, slots=True)
class SqliteOptions:
    """How the engine runs. `max_pages` makes the database full at that size; `queries` replaces the packaged ones."""

    batch_limit: int = 256
    readers: int = 2
    busy_seconds: float = 5.0
    max_pages: int | None = None
    queries: Mapping[str, NamedQuery] | None = None


def open_reading(path: Path, options: SqliteOptions) -> sqlite3.Connection:
    """Open a connection that cannot write."""
    return _open(path, "ro", options)


def open_at_hand(path: Path, options: SqliteOptions) -> sqlite3.Connection:
    """Open a connection for small reads in the event loop: it gives up rather than hold the loop.

    It waits for nobody, and a read of more than so many steps fails with SQLITE_INTERRUPT.
    """
    connection = open_reading(path, replace(options, busy_seconds=0.0))
    connection.set_progress_handler(_give_up, _STEPS_AT_HAND)
    return connection


def _give_up() -> int:
    return 1


def open_writing(path: Path, options: SqliteOptions) -> sqlite3.Connection:
    """Open the connection that writes: each COMMIT returns only when it is on disk."""
    connection = _open(path, "rw", options)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # on macOS a plain fsync leaves the drive's cache
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
        if options.max_pages is not None:
            connection.execute(f"PRAGMA max_page_count = {options.max_pages}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _open(path: Path, mode: str, options: SqliteOptions) -> sqlite3.Connection:
    """Open a connection that leaves transactions to us, and moves between threads but is in one at a time."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=options.busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_STATEMENTS,
    )
