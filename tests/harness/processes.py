"""Real gateway processes: started, waited for, stopped, killed, and asked from outside as a person would ask them."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from tests.harness.killed_daemon import KILL_VARIABLE

__all__ = ["Ended", "GatewayProcess", "hongyan", "run_to_end", "running", "until"]

PATIENCE_SECONDS: Final = 30.0
LOOK_SECONDS: Final = 0.02
HONGYAN: Final = ("-m", "hongyan")
KILLED: Final = ("-m", "tests.harness.killed_daemon")
QUIET: Final = ("--no-open", "--port", "0")
ROOT: Final = Path(__file__).parents[2]
DROPPED: Final = ("HONGYAN_", "LC_", "LANG", "COV_CORE")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended and what it said."""

    code: int
    said: str
    complained: str

    @property
    def error(self) -> Any:
        """Give the failure of a command that was asked for JSON."""
        return json.loads(self.said)["error"]


class GatewayProcess:
    """One gateway process on a home. With `kill` it ends itself there, see `killed_daemon`; else it is `hongyan up`."""

    def __init__(self, home: Path, *arguments: str, kill: str = "", environ: Mapping[str, str] | None = None) -> None:
        self.home, self.kill = home, kill
        self._arguments, self._environ = arguments, dict(environ or {})
        self._process: Process | None = None
        self.ready: dict[str, Any] = {}

    @property
    def process(self) -> Process:
        """Give the process that was started."""
        if self._process is None:
            raise AssertionError("it is started first")
        return self._process

    @property
    def pid(self) -> int:
        """Give the process id."""
        return self.process.pid

    async def start(self) -> None:
        """Start it and wait until it serves. Raise AssertionError when it ends instead."""
        file = self.home.with_suffix(".ready.json")
        file.unlink(missing_ok=True)
        program = (
            [*KILLED, "--home", str(self.home)] if self.kill else ["-m", "hongyan", "--home", str(self.home), "up"]
        )
        more = {KILL_VARIABLE: self.kill} if self.kill else {}
        self._process = await _spawn(
            [*program, *QUIET, "--ready-file", str(file), *self._arguments], self._environ | more
        )
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._links()
        except BaseException:
            await self.end()
            raise
        self.ready = json.loads(file.read_text(encoding="utf-8"))

    async def _links(self) -> None:
        """Read the block of links that is printed after the ready file was written."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            if b"http://" in line:
                return
        assert self.process.stderr is not None
        raise AssertionError(f"it ended instead of serving: {(await self.process.stderr.read()).decode()}")

    def arm(self) -> None:
        """Let the kill point of a `later` count from now on."""
        self.process.send_signal(signal.SIGUSR1)

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> Ended:
        """Ask it to stop and wait for its end."""
        self.process.send_signal(number)
        return await self.ended()

    async def kill_now(self) -> Ended:
        """End it by SIGKILL."""
        return await self.stop(signal.SIGKILL)

    async def ended(self) -> Ended:
        """Wait for its end, however it comes."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            said, complained = await self.process.communicate()
        return Ended(self.process.returncode or 0, said.decode(), complained.decode())

    async def end(self) -> None:
        """End it now if it still runs; safe to repeat."""
        if self._process is not None:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()

    def log(self) -> str:
        """Give the text of its log, over all starts of the home."""
        file = self.home / "logs" / "gateway.log"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def neighbour(self) -> httpx.AsyncClient:
        """Speak to it over its socket."""
        transport = httpx.AsyncHTTPTransport(uds=str(self.home / "run" / "gateway.sock"))
        return httpx.AsyncClient(transport=transport, base_url="http://gateway/api/v1", timeout=PATIENCE_SECONDS)

    def platform(self) -> httpx.AsyncClient:
        """Act on the simulated platform that it brought up."""
        headers = {"authorization": f"Bearer {self.ready['simulator_token']}"}
        base = f"{self.ready['simulator_url']}/_sim"
        return httpx.AsyncClient(base_url=base, headers=headers, timeout=PATIENCE_SECONDS, trust_env=False)


@asynccontextmanager
async def running(
    home: Path, *arguments: str, kill: str = "", environ: Mapping[str, str] | None = None
) -> AsyncIterator[GatewayProcess]:
    """Start a gateway and wait until it serves; end it afterwards."""
    gateway = GatewayProcess(home, *arguments, kill=kill, environ=environ)
    try:
        await gateway.start()
        yield gateway
    finally:
        await gateway.end()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Look again until it is so, within half a minute."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await condition():  # noqa: ASYNC110 - another process sets no event of ours
            await asyncio.sleep(LOOK_SECONDS)


async def run_to_end(*words: str, through: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> Ended:
    """Run `python WORDS` that is expected to end by itself; `through` are words before the program, as of `env`."""
    process = await _spawn(words, environ or {}, through)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            said, complained = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(process.returncode or 0, said.decode(), complained.decode())


async def hongyan(home: Path, *words: str, environ: Mapping[str, str] | None = None) -> Ended:
    """Run one command of the command line on a home."""
    return await run_to_end(*HONGYAN, "--home", str(home), *words, environ=environ)


async def _spawn(words: Sequence[str], environ: Mapping[str, str], through: Sequence[str] = ()) -> Process:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    paths = [str(ROOT), *filter(None, [kept.get("PYTHONPATH", "")])]
    whole = {**kept, "PYTHONPATH": os.pathsep.join(paths), **environ}
    return await asyncio.create_subprocess_exec(
        *through, sys.executable, *words, stdout=PIPE, stderr=PIPE, env=whole, start_new_session=True
    )
