"""Both partitions as the store counts them: each row in the class that the domain names, and in no other."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.domain import given as example

from hongyan.adapters.store import SqliteStore
from hongyan.adapters.store.revision import create
from hongyan.domain.changes import Change, Changes, insert
from hongyan.domain.conversations import TurnState
from hongyan.domain.deliveries import PartState
from hongyan.domain.identity import MessageId, PartId, RequestId, TurnId
from hongyan.domain.ledger import Partition, ReceivedClass, classify
from hongyan.domain.requests import ClosedAs, RequestState
from hongyan.ports import queries

Combination = tuple[RequestState, ClosedAs, TurnState | None]


def _reachable() -> Iterator[Combination]:
    """Give what may exist: only a closed request says how, only one that became a Turn needs its state."""
    for state, closed_as, turn in product(RequestState, ClosedAs, (None, *TurnState)):
        says_how = closed_as is not ClosedAs.OPEN
        if says_how is (state is RequestState.CLOSED) and not (state is RequestState.TURN and turn is None):
            yield state, closed_as, turn


REACHABLE = tuple(_reachable())


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Give a real store with the packaged schema."""
    create(tmp_path / "store.db")
    opened = SqliteStore(tmp_path / "store.db")
    await opened.open()
    yield opened
    await opened.close()


def _rows(number: int, combination: Combination) -> tuple[Change, ...]:
    state, closed_as, turn_state = combination
    turn_id = TurnId(f"turn_{number}") if turn_state else None
    request = replace(
        example.request(),
        id=RequestId(f"req_{number}"),
        message_id=MessageId(f"om_{number}"),
        state=state,
        closed_as=closed_as,
        turn_id=turn_id,
    )
    rows: tuple[Change, ...] = (insert("requests", request),)
    if turn_id is None or turn_state is None:
        return rows
    return (*rows, insert("turns", replace(example.turn(), id=turn_id, request_id=request.id, state=turn_state)))


async def _received(store: SqliteStore) -> Partition:
    counts = {row.name: row.amount for row in await store.all(queries.RECEIVED_CLASSES)}
    return Partition(counts.pop("total"), counts)


async def _written(store: SqliteStore) -> Partition:
    counts = {row.name: row.amount for row in await store.all(queries.WRITTEN_CLASSES)}
    return Partition(counts.pop("total"), counts)


async def test_each_combination_alone_is_counted_in_its_class_and_in_no_other(store: SqliteStore) -> None:
    before = await _received(store)
    for number, combination in enumerate(REACHABLE):
        await store.commit(Changes("test", _rows(number, combination)))
        after = await _received(store)
        grown = {name for name, amount in after.classes.items() if amount != before.classes[name]}
        assert grown == {classify(*combination).value}, combination
        assert after.balanced
        before = after


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(amounts=st.lists(st.integers(0, 3), min_size=len(REACHABLE), max_size=len(REACHABLE)))
async def test_any_mixture_is_counted_as_the_domain_counts_it(tmp_path: Path, amounts: list[int]) -> None:
    path = tmp_path / f"{abs(hash(tuple(amounts)))}.db"
    create(path)
    store = SqliteStore(path)
    await store.open()
    try:
        combinations = [one for one, amount in zip(REACHABLE, amounts, strict=True) for _ in range(amount)]
        steps = tuple(step for number, one in enumerate(combinations) for step in _rows(number, one))
        await store.commit(Changes("test", steps))
        counted = await _received(store)
    finally:
        await store.close()
    expected = Counter(classify(*combination).value for combination in combinations)
    assert counted.classes == {name.value: expected[name.value] for name in ReceivedClass}
    assert counted.total == len(combinations)
    assert counted.balanced


@pytest.mark.parametrize(
    "combination",
    [(RequestState.CLOSED, ClosedAs.OPEN, None), (RequestState.TURN, ClosedAs.OPEN, None)],
    ids=["closed without saying how", "a turn that names none"],
)
async def test_a_row_that_must_not_exist_shows_as_a_difference(store: SqliteStore, combination: Combination) -> None:
    await store.commit(Changes("test", _rows(0, combination)))
    partition = await _received(store)
    assert (partition.total, partition.difference) == (1, -1)


async def test_every_part_is_counted_in_the_class_of_its_state(store: SqliteStore) -> None:
    for number, state in enumerate(PartState, start=1):
        parts = [replace(example.part(), id=PartId(f"part_{number}_{n}"), state=state) for n in range(number)]
        await store.commit(Changes("test", tuple(insert("parts", part) for part in parts)))
    partition = await _written(store)
    assert dict(partition.classes) == {state.value: number for number, state in enumerate(PartState, start=1)}
    assert partition.balanced
