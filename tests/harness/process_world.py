"""A simulated platform in this process, and gateways on one home beside it as processes that can really be killed."""

import asyncio
import json
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from feishu_simulator import Simulator, SimulatorSettings
from feishu_simulator.delivery import ACK_WINDOW_MS, LADDER_MS, EventState
from feishu_simulator.model import Message as Said
from tests.harness.agents import quick_agent
from tests.harness.processes import GatewayProcess, hongyan

__all__ = ["Plan", "ProcessWorld", "open_process_world"]

PATIENCE_SECONDS: Final = 30.0
LOOK_SECONDS: Final = 0.05
SECRET: Final = "WORK_SECRET"
OPEN_REQUESTS: Final = ("captured", "admitted", "active", "delivering")
OPEN_WRITES: Final = ("planned", "intended", "written")
ENDED: Final = frozenset({EventState.ACKED, EventState.ABANDONED})


@dataclass(frozen=True, slots=True)
class Plan:
    """How a world's gateway is configured: its executors, another secret than the App's own, more settings."""

    executors: Mapping[str, Sequence[str]] = field(default_factory=lambda: {"rehearsal": quick_agent()})
    reactions: bool = False
    secret: str | None = None
    more: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)


class ProcessWorld:
    """One home, one platform, one person, one gateway process at a time. Made by `open_process_world`."""

    def __init__(self, home: Path, simulator: Simulator, plan: Plan) -> None:
        self.home, self.simulator, self.plan = home, simulator, plan
        self.platform = simulator.platform
        self.app = self.platform.add_app("Hongyan")
        self.owner = self.platform.add_user("Lin Yan")
        self.chat = self.platform.private_chat(self.owner, self.app)
        self.agent_state = home / "agent-state"
        self.workspace = home / "workspace"
        self._gateway: GatewayProcess | None = None
        self._changed = asyncio.Event()
        simulator.subscribe(self._changed.set)

    @property
    def gateway(self) -> GatewayProcess:
        """Give the gateway that was started last."""
        if self._gateway is None:
            raise AssertionError("no gateway was started")
        return self._gateway

    # --- the gateway's life -----------------------------------------------------------------

    async def start(self, *, kill: str = "", plan: Plan | None = None) -> GatewayProcess:
        """Start a gateway on the home and wait until it listens to the platform; a plan replaces the one before."""
        self.plan = plan or self.plan
        self._write_settings()
        secret = self.app.secret if self.plan.secret is None else self.plan.secret
        environ = {SECRET: secret, "XDG_RUNTIME_DIR": str(self.home), **self.plan.environ}
        self._gateway = GatewayProcess(self.home, "--no-simulator", kill=kill, environ=environ)
        await self._gateway.start()
        if self.plan.secret is None:
            await self.simulator.until(lambda: bool(self.platform.connections.live(self.app.app_id)))
        return self._gateway

    async def close(self) -> None:
        """End whatever runs."""
        if self._gateway is not None:
            await self._gateway.end()

    async def bind(self) -> None:
        """Pair the owner by a real message and bind the private chat to the workspace and the agent."""
        self.workspace.mkdir(exist_ok=True)
        async with self.gateway.neighbour() as door:
            pairing = await _post(door, "/pairings", {"app": "work"})
            self.say(pairing["code"])
            await self.until_rows("SELECT 1 FROM pairings WHERE state = 'claimed'")
            await _post(door, f"/pairings/{pairing['pairing_id']}/confirm", {})
            await _post(door, "/workspaces", {"name": "work", "path": str(self.workspace)})
        await self.employ(next(iter(self.plan.executors)))
        await self.until_settled()

    async def employ(self, executor: str) -> None:
        """Let later messages open a session with an executor."""
        async with self.gateway.neighbour() as door:
            await _post(door, "/bindings", {"app": "work", "workspace": "work", "executor": executor})

    # --- people and time --------------------------------------------------------------------

    def say(self, text: str) -> Said:
        """Write to the bot as the owner."""
        return self.platform.people.write(self.owner.user_id, self.app.app_id, text)

    def release(self, name: str) -> None:
        """Let an agent go on that waits at `[[wait:NAME]]`."""
        (self.agent_state / name).touch()

    def redeliver(self) -> None:
        """Let the platform's time pass until what was not acknowledged is sent once more."""
        for step in (ACK_WINDOW_MS + 1, LADDER_MS[0] + 1):
            if not self._all_heard():
                self.simulator.clock.advance(step)

    # --- looking ----------------------------------------------------------------------------

    def answers_to(self, said: Said) -> list[str]:
        """Give the visible texts of the bot that answer one message: the oracle."""
        visible = self.platform.visible(self.chat.chat_id)
        return [message.text for message in visible if message.parent_id == said.message_id]

    def prompts(self) -> list[str]:
        """Give every prompt text that an agent process saw: the witness of model calls."""
        log = self.agent_state / "prompts.log"
        return [json.loads(line)["text"] for line in log.read_text().splitlines()] if log.exists() else []

    def rows(self, sql: str, **arguments: Any) -> list[tuple[Any, ...]]:
        """Read the database file past the gateway."""
        file = self.home / "hongyan.db"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return connection.execute(sql, arguments).fetchall()

    async def command(self, *words: str) -> Any:
        """Run a command of the command line that must succeed, and give its answer."""
        ended = await hongyan(self.home, *words, "--json")
        assert ended.code == 0, ended
        return json.loads(ended.said)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds; it is asked again after every change at the platform, and by and by."""

        async def asked() -> bool:
            return condition()

        await self._until(asked)

    async def until_rows(self, sql: str, **arguments: Any) -> None:
        """Wait until the query gives a row."""
        await self.until(lambda: bool(self.rows(sql, **arguments)))

    async def until_settled(self) -> None:
        """Wait until nothing is open but what is held, and what waits behind it."""
        async with self.gateway.neighbour() as door:
            await self._until(lambda: self._is_settled(door))

    async def adds_up(self) -> Any:
        """Check both partitions by the command line and against the platform's own list; give the ledger."""
        ledger = await self.command("ledger", "--check")
        said = self.platform.said(self.chat.chat_id)
        shown = [message for message in self.platform.visible(self.chat.chat_id) if message.by_bot]
        found = self.rows(
            "SELECT count(*) FROM parts "
            "WHERE transport IN ('text', 'post', 'words_card', 'card', 'card_text') AND provider_id <> ''"
        )
        assert ledger["received"]["total"] == len(said), (ledger, [message.text for message in said])
        assert found[0][0] == len(shown), (ledger, [message.text for message in shown])
        return ledger

    async def owed(self) -> dict[str, Any]:
        """Give the rows of `hongyan owed list` by the id of the message that each is about."""
        messages = dict(self.rows("SELECT id, message_id FROM requests"))
        return {messages[row["id"]]: row for row in await self.command("owed", "list")}

    # --- inside -----------------------------------------------------------------------------

    def _all_heard(self) -> bool:
        return all(event.state in ENDED for event in self.platform.events("im.message.receive_v1"))

    async def _is_settled(self, door: httpx.AsyncClient) -> bool:
        if not self._all_heard():
            return False
        ledger = (await door.get("/ledger")).raise_for_status().json()
        received, writes = ledger["received"]["classes"], ledger["writes"]["classes"]
        waiting = 0 if received["held"] else received["queued"]
        due = self.rows("SELECT count(*) FROM parts WHERE state = 'unknown' AND next_at IS NOT NULL")
        openly = sum(received[name] for name in OPEN_REQUESTS) + sum(writes[name] for name in OPEN_WRITES)
        return int(waiting + openly + due[0][0]) == 0

    async def _until(self, condition: Callable[[], Awaitable[bool]]) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE_SECONDS
        while not await condition():
            assert loop.time() < deadline, self._explain()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):  # `wait_for` may swallow a cancellation
                    await self._changed.wait()
            self._changed.clear()

    def _explain(self) -> str:
        requests = self.rows("SELECT state, code, closed_as, text FROM requests")
        turns = self.rows("SELECT state, text FROM turns")
        parts = self.rows("SELECT transport, state, code, attempts, order_key FROM parts")
        return f"{requests}\n{turns}\n{parts}\n{self.gateway.log()[-4_000:]}"

    def _write_settings(self) -> None:
        for folder in (self.home, self.agent_state):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        environ = f'REHEARSAL_STATE = "{self.agent_state}", PYTHONPATH = "{os.environ.get("PYTHONPATH", "")}"'
        executors = "".join(
            f'[[executors]]\nname = "{name}"\nprotocol = "acp"\ncommand = {json.dumps(list(command))}\n'
            f"env = {{ {environ} }}\n"
            for name, command in self.plan.executors.items()
        )
        (self.home / "hongyan.toml").write_text(
            f"[gateway]\nreactions = {str(self.plan.reactions).lower()}\n"
            f'[[apps]]\nname = "work"\napp_id = "{self.app.app_id}"\n'
            f'app_secret = {{ env = "{SECRET}" }}\nbase_url = "{self.simulator.base_url}"\n'
            f"{executors}{self.plan.more}",
            encoding="utf-8",
        )


@asynccontextmanager
async def open_process_world(home: Path, plan: Plan | None = None) -> AsyncIterator[ProcessWorld]:
    """Give a world in which no gateway runs yet; end everything afterwards."""
    async with Simulator(SimulatorSettings(clock="real")) as simulator:
        world = ProcessWorld(home, simulator, plan or Plan())
        try:
            yield world
        finally:
            await world.close()


async def _post(door: httpx.AsyncClient, path: str, body: Mapping[str, object]) -> Any:
    answer = await door.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()
