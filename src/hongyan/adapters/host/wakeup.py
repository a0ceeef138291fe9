"""Wake-ups inside one process."""

import asyncio

from hongyan.ports.surroundings import Clock

__all__ = ["LocalWakeup"]


class LocalWakeup:
    """Implement `Wakeup` with one event a topic; waits end by the given clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._marks: dict[str, asyncio.Event] = {}

    def wake(self, topic: str) -> None:
        """Mark the topic."""
        self._mark(topic).set()

    async def wait(self, topic: str, milliseconds: int) -> None:
        """Return at the mark or after the time, whichever is first; the mark is cleared."""
        mark = self._mark(topic)
        if not mark.is_set():
            marked = asyncio.ensure_future(mark.wait())
            slept = asyncio.ensure_future(self._clock.sleep(milliseconds))
            try:
                await asyncio.wait({marked, slept}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                marked.cancel()
                slept.cancel()
        mark.clear()

    def _mark(self, topic: str) -> asyncio.Event:
        return self._marks.setdefault(topic, asyncio.Event())
