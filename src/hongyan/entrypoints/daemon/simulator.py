"""The simulated Feishu as a child process, which never outlives this one."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from hongyan.domain.errors import BlockedError

__all__ = ["Simulated", "SimulatorProcess", "World"]

log = structlog.get_logger("hongyan.daemon")

HOST: Final = "127.0.0.1"
READY_SECONDS: Final = 20.0
STOP_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class World:
    """Which simulated world: the same seed has the same people and chats, each `visit` messages of its own."""

    seed: int
    visit: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """Where the simulated platform is, and the token of its control interface."""

    url: str
    token: str

    @property
    def link(self) -> str:
        """Give the link that opens its page."""
        return f"{self.url}/?token={self.token}"


class SimulatorProcess:
    """The child. It ends when its standard input closes, which the kernel does for a parent that was killed.

    Its address is known before it starts, so that the gateway need not wait for it: a port that was free a moment ago.
    """

    def __init__(self, home: Path, world: World) -> None:
        self._ready_file = home / "run" / "simulator.json"
        self._log = home / "logs" / "simulator.log"
        self._world = world
        self._port = _free_port()
        self._process: Process | None = None

    @property
    def url(self) -> str:
        """Give the address that it will serve at."""
        return f"http://{HOST}:{self._port}"

    async def start(self) -> None:
        """Start it; it is not ready yet."""
        self._ready_file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "feishu_simulator", "--port", str(self._port), "--exit-with-stdin"]
        world = ["--seed", str(self._world.seed), "--visit", str(self._world.visit)]
        told = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                *world,
                "--ready-file",
                str(self._ready_file),
                stdin=PIPE,
                stdout=PIPE,
                stderr=told,
                start_new_session=True,  # Ctrl-C is for us to hear; we end it afterwards
            )
        finally:
            os.close(told)

    async def ready(self) -> Simulated:
        """Wait until it serves. Raise BlockedError `simulator.not_started`."""
        process = self._process
        if process is None or process.stdout is None:
            raise AssertionError("it is started first")
        try:
            async with asyncio.timeout(READY_SECONDS):
                await process.stdout.readline()  # its link, said when it serves; empty when it has ended
                facts = json.loads(self._ready_file.read_text(encoding="utf-8"))
        except (TimeoutError, OSError, ValueError) as error:
            hint = f"See {self._log}, or start without it: `hongyan up --no-simulator`."
            raise BlockedError("simulator.not_started", "the simulated Feishu did not start", hint=hint) from error
        self._ready_file.unlink(missing_ok=True)
        return Simulated(self.url, str(facts["simulator_token"]))

    async def watch(self) -> None:
        """Return when it has ended by itself, which is logged."""
        if self._process is not None:
            code = await self._process.wait()
            log.error("simulator.ended", exit_code=code)

    async def stop(self) -> None:
        """End it and whatever it started; within a bounded time, safe to repeat."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
