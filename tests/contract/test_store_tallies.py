"""The tallies of what is closed are what a full count gives, whatever was written, undone or taken away."""

import sqlite3
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain import given as example

from hongyan.adapters.store import SqliteStore
from hongyan.adapters.store.backup import copy_database, restore
from hongyan.adapters.store.lock import FileLock
from hongyan.adapters.store.revision import create
from hongyan.adapters.store.schema_tallies import TALLIES
from hongyan.domain.changes import Change, Changes, Delete, Require, Update, insert
from hongyan.domain.deliveries import PartState
from hongyan.domain.errors import ConflictError
from hongyan.domain.identity import MessageId, PartId, RequestId
from hongyan.domain.ledger import TALLIED_RECEIVED, TALLIED_WRITES, TOTAL, ReceivedClass, compared, written_classes
from hongyan.domain.requests import ClosedAs, RequestState
from hongyan.ports import queries

SEVERAL = frozenset(range(10))
IDS = st.sampled_from(["a", "b", "c", "d"])
STATES = st.sampled_from([RequestState.CAPTURED, RequestState.COMMAND, RequestState.CLOSED])
ENDS = st.sampled_from(ClosedAs)
PART_STATES = st.sampled_from(PartState)


def _request(key: str, state: RequestState, closed_as: ClosedAs) -> Change:
    row = replace(example.request(), id=RequestId(key), message_id=MessageId(key), state=state, closed_as=closed_as)
    return insert("requests", row, SEVERAL)


def _part(key: str, state: PartState) -> Change:
    return insert("parts", replace(example.part(), id=PartId(key), state=state), SEVERAL)


STEPS: st.SearchStrategy[Change] = st.one_of(
    st.builds(_request, IDS, STATES, ENDS),
    st.builds(_part, IDS, PART_STATES),
    st.builds(lambda key, state: Update("requests", {"id": key}, {"state": state}, SEVERAL), IDS, STATES),
    st.builds(lambda end: Update("requests", {"state": "closed"}, {"closed_as": end}, SEVERAL), ENDS),
    st.builds(
        lambda key, state, end: Update("requests", {"id": key}, {"state": state, "closed_as": end}, SEVERAL),
        IDS,
        STATES,
        ENDS,
    ),
    st.builds(lambda was, state: Update("parts", {"state": was}, {"state": state}, SEVERAL), PART_STATES, PART_STATES),
    st.builds(lambda key: Delete("requests", {"id": key}, SEVERAL), IDS),
    st.builds(lambda key: Delete("parts", {"id": key}, SEVERAL), IDS),
)
REFUSED = Require("meta", {"key": "nobody wrote this"})
UNITS = st.lists(st.tuples(st.lists(STEPS, min_size=1, max_size=6), st.booleans()), min_size=1, max_size=8)


class Seen(NamedTuple):
    """One side: what is read by the tallies, what a full count gives, and the tallies that differ from it."""

    read: dict[str, int]
    counted: dict[str, int]
    astray: dict[str, int]


async def _seen(store: SqliteStore) -> tuple[Seen, Seen]:
    received = {row.name: row.amount for row in await store.all(queries.RECEIVED_CLASSES)}
    writes = {row.name: row.amount for row in await store.all(queries.WRITTEN_CLASSES)}
    every_request = {row.name: row.amount for row in await store.all(queries.RECEIVED_COUNTED)}
    every_part = {row.name: row.amount for row in await store.all(queries.WRITTEN_COUNTED)}
    return (
        _side(received, every_request, "requests", TALLIED_RECEIVED),
        _side(writes, every_part, "parts", TALLIED_WRITES),
    )


def _side(read: dict[str, int], counted: dict[str, int], table: str, tallied: tuple[str, ...]) -> Seen:
    tallies = {name: counted[f"{table}.{name}"] for name in tallied} | {TOTAL: counted[table]}
    real = {name: amount for name, amount in counted.items() if name not in TALLIES}
    return Seen(read, real, compared(real, tallies, tallied))


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@settings(max_examples=60)
@given(UNITS)
async def test_the_tallies_are_the_full_counts_after_any_transactions(units: list[tuple[list[Change], bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        create(Path(folder) / "store.db")
        async with _opened(Path(folder) / "store.db") as store:
            for steps, undone in units:
                if undone:
                    with pytest.raises(ConflictError):
                        await store.commit(Changes("undone", (*steps, REFUSED)))
                else:
                    await store.commit(Changes("kept", tuple(steps)))
                for side in await _seen(store):
                    assert side.astray == {}
                    assert side.read == side.counted


async def test_every_class_is_read_and_counted(tmp_path: Path) -> None:
    create(tmp_path / "store.db")
    async with _opened(tmp_path / "store.db") as store:
        received, writes = await _seen(store)
    assert set(received.read) == set(received.counted) == {TOTAL, *ReceivedClass}
    assert set(writes.read) == set(writes.counted) == {TOTAL, *written_classes()}


@pytest.mark.parametrize("way", ["backup", "restore"])
async def test_a_copy_goes_on_tallying(tmp_path: Path, way: str) -> None:
    create(tmp_path / "store.db")
    async with _opened(tmp_path / "store.db") as store:
        await store.commit(Changes("before", (_request("a", RequestState.CLOSED, ClosedAs.TOLD),)))
    copy = tmp_path / "copy.db"
    copy_database(tmp_path / "store.db", copy)
    if way == "restore":
        await restore(copy, tmp_path / "store.db", lock=FileLock(tmp_path / "lock"), restored_at=1)
        copy = tmp_path / "store.db"
    async with _opened(copy) as store:
        await store.commit(Changes("after", (_request("b", RequestState.CLOSED, ClosedAs.TOLD),)))
        received, _ = await _seen(store)
    assert (received.read[TOTAL], received.read["told"], received.astray) == (2, 2, {})


async def test_a_tally_that_is_wrong_or_lost_is_told_from_the_count(tmp_path: Path) -> None:
    create(tmp_path / "store.db")
    async with _opened(tmp_path / "store.db") as store:
        await store.commit(Changes("some", tuple(_request(key, RequestState.CLOSED, ClosedAs.TOLD) for key in "abc")))
        with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
            connection.execute("UPDATE tallies SET amount = amount + 2 WHERE name = 'requests.told'")
            connection.execute("UPDATE tallies SET amount = 0 WHERE name = 'requests'")
        received, writes = await _seen(store)
    assert (received.astray, writes.astray) == ({"told": 2, TOTAL: -3}, {})
    assert received.counted[TOTAL] == 3
