"""The platform's clock."""

import asyncio

import pytest

from feishu_simulator.clock import SimClock


def test_timers_fire_in_the_order_they_fall_due_each_at_its_own_moment() -> None:
    clock = SimClock(virtual=True, start_ms=0)
    fired: list[tuple[str, int]] = []
    clock.call_after(20, lambda: fired.append(("late", clock.now_ms())))
    clock.call_after(10, lambda: fired.append(("early", clock.now_ms())))
    clock.advance(30)
    assert fired == [("early", 10), ("late", 20)]
    assert clock.now_ms() == 30


def test_a_timer_set_by_a_timer_fires_in_the_same_advance() -> None:
    clock = SimClock(virtual=True, start_ms=0)
    fired: list[int] = []

    def chain() -> None:
        clock.call_after(5, lambda: fired.append(clock.now_ms()))

    clock.call_after(10, chain)
    clock.advance(20)
    assert fired == [15]


def test_a_cancelled_timer_does_not_fire() -> None:
    clock = SimClock(virtual=True)
    fired: list[str] = []
    timer = clock.call_after(10, lambda: fired.append("x"))
    timer.cancel()
    clock.advance(20)
    assert fired == []
    assert clock.next_due_ms() is None


def test_time_does_not_run_backwards() -> None:
    clock = SimClock(virtual=True, start_ms=1_000)
    with pytest.raises(ValueError, match="backwards"):
        clock.set(999)


async def test_the_real_clock_fires_on_its_own() -> None:
    clock = SimClock(virtual=False)
    fired = asyncio.Event()
    clock.call_after(5, fired.set)
    await asyncio.wait_for(fired.wait(), 5)


async def test_the_real_clock_can_be_moved_ahead() -> None:
    clock = SimClock(virtual=False)
    fired: list[str] = []
    clock.call_after(3_600_000, lambda: fired.append("x"))
    clock.advance(3_600_000)
    assert fired == ["x"]
