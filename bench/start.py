"""How long a start takes, from exec to the first answer of `/health`, and what the idle process holds in memory.

The gateway's process only: one App against a simulator in another process, no agent started.
"""

import asyncio
import socket
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from bench.children import processor_seconds, running
from bench.gateway_home import start_arguments, write_home
from bench.patience import until
from bench.platform import Platform, open_platform

__all__ = ["STARTS", "memory", "run"]

STARTS: Final = 5
_IDLE_SECONDS: Final = 2.0  # listeners are open and caches are warm by then
_TRY_SECONDS: Final = 0.002
_HOST: Final = "127.0.0.1"
_ASK: Final = b"GET /health HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n"


async def run(starts: int = STARTS) -> dict[str, Any]:
    """Start that many times on a home that exists; give the median and the memory of the last one."""
    seconds: list[float] = []
    bare: list[float] = []
    processor: list[float] = []
    async with open_platform() as platform:
        [seat] = await platform.seats(1, apps=1)
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            write_home(home, platform.url, [seat])
            memory = await _start(home, platform, seat.app_id)  # makes the home; its times count for nothing
            for number in range(starts):
                bare.append(await _bare_python())
                begun = await _start(home, platform, seat.app_id, idle=number == starts - 1)
                seconds.append(begun.pop("seconds"))
                processor.append(begun.pop("processor_seconds"))
                memory = begun
    return {
        "starts": starts,
        "health_seconds": round(statistics.median(seconds), 3),
        "health_seconds_spread": [round(min(seconds), 3), round(max(seconds), 3)],
        "processor_seconds": round(statistics.median(processor), 3),
        "bare_python_seconds": round(statistics.median(bare), 3),
        **memory,
    }


async def _start(home: Path, platform: Platform, app_id: str, *, idle: bool = False) -> dict[str, float]:
    port = _free_port()
    begun = time.perf_counter()
    async with running(start_arguments(home, "--port", str(port)), log=home / "stderr.log") as process:
        await until(lambda: _answers(port), _TRY_SECONDS)
        found = {"seconds": time.perf_counter() - begun, "processor_seconds": processor_seconds(process.pid) or 0.0}
        await platform.connected(app_id)
        if idle:
            await asyncio.sleep(_IDLE_SECONDS)
            found |= await memory(process.pid)
        return found


async def _bare_python() -> float:
    """Give what it takes to start an interpreter that does nothing, for comparison on a machine that is busy."""
    begun = time.perf_counter()
    async with running(["-c", "pass"]) as process:
        await process.wait()
    return time.perf_counter() - begun


async def _answers(port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection(_HOST, port)
    except OSError:
        return False
    try:
        writer.write(_ASK % f"{_HOST}:{port}".encode())
        return b" 200 " in await reader.readline()
    except OSError:
        return False
    finally:
        writer.close()


async def memory(pid: int) -> dict[str, float]:
    """Give the resident set in MB as `ps` shows it, and what of it is this process's alone where the kernel tells."""
    asked = await asyncio.create_subprocess_exec("ps", "-o", "rss=", "-p", str(pid), stdout=asyncio.subprocess.PIPE)
    told, _ = await asked.communicate()
    found = {"rss_mb": round(int(told) / 1024, 1)}
    lines = await asyncio.to_thread(_shares, pid)
    if not lines:
        return found
    kept = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:] if line.endswith("kB")}
    own = kept.get("Private_Clean", 0) + kept.get("Private_Dirty", 0)
    return {**found, "pss_mb": round(kept.get("Pss", 0) / 1024, 1), "private_mb": round(own / 1024, 1)}


def _shares(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return []


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])
