"""One App in a simulated town, seen from both sides: through the chat port, and as the platform saw it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from feishu_simulator import Simulator, SimulatorSettings
from feishu_simulator.clock import SimClock
from feishu_simulator.faults import Effect, Match
from feishu_simulator.model import App, Chat, Message, User
from feishu_simulator.people import Speech
from feishu_simulator.platform import Platform
from hongyan.adapters.lark import LarkApp, LarkListener, LarkSettings
from hongyan.domain.identity import AppId, ChatId
from hongyan.domain.messages import Outbound
from hongyan.ports.chat import ChatEvent

WAIT_SECONDS = 10.0
PING_MS = 120_000  # what an App's clients are told by default


class TownClock:
    """The gateway's clock, tied to the platform's."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock
        self.sleeps: list[int] = []
        self._changed = asyncio.Event()

    def now(self) -> int:
        return self._clock.now_ms()

    def boot(self) -> int:
        return self._clock.now_ms()

    def boot_id(self) -> str:
        return "boot"

    async def sleep(self, milliseconds: int) -> None:
        woken = asyncio.Event()

        def wake() -> None:
            self.sleeps.remove(milliseconds)
            woken.set()

        timer = self._clock.call_after(milliseconds, wake)
        self.sleeps.append(milliseconds)
        self._changed.set()
        try:
            await woken.wait()
        finally:
            timer.cancel()
            if not woken.is_set():
                self.sleeps.remove(milliseconds)
            self._changed.set()

    async def until_sleeps(self, *expected: int) -> None:
        """Wait until exactly these sleeps are under way, as they were asked for."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while sorted(self.sleeps) != list(expected):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"sleeping {self.sleeps}, expected {list(expected)}") from None


class SteadyEntropy:
    """No chance at all."""

    def token(self, length_bytes: int = 16) -> str:
        return "0" * length_bytes

    def code(self, alphabet: str, length: int) -> str:
        return alphabet[0] * length

    def fraction(self) -> float:
        return 0.0


@dataclass
class Ear:
    """What the application was given and what it was told; `failure` makes it refuse."""

    listener: LarkListener
    events: "asyncio.Queue[ChatEvent]" = field(default_factory=asyncio.Queue)
    acknowledged: "asyncio.Queue[ChatEvent]" = field(default_factory=asyncio.Queue)
    failure: Exception | None = None

    async def take(self, event: ChatEvent) -> None:
        self.events.put_nowait(event)
        if self.failure is not None:
            raise self.failure

    async def heard(self) -> ChatEvent:
        return await asyncio.wait_for(self.events.get(), WAIT_SECONDS)

    async def told(self) -> ChatEvent:
        return await asyncio.wait_for(self.acknowledged.get(), WAIT_SECONDS)


@dataclass
class Town:
    """Lin Yan, her private chat with the App's bot, and a way to everything else."""

    simulator: Simulator
    app: App
    user: User
    chat: Chat
    gateway: LarkApp
    clock: TownClock

    @property
    def platform(self) -> Platform:
        return self.simulator.platform

    def say(self, text: str = "hello", **speech: Any) -> Message:
        return self.platform.people.say(self.user.user_id, self.chat.chat_id, Speech(text=text, **speech))

    def breaks(self, endpoint: str, *, times: int | None = 1, **effect: Any) -> None:
        self.platform.faults.add(Match(endpoint, times=times), Effect(**effect))

    def bot_said(self) -> list[str]:
        return [message.text for message in self.platform.visible(self.chat.chat_id) if message.by_bot]

    async def until(self, condition: Callable[[], bool]) -> None:
        await self.simulator.until(condition, timeout_seconds=WAIT_SECONDS)

    async def connected(self, count: int = 1) -> None:
        """Wait until the App's connections are that many."""
        await self.until(lambda: len(self.platform.connections.live(self.app.app_id)) == count)


def outbound(town: Town, **changes: Any) -> Outbound:
    chosen = {
        "chat_id": ChatId(town.chat.chat_id),
        "reply_to": "",
        "in_thread": False,
        "text": "an answer",
        "key": "key-1",
        **changes,
    }
    return Outbound(**chosen)


@asynccontextmanager
async def town(**settings: Any) -> AsyncIterator[Town]:
    """Serve a town on a virtual clock."""
    async with Simulator(SimulatorSettings(clock="virtual")) as simulator:
        app = simulator.platform.add_app("Hongyan")
        user = simulator.platform.add_user("Lin Yan")
        clock = TownClock(simulator.clock)
        gateway = LarkApp(
            LarkSettings(
                app_id=AppId(app.app_id),
                app_secret=SecretStr(settings.pop("secret", app.secret)),
                base_url=simulator.base_url,
                **settings,
            ),
            clock,
        )
        try:
            yield Town(simulator, app, user, simulator.platform.private_chat(user, app), gateway, clock)
        finally:
            await gateway.aclose()


@asynccontextmanager
async def listening(here: Town, *, connected: bool = True) -> AsyncIterator[Ear]:
    """Keep the App's long connection open inside; `connected=False` does not wait for it."""
    ear = Ear(here.gateway.listener(SteadyEntropy()))
    task = asyncio.create_task(ear.listener.listen(ear.take, ear.acknowledged.put_nowait))
    try:
        if connected:
            await here.connected()
            await here.clock.until_sleeps(PING_MS)
        yield ear
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, WAIT_SECONDS)
