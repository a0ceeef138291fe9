"""Killed anywhere on the way: one answer or a plain word that it is unknown, judged by what the platform shows.

Every second round kills the gateway over the second of two messages, and half of the rounds have an agent that cannot
tell afterwards what it did. `HONGYAN_KILL_ROUNDS` sets how many rounds each moment gets.
"""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.harness.agents import quick_agent
from tests.harness.kill_points import KILL_POINTS
from tests.harness.process_world import Plan, ProcessWorld, open_process_world
from tests.process.verdict import judge

from feishu_simulator.model import Message as Said

pytestmark = pytest.mark.process

ROUNDS: Final = int(os.environ.get("HONGYAN_KILL_ROUNDS", "2"))
REPORT: Final = os.environ.get("HONGYAN_KILL_REPORT", "")  # a file; `scripts/kill-rounds` makes a table of it
ROUNDS_A_HOME: Final = 4  # each may move the platform's clock by 18 s, and two minutes apart it is no longer trusted
SECONDS_A_ROUND: Final = 60
BEFORE_THE_LANE: Final = ("received", "accepted", "acked", "admitted")
BEFORE_DISPATCH: Final = (*BEFORE_THE_LANE, "claimed")
TELLING: Final = (0, 3)  # of the rounds of a home; each round has an executor, and so a session, of its own
AFTER_THE_ANSWER: Final = ("completing", "completed", "part_intended", "part_written", "receipt_saved", "verified")


@dataclass(frozen=True, slots=True)
class Round:
    """One kill: where, over the only message or over a second one, and what the agent can tell afterwards."""

    point: str
    number: int

    @property
    def second(self) -> bool:
        """Tell whether a message runs already when another one is said."""
        return self.number % 2 == 1

    @property
    def tells(self) -> bool:
        """Tell whether the agent knows after a crash what became of a prompt."""
        return self.number % ROUNDS_A_HOME in TELLING

    @property
    def kill(self) -> str:
        """Give the words for the gateway's process."""
        return f"{self.point}:{1 + self.second}:later"

    @property
    def executor(self) -> str:
        """Name the agent."""
        return f"rehearsal-{self.number % ROUNDS_A_HOME}"

    @property
    def is_certain(self) -> bool:
        """Tell whether the message over which it is killed must be answered."""
        return self.point in (*BEFORE_DISPATCH, *AFTER_THE_ANSWER) or (self.point == "intent" and self.tells)


def _homes() -> list[list[Round]]:
    starts = range(0, ROUNDS, ROUNDS_A_HOME)
    blocks = [range(start, min(start + ROUNDS_A_HOME, ROUNDS)) for start in starts]
    return [[Round(point, number) for number in block] for point in KILL_POINTS for block in blocks]


@pytest.mark.timeout(SECONDS_A_ROUND * (ROUNDS_A_HOME + 1))
@pytest.mark.scenario("P18", "L28", "L86")
@pytest.mark.parametrize("rounds", _homes(), ids=lambda rounds: f"{rounds[0].point}-{rounds[0].number}")
async def test_killed_anywhere_a_message_is_answered_once_or_owed(tmp_path: Path, rounds: list[Round]) -> None:
    async with open_process_world(tmp_path / "home", Plan(_agents())) as world:
        doomed = await world.start(kill=rounds[0].kill)
        await world.bind()
        for now, following in zip(rounds, [*rounds[1:], None], strict=True):
            await world.employ(now.executor)
            doomed.arm()
            said = await _say(world, now)
            assert (await doomed.ended()).code == -signal.SIGKILL
            world.release(f"go-{now.number}")
            doomed = await world.start(kill=following.kill if following else "")
            world.redeliver()
            await world.until_settled()
            outcomes = await judge(world, said)
            assert outcomes[-1] == "answered" or not now.is_certain, (now, outcomes)
            _report(now, outcomes)


def _report(now: Round, outcomes: list[str]) -> None:
    """Add one line a message to the report, when one is wanted."""
    if REPORT:
        with open(REPORT, "a", encoding="utf-8") as report:
            report.writelines(f"{now.point} {outcome}\n" for outcome in outcomes)


def _agents() -> dict[str, list[str]]:
    return {
        f"rehearsal-{number}": [*quick_agent(), *([] if number in TELLING else ["--plain"])]
        for number in range(ROUNDS_A_HOME)
    }


async def _say(world: ProcessWorld, now: Round) -> list[Said]:
    """Say one message, or two of which the second waits behind the first until it is in its place."""
    only = f"do not lose me {now.number}"
    if not now.second:
        return [world.say(only)]
    waits = f"[[wait:go-{now.number}]] first {now.number}"
    first = world.say(waits)
    await world.until(lambda: waits in world.prompts())
    second = world.say(only)
    if now.point not in BEFORE_THE_LANE:
        await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
        world.release(f"go-{now.number}")
    return [first, second]
