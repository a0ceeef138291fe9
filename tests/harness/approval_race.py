"""Many approvals, each clicked on its card and decided in the console at once, by two processes, while others talk."""

import asyncio
import json
import os
import random
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from tests.harness.process_world import ProcessWorld
from tests.harness.processes import ROOT
from tests.harness.shown_card import CARD

__all__ = ["RacePlan", "run_race"]

PACE_MS: Final = 20.0  # from one approval to the next, on both sides
MOST_LATE_MS: Final = 30.0  # longer than either side takes: neither always comes first
LABELS: Final = frozenset({"Allow once", "This session", "Reject"})
LONGEST_LINE: Final = 2**20
SECONDS: Final = 120.0
OPEN_ROWS: Final = """
SELECT d.id, p.provider_id, b.id FROM decisions d
JOIN buttons b ON b.subject = d.id AND b.act = 'allowed_once'
JOIN cards c ON c.id = b.card_id AND c.state = 'visible'
JOIN parts p ON p.id = c.part_id
WHERE d.state = 'asked' ORDER BY d.seq
"""
FACTS: Final = """
SELECT count(*), sum(d.state = 'decided'), sum(d.applied = 'applied'),
  (SELECT count(*) FROM audit WHERE fact = 'asked'), (SELECT count(*) FROM audit WHERE fact = 'decided'),
  (SELECT count(*) FROM cards WHERE kind = 'approval'), (SELECT count(*) FROM cards WHERE state <> 'closed')
FROM decisions d
"""


@dataclass(frozen=True, slots=True)
class RacePlan:
    """How many approvals, so many open at a time, in which order, and how many others talk meanwhile."""

    approvals: int
    seed: int
    batch: int = 100
    talkers: int = 2


class Side:
    """One clicking process."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def arm(self, batch: Sequence[tuple[float, Any]]) -> None:
        """Hand a batch over and wait until it is understood."""
        self._write(json.dumps(batch))
        assert await self._line() == "ready"

    def go(self) -> None:
        """Let it begin."""
        self._write("go")

    async def results(self) -> list[tuple[str, float]]:
        """Wait for what came of each target."""
        return [(word, took) for word, took in json.loads(await self._line())]

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    async def _line(self) -> str:
        assert self._process.stdout is not None
        async with asyncio.timeout(SECONDS):
            return (await self._process.stdout.readline()).decode().strip()


async def run_race(world: ProcessWorld, plan: RacePlan) -> dict[str, Any]:
    """Race through all approvals on a bound world and give the figures; what must hold is the caller's to check."""
    chance, begun = random.Random(plan.seed), time.monotonic()
    words: dict[str, Counter[str]] = {"card": Counter(), "console": Counter()}
    took: list[float] = []
    contradictions = 0
    async with _side(world, "card") as card, _side(world, "console") as console, _talkers(world, plan.talkers) as said:
        left = plan.approvals
        while left > 0:
            amount = min(plan.batch, left)
            left -= amount
            targets = await _ask(world, amount)
            chance.shuffle(targets)
            await card.arm(_in_time(chance, [press for _, press in targets]))
            await console.arm(_in_time(chance, [identity for identity, _ in targets]))
            card.go()
            console.go()
            pressed, decided = await asyncio.gather(card.results(), console.results())
            words["card"].update(word for word, _ in pressed)
            words["console"].update(word for word, _ in decided)
            took += [milliseconds for _, milliseconds in decided]
            pairs = zip(pressed, decided, strict=True)
            contradictions += sum((one[0] == "won") == (other[0] == "won") for one, other in pairs)
            await _settled(world)
    return {
        "approvals": plan.approvals,
        "seed": plan.seed,
        "seconds": round(time.monotonic() - begun, 1),
        "load_average": [round(value, 2) for value in os.getloadavg()],
        "turns_beside": said.total(),
        "words": {side: dict(counted) for side, counted in words.items()},
        "not_one_winner": contradictions,
        **_facts(world),
        "callback_ms": _percentiles([float(ended) for ended in _callbacks(world)]),
        "console_ms": _percentiles(took),
    }


def _in_time(chance: random.Random, targets: Sequence[Any]) -> list[tuple[float, Any]]:
    """Give each target its moment after the start: both sides come to it together, the one or the other first."""
    return [(n * PACE_MS + chance.uniform(0, MOST_LATE_MS), target) for n, target in enumerate(targets)]


async def _ask(world: ProcessWorld, amount: int) -> list[tuple[str, dict[str, Any]]]:
    """Let the agent ask so often at once; give each approval with the press of its first button."""
    world.say(f"[[ask-all:{amount}:make]]")
    await world.until(lambda: len(world.rows(OPEN_ROWS)) == amount and len(_buttons(world)) == 3 * amount)
    press = {"user": world.owner.user_id}
    return [
        (decision, {**press, "message": message, "value": {"button": button}})
        for decision, message, button in world.rows(OPEN_ROWS)
    ]


def _buttons(world: ProcessWorld) -> list[Any]:
    """Give every button of an approval that the owner sees now."""
    visible = world.platform.visible(world.chat.chat_id)
    cards = [message.message_id for message in visible if message.msg_type == CARD]
    shown = [button for card in cards for button in world.platform.buttons(card)]
    return [button for button in shown if button.text in LABELS]


async def _settled(world: ProcessWorld) -> None:
    """Wait until no card asks any more, on our side and in the chat."""
    done = "SELECT 1 FROM cards WHERE state <> 'closed' AND kind = 'approval'"
    await world.until(lambda: not world.rows(done) and not _buttons(world))
    await world.until(lambda: not world.rows("SELECT 1 FROM turns WHERE origin = 'lark' AND ended_at = 0"))


def _facts(world: ProcessWorld) -> dict[str, int]:
    names = ("decisions", "decided", "applied", "asked_facts", "decided_facts", "cards", "cards_open")
    ((*amounts,),) = world.rows(FACTS)
    return {**dict(zip(names, amounts, strict=True)), "buttons_alive": len(_buttons(world))}


def _callbacks(world: ProcessWorld) -> list[int]:
    """Give how long the platform waited for each answer, by its own clock."""
    return [(click.ended_ms or 0) - click.at_ms for click in world.platform.clicks.all if click.ended_ms is not None]


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    ranked = sorted(values)
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}
    return {name: round(ranked[min(len(ranked) - 1, int(len(ranked) * part))], 1) for name, part in at.items()}


@asynccontextmanager
async def _side(world: ProcessWorld, side: str) -> AsyncIterator[Side]:
    if side == "card":
        url, key = world.simulator.base_url, world.simulator.control_token
    else:
        async with world.gateway.neighbour() as door:
            key = (await door.post("/login-links")).raise_for_status().json()["console_url"]
        url = key.partition("/login")[0]
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH", "")])])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.harness.race_clicker", side, url, key),
        stdin=PIPE,
        stdout=PIPE,
        limit=LONGEST_LINE,
        env={**os.environ, "PYTHONPATH": paths},
    )
    try:
        yield Side(process)
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def _talkers(world: ProcessWorld, amount: int) -> AsyncIterator[Counter[str]]:
    """Let others write into sessions of this machine without a pause; give how often each was answered."""
    said: Counter[str] = Counter()
    enough = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for number in range(amount):
            group.create_task(_talk(world, f"talker-{number}", said, enough))
        try:
            yield said
        finally:
            enough.set()


async def _talk(world: ProcessWorld, name: str, said: Counter[str], enough: asyncio.Event) -> None:
    folder = world.home / name
    folder.mkdir()
    async with world.gateway.neighbour() as door:
        (await door.post("/workspaces", json={"name": name, "path": str(folder)})).raise_for_status()
        wish = {"workspace": name, "executor": next(iter(world.plan.executors))}
        session = (await door.post("/sessions", json=wish)).raise_for_status().json()["session_id"]
        while not enough.is_set():
            body = {"message": f"[[slow:5:20]] {said[name]}", "client_turn_id": str(said[name])}
            answer = await door.post(f"/sessions/{session}/turns", json=body)
            assert answer.is_success, answer.text
            sent = answer.json()
            done = f"SELECT 1 FROM turns WHERE id = '{sent['turn_id']}' AND ended_at > 0"
            await world.until_rows(done)
            said[name] += 1
