"""What only the SQLite engine promises: its settings, and its word after a commit."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.adapters.store.databases import make_database

from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.adapters.store.sqlite_connections import open_reading, open_writing
from hongyan.domain.changes import Changes, Insert, Require
from hongyan.domain.errors import StoreBusyError, StoreError

WAIT_SECONDS = 20.0
FULL = 2


def letter(number: int) -> Changes:
    return Changes(f"letter {number}", (Insert("letter", {"n": number}),))


def test_a_commit_syncs_its_log_and_foreign_keys_hold(tmp_path: Path) -> None:
    with closing(open_writing(make_database(tmp_path / "h.db", wal=False), SqliteOptions())) as connection:
        settings = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "fullfsync", "foreign_keys")
        }
    assert settings == {"journal_mode": "wal", "synchronous": FULL, "fullfsync": 1, "foreign_keys": 1}


def test_a_reading_connection_cannot_write(tmp_path: Path) -> None:
    with (
        closing(open_reading(make_database(tmp_path / "h.db"), SqliteOptions())) as connection,
        pytest.raises(Exception, match="readonly"),
    ):
        connection.execute("DELETE FROM letter")


async def test_each_kept_transaction_is_announced_before_its_caller_goes_on(tmp_path: Path) -> None:
    events: list[str] = []
    database = make_database(tmp_path / "h.db")
    store = SqliteStore(
        database, SqliteOptions(queries={}), on_commit=lambda changes: events.append(f"kept {changes.label}")
    )
    await store.open()

    async def commit(changes: Changes) -> None:
        try:
            await store.commit(changes)
        finally:
            events.append(f"answered {changes.label}")

    refused = Changes("refused", (Require("letter", {"n": 999}),))
    units = (letter(10), refused, letter(11))
    await asyncio.wait_for(asyncio.gather(*map(commit, units), return_exceptions=True), WAIT_SECONDS)
    await store.close()
    assert [event for event in events if event.startswith("kept")] == ["kept letter 10", "kept letter 11"]
    for number in (10, 11):
        assert events.index(f"kept letter {number}") < events.index(f"answered letter {number}")
    assert "answered refused" in events


async def test_a_database_that_another_process_holds_is_busy(tmp_path: Path) -> None:
    database = make_database(tmp_path / "h.db")
    store = SqliteStore(database, SqliteOptions(queries={}, busy_seconds=0.0))
    await store.open()
    with closing(open_writing(database, SqliteOptions())) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            await asyncio.wait_for(store.commit(letter(10)), WAIT_SECONDS)
        other.execute("ROLLBACK")
    assert await asyncio.wait_for(store.commit(letter(10)), WAIT_SECONDS) == (1,)
    await store.close()


async def test_a_mistake_in_a_step_is_told_to_its_caller_and_stops_nobody(tmp_path: Path) -> None:
    store = SqliteStore(make_database(tmp_path / "h.db"), SqliteOptions(queries={}))
    with pytest.raises(StoreError):
        await store.commit(letter(9))
    await store.open()
    with pytest.raises(ValueError, match="at least one"):
        await store.commit(Changes("mistake", (Insert("letter", {}),)))
    assert await asyncio.wait_for(store.commit(letter(10)), WAIT_SECONDS) == (1,)
    await store.close()


def test_a_loop_that_went_away_leaves_the_writer_able_to_stop(tmp_path: Path) -> None:
    store = SqliteStore(make_database(tmp_path / "h.db"), SqliteOptions(queries={}))

    async def leave_in_the_middle() -> None:
        await store.open()
        for number in range(10, 30):
            asyncio.ensure_future(store.commit(letter(number)))  # noqa: RUF006 - left behind on purpose
        await asyncio.sleep(0)

    asyncio.run(leave_in_the_middle())
    store.abandon()
