"""What every engine of the store promises for named reads."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.contract.store_engines import ENGINES, JOBS, LANE, LANES, OWNER, JobState, Lane, LaneKey

from hongyan.domain.changes import Changes, Insert, Value
from hongyan.domain.errors import StoreError
from hongyan.ports.store import Query, Store


@dataclass(frozen=True, slots=True)
class Fewer:
    key: str


@dataclass(frozen=True, slots=True)
class More:
    key: str
    pending: int
    epoch: int | None
    owner: str | None
    colour: str


@dataclass(frozen=True, slots=True)
class Strange:
    key: str
    pending: int
    epoch: list[int] | None
    owner: str | None


@dataclass(frozen=True, slots=True)
class Strict:
    key: str
    pending: int
    epoch: int
    owner: str


@dataclass(frozen=True, slots=True)
class KnownState:
    id: str
    state: JobState


@pytest.fixture(params=sorted(ENGINES))
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """One store of each engine with two lanes and a job whose state the code does not know."""
    async with ENGINES[request.param](tmp_path) as opened:
        rows: tuple[tuple[str, dict[str, Value]], ...] = (
            ("lane", {"key": "b", "pending": 2, "epoch": 7, "owner": "w"}),
            ("lane", {"key": "a"}),
            ("job", {"id": "x", "lane": "b", "position": 1, "state": "lost", "urgent": 1}),
        )
        await opened.commit(Changes("rows", tuple(Insert(table, row) for table, row in rows)))
        yield opened


async def test_columns_meet_fields_by_name_and_rows_keep_the_order_of_the_query(store: Store) -> None:
    assert await store.all(LANES) == [Lane(LaneKey("a"), 0, None, None), Lane(LaneKey("b"), 2, 7, "w")]


async def test_one_row_none_and_too_many_are_told_apart(store: Store) -> None:
    assert await store.one(LANE, key="b") == Lane(LaneKey("b"), 2, 7, "w")
    assert await store.one(LANE, key="nobody") is None
    with pytest.raises(StoreError):
        await store.one(LANES)


async def test_a_query_of_one_column_gives_plain_values(store: Store) -> None:
    assert await store.one(OWNER, key="b") == "w"
    assert await store.one(Query("job_count", int)) == 1


@pytest.mark.parametrize(
    "query",
    [Query("lanes", Fewer), Query("lanes", More), Query("lanes", Strange), Query("lanes", int)],
    ids=["column without a field", "field without a column", "field of an unknown type", "scalar of four columns"],
)
async def test_a_row_type_that_does_not_fit_is_refused(store: Store, query: Query[object]) -> None:
    with pytest.raises(StoreError):
        await store.all(query)


async def test_a_row_type_that_does_not_fit_is_refused_before_there_is_a_row(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.all(Query("jobs", Fewer), lane="a")


async def test_null_where_the_field_needs_a_value_is_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.all(Query("lanes", Strict))
    with pytest.raises(StoreError):
        await store.one(OWNER, key="a")


async def test_a_value_that_the_enum_does_not_know_is_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.all(Query("job_states", KnownState))


async def test_an_unknown_query_and_wrong_arguments_are_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.all(Query("no_such_query", int))
    with pytest.raises(StoreError):
        await store.all(JOBS)
    with pytest.raises(StoreError):
        await store.all(JOBS, lane="a", colour="red")
