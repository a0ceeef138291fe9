"""A real gateway with one configured App and no platform behind it, served without a network."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
from starlette.types import ASGIApp

from hongyan.application.configure import add_workspace
from hongyan.application.end_turn import Ending, end_turn
from hongyan.application.send_text import send_text
from hongyan.application.sessions import open_local_session
from hongyan.bootstrap import Gateway, open_gateway
from hongyan.config import AppSettings, ExecutorSettings, Protocol, SecretSource, Settings
from hongyan.config.secrets import SecretKind
from hongyan.domain.conversations import TurnEvent
from hongyan.domain.identity import AppId, RequestId
from hongyan.domain.notices import Notice
from hongyan.domain.workspaces import Grant
from hongyan.entrypoints.web.access import Access
from hongyan.entrypoints.web.app import create_app
from hongyan.entrypoints.web.guard import over_socket

PORT: Final = 8767
ORIGIN: Final = f"http://127.0.0.1:{PORT}"
APP: Final = AppId("cli_0123456789abcdef")
NOBODY_LISTENS: Final = "http://127.0.0.1:9"


@dataclass(slots=True)
class Hand:
    """A clock whose hand is moved by the test."""

    seconds: float = 0.0

    def __call__(self) -> float:
        """Give the time."""
        return self.seconds


@dataclass(slots=True)
class Process:
    """The process around the gateway; `stopped` counts how often it was asked to stop."""

    home: Path
    version: str = "1.2.3"
    pid: int = 4711
    started_at: int = 1
    simulator_url: str | None = None
    simulator_link: str | None = None
    stopped: list[bool] = field(default_factory=list)
    leaving: list[Callable[[], None]] = field(default_factory=list)

    def at_leave(self, callback: Callable[[], None]) -> None:
        """Keep whom to tell."""
        self.leaving.append(callback)

    def stop(self) -> None:
        """Note the wish."""
        self.stopped.append(True)


@dataclass(frozen=True, slots=True)
class Served:
    """What a test speaks with."""

    gateway: Gateway
    process: Process
    access: Access
    hand: Hand
    app: ASGIApp

    def visitor(self, **headers: str) -> httpx.AsyncClient:
        """Give a caller over TCP without any proof."""
        return httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url=ORIGIN, headers=headers)

    def program(self) -> httpx.AsyncClient:
        """Give a caller with the token."""
        return self.visitor(authorization=f"Bearer {self.access.api_token}")

    def neighbour(self) -> httpx.AsyncClient:
        """Give a caller over the Unix socket."""
        return httpx.AsyncClient(transport=httpx.ASGITransport(over_socket(self.app)), base_url="http://anything")

    async def browser(self, **headers: str) -> httpx.AsyncClient:
        """Give a browser that opened a link."""
        client = self.visitor(**headers)
        await client.get(self.access.new_link().removeprefix(ORIGIN))
        return client


@asynccontextmanager
async def served(home: Path) -> AsyncIterator[Served]:
    """Serve a fresh home."""
    (home / "secret").write_text("s3cret", encoding="utf-8")
    secret = SecretSource(SecretKind.FILE, str(home / "secret"))
    settings = Settings(
        home=home,
        apps=(AppSettings("work", APP, secret, base_url=NOBODY_LISTENS),),
        executors=(ExecutorSettings("rehearsal", Protocol.ACP, ("rehearsal-agent", "--key=s3cret")),),
    )
    gateway = await open_gateway(settings)
    hand, process = Hand(), Process(home)
    access = Access(PORT, clock=hand)
    try:
        yield Served(gateway, process, access, hand, create_app(gateway, process, access))
    finally:
        await gateway.close()


async def a_session(served: Served) -> str:
    """Open a Session of a workspace of this machine."""
    folder = served.process.home / "docs"
    folder.mkdir(exist_ok=True)
    await add_workspace(served.gateway.desk, "docs", str(folder), Grant.WRITE)
    return (await open_local_session(served.gateway.desk, "docs", "rehearsal")).id


async def an_owed_request(served: Served, text: str = "water the plants") -> RequestId:
    """Let a Turn fail, so that its request waits for the owner."""
    desk = served.gateway.desk
    sent = await send_text(desk, await a_session(served), text, "once")
    await end_turn(desk, sent.turn.id, Ending(TurnEvent.FAIL, "agent.lost", Notice.AGENT_LOST))
    assert sent.turn.request_id is not None
    return sent.turn.request_id
