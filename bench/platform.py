"""The simulated platform as a process, and what the benchmarks do on it: people, messages, slow calls, its log."""

import contextlib
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from bench.children import line_of, running
from bench.patience import until

__all__ = ["Platform", "Seat", "open_platform"]

CALL_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Seat:
    """An App, one person who may write to it, and their private chat."""

    name: str
    app_id: str
    secret: str
    user: str
    chat_id: str


class Platform:
    """The control interface of a running simulator. Times it gives are its own, in UTC milliseconds."""

    def __init__(self, url: str, http: httpx.AsyncClient) -> None:
        self.url = url
        self._http = http
        self._apps = 0

    async def seats(self, people: int, *, apps: int) -> list[Seat]:
        """Make `people` seats at `apps` new Apps: one each, or all at one."""
        made = [await self._add_app() for _ in range(apps)]
        seats = []
        for number in range(people):
            app_id, secret = made[number % apps]
            user = (await self._post("/_sim/users", {"name": "Lin Yan"}))["user_id"]
            chat = await self._post("/_sim/chats", {"kind": "p2p", "users": [user], "bots": [app_id]})
            seats.append(Seat(f"app{app_id[-4:]}", app_id, secret, user, chat["chat_id"]))
        return seats

    async def say(self, seat: Seat, text: str) -> dict[str, Any]:
        """Write to the bot as the person of that seat; give the message."""
        return await self._post("/_sim/messages", {"user": seat.user, "app": seat.app_id, "text": text})

    async def answer(self, seat: Seat, message_id: str) -> dict[str, Any]:
        """Wait until the bot's answer to a message is visible, and give it. Raise TimeoutError."""
        found: list[dict[str, Any]] = []

        async def is_visible() -> bool:
            said = (await self._get(f"/_sim/messages?chat_id={seat.chat_id}"))["messages"]
            found.extend(one for one in said if one["parent_id"] == message_id)
            return bool(found)

        await until(is_visible)
        return found[0]

    async def connected(self, *app_ids: str) -> None:
        """Wait until each App has a live long connection. Raise TimeoutError."""

        async def are_live() -> bool:
            found = (await self._get("/_sim/connections"))["connections"]
            return set(app_ids) <= {one["app_id"] for one in found if one["live"]}

        await until(are_live)

    @contextlib.asynccontextmanager
    async def slowed(self, milliseconds: int) -> AsyncIterator[None]:
        """Let every REST call take longer, by nothing for 0."""
        if not milliseconds:
            yield
            return
        rule = {"match": {"endpoint": "*"}, "effect": {"delay_ms": milliseconds}}
        fault = (await self._post("/_sim/faults", rule))["fault_id"]
        try:
            yield
        finally:
            await self._http.delete(f"/_sim/faults/{fault}")

    async def messages(self, seat: Seat) -> list[dict[str, Any]]:
        """Give what stands in the chat of a seat."""
        found: list[dict[str, Any]] = (await self._get(f"/_sim/messages?chat_id={seat.chat_id}"))["messages"]
        return found

    async def misbehave(self, endpoint: str, effect: Mapping[str, Any], probability: float) -> str:
        """Let some of the calls or events go wrong; give the name of the rule."""
        rule = {"match": {"endpoint": endpoint, "probability": probability}, "effect": effect}
        return str((await self._post("/_sim/faults", rule))["fault_id"])

    async def behave(self, rule: str) -> None:
        """End a rule of `misbehave`."""
        (await self._http.delete(f"/_sim/faults/{rule}")).raise_for_status()

    async def calls(self) -> list[dict[str, Any]]:
        """Give every REST call that it answered."""
        found: list[dict[str, Any]] = (await self._get("/_sim/requests"))["requests"]
        return found

    async def _add_app(self) -> tuple[str, str]:
        self._apps += 1
        app_id, secret = f"cli_{0xBE0000 + self._apps:016x}", f"secret-{self._apps}"
        await self._post("/_sim/apps", {"app_id": app_id, "app_secret": secret, "name": "Hongyan"})
        return app_id, secret

    async def _get(self, path: str) -> dict[str, Any]:
        answer = await self._http.get(path)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self._http.post(path, json=body)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found


@contextlib.asynccontextmanager
async def open_platform() -> AsyncIterator[Platform]:
    """Start a simulator of its own process and clock."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.json"
        async with running(["-m", "feishu_simulator", "--ready-file", str(ready)]) as process:
            await line_of(process)  # its link, said when it serves
            facts = json.loads(ready.read_text(encoding="utf-8"))
            headers = {"authorization": f"Bearer {facts['simulator_token']}"}
            async with httpx.AsyncClient(
                base_url=facts["simulator_url"], headers=headers, timeout=CALL_SECONDS, trust_env=False
            ) as http:
                yield Platform(facts["simulator_url"], http)
