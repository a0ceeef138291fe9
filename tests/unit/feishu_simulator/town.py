"""A small town to test the platform's rules in: one App, one person, a virtual clock, and an ear on the wire."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from feishu_simulator import Simulator, SimulatorSettings
from feishu_simulator.bot_calls import Draft
from feishu_simulator.connections import Connection
from feishu_simulator.errors import PlatformError
from feishu_simulator.frames import Frame, decode
from feishu_simulator.model import App, Chat, Message, User
from feishu_simulator.people import Speech
from feishu_simulator.platform import Platform

Json = dict[str, Any]


def text_draft(text: str = "hi", *, uuid: str | None = None) -> Draft:
    return Draft("text", json.dumps({"text": text}), uuid)


@dataclass
class Ear:
    """A client's end of a long connection, without a socket."""

    platform: Platform
    connection: Connection | None = None
    frames: list[Frame] = field(default_factory=list)
    closed_with: int | None = None

    def send(self, frame: bytes) -> None:
        self.frames.append(decode(frame))

    def close(self, code: int) -> None:
        self.closed_with = code
        if self.connection is not None:
            self.platform.connections.closed(self.connection, code)

    def heard(self, event_type: str = "im.message.receive_v1") -> list[Json]:
        """The whole events of a type, in the order of arrival."""
        events = [json.loads(frame.payload or b"") for frame in self.frames if frame.header("sum") == "1"]
        return [event for event in events if event["header"]["event_type"] == event_type]

    def answer(self, code: int = 200, *, frame: Frame | None = None) -> None:
        """Acknowledge the latest frame, or the given one."""
        assert self.connection is not None
        answered = frame or self.frames[-1]
        reply = Frame(1, [*answered.headers, ("biz_rt", "1")], json.dumps({"code": code}).encode())
        self.platform.delivery.acknowledge(self.connection, decode(reply.encode()))


@dataclass
class Town:
    """The platform with its first residents."""

    platform: Platform
    app: App
    user: User
    chat: Chat

    def listen(self, *, half_dead: bool = False) -> Ear:
        """Connect the App once more."""
        ear = Ear(self.platform)
        ticket = self.platform.connections.issue_ticket(self.app)
        ear.connection = self.platform.connections.opened(ticket, ear, half_dead=half_dead)
        return ear

    def write(self, text: str = "hello", **speech: Any) -> Message:
        """Let the person write in the private chat."""
        return self.platform.people.say(self.user.user_id, self.chat.chat_id, Speech(text=text, **speech))

    def send(self, text: str = "hi", *, uuid: str | None = None) -> Message:
        """Let the bot write in the private chat."""
        return self.platform.bot_calls.create(self.app, "chat_id", self.chat.chat_id, text_draft(text, uuid=uuid))

    def outcomes(self) -> list[str]:
        """How each attempt at the latest event ended."""
        return [attempt.outcome for attempt in self.platform.events()[-1].attempts]


def town(seed: int = 0) -> Town:
    """Build a town on a virtual clock."""
    return furnish(Platform(SimulatorSettings(seed=seed, clock="virtual")))


def furnish(platform: Platform) -> Town:
    """Move an App and a person into a platform."""
    app = platform.add_app("Hongyan")
    user = platform.add_user("Lin Yan")
    return Town(platform, app, user, platform.private_chat(user, app))


def refused(code: int) -> Any:
    """Expect the platform's refusal with that number."""
    return pytest.raises(PlatformError, match=f"^{code} ")


@dataclass
class LiveTown:
    """A town behind its ports."""

    town: Town
    simulator: Simulator
    http: httpx.AsyncClient
    control_headers: dict[str, str]
    app_headers: dict[str, str]

    async def call(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Call the REST surface as the App."""
        return await self.http.request(method, path, headers=self.app_headers, **request)

    async def control(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Call the control API."""
        return await self.http.request(method, path, headers=self.control_headers, **request)

    async def ws_url(self) -> str:
        """Ask for a long connection's address."""
        credentials = {"AppID": self.town.app.app_id, "AppSecret": self.town.app.secret}
        answer = await self.http.post("/callback/ws/endpoint", json=credentials)
        return str(answer.json()["data"]["URL"])


@asynccontextmanager
async def live_town() -> AsyncIterator[LiveTown]:
    """Serve a town on loopback, virtual clock."""
    async with Simulator(SimulatorSettings(clock="virtual")) as simulator:
        here = furnish(simulator.platform)
        token, _ = simulator.platform.tokens.issue(here.app)
        async with httpx.AsyncClient(base_url=simulator.base_url, trust_env=False, timeout=10) as http:
            control = {"authorization": f"Bearer {simulator.control_token}"}
            yield LiveTown(here, simulator, http, control, {"authorization": f"Bearer {token}"})
