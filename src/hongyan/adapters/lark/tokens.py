"""Keeps the tenant token of one App: fetched by one caller at a time, renewed before it ends, dropped when refused."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from hongyan.domain.errors import ChatError
from hongyan.ports.surroundings import Clock

__all__ = ["Grant", "TokenCache"]

RENEW_BEFORE_MS: Final = 600_000  # below 30 minutes the platform hands out a new token beside the old one


@dataclass(frozen=True, slots=True)
class Grant:
    """A token as the platform gave it."""

    token: str
    life_seconds: int

    def __repr__(self) -> str:
        return f"Grant(life_seconds={self.life_seconds})"


class TokenCache:
    """The token of one App. Times run on the boot clock: a token also ages while the machine sleeps."""

    def __init__(self, clock: Clock, fetch: Callable[[], Awaitable[Grant]]) -> None:
        self._clock = clock
        self._fetch = fetch
        self._lock = asyncio.Lock()
        self._token = ""
        self._ends = 0
        self._renew_at = 0
        self._failures = 0  # fetches that failed so far
        self._failure: ChatError | None = None

    async def get(self) -> str:
        """Give a token that is good for a while; whoever waits for the same fetch shares its failure."""
        if self._fresh() or (self._good() and self._lock.locked()):
            return self._token
        seen = self._failures
        async with self._lock:
            if self._fresh():
                return self._token
            if self._failures != seen and self._failure is not None:
                raise self._failure
            return await self._renew()

    def drop(self, token: str) -> None:
        """Forget a token that the platform refused; a newer one stays."""
        if token == self._token:
            self._token, self._ends, self._renew_at = "", 0, 0

    async def _renew(self) -> str:
        self._failure = None
        asked_at = self._clock.boot()
        try:
            grant = await self._fetch()
        except ChatError as error:
            if self._good():
                return self._token  # the old one is still good: this caller need not suffer
            self._failure = error
            self._failures += 1
            raise
        life = grant.life_seconds * 1_000
        self._token = grant.token
        self._ends = asked_at + life
        self._renew_at = asked_at + max(life - RENEW_BEFORE_MS, life // 2)
        return self._token

    def _fresh(self) -> bool:
        return self._clock.boot() < self._renew_at

    def _good(self) -> bool:
        return self._clock.boot() < self._ends
