"""How the tenant token is fetched, kept and dropped."""

import asyncio

import pytest
from tests.unit.adapters.lark.surroundings import ManualClock

from hongyan.adapters.lark.tokens import Grant, TokenCache
from hongyan.domain.errors import ChatBlockedError, ChatUnreachableError


class Source:
    """Hands out t-1, t-2, …; can be held back or made to fail."""

    def __init__(self) -> None:
        self.fetched = 0
        self.open = asyncio.Event()
        self.open.set()
        self.failure: Exception | None = None
        self.life_seconds = 7_200

    async def fetch(self) -> Grant:
        self.fetched += 1
        number = self.fetched
        await self.open.wait()
        if self.failure is not None:
            raise self.failure
        return Grant(f"t-{number}", self.life_seconds)


async def test_many_callers_share_one_fetch() -> None:
    source = Source()
    source.open.clear()
    cache = TokenCache(ManualClock(), source.fetch)
    callers = [asyncio.create_task(cache.get()) for _ in range(20)]
    await asyncio.sleep(0)
    source.open.set()
    assert set(await asyncio.gather(*callers)) == {"t-1"}
    assert source.fetched == 1


async def test_many_callers_share_one_failure() -> None:
    source = Source()
    source.open.clear()
    source.failure = ChatBlockedError("wrong secret")
    cache = TokenCache(ManualClock(), source.fetch)
    callers = [asyncio.create_task(cache.get()) for _ in range(20)]
    await asyncio.sleep(0)
    source.open.set()
    results = await asyncio.gather(*callers, return_exceptions=True)
    assert {type(result) for result in results} == {ChatBlockedError}
    assert source.fetched == 1


async def test_a_cancelled_fetch_is_taken_over_by_the_next_caller() -> None:
    source = Source()
    source.open.clear()
    cache = TokenCache(ManualClock(), source.fetch)
    first, second = (asyncio.create_task(cache.get()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    source.open.set()
    assert await second == "t-2"


async def test_a_token_is_renewed_ten_minutes_before_its_end() -> None:
    clock, source = ManualClock(), Source()
    cache = TokenCache(clock, source.fetch)
    assert await cache.get() == "t-1"
    clock.advance(6_599_000)
    assert await cache.get() == "t-1"
    clock.advance(1_000)
    assert await cache.get() == "t-2"


async def test_a_short_lived_token_is_renewed_at_half_its_life() -> None:
    clock, source = ManualClock(), Source()
    source.life_seconds = 60
    cache = TokenCache(clock, source.fetch)
    await cache.get()
    clock.advance(29_000)
    assert await cache.get() == "t-1"
    clock.advance(1_000)
    assert await cache.get() == "t-2"


async def test_nobody_waits_for_a_renewal_while_the_old_token_is_good() -> None:
    clock, source = ManualClock(), Source()
    cache = TokenCache(clock, source.fetch)
    await cache.get()
    clock.advance(6_700_000)
    source.open.clear()
    renewing = asyncio.create_task(cache.get())
    await asyncio.sleep(0)
    assert await cache.get() == "t-1"
    source.open.set()
    assert await renewing == "t-2"


async def test_a_failed_renewal_leaves_the_old_token_until_its_end() -> None:
    clock, source = ManualClock(), Source()
    cache = TokenCache(clock, source.fetch)
    await cache.get()
    source.failure = ChatUnreachableError("down")
    clock.advance(6_700_000)
    assert await cache.get() == "t-1"
    clock.advance(500_000)
    with pytest.raises(ChatUnreachableError):
        await cache.get()


async def test_a_refused_token_is_dropped_but_not_its_successor() -> None:
    source = Source()
    cache = TokenCache(ManualClock(), source.fetch)
    old = await cache.get()
    cache.drop(old)
    assert await cache.get() == "t-2"
    cache.drop(old)
    assert await cache.get() == "t-2"
