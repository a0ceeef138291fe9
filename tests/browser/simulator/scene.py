"""A furnished simulator and a scripted bot, for the tests of the page: no gateway, no wire but REST."""

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
from playwright.async_api import Page, expect

from feishu_simulator import Simulator, SimulatorSettings
from feishu_simulator.connections import Connection
from feishu_simulator.frames import Frame, decode
from feishu_simulator.model import App, Chat, User

Json = dict[str, Any]
Answering = Callable[["Bot", Json], Coroutine[Any, Any, None]]
Clicked = Callable[[Json], Json | None]
CLOSE_SECONDS = 5.0
CARDS = "/open-apis/cardkit/v1/cards"


@dataclass(slots=True)
class Bot:
    """A bot at the end of a long connection: it acks every event and answers as its script says.

    `clicked` gets the body of a callback and returns its answer; None leaves it unanswered until `answer_click`.
    """

    simulator: Simulator
    app: App
    http: httpx.AsyncClient
    script: Answering
    acks: bool = True
    clicked: Clicked = lambda _: {}
    held: list[Frame] = field(default_factory=list)
    connection: Connection | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def connect(self) -> None:
        """Open the long connection."""
        connections = self.simulator.platform.connections
        self.connection = connections.opened(connections.issue_ticket(self.app), self, half_dead=False)

    def send(self, frame: bytes) -> None:
        """Take an event from the platform."""
        loop = asyncio.get_running_loop()
        loop.call_soon(self._receive, decode(frame))

    def close(self, code: int) -> None:
        """Lose the connection."""
        if self.connection is not None:
            self.simulator.platform.connections.closed(self.connection, code)

    async def reply(self, message_id: str, text: str, *, uuid: str | None = None, **more: Any) -> httpx.Response:
        """Answer a message."""
        body = {"msg_type": "text", "content": json.dumps({"text": text}), **more}
        if uuid is not None:
            body["uuid"] = uuid
        return await self.http.post(f"/open-apis/im/v1/messages/{message_id}/reply", json=body)

    async def reply_post(self, message_id: str, post: Json) -> httpx.Response:
        """Answer with rich text."""
        content = json.dumps({"zh_cn": post}, ensure_ascii=False)
        body = {"msg_type": "post", "content": content}
        return await self.http.post(f"/open-apis/im/v1/messages/{message_id}/reply", json=body)

    async def react(self, message_id: str, emoji: str) -> str:
        """Put a mark on a message and return its id."""
        path = f"/open-apis/im/v1/messages/{message_id}/reactions"
        answer = await self.http.post(path, json={"reaction_type": {"emoji_type": emoji}})
        return str(answer.json()["data"]["reaction_id"])

    async def unreact(self, message_id: str, reaction_id: str) -> None:
        """Take a mark off."""
        await self.http.delete(f"/open-apis/im/v1/messages/{message_id}/reactions/{reaction_id}")

    async def send_card(self, chat: Chat, card: Json) -> str:
        """Send a card whole, or an entity's reference, and return the message's id."""
        body = {"receive_id": chat.chat_id, "msg_type": "interactive", "content": json.dumps(card, ensure_ascii=False)}
        answer = await self.http.post("/open-apis/im/v1/messages?receive_id_type=chat_id", json=body)
        return str(answer.json()["data"]["message_id"])

    async def create_card(self, card: Json) -> str:
        """Make an entity and return its id."""
        answer = await self.http.post(CARDS, json={"type": "card_json", "data": json.dumps(card, ensure_ascii=False)})
        return str(answer.json()["data"]["card_id"])

    async def operate(self, method: str, path: str, sequence: int, **body: Any) -> httpx.Response:
        """Call CardKit about an entity; `path` begins with its id."""
        return await self.http.request(method, f"{CARDS}/{path}", json={**body, "sequence": sequence})

    def answer_click(self, body: Json) -> None:
        """Answer the oldest callback that is held."""
        self._acknowledge(self.held.pop(0), {"data": base64.b64encode(json.dumps(body).encode()).decode()})

    async def settled(self) -> None:
        """Wait until everything that was heard is answered."""
        async with asyncio.timeout(CLOSE_SECONDS):
            while self.tasks:
                await asyncio.gather(*self.tasks)

    def _receive(self, frame: Frame) -> None:
        event = json.loads(frame.payload or b"{}")
        if event["header"]["event_type"] == "card.action.trigger":
            self.held.append(frame)
            answer = self.clicked(event["event"])
            if answer is not None:
                self.answer_click(answer)
        elif self.acks:
            self._acknowledge(frame, {})
        if event["header"]["event_type"] == "im.message.receive_v1":
            task = asyncio.get_running_loop().create_task(self.script(self, event["event"]["message"]))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    def _acknowledge(self, frame: Frame, more: Json) -> None:
        if self.connection is not None:
            answer = Frame(1, [*frame.headers, ("biz_rt", "1")], json.dumps({"code": 200, **more}).encode())
            self.simulator.platform.delivery.acknowledge(self.connection, decode(answer.encode()))


@dataclass(slots=True)
class Scene:
    """Lin Yan and Chen Yu, a visitor, the bot Hongyan, and a group with topics."""

    simulator: Simulator
    bot: Bot
    lin: User
    chen: User
    visitor: User
    group: Chat

    @property
    def private(self) -> Chat:
        """Return Lin Yan's private chat with the bot."""
        return self.simulator.platform.private_chat(self.lin, self.bot.app)

    def texts(self, chat: Chat) -> list[str]:
        """Return what a reader of the chat sees."""
        return [message.text for message in self.simulator.platform.visible(chat.chat_id)]


async def echo(bot: Bot, message: Json) -> None:
    """Read the message back, mark it, answer it."""
    message_id = message["message_id"]
    await bot.http.get(f"/open-apis/im/v1/messages/{message_id}")
    await bot.react(message_id, "Get")
    text = json.loads(message["content"])["text"]
    await bot.reply(message_id, f"You said: {text}", uuid=f"{message_id[-8:]}-part-1")


@asynccontextmanager
async def scene(
    script: Answering = echo, *, clock: Literal["real", "virtual"] = "real", names: tuple[str, str, str] | None = None
) -> AsyncIterator[Scene]:
    """Serve a furnished simulator with its bot listening."""
    lin_name, chen_name, bot_name = names or ("Lin Yan", "Chen Yu", "Hongyan")
    async with Simulator(SimulatorSettings(clock=clock)) as simulator:
        platform = simulator.platform
        app = platform.add_app(bot_name)
        lin, chen = platform.add_user(lin_name), platform.add_user(chen_name)
        visitor = platform.add_user("Stranger" if names is None else "外部访客", outside_tenant=True)
        platform.private_chat(lin, app)
        group_name = "Release 2.4" if names is None else "2.4 发布"
        token, _ = platform.tokens.issue(app)
        headers = {"authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=simulator.base_url, headers=headers, trust_env=False, timeout=10) as http:
            bot = Bot(simulator, app, http, script)
            bot.connect()
            group = platform.add_group(group_name, [lin, chen], [app], topics=True)
            yield Scene(simulator, bot, lin, chen, visitor, group)
            await bot.settled()


async def ready(page: Page) -> None:
    """Wait until the page has drawn itself."""
    await expect(page.locator("html[data-ready=true]")).to_be_attached()


async def enter(page: Page, name: str) -> None:
    """Open a chat of the acting person."""
    await page.locator("#places").get_by_role("button", name=re.compile(f"^{re.escape(name)}")).click()


async def say(page: Page, text: str) -> None:
    """Write into the composer and press Enter."""
    await page.locator("#words").fill(text)
    await page.locator("#words").press("Enter")
