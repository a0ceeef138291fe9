"""How calls of one App are spread in time."""

import asyncio
from datetime import timedelta

import pytest
from tests.unit.adapters.lark.surroundings import ManualClock

from hongyan.adapters.lark.limiter import Limiter
from hongyan.domain.errors import ChatThrottledError

API = "im.message.create"


async def admitted(limiter: Limiter, count: int, *, chat: str = "", api: str = API) -> list[asyncio.Task[None]]:
    """Ask that many times, in order, and let everyone run as far as it gets."""
    tasks = [asyncio.create_task(limiter.admit(api, chat)) for _ in range(count)]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def done(tasks: list[asyncio.Task[None]]) -> list[bool]:
    return [task.done() for task in tasks]


async def test_one_chat_takes_five_messages_a_second_in_order() -> None:
    clock = ManualClock()
    tasks = await admitted(Limiter(clock), 7, chat="oc_1")
    assert done(tasks) == [True] * 5 + [False] * 2
    assert clock.waits() == [1_000, 1_000]
    clock.advance(1_000)
    await asyncio.gather(*tasks)


async def test_another_chat_does_not_wait_for_the_first() -> None:
    limiter = Limiter(ManualClock())
    waiting = await admitted(limiter, 6, chat="oc_1")
    free = await admitted(limiter, 1, chat="oc_2")
    assert done(free) == [True]
    waiting[-1].cancel()


async def test_no_second_holds_more_than_fifty_calls_of_an_api() -> None:
    clock = ManualClock()
    limiter = Limiter(clock)
    await admitted(limiter, 25)
    clock.advance(900)
    tasks = await admitted(limiter, 40)
    assert done(tasks).count(True) == 25
    assert clock.waits() == [100] * 15
    clock.advance(100)
    await asyncio.gather(*tasks)


async def test_no_minute_holds_more_than_a_thousand_calls_of_an_api() -> None:
    clock = ManualClock()
    limiter = Limiter(clock)
    for _ in range(20):
        assert all(done(await admitted(limiter, 50)))
        clock.advance(1_000)
    with pytest.raises(ChatThrottledError) as refused:
        await limiter.admit(API)
    assert refused.value.retry_after == timedelta(seconds=40)
    assert done(await admitted(limiter, 1, api="im.message.get")) == [True]


async def test_whoever_would_wait_too_long_is_told_at_once_and_takes_no_place() -> None:
    clock = ManualClock()
    limiter = Limiter(clock)
    tasks = await admitted(limiter, 60, chat="oc_1")
    failed = [task for task in tasks if task.done() and task.exception() is not None]
    assert len(failed) == 5  # five pass at once and five more in each of the ten seconds that one may wait
    assert clock.waits()[-1] == 10_000
    for task in tasks:
        task.cancel()


async def test_a_pause_of_the_platform_holds_for_all_of_that_api_and_for_no_other() -> None:
    clock = ManualClock()
    limiter = Limiter(clock)
    limiter.pause_api(API, timedelta(seconds=3))
    held = await admitted(limiter, 1)
    assert done(held) == [False]
    assert done(await admitted(limiter, 1, api="im.message.get")) == [True]
    clock.advance(3_000)
    await held[0]


async def test_a_pause_that_comes_while_one_waits_is_told_to_the_waiting() -> None:
    clock = ManualClock()
    limiter = Limiter(clock)
    waiting = (await admitted(limiter, 6, chat="oc_1"))[-1]
    limiter.pause_chat("oc_1", timedelta(seconds=4))
    clock.advance(1_000)
    with pytest.raises(ChatThrottledError) as refused:
        await waiting
    assert refused.value.retry_after == timedelta(seconds=3)


async def test_idle_chats_are_forgotten() -> None:
    clock = ManualClock()
    limiter = Limiter(clock)
    for number in range(300):
        await limiter.admit(f"api-{number}", f"oc_{number}")
    clock.advance(1_000)
    await limiter.admit(API, "oc_new")
    assert len(limiter._chats) == 1


async def test_how_long_a_chat_takes_nothing_is_told_before_anybody_asks_for_a_place() -> None:
    clock = ManualClock()
    limiter = Limiter(clock)
    assert limiter.pause(API, "oc_1") == 0
    await asyncio.gather(*await admitted(limiter, 5, chat="oc_1"))
    assert limiter.pause(API, "oc_1") == limiter.pause(API, "oc_1") == 1_000
    assert limiter.pause(API, "oc_2") == 0
    limiter.pause_api(API, timedelta(seconds=3))
    assert limiter.pause(API, "oc_2") == 3_000
    clock.advance(3_000)
    assert limiter.pause(API, "oc_1") == 0
