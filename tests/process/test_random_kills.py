"""Random days with a SIGKILL from outside at a random moment: each message is answered once, told or held in sight.

`HONGYAN_KILL_DAYS` says how many days, `HONGYAN_KILL_SEED` which one is the first; `scripts/random-days` plays twenty.
"""

import asyncio
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from tests.harness.agents import quick_agent
from tests.harness.process_world import Plan, ProcessWorld, open_process_world
from tests.process.verdict import judge

from feishu_simulator.faults import Effect, Match
from feishu_simulator.model import Message as Said

pytestmark = pytest.mark.process

DAYS: Final = int(os.environ.get("HONGYAN_KILL_DAYS", "4"))
FIRST: Final = int(os.environ.get("HONGYAN_KILL_SEED", "0"))
DAYS_A_HOME: Final = 4  # each may move the platform's clock by 18 s, and two minutes apart it is no longer trusted
MOST_CALLS: Final = 9
SECONDS_A_DAY: Final = 30
CALM_SECONDS: Final = 3
ENDPOINTS: Final = (
    "POST /open-apis/im/v1/messages/:message_id/reply",
    "POST /open-apis/im/v1/messages/:message_id/reply",
    "GET /open-apis/im/v1/messages/:message_id",
)
EFFECTS: Final = (
    Effect(lost_response=True),
    Effect(http_status=502),
    Effect(refuse_connection=True),
    Effect(error_code=99991400),
    Effect(stale_token=True),
    Effect(hollow_response=True),
)
EVENTS: Final = (Effect(duplicate=True), Effect(drop=True))


class Day:
    """What its seed chose: messages, what goes wrong at the platform, after how many calls the gateway is killed."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        amount = chance.randint(1, 4)
        self.waits = chance.randrange(amount) if chance.random() < 0.4 else -1
        self.words = [f"[[wait:go-{seed}]] w{seed}-{n}" if n == self.waits else f"w{seed}-{n}" for n in range(amount)]
        self.faults = [(chance.choice(ENDPOINTS), chance.choice(EFFECTS)) for _ in range(chance.randint(0, 2))]
        self.event = chance.choice(EVENTS) if chance.random() < 0.3 else None
        self.calls = chance.randint(0, MOST_CALLS)
        self.tells = chance.random() < 0.5
        self.seed = seed

    def __str__(self) -> str:
        went_wrong = "; ".join(f"{endpoint} {'+'.join(effect.names())}" for endpoint, effect in self.faults)
        return f"day {self.seed}: {self.words}; {went_wrong}; {self.event}; killed after {self.calls} calls"

    async def play(self, world: ProcessWorld) -> list[str]:
        """Let it happen, kill, start again, let everything come to rest, and judge."""
        await world.employ("tells" if self.tells else "plain")
        for endpoint, effect in self.faults:
            world.platform.faults.add(Match(endpoint, times=1), effect)
        if self.event is not None:
            world.platform.faults.add(Match("event:im.message.receive_v1", times=1), self.event)
        before = len(world.platform.requests())
        said = [world.say(words) for words in self.words]
        with suppress(TimeoutError):  # an event that was dropped comes again only after the kill
            async with asyncio.timeout(CALM_SECONDS):
                await world.until(
                    lambda: len(world.platform.requests()) >= before + self.calls or self._is_quiet(world, said)
                )
        await world.gateway.kill_now()
        world.platform.faults.rules.clear()
        world.release(f"go-{self.seed}")
        await world.start()
        world.redeliver()
        await world.until_settled()
        return await judge(world, said)

    def _is_quiet(self, world: ProcessWorld, said: list[Said]) -> bool:
        """Tell whether no more calls are to come: all is answered, or waits for what is released after the kill."""
        answered = [bool(world.answers_to(message)) for message in said]
        until = self.waits if self.waits >= 0 else len(said)
        return all(answered[:until]) and (self.waits < 0 or self.words[self.waits] in world.prompts())


@pytest.mark.timeout(SECONDS_A_DAY * (DAYS_A_HOME + 1))
@pytest.mark.parametrize("first", range(FIRST, FIRST + DAYS, DAYS_A_HOME))
async def test_whatever_went_wrong_and_whenever_it_was_killed_the_promises_hold(tmp_path: Path, first: int) -> None:
    agent = quick_agent()
    async with open_process_world(tmp_path / "home", Plan({"tells": agent, "plain": [*agent, "--plain"]})) as world:
        await world.start()
        await world.bind()
        for seed in range(first, min(first + DAYS_A_HOME, FIRST + DAYS)):
            day = Day(seed)
            try:
                async with asyncio.timeout(SECONDS_A_DAY):
                    outcomes = await day.play(world)
            except (AssertionError, TimeoutError) as error:
                raise AssertionError(str(day)) from error
            assert len(outcomes) == len(day.words)
