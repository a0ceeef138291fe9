"""How long an event waits for its acknowledgement: long connection, journal row on disk, answer.

The gateway's own listener, use case and store, on the machine's clock; the other end is a process that sends real
frames and times them (`frame_peer`), so both sockets are inside what is measured. No worker runs.
`python -m bench.accept_ack` prints one run as JSON; `run` adds the same on a disk with slow syncs.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx
from bench.children import line_of, running
from bench.disk import Percentiles, fdatasync_seconds, median_of, percentiles, rounded
from bench.frame_peer import APP
from bench.quiet import hush
from bench.slow_disk import run_on_slow_disk
from pydantic import SecretStr

from hongyan.adapters.host import SystemClock, SystemEntropy
from hongyan.adapters.lark import LarkApp, LarkSettings
from hongyan.application.accept_message import accept_event
from hongyan.bootstrap import Gateway, open_gateway
from hongyan.config import load_settings
from hongyan.domain.identity import AppId
from hongyan.ports.chat import ChatEvent

__all__ = ["COUNTS", "measure", "run"]

COUNTS: Final = {1: 200, 16: 960, 256: 1_536}
ROUNDS: Final = 5
SYNCS: Final = 100  # of the bare disk, before and after each round


async def run(counts: Mapping[int, int] = COUNTS, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure on this disk and on a slowed one. The goal holds for the slowed one, where the disk decides."""
    here = await measure(counts, rounds)
    with tempfile.TemporaryDirectory() as folder:
        slow = await asyncio.to_thread(run_on_slow_disk, "bench.accept_ack", Path(folder))
    return {**here, "slow_disk": slow}


async def measure(counts: Mapping[int, int], rounds: int) -> dict[str, Any]:
    """Give the medians over the rounds, each of which is compared with syncs of its own time."""
    syncs: list[Percentiles] = []
    found: dict[int, list[Percentiles]] = {concurrent: [] for concurrent in counts}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            bare = await asyncio.to_thread(fdatasync_seconds, Path(folder), SYNCS)
            for concurrent, seconds in zip(counts, await _round(Path(folder) / "home", counts), strict=True):
                found[concurrent].append(percentiles(seconds))
            syncs.append(percentiles(bare + await asyncio.to_thread(fdatasync_seconds, Path(folder), SYNCS)))
    return {
        "rounds": rounds,
        "events_a_round": {str(concurrent): events for concurrent, events in counts.items()},
        "fdatasync_ms": rounded(median_of(syncs)),
        "ack": {str(concurrent): _in_syncs(series, syncs) for concurrent, series in found.items()},
    }


def _in_syncs(series: list[Percentiles], syncs: list[Percentiles]) -> dict[str, Any]:
    ratios = [Percentiles(one.p50 / sync.p50, one.p99 / sync.p99) for one, sync in zip(series, syncs, strict=True)]
    return {"ms": rounded(median_of(series)), "in_syncs": rounded(median_of(ratios))}


async def _round(home: Path, counts: Mapping[int, int]) -> list[list[float]]:
    os.mkdir(home, mode=0o700)
    gateway = await open_gateway(load_settings(home, {}))
    try:
        async with running(["-m", "bench.frame_peer", json.dumps(list(counts.items()))]) as peer:
            return await _drive(gateway, int(await line_of(peer)), peer)
    finally:
        await gateway.close()


async def _drive(gateway: Gateway, port: int, peer: asyncio.subprocess.Process) -> list[list[float]]:
    """Listen to the peer until it has measured."""
    settings = LarkSettings(AppId(APP), SecretStr("secret"), base_url="http://127.0.0.1:9")
    app = LarkApp(settings, SystemClock(), httpx.MockTransport(lambda _: _address(port)))

    async def keep(event: ChatEvent) -> None:
        await accept_event(gateway.desk, event)

    listening = asyncio.create_task(app.listener(SystemEntropy()).listen(keep, lambda _: None))
    try:
        found: list[list[float]] = json.loads(await line_of(peer))
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
        await app.aclose()
    return found


def _address(port: int) -> httpx.Response:
    """Answer the question for the long connection's address."""
    url = f"ws://127.0.0.1:{port}/ws/v2?device_id={os.getpid()}&service_id=1&ticket={time.time_ns()}"
    config = {"ReconnectCount": -1, "ReconnectInterval": 120, "ReconnectNonce": 30, "PingInterval": 120}
    return httpx.Response(200, json={"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": config}})


if __name__ == "__main__":
    hush()
    json.dump(asyncio.run(measure(COUNTS, ROUNDS)), sys.stdout)
