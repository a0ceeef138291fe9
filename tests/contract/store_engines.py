"""The engines that the contract of the store is run against, on tables of its own.

Another engine joins by one more entry in `ENGINES`: a function that opens an empty store with `TABLES` and `QUERIES`.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NewType

from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.adapters.store.queries import parse_queries
from hongyan.ports.store import Query, Store

TABLES: Final = """
CREATE TABLE lane (key TEXT PRIMARY KEY, pending INTEGER NOT NULL DEFAULT 0, epoch INTEGER, owner TEXT);
CREATE TABLE job (
    id TEXT PRIMARY KEY, lane TEXT NOT NULL REFERENCES lane (key), position INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'lost')), urgent INTEGER NOT NULL, body BLOB,
    UNIQUE (lane, position)
);
"""

QUERIES: Final = parse_queries("""
-- name: lanes
SELECT owner, key, epoch, pending FROM lane ORDER BY key
-- name: lane_by_key
-- A colon in a literal or a comment is no parameter: :nothing
SELECT key, pending, epoch, owner FROM lane WHERE key = :key AND ':key' <> key
-- name: jobs
SELECT id, lane, position, state, urgent, body FROM job WHERE lane = :lane ORDER BY position
-- name: job_count
SELECT count(*) FROM job
-- name: lane_owner
SELECT owner FROM lane WHERE key = :key
-- name: job_states
SELECT id, state FROM job
""")

LaneKey = NewType("LaneKey", str)


class JobState(StrEnum):
    """A state, and one that the code of the test does not know stays in the table's check."""

    QUEUED = "queued"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class Lane:
    """A row whose field order differs from that of one query."""

    key: LaneKey
    pending: int
    epoch: int | None
    owner: str | None


@dataclass(frozen=True, slots=True)
class Job:
    """A row with every kind of field."""

    id: str
    lane: LaneKey
    position: int
    state: JobState
    urgent: bool
    body: bytes | None


LANES: Final = Query("lanes", Lane)
LANE: Final = Query("lane_by_key", Lane)
JOBS: Final = Query("jobs", Job)
JOB_COUNT: Final = Query("job_count", int)
OWNER: Final = Query("lane_owner", str)

OpenEngine = Callable[[Path], AbstractAsyncContextManager[Store]]


def make_sqlite_file(path: Path) -> Path:
    """Give a new database with the tables of the contract."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    return path


@asynccontextmanager
async def open_sqlite(folder: Path) -> AsyncIterator[Store]:
    """Open an empty store on a real file."""
    store = SqliteStore(make_sqlite_file(folder / "store.db"), SqliteOptions(queries=QUERIES))
    await store.open()
    try:
        yield store
    finally:
        await store.close()


ENGINES: Final[dict[str, OpenEngine]] = {"sqlite": open_sqlite}
