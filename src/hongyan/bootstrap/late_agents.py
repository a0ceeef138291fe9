"""The agents of all executors, whose protocol is loaded when the first one is needed."""

import asyncio
import importlib
from typing import Any

from hongyan.config import Settings, Thoughts
from hongyan.domain.agents import AgentSeat
from hongyan.ports.agents import Agent, Agents

__all__ = ["LateAgents"]


class LateAgents:
    """The agents of all executors; the protocol's library is loaded when the first one starts."""

    def __init__(self, settings: Settings, mark: str) -> None:
        self._settings, self._mark = settings, mark
        self._agents: Agents | None = None
        self._loading = asyncio.Lock()

    async def attach(self, seat: AgentSeat) -> Agent:
        """Give the live agent of a seat; see the port."""
        return await (await self._loaded()).attach(seat)

    async def detach(self, session_id: str) -> None:
        """Put an agent away; see the port."""
        if self._agents is not None:
            await self._agents.detach(session_id)

    async def close(self) -> None:
        """End every agent; see the port."""
        if self._agents is not None:
            await self._agents.close()

    def alive(self) -> tuple[str, ...]:
        """Name the Sessions with a live agent."""
        return self._agents.alive() if self._agents is not None else ()

    async def _loaded(self) -> Agents:
        async with self._loading:
            if self._agents is None:
                acp = await asyncio.to_thread(importlib.import_module, "hongyan.adapters.executors.acp")
                self._agents = self._make(acp)
            return self._agents

    def _make(self, acp: Any) -> Agents:
        home = self._settings.home
        programs = {
            executor.name: acp.AcpProgram(executor.command, executor.env, executor.thoughts is Thoughts.SUMMARIES)
            for executor in self._settings.executors
            if executor.protocol == "acp"
        }
        agents: Agents = acp.AcpAgents(programs, acp.AcpPlaces(home / "run", home / "logs"), self._mark)
        return agents
