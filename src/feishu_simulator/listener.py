"""The HTTP listener: uvicorn's protocol on a socket of ours, with a way to cut a line without an answer.

uvicorn's own server object is left out: it takes over the process's signals and polls ten times a second.
"""

import asyncio
import socket

import uvicorn
from starlette.types import ASGIApp, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

STOP_SECONDS = 2.0
KEEP_ALIVE_SECONDS = 60  # longer than any client pauses in a test, so that no call meets a closing line


class HttpListener:
    """Serves an ASGI application on one loopback port."""

    def __init__(self, application: ASGIApp) -> None:
        self._config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        self._state = ServerState()
        self._transports: dict[tuple[str, int], asyncio.Transport] = {}
        self._server: asyncio.Server | None = None

    async def start(self, listening: socket.socket) -> None:
        """Serve on a bound socket."""
        self._config.load()
        self._server = await asyncio.get_running_loop().create_server(self._protocol, sock=listening)

    async def stop(self) -> None:
        """Stop listening, let running calls end for a moment, then cut every line."""
        if self._server is None:
            return
        self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            _, late = await asyncio.wait(set(self._state.tasks), timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
        for transport in list(self._transports.values()):
            transport.abort()
        await asyncio.sleep(0)  # lets the cut lines report themselves closed

    def cut(self, scope: Scope) -> None:
        """Abort the connection a call came over; the client gets no answer."""
        transport = self._transports.get(tuple(scope["client"]))
        if transport is not None:
            transport.abort()

    def _protocol(self) -> asyncio.Protocol:
        return _CuttableProtocol(self._config, self._state, self._transports)


class _CuttableProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol that files its transport under the client's address."""

    def __init__(
        self, config: uvicorn.Config, state: ServerState, transports: dict[tuple[str, int], asyncio.Transport]
    ) -> None:
        super().__init__(config=config, server_state=state, app_state={})
        self._transports = transports
        self._peer: tuple[str, int] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # the base names its own transport type
        """File the transport."""
        super().connection_made(transport)
        self._peer = self.client
        if self._peer is not None:
            self._transports[self._peer] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the transport."""
        super().connection_lost(exc)
        if self._peer is not None:
            self._transports.pop(self._peer, None)
