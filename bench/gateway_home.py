"""A gateway for the benchmarks: its home, its process, and the interface through which it is set up."""

import asyncio
import contextlib
import json
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from bench.children import running
from bench.patience import until
from bench.platform import Platform, Seat

__all__ = [
    "EXECUTOR",
    "WORKSPACE",
    "DaemonGateway",
    "open_gateway_process",
    "read_database",
    "start_arguments",
    "until_quiet",
    "write_home",
]

EXECUTOR: Final = "rehearsal"
WORKSPACE: Final = "work"
_OPEN: Final = """
SELECT (SELECT count(*) FROM requests WHERE state <> 'closed')
  + (SELECT count(*) FROM parts WHERE state IN ('planned', 'intended', 'written'))
"""


def write_home(home: Path, url: str, seats: Sequence[Seat]) -> None:
    """Write the configuration of a gateway with one App a seat and the rehearsal agent."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "work").mkdir(exist_ok=True)
    apps = ""
    for seat in seats:
        secret = home / f"{seat.name}.secret"
        secret.write_text(seat.secret, encoding="utf-8")
        secret.chmod(0o600)
        apps += (
            f'[[apps]]\nname = "{seat.name}"\napp_id = "{seat.app_id}"\nbase_url = "{url}"\n'
            f'app_secret = {{ file = "{secret}" }}\n'
        )
    command = json.dumps([sys.executable, "-m", "rehearsal_agent"])
    path = ":".join(entry for entry in sys.path if entry)
    (home / "hongyan.toml").write_text(
        f'{apps}[[executors]]\nname = "{EXECUTOR}"\nprotocol = "acp"\ncommand = {command}\n'
        f'env = {{ PYTHONPATH = "{path}" }}\n'
        f'[[workspaces]]\nname = "{WORKSPACE}"\npath = "{home / "work"}"\ngrant = "workspace_write"\n',
        encoding="utf-8",
    )


def start_arguments(home: Path, *more: str) -> list[str]:
    """Give the arguments that start the daemon on a home, without a simulator and without a browser."""
    return ["-m", "hongyan.entrypoints.daemon", "--home", str(home), "--no-simulator", "--no-open", *more]


@dataclass(frozen=True, slots=True)
class DaemonGateway:
    """A running gateway process."""

    pid: int
    home: Path
    http: httpx.AsyncClient

    async def bind(self, platform: Platform, seat: Seat) -> None:
        """Pair the person of a seat by a real message and bind the private chat to the rehearsal agent."""
        pairing = await self.post("/pairings", {"app": seat.name})
        await platform.say(seat, pairing["code"])
        path = f"/pairings/{pairing['pairing_id']}"

        async def is_claimed() -> bool:
            return bool((await self.get(path))["state"] == "claimed")

        await until(is_claimed)
        await self.post(f"{path}/confirm", {})
        await self.post("/bindings", {"app": seat.name, "workspace": WORKSPACE, "executor": EXECUTOR})

    async def get(self, path: str) -> dict[str, Any]:
        """Read something of the interface."""
        answer = await self.http.get(f"/api/v1{path}")
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask the interface for something."""
        answer = await self.http.post(f"/api/v1{path}", json=body)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    async def link(self) -> str:
        """Make a link that opens the console; only the socket gives one, for a program must not come in as a person."""
        door = httpx.AsyncHTTPTransport(uds=str(self.home / "run" / "gateway.sock"))
        async with httpx.AsyncClient(transport=door, base_url="http://gateway", timeout=30.0) as http:
            answer = await http.post("/api/v1/login-links", json={})
            answer.raise_for_status()
            return str(answer.json()["console_url"])


@contextlib.asynccontextmanager
async def open_gateway_process(home: Path) -> AsyncIterator[DaemonGateway]:
    """Start the daemon on a home that `write_home` wrote, and wait until it serves."""
    ready = home / "ready.json"
    ready.unlink(missing_ok=True)  # of a gateway that was killed
    async with running(
        start_arguments(home, "--port", "0", "--ready-file", str(ready)), log=home / "stderr.log"
    ) as process:
        facts = json.loads(await _written(ready, process))
        url = httpx.URL(facts["console_url"]).join("/")
        headers = {"authorization": f"Bearer {facts['api_token']}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=30.0, trust_env=False) as http:
            yield DaemonGateway(process.pid, home, http)


async def until_quiet(home: Path) -> None:
    """Wait until nothing is open: every message has its end, every write is verified. Raise TimeoutError.

    It looks into the database file, so that the gateway has no part in it.
    """

    async def is_quiet() -> bool:
        return not read_database(home, _OPEN)[0][0]

    await until(is_quiet)


def read_database(home: Path, sql: str) -> list[tuple[Any, ...]]:
    """Give the rows of a query over the database file of a home, past its gateway."""
    with closing(sqlite3.connect(f"file:{home / 'hongyan.db'}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


async def _written(file: Path, process: asyncio.subprocess.Process) -> str:
    """Wait for the ready file and read it."""

    async def is_there() -> bool:
        if process.returncode is not None:
            raise RuntimeError(f"the gateway ended with {process.returncode}: see {file.with_name('stderr.log')}")
        return await asyncio.to_thread(file.exists)

    await until(is_there)
    return await asyncio.to_thread(file.read_text, "utf-8")
