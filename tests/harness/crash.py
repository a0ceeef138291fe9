"""Where a crash or a pause hits a gateway in process."""

import asyncio
from dataclasses import dataclass, field

from tests.harness.kill_points import never

__all__ = ["Crash", "Pause"]


@dataclass(slots=True)
class Crash:
    """Where a crash hits: at the n-th passing of a point, after which nothing of the process moves."""

    point: str = ""
    nth: int = 1
    dead: asyncio.Event = field(default_factory=asyncio.Event)

    async def reach(self, point: str) -> None:
        """Die here when it is the place."""
        self.mark(point)
        await self.gate()

    def mark(self, point: str) -> None:
        """Count a passing."""
        if point == self.point and not self.dead.is_set():
            self.nth -= 1
            if self.nth == 0:
                self.dead.set()

    async def gate(self) -> None:
        """Let the living through."""
        if self.dead.is_set():
            await never()


@dataclass(slots=True)
class Pause(Crash):
    """Where the gateway stands still until it may go on; nothing dies."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def reach(self, point: str) -> None:
        """Wait here when it is the place."""
        if point == self.point:
            self.reached.set()
            await self.may_go_on.wait()

    def mark(self, point: str) -> None:
        """Nothing happens where nothing can wait."""
