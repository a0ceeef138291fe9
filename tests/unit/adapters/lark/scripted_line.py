"""The platform's end of the long connection on a real loopback socket, under a test's control."""

import asyncio
import http
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from tests.unit.adapters.lark.scripted import ScriptedPlatform, answer, app
from tests.unit.adapters.lark.surroundings import WAIT_SECONDS, ManualClock, SteadyEntropy
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from hongyan.adapters.lark import LarkListener
from hongyan.adapters.lark.frames import Frame, Method
from hongyan.ports.chat import ChatEvent

ENDPOINT = "/callback/ws/endpoint"
TICKET = "ticket-8710bbb0-94e7"
ACCESS_KEY = "access-da66"
CONFIG = {"ReconnectCount": -1, "ReconnectInterval": 120, "ReconnectNonce": 30, "PingInterval": 90}


class Rig:
    """One listener, the socket it reaches, what the application was given and what it was told."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.entropy = SteadyEntropy()
        self.platform = ScriptedPlatform()
        self.listener: LarkListener = app(self.platform, self.clock).listener(self.entropy)
        self.lines: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self.frames: asyncio.Queue[Frame] = asyncio.Queue()
        self.pings: asyncio.Queue[Frame] = asyncio.Queue()
        self.events: asyncio.Queue[ChatEvent] = asyncio.Queue()
        self.acknowledged: asyncio.Queue[ChatEvent] = asyncio.Queue()
        self.sink: Callable[[ChatEvent], Any] = self._keep
        self.refusal: dict[str, str] | None = None  # headers of a refused handshake
        self.answers_pings = True
        self.pong = b""

    async def listen(self) -> None:
        async def sink(event: ChatEvent) -> None:
            await self.sink(event)

        await self.listener.listen(sink, self.acknowledged.put_nowait)

    async def line(self) -> ServerConnection:
        """Wait for the next connection."""
        return await asyncio.wait_for(self.lines.get(), WAIT_SECONDS)

    async def frame(self) -> Frame:
        """Wait for the next frame that is no ping."""
        return await asyncio.wait_for(self.frames.get(), WAIT_SECONDS)

    async def ping(self) -> Frame:
        """Wait for the next ping."""
        return await asyncio.wait_for(self.pings.get(), WAIT_SECONDS)

    async def event(self) -> ChatEvent:
        """Wait for the next event that the application was given."""
        return await asyncio.wait_for(self.events.get(), WAIT_SECONDS)

    async def told(self) -> ChatEvent:
        """Wait until the application hears of an acknowledgement."""
        return await asyncio.wait_for(self.acknowledged.get(), WAIT_SECONDS)

    async def _keep(self, event: ChatEvent) -> None:
        self.events.put_nowait(event)

    async def serve(self, socket: ServerConnection) -> None:
        self.lines.put_nowait(socket)
        with suppress(ConnectionClosed):
            while True:
                raw = await socket.recv()
                assert isinstance(raw, bytes)
                frame = Frame.decode(raw)
                if frame.header("type") != "ping":
                    self.frames.put_nowait(frame)
                    continue
                self.pings.put_nowait(frame)
                if self.answers_pings:
                    await socket.send(self._pong().encode())

    def check(self, socket: ServerConnection, request: Request) -> Response | None:
        assert TICKET in request.path
        if self.refusal is None:
            return None
        response = socket.respond(http.HTTPStatus.FORBIDDEN, "no")
        for name, value in self.refusal.items():
            response.headers[name] = value
        return response

    def _pong(self) -> Frame:
        return Frame(method=Method.CONTROL, headers=(("type", "pong"),), payload=self.pong)


def event_frames(event: object, *, parts: int = 1, kind: str = "event", message: str = "m-1") -> list[bytes]:
    """An event as frames; `event` may also be raw bytes."""
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    size = -(-len(raw) // parts)
    return [
        Frame(
            method=Method.EVENT,
            headers=(
                ("type", kind),
                ("message_id", message),
                ("trace_id", "trace"),
                ("sum", str(parts)),
                ("seq", str(index)),
            ),
            service=33,
            payload=raw[index * size : (index + 1) * size],
            log_id=5,
        ).encode()
        for index in range(parts)
    ]


def address(server: Server, *, config: object = CONFIG) -> Any:
    """The answer that names the socket's address."""
    port = next(iter(server.sockets)).getsockname()[1]
    query = f"fpid=493&device_id=1&access_key={ACCESS_KEY}&service_id=33&ticket={TICKET}"
    return answer({"URL": f"ws://127.0.0.1:{port}/ws/v2?{query}", "ClientConfig": config})


@asynccontextmanager
async def rig() -> AsyncIterator[Rig]:
    """A platform with its address scripted; the listener is not started."""
    made = Rig()
    async with serve(made.serve, "127.0.0.1", 0, process_request=made.check) as server:
        made.platform.script(ENDPOINT, address(server))
        yield made


@asynccontextmanager
async def listening() -> AsyncIterator[Rig]:
    """A listener that runs until the end of the test."""
    async with rig() as made, running(made):
        yield made


@asynccontextmanager
async def running(made: Rig) -> AsyncIterator[None]:
    """Let the listener run inside."""
    task = asyncio.create_task(made.listen())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, WAIT_SECONDS)
