"""The SDK's connection to one agent process."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import acp
from acp.client.connection import ClientSideConnection

from hongyan.adapters.executors.acp_client import AcpClient
from hongyan.adapters.executors.acp_wire import LineWire
from hongyan.adapters.executors.processes import AgentProcess

__all__ = ["LAST_WORDS_SECONDS", "AcpLink"]

Answer = TypeVar("Answer")

LAST_WORDS_SECONDS: Final = 1.0
"""How long a process that is gone may still have its answer in the pipe."""


class AcpLink:
    """One process, the wire to it, the handlers of what it sends, and the typed calls."""

    def __init__(self, process: AgentProcess, *, summaries: bool = False) -> None:
        self.process: Final = process
        self.wire: Final = LineWire(process)
        self.client: Final = AcpClient(summaries=summaries)
        self.connection: Final[ClientSideConnection] = acp.connect_to_agent(
            self.client,  # type: ignore[arg-type] # the SDK calls only the handlers that exist
            self.wire,
            use_unstable_protocol=True,
        )

    async def call(self, request: Coroutine[Any, Any, Answer]) -> Answer:
        """Await an answer. Raise ConnectionError when the process is gone, even if a stray child holds the pipe."""
        asking = asyncio.create_task(request)
        leaving = asyncio.create_task(self.process.until_gone())
        try:
            await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                await asyncio.wait({asking}, timeout=LAST_WORDS_SECONDS)
            if not asking.done():
                raise ConnectionError("the agent's process is gone")
            return await asking
        finally:
            leaving.cancel()
            asking.cancel()

    async def close(self, *, at_once: bool = False) -> bool:
        """End the process group, then the connection. Tell whether the group is gone."""
        is_gone = await (self.process.kill() if at_once else self.process.end())
        await self.connection.close()
        return is_gone
