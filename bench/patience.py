"""Waits for other processes by looking again and again; nothing is timed by them except where the caller says so."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

__all__ = ["until"]

PATIENCE_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.05  # seldom enough to leave the cores to those who are measured


async def until(condition: Callable[[], Awaitable[bool]], look_seconds: float = LOOK_SECONDS) -> None:
    """Return when the condition holds. Raise TimeoutError when it never does."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            if await condition():
                return
            await asyncio.sleep(look_seconds)
