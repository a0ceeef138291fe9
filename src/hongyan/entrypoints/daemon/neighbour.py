"""Speaks with the gateway that has the home already, over its socket."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

__all__ = ["Links", "links_of_running"]

ANSWER_SECONDS: Final = 3.0
LOOK_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Links:
    """What a person opens; the simulator's is None without one."""

    console: str
    simulator: str | None


async def links_of_running(socket: Path) -> Links | None:
    """Ask the gateway behind `socket` for fresh links, again while it is still starting; None when the time is over."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                links = await _ask(socket)
                if links is not None:
                    return links
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        return None


async def _ask(socket: Path) -> Links | None:
    transport = httpx.AsyncHTTPTransport(uds=str(socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway", timeout=ANSWER_SECONDS) as client:
        try:
            answer = await client.post("/api/v1/login-links")
            made = answer.raise_for_status().json()
            return Links(made["console_url"], made["simulator_url"])
        except (httpx.HTTPError, OSError, ValueError, KeyError):
            return None
