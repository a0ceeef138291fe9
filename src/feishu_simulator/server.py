"""The running simulator: the platform behind its two loopback ports."""

import asyncio
import secrets
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Self

from starlette.types import ASGIApp, Receive, Scope, Send

from feishu_simulator.clock import SimClock
from feishu_simulator.control.app import control_app
from feishu_simulator.control.guard import Door
from feishu_simulator.control.stream import Streams
from feishu_simulator.listener import HttpListener
from feishu_simulator.longconn import LongConnections
from feishu_simulator.platform import Platform
from feishu_simulator.rest.gate import Gate
from feishu_simulator.settings import SimulatorSettings

PLATFORM_PATHS = ("/open-apis/", "/callback/")


class Simulator:
    """A simulated platform to start, act on and stop; one event loop, no threads.

    `platform` may be called directly between any two awaits. Everything the outside needs is at `base_url`.
    """

    def __init__(self, settings: SimulatorSettings | None = None) -> None:
        self._settings = settings or SimulatorSettings()
        self.platform = Platform(self._settings)
        self.control_token = self._settings.token or secrets.token_urlsafe(24)
        self.base_url = ""
        self._long_connections = LongConnections(self.platform)
        self._streams = Streams(self.platform)
        self._listener: HttpListener | None = None

    @property
    def clock(self) -> SimClock:
        """Return the platform's clock."""
        return self.platform.clock

    @property
    def page_url(self) -> str:
        """Return the link that opens the page."""
        return f"{self.base_url}/?token={self.control_token}"

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back at once after every change; the returned function ends it."""
        return self.platform.journal.subscribe(callback)

    async def until(self, condition: Callable[[], bool], *, timeout_seconds: float = 10.0) -> None:
        """Wait until the condition holds, asking again after every change; TimeoutError when it never does."""
        changed = asyncio.Event()
        unsubscribe = self.subscribe(changed.set)
        try:
            async with asyncio.timeout(timeout_seconds):
                while not condition():
                    await changed.wait()
                    changed.clear()
        finally:
            unsubscribe()

    async def start(self) -> None:
        """Listen on both ports; OSError when one is taken."""
        host = self._settings.host
        listening = _bound(host, self._settings.port)
        try:
            ws_port = await self._long_connections.start(host, self._settings.ws_port)
        except OSError:
            listening.close()
            raise
        door = Door(host, int(listening.getsockname()[1]), self.control_token)
        self.base_url = door.origin
        control = control_app(self.platform, door, self._streams)
        listener = HttpListener(self._surface(control, f"ws://{host}:{ws_port}"))
        await listener.start(listening)
        self._listener = listener

    async def stop(self) -> None:
        """Close everything within a few seconds; safe to repeat."""
        self._streams.end()
        await self._long_connections.stop()
        if self._listener is not None:
            await self._listener.stop()
            self._listener = None
        self.clock.cancel_all()

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        await self.stop()

    def _surface(self, control: ASGIApp, ws_url: str) -> ASGIApp:
        """Return the application that tells the platform's surface from ours."""
        gate = Gate(self.platform, ws_url, self._cut)

        async def surface(scope: Scope, receive: Receive, send: Send) -> None:
            inside: ASGIApp = gate if scope["path"].startswith(PLATFORM_PATHS) else control
            await inside(scope, receive, send)

        return surface

    def _cut(self, scope: Scope) -> None:
        if self._listener is not None:
            self._listener.cut(scope)


def _bound(host: str, port: int) -> socket.socket:
    # named TCP, or asyncio would leave Nagle's delay on the accepted connections
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError:
        listening.close()
        raise
    return listening
