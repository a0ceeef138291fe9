"""Real gateway processes for tests: started, waited for by what they print, ended by their process id."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

PATIENCE_SECONDS: Final = 30.0
QUIET: Final = ("--no-open", "--port", "0")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended and what it said."""

    code: int
    said: str
    complained: str


@dataclass(frozen=True, slots=True)
class Running:
    """A gateway that serves."""

    process: Process
    home: Path
    ready: dict[str, Any]
    links: list[str]

    def api(self) -> httpx.AsyncClient:
        """Speak to it over the loopback port, as a program."""
        base = self.ready["console_url"].partition("/login")[0]
        return httpx.AsyncClient(base_url=base, headers={"authorization": f"Bearer {self.ready['api_token']}"})

    def neighbour(self) -> httpx.AsyncClient:
        """Speak to it over its socket."""
        transport = httpx.AsyncHTTPTransport(uds=str(self.home / "run" / "gateway.sock"))
        return httpx.AsyncClient(transport=transport, base_url="http://gateway")

    async def ended(self) -> Ended:
        """Wait for its end."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            said, complained = await self.process.communicate()
        return Ended(self.process.returncode or 0, said.decode(), complained.decode())


async def spawn(home: Path, *arguments: str, **environ: str) -> Process:
    """Start a gateway process without waiting for anything."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HONGYAN_", "LC_", "LANG"))}
    command = [sys.executable, "-m", "hongyan.entrypoints.daemon", "--home", str(home), *arguments]
    return await asyncio.create_subprocess_exec(
        *command, stdout=PIPE, stderr=PIPE, env={**kept, **environ}, start_new_session=True
    )


async def run_to_end(home: Path, *arguments: str, **environ: str) -> Ended:
    """Run a start that is expected to end by itself."""
    process = await spawn(home, *arguments, **environ)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            said, complained = await process.communicate()
    finally:
        _end(process)
    return Ended(process.returncode or 0, said.decode(), complained.decode())


@asynccontextmanager
async def running(home: Path, *arguments: str, **environ: str) -> AsyncIterator[Running]:
    """Start a gateway and wait until it says its links; end it afterwards."""
    ready_file = home.with_suffix(".ready.json")
    process = await spawn(home, *QUIET, "--ready-file", str(ready_file), *arguments, **environ)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            links = await _links(process)
        yield Running(process, home, json.loads(ready_file.read_text(encoding="utf-8")), links)
    finally:
        ready_file.unlink(missing_ok=True)
        _end(process)
        await process.wait()


async def _links(process: Process) -> list[str]:
    """Read the block of links, which ends with an empty line after the last link."""
    assert process.stdout is not None
    found: list[str] = []
    while True:
        line = (await process.stdout.readline()).decode()
        if not line:
            complaint = (await process.stderr.read()).decode() if process.stderr else ""
            raise AssertionError(f"the gateway ended instead of serving: {complaint}")
        if "http://" in line:
            found.append(line.strip())
        elif found and not line.strip():
            return found


def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()
