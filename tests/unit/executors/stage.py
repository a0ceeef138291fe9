"""Puts the ACP executor over real agent processes, and reads the events of a turn with a deadline."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.harness.agents import quick_agent

from hongyan.adapters.executors.acp import AcpAgents, AcpPlaces, AcpProgram
from hongyan.domain.agents import AgentEvent, AgentSeat, Lost, PermissionAnswer, PermissionAsked, Prompt, TurnEnded
from hongyan.ports.agents import Agent, Agents

DEADLINE_SECONDS: Final = 20.0
SOURCES: Final = Path(__file__).parents[3] / "src"
SCRIPTED: Final = Path(__file__).with_name("scripted_agent.py")


@dataclass
class Stage:
    """The executor under test with the folders of its agents."""

    agents: AcpAgents
    directory: Path

    def seat(self, upstream: str = "", session_id: str = "s1", executor: str = "rehearsal") -> AgentSeat:
        """A seat in the one workspace."""
        return AgentSeat(session_id, executor, str(self.directory / "workspace"), upstream)

    async def attach(self, upstream: str = "", session_id: str = "s1", executor: str = "rehearsal") -> Agent:
        """Attach within the deadline."""
        seat = self.seat(upstream, session_id, executor)
        port: Agents = self.agents
        return await asyncio.wait_for(port.attach(seat), DEADLINE_SECONDS)

    def touch(self, name: str) -> None:
        """Write a file that the rehearsal agent waits for."""
        (self.directory / "state" / name).touch()

    def prompts(self) -> list[dict[str, Any]]:
        """What the rehearsal agent received, in order."""
        log = self.directory / "state" / "prompts.log"
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


class Turn:
    """Reads the events of one prompt, and answers what the agent asks leave for."""

    def __init__(self, agent: Agent, events: AsyncIterator[AgentEvent]) -> None:
        self._agent, self._events = agent, events
        self.answer = PermissionAnswer.REJECT
        self.seen: list[AgentEvent] = []

    async def until(self, wanted: Callable[[AgentEvent], bool]) -> AgentEvent:
        """Read on until an event is as wanted."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            async for event in self._events:
                self.seen.append(event)
                if isinstance(event, PermissionAsked):
                    assert await self._agent.answer(event.ask_id, self.answer)
                    assert not await self._agent.answer(event.ask_id, self.answer)
                if wanted(event):
                    return event
        raise AssertionError(f"the turn ended without it: {self.seen}")

    async def end(self) -> TurnEnded | Lost:
        """Read to the end."""
        last = await self.until(lambda event: isinstance(event, TurnEnded | Lost))
        assert isinstance(last, TurnEnded | Lost)
        return last


async def begin(agent: Agent, text: str, key: str = "k1") -> Turn:
    """Prompt and give the running turn."""
    return Turn(agent, await asyncio.wait_for(agent.prompt(Prompt(key, text)), DEADLINE_SECONDS))


async def ask(agent: Agent, text: str, key: str = "k1") -> TurnEnded | Lost:
    """Prompt and wait for the end."""
    return await (await begin(agent, text, key)).end()


def programs(directory: Path) -> dict[str, AcpProgram]:
    """The executors of these tests: the rehearsal agent in its kinds, and the scripted one by its flaw."""
    python = sys.executable
    environment = {"PYTHONPATH": str(SOURCES), "REHEARSAL_STATE": str(directory / "state")}
    rehearsal = tuple(quick_agent())
    flaws = (
        "plain",
        "false-resume",
        "no-history",
        "login",
        "garbage",
        "quits",
        "stubborn",
        "old",
        "late-title",
        "half-letters",
        "hangs-up",
    )
    scripted = {flaw: AcpProgram((python, str(SCRIPTED), flaw), summaries=True) for flaw in flaws}
    return scripted | {
        "rehearsal": AcpProgram(rehearsal, environment, summaries=True),
        "rehearsal-reticent": AcpProgram(rehearsal, environment),
        "rehearsal-plain": AcpProgram((*rehearsal, "--plain"), environment),
        "rehearsal-slow": AcpProgram((*rehearsal, "--start-delay", "60"), environment),
        "missing": AcpProgram(("/nowhere/agent",)),
    }


@asynccontextmanager
async def staged(directory: Path, mark: str = "run-1") -> AsyncIterator[Stage]:
    """Give an executor over `directory` and end all its agents afterwards."""
    (directory / "workspace").mkdir(exist_ok=True)
    places = AcpPlaces(directory / "run", directory / "logs")
    agents = AcpAgents(programs(directory), places, mark)
    try:
        yield Stage(agents, directory)
    finally:
        await asyncio.wait_for(agents.close(), DEADLINE_SECONDS)
