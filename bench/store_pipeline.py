"""How fast the store takes a message through its five transactions, as a ratio to raw batched SQLite.

The five: accept and queue, claim, intent to write, receipt, complete; nine statements, 400 bytes of text, 64 lanes.
What is written is built beforehand on both sides: the store is measured, not the decisions. `ratio_with_decisions`
builds each `Changes` on the way.
`python -m bench.store_pipeline` prints one run as JSON; `run` adds the same on a disk with slow syncs.
"""

import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeAlias

from bench.disk import Percentiles, fdatasync_ms, percentiles
from bench.slow_disk import run_on_slow_disk
from bench.store_raw import raw_rate
from bench.store_tables import BODY, LANES, TABLES

from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.domain.changes import ONE_OR_NONE, Add, Changes, Insert, Of, Update

__all__ = ["accept_latency", "fdatasync_ms", "pipeline_rate", "run"]

Decisions: TypeAlias = tuple[int, tuple[Changes, ...]]
Lane: TypeAlias = "asyncio.Queue[list[Changes] | None]"

_ROUNDS: Final = 5
_MESSAGES: Final = 6400
_PRODUCERS: Final = 256
_LATENCY_MESSAGES: Final = {1: 300, 16: 1600, 256: 3200}


async def run() -> dict[str, Any]:
    """Measure on this disk and on a slowed one; the goal is a ratio of 0.6 or more."""
    here = await _measure()
    with tempfile.TemporaryDirectory() as folder:
        slow = await asyncio.to_thread(run_on_slow_disk, "bench.store_pipeline", Path(folder))
    return {**here, "slow_disk": slow}


async def pipeline_rate(store: SqliteStore, messages: int, *, decide: bool = False) -> float:
    """Give messages a second with 256 producers in a closed loop and one worker a lane.

    With `decide` each `Changes` is built when it is needed, else all of them before the clock starts.
    """
    decided = [] if decide else [_decisions(number) for number in range(messages)]
    decisions = iter(_decisions(number) for number in range(messages)) if decide else iter(decided)
    queues: list[Lane] = [asyncio.Queue() for _ in range(LANES)]
    start = time.perf_counter()
    async with asyncio.TaskGroup() as workers:
        for queue in queues:
            workers.create_task(_work(store, queue))
        async with asyncio.TaskGroup() as producers:
            for _ in range(_PRODUCERS):
                producers.create_task(_produce(store, decisions, queues))
        for queue in queues:
            queue.put_nowait(None)
    return messages / (time.perf_counter() - start)


async def accept_latency(store: SqliteStore, producers: int, messages: int) -> Percentiles:
    """Give how long a producer waits until its message is durable."""
    numbers = iter(range(messages))
    durations: list[float] = []

    async def produce() -> None:
        for number in numbers:
            start = time.perf_counter()
            await store.commit(_accept(f"m{number}", f"L{number % LANES}"))
            durations.append(time.perf_counter() - start)

    async with asyncio.TaskGroup() as group:
        for _ in range(producers):
            group.create_task(produce())
    return percentiles(durations)


async def _measure() -> dict[str, Any]:
    raw: list[float] = []
    ours: list[float] = []
    deciding: list[float] = []
    for _ in range(_ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            raw.append(await asyncio.to_thread(raw_rate, Path(folder), _MESSAGES))
        ours.append(await _round(decide=False))
        deciding.append(await _round(decide=True))
    ratios = [mine / reference for mine, reference in zip(ours, raw, strict=True)]
    return {
        "messages_a_second": round(statistics.median(ours)),
        "raw_messages_a_second": round(statistics.median(raw)),
        "ratio_to_raw": round(statistics.median(ratios), 3),
        "ratio_spread": [round(min(ratios), 3), round(max(ratios), 3)],
        "ratio_with_decisions": round(statistics.median(deciding) / statistics.median(raw), 3),
        "rounds": _ROUNDS,
        "fdatasync_ms": asdict(await asyncio.to_thread(fdatasync_ms)),
        "accept_ms": {str(count): await _latency(count) for count in _LATENCY_MESSAGES},
    }


async def _round(*, decide: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        store = await _open(Path(folder) / "ours.db")
        found = await pipeline_rate(store, _MESSAGES, decide=decide)
        await store.close()
    return found


async def _latency(producers: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        store = await _open(Path(folder) / "ours.db")
        found = await accept_latency(store, producers, _LATENCY_MESSAGES[producers])
        await store.close()
    return {name: round(value, 3) for name, value in asdict(found).items()}


async def _open(path: Path) -> SqliteStore:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    store = SqliteStore(path, SqliteOptions(queries={}))
    await store.open()
    return store


async def _produce(store: SqliteStore, decisions: Iterator[Decisions], queues: list[Lane]) -> None:
    for number, (accept, *rest) in decisions:
        await store.commit(accept)
        queues[number % LANES].put_nowait(rest)


async def _work(store: SqliteStore, queue: Lane) -> None:
    while (rest := await queue.get()) is not None:
        for changes in rest:
            await store.commit(changes)


def _decisions(number: int) -> Decisions:
    name, lane = f"m{number}", f"L{number % LANES}"
    return number, (_accept(name, lane), _claim(name, lane), _intend(name), _receive(name), _complete(name, lane))


def _accept(name: str, lane: str) -> Changes:
    now = time.time_ns()
    position = Of("lane", {"key": lane}, "pending")
    return Changes(
        "accept",
        (
            Insert("inbound", {"id": name, "lane": lane, "body": BODY, "at": now}, ONE_OR_NONE),
            Update("lane", {"key": lane}, {"pending": Add(1)}),
            Insert("job", {"id": name, "lane": lane, "position": position, "state": 0, "at": now}),
        ),
    )


def _claim(name: str, lane: str) -> Changes:
    lease: dict[str, int | str | Add] = {"owner": "w", "lease": time.time_ns(), "epoch": Add(1)}
    return Changes(
        "claim",
        (
            Update("lane", {"key": lane, "owner": None}, lease),
            Update("job", {"id": name, "state": 0}, {"state": 1, "owner": "w"}),
        ),
    )


def _intend(name: str) -> Changes:
    row: dict[str, int | str] = {"id": name, "job": name, "state": 0, "body": BODY, "at": time.time_ns()}
    return Changes("intend", (Insert("outbox", row),))


def _receive(name: str) -> Changes:
    return Changes("receive", (Update("outbox", {"id": name, "state": 0}, {"state": 2, "receipt": "r"}),))


def _complete(name: str, lane: str) -> Changes:
    return Changes(
        "complete",
        (
            Update("job", {"id": name, "owner": "w"}, {"state": 3}),
            Update("lane", {"key": lane, "owner": "w"}, {"owner": None, "pending": Add(-1)}),
        ),
    )


if __name__ == "__main__":
    json.dump(asyncio.run(_measure()), sys.stdout)
