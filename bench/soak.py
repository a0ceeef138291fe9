"""A long run in which everything goes wrong a little: `python -m bench.soak [--minutes 30] [--chats 20] [--seed 1]`.

Twenty chats talk to a real gateway process on a simulated platform that fails one call in twenty, and the gateway is
killed with SIGKILL every minute. In the end the faults stop, the gateway may finish, and the platform's own list of
messages is laid beside the books. The status is 1 when a message is lost or answered twice, when the books do not add
up, or when memory or handles still grow.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.gateway_home import DaemonGateway, open_gateway_process, read_database, write_home
from bench.patience import until
from bench.platform import Platform, Seat, open_platform
from bench.quiet import hush

__all__ = ["Course", "judge", "run"]

FAULTS: Final = (
    {"http_status": 502},
    {"lost_response": True},
    {"refuse_connection": True},
    {"error_code": 99991400, "http_status": 429},
)
EVENT_FAULTS: Final = ({"drop": True}, {"duplicate": True}, {"reorder": True})
TEXTS: Final = ("{token}", "[[tool:look]][[say:{token}]]", "[[think:so]][[tool:read]][[slow:4:300]][[say:{token}]]")
GROWTH: Final = 1.10  # what the last third may have more than the second
_FILES: Final = ("hongyan.db", "hongyan.db-wal")
_KNOWN: Final = """
SELECT message_id, CASE state WHEN 'closed' THEN closed_as ELSE state END FROM requests WHERE message_id <> ''
UNION ALL SELECT message_id, 'gap' FROM gaps
"""
_OPEN: Final = """
SELECT (SELECT count(*) FROM requests WHERE state NOT IN ('closed', 'held', 'asking'))
  + (SELECT count(*) FROM parts WHERE state IN ('planned', 'intended', 'written'))
"""


@dataclass(frozen=True, slots=True)
class Course:
    """How long, how many chats, how often the gateway dies, how much fails, and from which chance."""

    minutes: float = 30
    chats: int = 20
    seconds_a_life: float = 60
    seconds_a_message: float = 12
    faults: float = 0.05
    settle_minutes: float = 8  # the platform sends an event again after fifteen seconds and after five minutes
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at the end of a life: the process's megabytes and handles, the database's megabytes and its log's."""

    rss_mb: float
    handles: int
    database_mb: float
    log_mb: float


@dataclass(slots=True)
class _Soak:
    course: Course
    platform: Platform
    seats: list[Seat]
    home: Path
    chance: random.Random
    samples: list[Sample] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)  # what stands in the message, by its id
    kills: int = 0


async def run(course: Course) -> dict[str, Any]:
    """Run the course and give what became of it; see `judge`."""
    async with AsyncExitStack() as stack:
        platform = await stack.enter_async_context(open_platform())
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hongyan-soak-"))) / "home"
        seats = await platform.seats(course.chats, apps=course.chats)
        write_home(home, platform.url, seats)
        soak = _Soak(course, platform, seats, home, random.Random(course.seed))
        async with open_gateway_process(home) as gateway:
            await platform.connected(*(seat.app_id for seat in seats))
            for seat in seats:
                await gateway.bind(platform, seat)
        return await _soak(soak)


async def _soak(soak: _Soak) -> dict[str, Any]:
    course = soak.course
    rules = [await soak.platform.misbehave("*", effect, course.faults / len(FAULTS)) for effect in FAULTS] + [
        await soak.platform.misbehave("event:im.message.receive_v1", effect, course.faults / len(EVENT_FAULTS))
        for effect in EVENT_FAULTS
    ]
    ends = time.monotonic() + course.minutes * 60
    talking = asyncio.create_task(_talk(soak, ends))
    while time.monotonic() < ends:
        await _live(soak, min(course.seconds_a_life, max(ends - time.monotonic(), 1)))
    await talking
    for rule in rules:
        await soak.platform.behave(rule)
    async with open_gateway_process(soak.home) as gateway:
        with suppress(TimeoutError):
            await _until_settled(soak.home, list(soak.said), course.settle_minutes)
        ledger = await gateway.get("/ledger")
        said = {seat.chat_id: await soak.platform.messages(seat) for seat in soak.seats}
        return judge(soak.said, said, _known(soak.home), ledger, soak.samples) | {
            "course": asdict(course),
            "kills": soak.kills,
            "open": _open_items(soak.home),
        }


async def _live(soak: _Soak, seconds: float) -> None:
    """Let a gateway live that long, look at it, and kill it."""
    async with open_gateway_process(soak.home) as gateway:
        await asyncio.sleep(seconds)
        soak.samples.append(_sample(gateway, soak.home))
        os.kill(gateway.pid, signal.SIGKILL)
    soak.kills += 1


async def _talk(soak: _Soak, ends: float) -> None:
    """Let everybody write now and then, each message with a word of its own."""
    number = 0
    while time.monotonic() < ends:
        await asyncio.sleep(soak.course.seconds_a_message / soak.course.chats)
        number += 1
        token = f"w{number:05d}x"
        text = soak.chance.choice(TEXTS).format(token=token)
        message = await soak.platform.say(soak.chance.choice(soak.seats), text)
        soak.said[message["message_id"]] = token


def judge(
    said: Mapping[str, str],
    chats: Mapping[str, list[dict[str, Any]]],
    known: Mapping[str, str],
    ledger: dict[str, Any],
    samples: list[Sample],
) -> dict[str, Any]:
    """Lay the platform's list beside the books; `promises` are the sentences that hold or do not."""
    answers = {key: _answers(key, token, chats) for key, token in said.items()}
    hidden = [key for key in said if known.get(key) == "answered" and not answers[key]]
    levels = {
        name: [round(statistics.median(getattr(one, name) for one in part), 1) for part in _thirds(samples)]
        for name in ("rss_mb", "handles", "database_mb", "log_mb")
    }
    return {
        "messages": len(said),
        "answered": sum(count > 0 for count in answers.values()),
        "became": dict(Counter(known.get(key, "lost") for key in said)),
        "writes": ledger["writes"]["classes"],
        "levels": levels,
        "promises": {
            "both books add up": ledger["received"]["balanced"] and ledger["writes"]["balanced"],
            "no message was answered twice": all(count <= 1 for count in answers.values()),
            "every message is in the journal or listed as missing": all(key in known for key in said),
            "what the books call answered stands in the chat": not hidden,
            "memory is level": _is_level(levels["rss_mb"]),
            "handles are level": _is_level(levels["handles"]),
        },
    }


def _answers(key: str, token: str, chats: Mapping[str, list[dict[str, Any]]]) -> int:
    """Count the bot's visible messages under one that have its word; a card that shows progress is none."""
    return sum(
        one.get("parent_id") == key and token in json.dumps(one, ensure_ascii=False) and not _is_progress(one)
        for messages in chats.values()
        for one in messages
    )


def _is_progress(message: dict[str, Any]) -> bool:
    return bool(message["msg_type"] == "interactive" and "header" in json.dumps(message.get("card") or message))


def _thirds(samples: list[Sample]) -> tuple[list[Sample], list[Sample]]:
    third = len(samples) // 3
    return (samples[third : 2 * third] or samples, samples[2 * third :] or samples)


def _is_level(pair: list[float]) -> bool:
    return pair[1] <= pair[0] * GROWTH


def _sample(gateway: DaemonGateway, home: Path) -> Sample:
    pages = int(Path(f"/proc/{gateway.pid}/statm").read_text(encoding="ascii").split()[1])
    handles = len(os.listdir(f"/proc/{gateway.pid}/fd"))
    return Sample(_mb(pages * os.sysconf("SC_PAGESIZE")), handles, *(_mb(_size(home / name)) for name in _FILES))


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _mb(octets: int) -> float:
    return round(octets / 2**20, 2)


def _known(home: Path) -> dict[str, str]:
    return {str(message): str(became) for message, became in read_database(home, _KNOWN)}


def _open_items(home: Path) -> int:
    return int(read_database(home, _OPEN)[0][0])


async def _until_settled(home: Path, said: list[str], minutes: float) -> None:
    """Wait until every message is known and nothing moves; what is held waits for a person. Raise TimeoutError."""
    async with asyncio.timeout(minutes * 60):

        async def is_settled() -> bool:
            return not _open_items(home) and set(said) <= _known(home).keys()

        while True:
            with suppress(TimeoutError):
                await until(is_settled, look_seconds=1.0)
                return


def main(arguments: list[str] | None = None) -> int:
    """Run the course that the arguments describe and print what became of it as JSON."""
    parser = argparse.ArgumentParser(prog="bench.soak", description=__doc__.splitlines()[0])
    usual = Course()
    parser.add_argument("--minutes", type=float, default=usual.minutes)
    parser.add_argument("--chats", type=int, default=usual.chats)
    parser.add_argument("--seconds-a-life", type=float, default=usual.seconds_a_life)
    parser.add_argument("--seed", type=int, default=usual.seed)
    given = parser.parse_args(arguments)
    hush()
    course = Course(given.minutes, given.chats, given.seconds_a_life, seed=given.seed)
    found = asyncio.run(run(course))
    print(json.dumps(found, indent=1, ensure_ascii=False))
    return 0 if all(found["promises"].values()) and not found["open"] else 1


if __name__ == "__main__":
    sys.exit(main())
