"""One open long connection, from its first ping to its end."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from pydantic import ValidationError
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from hongyan.adapters.lark.endpoint import Address
from hongyan.adapters.lark.fragments import Fragments
from hongyan.adapters.lark.frames import Frame, Method, UnreadableFrameError, ping
from hongyan.adapters.lark.intake import Intake, send
from hongyan.adapters.lark.wire import ClientConfig

__all__ = ["Line"]

UNANSWERED_PINGS: Final = 2  # counted, not timed: a machine that slept for hours has missed one ping, not all
LONGEST_PING_SECONDS: Final = 300  # a nonsensical interval must not switch the probe off

_log = structlog.get_logger("hongyan.lark")


class Line:
    """A socket that brings events and must answer pings."""

    def __init__(self, socket: ClientConnection, address: Address, intake: Intake, on_pong: Callable[[], None]) -> None:
        self._socket = socket
        self._service = address.service
        self._ping_seconds = address.ping_seconds
        self._clock = intake.clock
        self._intake = intake
        self._fragments = Fragments(intake.clock)
        self._unanswered = 0
        self.silent = False
        self._on_pong = on_pong

    async def run(self) -> None:
        """Receive until the socket closes; `silent` tells whether we closed it because the pongs stayed away."""
        async with asyncio.TaskGroup() as tasks:
            pinging = tasks.create_task(self._keep_pinging())
            try:
                while True:
                    await self._take(await self._socket.recv())
            except ConnectionClosed:
                pinging.cancel()

    async def _keep_pinging(self) -> None:
        while await send(self._socket, ping(self._service)):
            self._unanswered += 1
            await self._clock.sleep(min(self._ping_seconds, LONGEST_PING_SECONDS) * 1_000)
            if self._unanswered >= UNANSWERED_PINGS:
                break
        self.silent = True
        await self._socket.close()

    async def _take(self, raw: str | bytes) -> None:
        if isinstance(raw, str):
            return  # the platform speaks in binary messages only
        try:
            frame = Frame.decode(raw)
        except UnreadableFrameError:
            _log.warning("lark.frame.unreadable", size_bytes=len(raw))
            return
        kind = frame.header("type")
        if frame.method == Method.CONTROL and kind == "pong":
            self._hear_pong(frame.payload)
        elif frame.method == Method.EVENT and kind in {"event", "card"}:
            payload = self._fragments.join(frame)
            if payload is not None:
                await self._intake.take(self._socket, frame, payload)

    def _hear_pong(self, payload: bytes) -> None:
        self._unanswered = 0
        self._on_pong()
        if not payload:
            return
        try:
            self._ping_seconds = ClientConfig.model_validate_json(payload).ping_interval
        except ValidationError:
            _log.info("lark.pong.partial")  # as in the platform's SDKs, half a configuration changes nothing
