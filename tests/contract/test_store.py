"""What every engine of the store promises for writes: all or nothing, guards, counts, order."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contract.store_engines import (
    ENGINES,
    JOB_COUNT,
    JOBS,
    LANE,
    LANES,
    Job,
    JobState,
    Lane,
    LaneKey,
)

from hongyan.domain.changes import (
    ONE_OR_NONE,
    Add,
    AtLeast,
    AtMost,
    Change,
    Changes,
    Delete,
    Guard,
    Insert,
    Less,
    Not,
    Of,
    OneOf,
    Require,
    Update,
    Value,
    insert,
)
from hongyan.domain.errors import ConflictError, StoreError
from hongyan.ports.store import Store

WAIT_SECONDS = 20.0


@pytest.fixture(params=sorted(ENGINES))
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """One empty store of each engine."""
    async with ENGINES[request.param](tmp_path) as opened:
        yield opened


def lane(key: str = "a", *, pending: int = 0, epoch: int | None = None, owner: str | None = None) -> Insert:
    return insert("lane", Lane(LaneKey(key), pending, epoch, owner))


def job(name: str, *, position: int | Of = 1, state: JobState = JobState.QUEUED, key: str = "a") -> Insert:
    values: dict[str, Value | Of] = {"id": name, "lane": key, "position": position, "state": state, "urgent": 0}
    return Insert("job", values)


async def commit(store: Store, *steps: Change, label: str = "test") -> tuple[int, ...]:
    return await asyncio.wait_for(store.commit(Changes(label, steps)), WAIT_SECONDS)


async def the_lane(store: Store, key: str = "a") -> Lane:
    found = await store.one(LANE, key=key)
    assert found is not None
    return found


async def test_each_step_is_answered_with_its_row_count(store: Store) -> None:
    await commit(store, lane("a"), lane("b"), lane("c"))
    both = Update("lane", {"key": OneOf(("a", "b"))}, {"owner": "w"}, expect=frozenset({2}))
    gone = Delete("lane", {"key": "nobody"}, expect=ONE_OR_NONE)
    assert await commit(store, both, Require("lane", {"key": "a", "owner": "w"}), gone) == (2, 1, 0)


async def test_a_transaction_without_steps_writes_nothing_and_is_kept(store: Store) -> None:
    assert await commit(store) == ()


async def test_steps_before_and_after_a_refused_one_are_not_kept(store: Store) -> None:
    await commit(store, lane("a"))
    with pytest.raises(ConflictError) as refused:
        await commit(store, lane("b"), Require("lane", {"key": "a", "pending": 7}), lane("c"), label="choose")
    assert (refused.value.label, refused.value.step) == ("choose", 1)
    assert [row.key for row in await store.all(LANES)] == ["a"]


@pytest.mark.parametrize(
    ("column", "value", "guard", "holds"),
    [
        ("epoch", 3, 3, True),
        ("epoch", 3, 4, False),
        ("epoch", None, None, True),
        ("epoch", 3, None, False),
        ("epoch", None, 3, False),
        ("owner", "w", "w", True),
        ("owner", "", None, False),
        ("owner", None, "", False),
        ("epoch", 3, Less(4), True),
        ("epoch", 3, Less(3), False),
        ("epoch", None, Less(3), False),
        ("epoch", 3, AtMost(3), True),
        ("epoch", 3, AtMost(2), False),
        ("epoch", 3, AtLeast(3), True),
        ("epoch", 3, AtLeast(4), False),
        ("epoch", None, AtLeast(0), False),
        ("epoch", 3, OneOf((1, 3)), True),
        ("epoch", 3, OneOf((1, 2)), False),
        ("epoch", 3, OneOf(()), False),
        ("epoch", None, OneOf((1, 2)), False),
        ("epoch", 3, Not(3), False),
        ("epoch", 3, Not(4), True),
        ("epoch", None, Not(3), True),
        ("epoch", None, Not(None), False),
        ("epoch", 3, Not(None), True),
    ],
)
async def test_a_guard_holds_exactly_as_it_says_and_null_only_matches_none(
    store: Store, column: str, value: Value, guard: Guard, holds: bool
) -> None:
    await commit(store, Insert("lane", {"key": "a", column: value}))
    counts = await commit(store, Require("lane", {"key": "a", column: guard}, expect=ONE_OR_NONE))
    assert counts == (int(holds),)


async def test_relative_values_see_the_steps_before_them(store: Store) -> None:
    behind = Of("lane", {"key": "a"}, "pending")
    await commit(
        store,
        lane("a", pending=4),
        Update("lane", {"key": "a"}, {"pending": Add(1)}),
        job("first", position=behind),
        Update("lane", {"key": "a"}, {"pending": Add(-2), "epoch": behind}),
        job("second", position=behind),
    )
    assert [row.position for row in await store.all(JOBS, lane="a")] == [3, 5]
    assert await the_lane(store) == Lane(LaneKey("a"), 3, 5, None)


async def test_the_value_of_a_row_that_is_not_there_is_none(store: Store) -> None:
    await commit(store, lane("a", epoch=1))
    await commit(store, Update("lane", {"key": "a"}, {"epoch": Of("lane", {"key": "nobody"}, "pending")}))
    assert (await the_lane(store)).epoch is None


async def test_an_expected_duplicate_counts_none_and_leaves_the_row_as_it_is(store: Store) -> None:
    await commit(store, lane("a", pending=5))
    again = Insert("lane", {"key": "a", "pending": 9}, expect=ONE_OR_NONE)
    assert await commit(store, again, lane("b")) == (0, 1)
    assert (await the_lane(store)).pending == 5


async def test_an_unexpected_duplicate_is_a_conflict(store: Store) -> None:
    await commit(store, lane("a"))
    with pytest.raises(ConflictError):
        await commit(store, lane("a"))


async def test_an_update_onto_a_taken_key_is_a_conflict(store: Store) -> None:
    await commit(store, lane("a"), lane("b"))
    with pytest.raises(ConflictError):
        await commit(store, Update("lane", {"key": "b"}, {"key": "a"}))


async def test_a_row_without_the_row_it_belongs_to_is_a_conflict(store: Store) -> None:
    with pytest.raises(ConflictError):
        await commit(store, job("orphan", key="nobody"))


async def test_requiring_a_row_changes_nothing(store: Store) -> None:
    await commit(store, lane("a", pending=3, epoch=2, owner="w"))
    await commit(store, Require("lane", {"key": "a", "epoch": 2}))
    assert await the_lane(store) == Lane(LaneKey("a"), 3, 2, "w")


@pytest.mark.parametrize(
    "broken",
    [
        Insert("job", {"id": "x", "lane": "a", "position": 1, "state": "queued", "urgent": None}),
        Insert("job", {"id": "x", "lane": "a", "position": 1, "state": "no such state", "urgent": 0}),
        Insert("lane", {"key": "x", "pending": 2**70}),
        Insert("lane", {"key": "half \ud83d"}),
        Insert("no_such_table", {"key": "x"}),
    ],
    ids=["missing value", "failed check", "too large an integer", "half a letter", "no such table"],
)
async def test_a_row_that_no_table_takes_fails_alone_and_is_no_conflict(store: Store, broken: Insert) -> None:
    await commit(store, lane("a"))
    failed, *others = await asyncio.gather(
        commit(store, lane("b"), broken), *(commit(store, lane(f"c{n}")) for n in range(9)), return_exceptions=True
    )
    assert isinstance(failed, StoreError)
    assert others == [(1,)] * 9
    assert await store.one(LANE, key="b") is None


async def test_a_refused_transaction_among_many_is_undone_alone(store: Store) -> None:
    await commit(store, lane("a"))

    def unit(number: int) -> tuple[Change, ...]:
        demanded = Require("lane", {"key": "nobody" if number % 10 == 3 else "a"})
        return lane(f"before {number:03}"), demanded, lane(f"after {number:03}")

    answers = await asyncio.gather(*(commit(store, *unit(n)) for n in range(100)), return_exceptions=True)
    refused = [n for n, answer in enumerate(answers) if isinstance(answer, ConflictError)]
    assert refused == list(range(3, 100, 10))
    kept = {row.key for row in await store.all(LANES)} - {"a"}
    assert kept == {f"{word} {n:03}" for word in ("before", "after") for n in range(100) if n not in refused}


async def test_simultaneous_admits_fill_the_queue_in_order_up_to_its_limit(store: Store) -> None:
    await commit(store, lane("a"))

    async def admit(number: int) -> tuple[int, ...]:
        room = Update("lane", {"key": "a", "pending": Less(20)}, {"pending": Add(1)})
        return await commit(store, room, job(f"{number:02}", position=Of("lane", {"key": "a"}, "pending")))

    answers = await asyncio.gather(*(admit(n) for n in range(24)), return_exceptions=True)
    assert answers[:20] == [(1, 1)] * 20
    assert all(isinstance(answer, ConflictError) for answer in answers[20:])
    admitted = [(row.id, row.position) for row in await store.all(JOBS, lane="a")]
    assert admitted == [(f"{n:02}", n + 1) for n in range(20)]


async def test_one_of_many_claims_wins(store: Store) -> None:
    await commit(store, lane("a"))

    async def claim(worker: str) -> tuple[int, ...]:
        free = {"key": "a", "owner": None}
        return await commit(store, Update("lane", free, {"owner": worker, "epoch": 1}))

    answers = await asyncio.gather(*(claim(f"w{n}") for n in range(16)), return_exceptions=True)
    winners = [f"w{n}" for n, answer in enumerate(answers) if answer == (1,)]
    assert winners == [(await the_lane(store)).owner]


async def test_a_cancelled_caller_neither_undoes_its_commit_nor_disturbs_others(store: Store) -> None:
    tasks = [asyncio.create_task(commit(store, lane(f"{n}"))) for n in range(20)]
    await asyncio.sleep(0)
    tasks[7].cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(answers[7], asyncio.CancelledError)
    assert answers[:7] + answers[8:] == [(1,)] * 19
    await commit(store, lane("last"))
    assert len(await store.all(LANES)) == 21


async def test_a_read_after_an_awaited_commit_sees_it(store: Store) -> None:
    await commit(store, lane("a"))
    for number in range(50):
        await commit(store, job(f"{number}", position=number))
        assert await store.one(JOB_COUNT) == number + 1


async def test_a_large_value_comes_back_as_it_was(store: Store) -> None:
    body = bytes(range(256)) * 4096
    await commit(store, lane("a"), insert("job", Job("x", LaneKey("a"), 1, JobState.RUNNING, True, body)))
    assert await store.all(JOBS, lane="a") == [Job("x", LaneKey("a"), 1, JobState.RUNNING, True, body)]
