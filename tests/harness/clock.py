"""One time for the gateway and the simulated platform, moved by hand."""

import asyncio
import heapq

from feishu_simulator.clock import SimClock

__all__ = ["ManualClock"]


class ManualClock:
    """Implements the gateway's `Clock` on the simulator's virtual clock. `skew_ms` is what a wrong wall clock shows."""

    def __init__(self, platform: SimClock) -> None:
        self._platform = platform
        self._boot_ms = 1_000_000
        self._boot = "first-boot"
        self._order = 0
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self.skew_ms = 0

    def now(self) -> int:
        """Give the wall clock, wrong by the skew."""
        return self._platform.now_ms() + self.skew_ms

    def boot(self) -> int:
        """Give the time since boot."""
        return self._boot_ms

    def boot_id(self) -> str:
        """Name this boot."""
        return self._boot

    async def sleep(self, milliseconds: int) -> None:
        """Return when the test has moved time that far."""
        if milliseconds <= 0:
            await asyncio.sleep(0)
            return
        self._order += 1
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._boot_ms + milliseconds, self._order, woken))
        await woken

    def sleeps_for(self, milliseconds: int) -> bool:
        """Tell whether somebody wakes in exactly that time."""
        return any(due - self._boot_ms == milliseconds for due, _, woken in self._sleepers if not woken.done())

    def next_wake(self, most: int) -> int:
        """Give the milliseconds until the next sleeper wakes, at least one and at most that many."""
        dues = [due - self._boot_ms for due, _, woken in self._sleepers if not woken.done()]
        return max(1, min([most, *dues]))

    async def advance(self, milliseconds: int) -> None:
        """Move both times forward; whoever sleeps wakes at their own moment, and may act before the next one wakes."""
        target = self._boot_ms + milliseconds
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, woken = heapq.heappop(self._sleepers)
            self._move(due - self._boot_ms)
            if not woken.done():
                woken.set_result(None)
                for _ in range(_TURNS_OF_THE_LOOP):
                    await asyncio.sleep(0)
        self._move(target - self._boot_ms)

    async def leap(self, milliseconds: int) -> None:
        """Move both times at once, as over a suspended machine: whoever sleeps wakes after it, once."""
        self._move(milliseconds)
        await self.advance(0)

    def reboot(self) -> None:
        """Start the machine anew: the boot clock begins again under another name."""
        self._boot_ms, self._boot = 1_000, "second-boot"
        self._sleepers.clear()

    def _move(self, milliseconds: int) -> None:
        if milliseconds > 0:
            self._boot_ms += milliseconds
            self._platform.advance(milliseconds)


_TURNS_OF_THE_LOOP = 3  # enough for a woken task to run to its next real wait
