"""What is read in the loop's own thread, and what is not."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.adapters.store.databases import make_database

from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.adapters.store.queries import parse_queries
from hongyan.adapters.store.sqlite_connections import open_writing
from hongyan.ports.store import Query

WAIT_SECONDS = 60.0
TURNS_OF_THE_LOOP = 100
FRAMES_A_COMMIT = 100  # more than one transaction of the busiest minute writes

QUERIES = parse_queries(
    "-- name: small\nSELECT n FROM letter WHERE n = :n\n"
    "-- name: large\nWITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 300000) "
    "SELECT count(*) AS amount FROM many\n"
)


async def test_a_small_read_is_done_before_anything_else_runs(tmp_path: Path) -> None:
    store = SqliteStore(make_database(tmp_path / "h.db"), SqliteOptions(queries=QUERIES))
    await store.open()
    with pytest.raises(StopIteration) as done:
        store.one(Query("small", int), n=2).send(None)  # a coroutine that ends at its first step waited for nothing
    await store.close()
    assert done.value.value == 2


async def test_a_large_read_does_not_hold_the_loop(tmp_path: Path) -> None:
    store = SqliteStore(make_database(tmp_path / "h.db"), SqliteOptions(queries=QUERIES))
    await store.open()
    reading = asyncio.create_task(store.one(Query("large", int)))
    turns = 0
    async with asyncio.timeout(WAIT_SECONDS):
        while not reading.done():
            turns += 1
            await asyncio.sleep(0)
    await store.close()
    assert reading.result() == 300_000
    assert turns > TURNS_OF_THE_LOOP


def test_a_checkpoint_comes_once_in_many_commits(tmp_path: Path) -> None:
    with closing(open_writing(make_database(tmp_path / "h.db"), SqliteOptions())) as connection:
        [frames] = connection.execute("PRAGMA wal_autocheckpoint").fetchone()
    assert frames >= 50 * FRAMES_A_COMMIT
