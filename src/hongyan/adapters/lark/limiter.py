"""Keeps one App below the platform's limits: in each API and in each chat, first come first served.

The window is exact: at most so many calls in any span of its length, where a bucket that refills would let twice as
many pass at a span's edge. Whoever would wait too long is told so at once and keeps its place in its own queue instead.
"""

from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from hongyan.domain.errors import ChatThrottledError
from hongyan.ports.surroundings import Clock

__all__ = ["Limiter"]

API_LIMITS: Final = ((50, 1_000), (1_000, 60_000))  # the platform's tier: calls in milliseconds, an API and App
CHAT_LIMITS: Final = ((5, 1_000),)  # the platform's: messages into one chat, shared by all bots in it
LONGEST_WAIT_MS: Final = 10_000  # as long as a request may take: a lease outlives both together
CHATS_KEPT: Final = 256  # chats remembered before idle ones are forgotten


class Limiter:
    """Grants calls of one App in order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._apis: dict[str, _Queue] = {}
        self._chats: dict[str, _Queue] = {}

    async def admit(self, api: str, chat: str = "") -> None:
        """Return when the call may go out; raise ChatThrottledError when that is too far away."""
        # The chat first: whoever waits for a slow chat must not hold a place in the queue of the whole App.
        if chat:
            await self._pass(api, self._chat(chat))
        await self._pass(api, self._api(api))

    def pause(self, api: str, chat: str) -> int:
        """Give the milliseconds until a call would be granted at once; nothing is taken."""
        now = self._clock.boot()
        queues = (queue for queue in (self._apis.get(api), self._chats.get(chat)) if queue is not None)
        return max((queue.next_slot(now) - now for queue in queues), default=0)

    def pause_api(self, api: str, wait: timedelta) -> None:
        """Let nothing through to that API for that time."""
        self._api(api).pause(self._clock.boot() + _milliseconds(wait))

    def pause_chat(self, chat: str, wait: timedelta) -> None:
        """Let no message through to that chat for that time."""
        self._chat(chat).pause(self._clock.boot() + _milliseconds(wait))

    async def _pass(self, api: str, queue: "_Queue") -> None:
        now = self._clock.boot()
        slot = queue.next_slot(now)
        if slot - now > LONGEST_WAIT_MS:
            raise _throttled(api, slot - now)
        queue.take(slot)
        if slot > now:
            await self._clock.sleep(slot - now)
        # A limit met by another call in the meantime holds for those that already waited, too.
        if queue.paused_until > slot:
            raise _throttled(api, queue.paused_until - self._clock.boot())

    def _api(self, api: str) -> "_Queue":
        if api not in self._apis:
            self._apis[api] = _Queue.under(API_LIMITS)
        return self._apis[api]

    def _chat(self, chat: str) -> "_Queue":
        if chat not in self._chats:
            self._forget_idle_chats()
            self._chats[chat] = _Queue.under(CHAT_LIMITS)
        return self._chats[chat]

    def _forget_idle_chats(self) -> None:
        if len(self._chats) < CHATS_KEPT:
            return
        now = self._clock.boot()
        self._chats = {chat: queue for chat, queue in self._chats.items() if not queue.idle(now)}


@dataclass(slots=True)
class _Window:
    """The times of the last `count` grants; the next one waits until the oldest has left the span."""

    count: int
    span_ms: int
    granted: deque[int] = field(default_factory=deque)

    def next_slot(self) -> int:
        """Give the earliest time of the next grant; 0 when it may be any."""
        full = len(self.granted) == self.count
        return self.granted[0] + self.span_ms if full else 0

    def take(self, slot: int) -> None:
        """Keep a grant in mind."""
        if len(self.granted) == self.count:
            self.granted.popleft()
        self.granted.append(slot)


@dataclass(slots=True)
class _Queue:
    """All windows of one API or chat. Slots only grow, so whoever asks first goes first."""

    windows: list[_Window]
    last: int = 0
    paused_until: int = 0

    @classmethod
    def under(cls, limits: tuple[tuple[int, int], ...]) -> "_Queue":
        """Make the queue of one API or chat."""
        return cls([_Window(count, span_ms) for count, span_ms in limits])

    def next_slot(self, now: int) -> int:
        """Give when the next call may go out."""
        return max(now, self.last, self.paused_until, *(window.next_slot() for window in self.windows))

    def take(self, slot: int) -> None:
        """Take that place."""
        self.last = slot
        for window in self.windows:
            window.take(slot)

    def pause(self, until: int) -> None:
        """Let nobody through before that time."""
        self.paused_until = max(self.paused_until, until)

    def idle(self, now: int) -> bool:
        """Tell whether forgetting the queue would change nothing."""
        longest = max(window.span_ms for window in self.windows)
        return max(self.last + longest, self.paused_until) <= now


def _throttled(api: str, wait_ms: int) -> ChatThrottledError:
    wait = timedelta(milliseconds=max(wait_ms, 1))
    return ChatThrottledError(f"{api}: the limit is used up for now", retry_after=wait)


def _milliseconds(wait: timedelta) -> int:
    return -(-wait // timedelta(milliseconds=1))
