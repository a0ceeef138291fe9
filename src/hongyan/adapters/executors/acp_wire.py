"""JSON-RPC messages as lines on an agent's pipes, for the SDK's connection.

The SDK skips a line that is no JSON and goes on; a gateway must not, because the line may have been the answer. Here
such a line ends the connection and is remembered, so that the turn fails with the reason.
"""

import asyncio
import json
import re
from typing import Any, Final

from hongyan.adapters.executors.processes import AgentProcess

__all__ = ["LineWire"]

HEARD_UPDATES: Final = frozenset(
    {"agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "tool_call", "tool_call_update", "plan"}
)
"""The rest (modes, usage, kinds that newer agents invent) is for editors; the SDK logs each unknown one."""

PIECES: Final = frozenset({"agent_message_chunk", "agent_thought_chunk", "user_message_chunk"})
_HALF_SPELLED: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF: Final = re.compile("[\ud800-\udfff]")


class LineWire:
    """The transport under one connection."""

    def __init__(self, process: AgentProcess) -> None:
        self._process = process
        self._sending = asyncio.Lock()
        self._awaited: dict[str, asyncio.Future[None]] = {}
        self.is_garbled = False

    def written(self, method: str) -> asyncio.Future[None]:
        """Give a future that is done when the next request of this method is in the agent's pipe."""
        return self._awaited.setdefault(method, asyncio.get_running_loop().create_future())

    async def send(self, message: dict[str, Any]) -> None:
        """Write one message. Raise ConnectionError when a request or notification cannot be written."""
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            async with self._sending:
                self._process.stdin.write(line)
                await self._process.stdin.drain()
        except (OSError, RuntimeError) as error:
            if "method" in message:
                raise ConnectionError("the agent's pipe is closed") from error
            return  # an answer nobody waits for any more
        awaited = self._awaited.pop(message.get("method", ""), None)
        if awaited is not None and not awaited.done():
            awaited.set_result(None)

    async def receive(self) -> dict[str, Any] | None:
        """Give the next message that concerns us; None at the end of the pipe or at a line that is no message."""
        while True:
            line = await self._line()
            if not line:
                return None
            if not line.strip():
                continue
            message = self._parse(line)
            if message is None or _concerns_us(message):
                return message

    async def close(self) -> None:
        """Nothing to do: the process owns the pipes."""

    async def _line(self) -> bytes:
        try:
            return await self._process.stdout.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return b""  # the agent died in the middle of a line
        except asyncio.LimitOverrunError:
            self.is_garbled = True
            return b""

    def _parse(self, line: bytes) -> dict[str, Any] | None:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if isinstance(message, dict):
            return _whole(message) if _HALF_SPELLED.search(line) else message
        self.is_garbled = True
        self._process.keep(b"not a message of the protocol: " + line)
        return None


def _concerns_us(message: dict[str, Any]) -> bool:
    method = message.get("method")
    if isinstance(method, str) and method.startswith("$/"):
        return False
    return method != "session/update" or _update_kind(message) in HEARD_UPDATES


def _update_kind(message: dict[str, Any]) -> object:
    params = message.get("params")
    update = params.get("update") if isinstance(params, dict) else None
    return update.get("sessionUpdate") if isinstance(update, dict) else None


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    """Replace halves of letters, which no file can hold; a piece of a text keeps its own for the next to complete."""
    mended: dict[str, Any] = message if _update_kind(message) in PIECES else _without_halves(message)
    return mended


def _without_halves(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: _without_halves(inner) for key, inner in value.items()}
    return [_without_halves(inner) for inner in value] if isinstance(value, list) else value
