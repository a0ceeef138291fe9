"""All agents of this gateway that speak the Agent Client Protocol, one process a Session."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from hongyan.adapters.executors.acp_agent import AcpAgent
from hongyan.adapters.executors.acp_handshake import greet, open_session, resume_session
from hongyan.adapters.executors.acp_link import AcpLink
from hongyan.adapters.executors.leftovers import Leftovers
from hongyan.adapters.executors.processes import AgentProcess, Launch
from hongyan.domain import limits
from hongyan.domain.agents import AgentSeat
from hongyan.domain.errors import AgentStartError

__all__ = ["AcpAgents", "AcpPlaces", "AcpProgram"]

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class AcpProgram:
    """How an executor is started. `environment` is all it gets beyond the inherited names.

    `summaries` says that its thoughts are written for a reader.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    summaries: bool = False


@dataclass(frozen=True, slots=True)
class AcpPlaces:
    """Where the notes of running processes (`run_directory/agents`) and the log files go."""

    run_directory: Path
    log_directory: Path


class AcpAgents:
    """Implements the port's `Agents`. `mark` tells this run of the gateway from earlier ones."""

    def __init__(self, programs: Mapping[str, AcpProgram], places: AcpPlaces, mark: str) -> None:
        self._programs, self._places = programs, places
        self._leftovers = Leftovers(places.run_directory / "agents", mark)
        self._live: dict[str, AcpAgent] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._sweeping = asyncio.Lock()
        self._is_swept = False
        self._is_closed = False

    async def attach(self, seat: AgentSeat) -> AcpAgent:
        """Give the live agent of a seat; start its process, and open or resume its session, when there is none."""
        await self.sweep()
        async with self._lock(seat.session_id):
            if self._is_closed:
                raise AgentStartError("the gateway is going down")
            agent = self._live.get(seat.session_id)
            if agent is not None and agent.alive and _is_same(agent.seat, seat):
                return agent
            if agent is not None:
                await agent.close()
                del self._live[seat.session_id]
            self._live[seat.session_id] = started = await self._start(seat)
            return started

    async def sweep(self) -> None:
        """End the agents that a killed gateway left behind, once. No agent starts before."""
        async with self._sweeping:
            if not self._is_swept:
                await self._leftovers.sweep()
                self._is_swept = True

    async def detach(self, session_id: str) -> None:
        """End the agent of a Session. Safe to repeat."""
        async with self._lock(session_id):
            agent = self._live.get(session_id)
            if agent is not None:
                await agent.close()
                del self._live[session_id]  # only then: who is interrupted here leaves it to `close`

    async def close(self) -> None:
        """End every agent, side by side."""
        self._is_closed = True
        async with asyncio.TaskGroup() as group:
            for session_id in tuple(self._live):
                group.create_task(self.detach(session_id))

    def alive(self) -> tuple[str, ...]:
        """Give the Session ids that have a live agent process."""
        return tuple(session_id for session_id, agent in self._live.items() if agent.alive)

    def log_file(self, seat: AgentSeat) -> Path:
        """Name the file that keeps what a seat's agent writes on its error channel."""
        name = _UNSAFE.sub("_", f"{seat.executor}-{seat.session_id}")
        return self._places.log_directory / f"{name}.log"

    async def _start(self, seat: AgentSeat) -> AcpAgent:
        program = self._programs.get(seat.executor)
        if program is None:
            raise AgentStartError(f"no executor is called {seat.executor!r}")
        launch = Launch(program.argv, program.environment, Path(seat.workspace), self.log_file(seat))
        link = AcpLink(await AgentProcess.start(launch, self._leftovers), summaries=program.summaries)
        is_ready = False
        try:
            async with asyncio.timeout(limits.AGENT_START_MS / 1000):
                agent = await _join(link, seat)
            is_ready = True
        except TimeoutError:
            seconds = limits.AGENT_START_MS // 1000
            raise AgentStartError(f"the agent did not answer within {seconds} seconds") from None
        finally:
            if not is_ready:
                await asyncio.shield(link.close(at_once=True))
        return agent

    def _lock(self, session_id: str) -> asyncio.Lock:
        return self._locks.setdefault(session_id, asyncio.Lock())


async def _join(link: AcpLink, seat: AgentSeat) -> AcpAgent:
    greeting = await greet(link, seat.executor)
    if seat.upstream:
        await resume_session(link, seat, greeting)
        return AcpAgent(link, seat, greeting.capabilities)
    opened = replace(seat, upstream=await open_session(link, seat))
    return AcpAgent(link, opened, greeting.capabilities)


def _is_same(live: AgentSeat, wanted: AgentSeat) -> bool:
    """Tell whether a live agent serves a seat; a seat that knows no session yet takes the one that is open."""
    return live == (wanted if wanted.upstream else replace(wanted, upstream=live.upstream))
