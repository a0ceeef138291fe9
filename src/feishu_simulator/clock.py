"""The simulated platform's time: wall time plus an offset, or a frozen clock that only `advance` moves.

Everything the platform times (token life, the redelivery ladder, the uuid window) hangs on this clock, so a test
sees seven hours of redelivery in a millisecond.
"""

import asyncio
import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field

VIRTUAL_START_MS = 1_750_000_000_000  # any fixed moment will do; it makes a virtual run repeatable


@dataclass(order=True, slots=True)
class Timer:
    """One scheduled action; `cancel` makes it a no-op."""

    due_ms: int
    order: int
    action: Callable[[], None] | None = field(compare=False)

    def cancel(self) -> None:
        """Forget the action; safe to repeat."""
        self.action = None


class SimClock:
    """Milliseconds since the epoch with timers, real or virtual."""

    def __init__(self, *, virtual: bool, start_ms: int | None = None) -> None:
        self.virtual = virtual
        self._frozen_ms = VIRTUAL_START_MS if start_ms is None else start_ms
        self._offset_ms = 0 if virtual or start_ms is None else start_ms - _wall_ms()
        self._timers: list[Timer] = []
        self._order = 0
        self._wake: asyncio.TimerHandle | None = None
        self._watchers: list[Callable[[int], None]] = []

    def now_ms(self) -> int:
        """Return the platform's present moment."""
        return self._frozen_ms if self.virtual else _wall_ms() + self._offset_ms

    def next_due_ms(self) -> int | None:
        """Return when the next timer fires, so that a harness can step from one to the next."""
        while self._timers and self._timers[0].action is None:
            heapq.heappop(self._timers)
        return self._timers[0].due_ms if self._timers else None

    def call_after(self, delay_ms: int, action: Callable[[], None]) -> Timer:
        """Run the action once, `delay_ms` from now on this clock."""
        self._order += 1
        timer = Timer(self.now_ms() + delay_ms, self._order, action)
        heapq.heappush(self._timers, timer)
        self._arm()
        return timer

    def advance(self, milliseconds: int) -> None:
        """Move time forward and fire every timer that falls due on the way, each at its own moment."""
        if milliseconds < 0:
            raise ValueError("time does not run backwards")
        target = self.now_ms() + milliseconds
        if self.virtual:
            self._run_due(target)
            self._frozen_ms = max(target, self._frozen_ms)
        else:
            self._offset_ms += milliseconds
            self._run_due(target)
        for watch in tuple(self._watchers):
            watch(self.now_ms())
        self._arm()

    def set(self, moment_ms: int) -> None:
        """Move time forward to the given moment; an earlier one raises ValueError."""
        self.advance(moment_ms - self.now_ms())

    def watch(self, watcher: Callable[[int], None]) -> None:
        """Call `watcher(now_ms)` after every jump."""
        self._watchers.append(watcher)

    def cancel_all(self) -> None:
        """Drop every timer."""
        self._timers.clear()
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None

    def _run_due(self, target_ms: int) -> None:
        while (due_ms := self.next_due_ms()) is not None and due_ms <= target_ms:
            timer = heapq.heappop(self._timers)
            if self.virtual:
                self._frozen_ms = max(self._frozen_ms, due_ms)
            action, timer.action = timer.action, None
            if action is not None:
                action()

    def _arm(self) -> None:
        """On the real clock, let the event loop wake us for the earliest timer."""
        if self.virtual:
            return
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        due_ms = self.next_due_ms()
        if due_ms is not None:
            wait_seconds = max(0, due_ms - self.now_ms()) / 1000
            self._wake = asyncio.get_running_loop().call_later(wait_seconds, self._on_wake)

    def _on_wake(self) -> None:
        self._wake = None
        self._run_due(self.now_ms())
        self._arm()


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
