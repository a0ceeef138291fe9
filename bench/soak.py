"""Half an hour of traffic under faults and SIGKILL: nothing is lost or doubled, and nothing grows without end.

`python -m bench.soak [--minutes N] [--chats N] [--kill-seconds N] [--faults SHARE] [--seed N]` prints one run as JSON.
A real gateway process, a simulated platform of its own process and the rehearsal agent; one App, one person and one
private chat each. At the end the faults are lifted, and everything has to come to its end. The status is 1 when the
books do not add up, a message has two answers, or one has neither an answer nor a flag that somebody has to act.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.gateway_home import DaemonGateway, open_gateway_process, write_home
from bench.platform import Platform, Seat, open_platform
from bench.quiet import hush

__all__ = ["Plan", "run"]

SAY_SECONDS: Final = 0.5
SAMPLE_SECONDS: Final = 5.0
END_SECONDS: Final = 300.0
WORDS: Final = frozenset({"text", "post"})  # no card of these is words: the answers are short
OPEN: Final = """
SELECT (SELECT count(*) FROM requests r LEFT JOIN turns t ON t.id = r.turn_id
    WHERE r.state NOT IN ('closed', 'asking') AND coalesce(t.state, '') <> 'held')
  + (SELECT count(*) FROM parts WHERE state IN ('planned', 'intended', 'written')
    OR (state = 'unknown' AND next_at IS NOT NULL))
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """How long, how wide and how rough a run is. `faults` is the share of calls that go wrong."""

    minutes: float = 30.0
    chats: int = 20
    kill_seconds: float = 60.0
    faults: float = 0.05
    seed: int = 1


@dataclass(slots=True)
class _Run:
    """One run: what was said where, how the process grew, how often it was killed."""

    plan: Plan
    home: Path
    platform: Platform
    seats: list[Seat]
    chance: random.Random
    ends_at: float
    said: list[str] = field(default_factory=list)
    samples: list[dict[str, float]] = field(default_factory=list)
    kills: int = 0


async def run(plan: Plan) -> dict[str, Any]:
    """Soak, let everything end, and judge."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "home"
        platform = await stack.enter_async_context(open_platform())
        seats = await platform.seats(plan.chats, apps=plan.chats)
        await asyncio.to_thread(write_home, home, platform.url, seats)
        one = _Run(plan, home, platform, seats, random.Random(plan.seed), 0.0)
        async with open_gateway_process(home) as gateway:
            await platform.connected(*(seat.app_id for seat in seats))
            for seat in seats:
                await gateway.bind(platform, seat)
        async with platform.troubled(_rules(plan)):
            one.ends_at = time.monotonic() + plan.minutes * 60
            while time.monotonic() < one.ends_at:
                await _one_life(one)
        return await _judged(one)


def _rules(plan: Plan) -> list[dict[str, Any]]:
    share = plan.faults / 2
    return [
        {"match": {"endpoint": "*", "probability": share}, "effect": {"http_status": 502}},
        {"match": {"endpoint": "*", "probability": share}, "effect": {"lost_response": True}},
    ]


async def _one_life(one: _Run) -> None:
    """Let the gateway work until it is killed, or until the run is over."""
    _forget_ready(one.home)
    async with open_gateway_process(one.home) as gateway:
        dies_at = time.monotonic() + one.plan.kill_seconds
        sampled = 0.0
        while (now := time.monotonic()) < min(dies_at, one.ends_at):
            await _say(one)
            if now - sampled >= SAMPLE_SECONDS:
                sampled = now
                one.samples.append(await _sample(one, gateway))
            await asyncio.sleep(SAY_SECONDS)
        if now < one.ends_at:
            os.kill(gateway.pid, signal.SIGKILL)
            one.kills += 1


async def _say(one: _Run) -> None:
    seat = one.chance.choice(one.seats)
    message = await one.platform.say(seat, f"message {len(one.said)} [[tool:read]][[say:answer {len(one.said)}]]")
    one.said.append(message["message_id"])


async def _sample(one: _Run, gateway: DaemonGateway) -> dict[str, float]:
    """Measure what must not grow without end."""
    handles, size_mb = await asyncio.to_thread(_sizes, gateway.pid, one.home / "hongyan.db")
    status = await asyncio.to_thread(Path(f"/proc/{gateway.pid}/status").read_text, encoding="ascii")
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return {"rss_mb": round(int(resident.split()[1]) / 1024, 1), "handles": handles, "database_mb": size_mb}


def _sizes(pid: int, database: Path) -> tuple[int, float]:
    return len(os.listdir(f"/proc/{pid}/fd")), round(database.stat().st_size / 2**20, 2)


async def _judged(one: _Run) -> dict[str, Any]:
    """Wait for the end of everything without faults, then count against what the platform shows."""
    _forget_ready(one.home)
    async with open_gateway_process(one.home) as gateway:
        left = await _until_ended(one)
        ledger = await gateway.get("/ledger")
    shown = [message for seat in one.seats for message in await one.platform.messages(seat)]
    words = Counter((one["parent_id"], one["text"]) for one in shown if one["parent_id"] and one["msg_type"] in WORDS)
    replied = {parent for parent, _ in words}
    told = await asyncio.to_thread(_outcomes, one.home)
    lost = [message for message in one.said if message not in replied and told.get(message) != "owed"]
    doubled = [parent for (parent, _), times in words.items() if times > 1]
    balanced = ledger["received"]["balanced"] and ledger["writes"]["balanced"]
    half = len(one.samples) // 2
    return {
        "minutes": one.plan.minutes,
        "said": len(one.said),
        "replied": len(replied.intersection(one.said)),
        "answered": sum(told.get(message) == "answered" for message in one.said),
        "kills": one.kills,
        "still_open": left,
        "lost": len(lost),
        "doubled": len(doubled),
        "balanced": balanced,
        "received": ledger["received"]["classes"],
        "writes": ledger["writes"]["classes"],
        "most_in_first_half": _most(one.samples[:half]),
        "most_in_second_half": _most(one.samples[half:]),
        "good": balanced and not (lost or doubled or left),
    }


async def _until_ended(one: _Run) -> int:
    """Wait until every message came in or is known to be missing, and has its end; give what had none in time.

    What was said while nobody listened comes again after minutes, or is found in the history.
    """
    ends = time.monotonic() + END_SECONDS
    while True:
        heard = await asyncio.to_thread(_outcomes, one.home)
        left = await asyncio.to_thread(_number, one.home, OPEN) + len(set(one.said).difference(heard))
        if not left or time.monotonic() >= ends:
            return left
        await asyncio.sleep(1.0)


def _most(samples: list[dict[str, float]]) -> dict[str, float]:
    return {name: max(one[name] for one in samples) for name in samples[0]} if samples else {}


def _number(home: Path, sql: str) -> int:
    with closing(sqlite3.connect(f"file:{home / 'hongyan.db'}?mode=ro", uri=True)) as connection:
        return int(connection.execute(sql).fetchone()[0])


def _outcomes(home: Path) -> dict[str, str]:
    """Give how each message ended, or that somebody has to act on it."""
    sql = (
        "SELECT message_id, CASE WHEN owed THEN 'owed' ELSE closed_as END FROM requests "
        "UNION ALL SELECT message_id, 'owed' FROM gaps WHERE state = 'declared'"
    )
    with closing(sqlite3.connect(f"file:{home / 'hongyan.db'}?mode=ro", uri=True)) as connection:
        return dict(connection.execute(sql).fetchall())


def _forget_ready(home: Path) -> None:
    (home / "ready.json").unlink(missing_ok=True)


def main() -> int:
    """Run once, print what was found, and tell by the status whether it was good."""
    parser = argparse.ArgumentParser(prog="bench.soak", description="Traffic under faults and SIGKILL.")
    usual = Plan()
    parser.add_argument("--minutes", type=float, default=usual.minutes)
    parser.add_argument("--chats", type=int, default=usual.chats)
    parser.add_argument("--kill-seconds", type=float, default=usual.kill_seconds)
    parser.add_argument("--faults", type=float, default=usual.faults)
    parser.add_argument("--seed", type=int, default=usual.seed)
    given = parser.parse_args()
    hush()
    plan = Plan(given.minutes, given.chats, given.kill_seconds, given.faults, given.seed)
    found = asyncio.run(run(plan))
    print(json.dumps(found, indent=2))
    return 0 if found["good"] else 1


if __name__ == "__main__":
    sys.exit(main())
