"""Joins an event that arrived in several frames, in any order, some of them twice."""

from dataclasses import dataclass, field
from typing import Final

from hongyan.adapters.lark.frames import Frame
from hongyan.ports.surroundings import Clock

__all__ = ["Fragments"]

LIFE_MS: Final = 10_000  # the platform sends parts back to back; an event with a lost part is delivered again
WAITING_KEPT: Final = 64  # incomplete events at once, so that lost parts cannot fill the memory
PARTS_KEPT: Final = 256  # parts of one event


@dataclass(slots=True)
class _Waiting:
    count: int
    since: int
    parts: dict[int, bytes] = field(default_factory=dict)


class Fragments:
    """The incomplete events of one connection."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[str, _Waiting] = {}

    def join(self, frame: Frame) -> bytes | None:
        """Give the whole event when this frame completes it, None while parts are missing."""
        count, part = frame.number("sum", 1), frame.number("seq", 0)
        if count <= 1:
            return frame.payload
        if part >= count or count > PARTS_KEPT:
            return None  # never acknowledged, so the platform sends the event again
        waiting = self._of(frame.header("message_id"), count)
        waiting.parts[part] = frame.payload
        if len(waiting.parts) < count:
            return None
        del self._waiting[frame.header("message_id")]
        return b"".join(waiting.parts[index] for index in range(count))

    def _of(self, message: str, count: int) -> _Waiting:
        self._forget_old()
        known = self._waiting.get(message)
        if known is None or known.count != count:
            self._make_room()
            known = self._waiting[message] = _Waiting(count, self._clock.boot())
        return known

    def _forget_old(self) -> None:
        oldest = self._clock.boot() - LIFE_MS
        self._waiting = {name: event for name, event in self._waiting.items() if event.since > oldest}

    def _make_room(self) -> None:
        while len(self._waiting) >= WAITING_KEPT:
            del self._waiting[next(iter(self._waiting))]
