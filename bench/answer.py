"""How long a person waits for the answer to be visible: our gateway and a bare echo bot, on one simulator, in turns.

The gateway is a process of its own with one App a chat, for an App has one owner; the echo bot is the official client
with one App in all chats, which costs it one connection and one token. Both talk to the same simulator, which delivers
the events, answers the calls and keeps the times: from the moment a message is said to the moment the answer stands in
the chat. The rounds of both alternate; each begins when nothing of the one before is open.
"""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.children import line_of, processor_seconds, running
from bench.critical_path import Trace, of_gateway, summary
from bench.disk import percentiles, rounded
from bench.gateway_home import open_gateway_process, until_quiet, write_home
from bench.platform import Platform, Seat, open_platform

__all__ = ["Plan", "run"]

ECHO_THREADS: Final = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: rounds for each number of chats, and what is added to each REST call."""

    rounds: Mapping[int, int] = field(default_factory=lambda: {1: 20, 16: 4})
    delays_ms: tuple[int, ...] = (50, 0)

    @property
    def chats(self) -> int:
        """Give the number of chats that are needed."""
        return max(self.rounds)


@dataclass(frozen=True, slots=True)
class Bot:
    """One who answers: its seats, its process, and the home of the one that keeps books."""

    name: str
    seats: list[Seat]
    pid: int
    home: Path | None = None


async def run(plan: Plan | None = None) -> dict[str, Any]:
    """Measure all bots with each delay. The goal is a ratio of 2.2 with 50 ms on every call."""
    plan = plan or Plan()
    async with open_platform() as platform, _bots(platform, plan.chats) as bots:
        for bot in bots:
            await _round(platform, bot, bot.seats)  # warm: agents run, tokens and connections are there
        return {
            "chats": plan.chats,
            "rounds": {str(chats): rounds for chats, rounds in plan.rounds.items()},
            **{f"delay_{delay}_ms": await _with_delay(platform, bots, plan, delay) for delay in plan.delays_ms},
        }


@contextlib.asynccontextmanager
async def _bots(platform: Platform, chats: int) -> AsyncIterator[list[Bot]]:
    async with contextlib.AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "home"
        seats = await platform.seats(chats, apps=chats)
        write_home(home, platform.url, seats)
        gateway = await stack.enter_async_context(open_gateway_process(home))
        await platform.connected(*(seat.app_id for seat in seats))
        for seat in seats:
            await gateway.bind(platform, seat)
        bots = [Bot("gateway", seats, gateway.pid, home)]
        for name, more in {"echo": [], "echo_threads": [str(ECHO_THREADS)]}.items():
            seats = await platform.seats(chats, apps=1)
            pid = await stack.enter_async_context(_echo_bot(platform, seats[0], more))
            bots.append(Bot(name, seats, pid))
        yield bots


@contextlib.asynccontextmanager
async def _echo_bot(platform: Platform, seat: Seat, more: list[str]) -> AsyncIterator[int]:
    async with running(["-m", "bench.echo_bot", platform.url, seat.app_id, seat.secret, *more]) as process:
        await line_of(process)
        await platform.connected(seat.app_id)
        yield process.pid


async def _with_delay(platform: Platform, bots: list[Bot], plan: Plan, delay: int) -> dict[str, Any]:
    async with platform.slowed(delay):
        return {str(chats): await _alternate(platform, bots, chats, rounds) for chats, rounds in plan.rounds.items()}


async def _alternate(platform: Platform, bots: list[Bot], chats: int, rounds: int) -> dict[str, Any]:
    waits: dict[str, list[int]] = {bot.name: [] for bot in bots}
    spent = dict.fromkeys(waits, 0.0)
    traces: list[Trace] = []
    for _ in range(rounds):
        for bot in bots:
            before = processor_seconds(bot.pid) or 0.0
            said = await _round(platform, bot, bot.seats[:chats])
            waits[bot.name] += [answer["create_ms"] - message["create_ms"] for message, answer in said]
            spent[bot.name] += (processor_seconds(bot.pid) or 0.0) - before
            if bot.home is not None:
                asked = [message["message_id"] for message, _ in said]
                traces += of_gateway(bot.home, asked, await platform.calls())
    each = {name: round(spent[name] * 1_000 / len(series), 1) for name, series in waits.items()}
    return {**_compared(waits, traces), "processor_ms_a_message": each}


async def _round(platform: Platform, bot: Bot, seats: list[Seat]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Say something in each chat at once and wait for all answers, and until the bot is at rest."""
    said = await asyncio.gather(*(platform.say(seat, f"{time.monotonic_ns()}") for seat in seats))
    answers = [await platform.answer(seat, one["message_id"]) for seat, one in zip(seats, said, strict=True)]
    if bot.home is not None:
        await until_quiet(bot.home)
    return list(zip(said, answers, strict=True))


def _compared(waits: Mapping[str, list[int]], traces: list[Trace]) -> dict[str, Any]:
    found = {name: percentiles([one / 1_000 for one in series]) for name, series in waits.items()}
    ours, agent = found["gateway"], percentiles([trace.agent_ms / 1_000 for trace in traces])
    return {
        "visible_ms": {name: rounded(one) for name, one in found.items()},
        "ratio_to_echo": {
            name: {
                "p50": round(ours.p50 / found[name].p50, 2),
                "p99": round(ours.p99 / found[name].p99, 2),
                "p50_without_agent": round((ours.p50 - agent.p50) / found[name].p50, 2),
            }
            for name in found
            if name != "gateway"
        },
        "agent_ms": rounded(agent),
        **summary(traces),
    }
