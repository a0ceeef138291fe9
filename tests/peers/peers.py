"""Runs a foreign client as a program against a simulator and reads what it prints."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feishu_simulator import Simulator, SimulatorSettings
from feishu_simulator.model import App, Chat, ClientConfig, Message, User
from feishu_simulator.people import Speech

CLIENTS = Path(__file__).parent / "clients"
WAIT_SECONDS = 60.0  # the Python client takes seconds to import on a busy machine
PYTHON_CLIENTS = {"lark-oapi": "lark_bot.py", "lark-channel-sdk": "channel_bot.py"}
BRISK = ClientConfig(reconnect_interval=1, reconnect_nonce=0, ping_interval=1)

Json = dict[str, Any]


class MissingClientError(AssertionError):
    """A client is not installed: that is a failure, never a skip."""


def command(client: str) -> list[str]:
    """Return how a client is started."""
    if client in PYTHON_CLIENTS:
        return [sys.executable, "-W", "ignore", str(CLIENTS / PYTHON_CLIENTS[client])]
    node = shutil.which("node")
    if node is None or not (CLIENTS / "node_modules" / "@larksuiteoapi" / "node-sdk").is_dir():
        raise MissingClientError(f"the Node client is missing: npm ci --prefix {CLIENTS}")
    return [node, str(CLIENTS / "node_bot.mjs")]


@dataclass
class Meeting:
    """A running client, the simulator it talks to, and the person who writes to it."""

    simulator: Simulator
    app: App
    user: User
    chat: Chat
    process: asyncio.subprocess.Process

    def write(self, text: str) -> Message:
        """Write to the client's bot."""
        return self.simulator.platform.people.say(self.user.user_id, self.chat.chat_id, Speech(text=text))

    async def printed(self, key: str) -> Any:
        """Return the next printed object with that key."""
        assert self.process.stdout is not None
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), WAIT_SECONDS)
            if not line:
                raise AssertionError("the client ended")
            said = json.loads(line) if line.startswith(b"{") else {}
            if "failed" in said:
                raise AssertionError(f"the client failed: {said['failed']}")
            if key in said:
                return said[key]

    async def let_go(self) -> None:
        """Give the holding handler its line."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"go\n")
        await self.process.stdin.drain()

    async def connected(self, count: int = 1) -> None:
        """Wait until the client has connected that many times, and listens.

        Its first ping says that it listens: the Node client drops what arrives with the end of the handshake.
        """
        connections = self.simulator.platform.connections

        def listens() -> bool:
            live = connections.live(self.app.app_id)
            return len(connections.all) >= count and any(connection.pings for connection in live)

        await self.simulator.until(listens, timeout_seconds=WAIT_SECONDS)

    async def outcomes(self, *expected: str) -> None:
        """Wait until the attempts at the latest event ended like this."""
        await self.simulator.until(lambda: self._outcomes() == list(expected), timeout_seconds=WAIT_SECONDS)

    def _outcomes(self) -> list[str]:
        return [attempt.outcome for attempt in self.simulator.platform.events()[-1].attempts]


@asynccontextmanager
async def meeting(client: str) -> AsyncIterator[Meeting]:
    """Start a simulator and a client that connects to it; the channel client ignores messages that are not of today."""
    arguments = command(client)
    loopback = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    async with Simulator(SimulatorSettings(clock="real" if client == "lark-channel-sdk" else "virtual")) as simulator:
        app = simulator.platform.add_app("Hongyan")
        app.client_config = BRISK
        user = simulator.platform.add_user("Lin Yan")
        chat = simulator.platform.private_chat(user, app)
        process = await asyncio.create_subprocess_exec(
            *arguments,
            simulator.base_url,
            app.app_id,
            app.secret,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **loopback},
        )
        try:
            yield Meeting(simulator, app, user, chat, process)
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()
