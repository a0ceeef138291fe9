"""The two doors: a loopback port for browsers and programs, a Unix socket for the command line of the same user.

uvicorn's protocol serves both; its server object is left out, for it takes the process's signals and polls ten times a
second.
"""

import asyncio
import errno
import os
import socket
import struct
from pathlib import Path
from typing import Any, Final

import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from hongyan.domain.errors import BlockedError, BusyError

__all__ = ["Door", "bind_port", "bind_socket"]

log = structlog.get_logger("hongyan.daemon")

STOP_SECONDS: Final = 2.0  # for answers under way; a stream is cut then
KEEP_ALIVE_SECONDS: Final = 30
BACKLOG: Final = 128
ROOT: Final = 0
PEER: Final = struct.Struct("3i")  # pid, uid, gid


def bind_port(host: str, port: int) -> socket.socket:
    """Bind the port; 0 takes a free one. Raise BusyError `port.in_use`, BlockedError `port.not_allowed`."""
    # named TCP, or asyncio would leave Nagle's delay on the accepted connections
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            hint = f"Stop what listens there, or choose another one: `hongyan up --port {port + 1}`."
            raise BusyError("port.in_use", f"port {port} of {host} is in use", hint=hint) from error
        hint = "Choose another address or port in [gateway] of hongyan.toml."
        raise BlockedError(
            "port.not_allowed", f"cannot listen on {host}:{port}: {error.strerror}", hint=hint
        ) from error
    return listening


def bind_socket(path: Path) -> socket.socket:
    """Bind the Unix socket for this user alone. Call it as the holder of the home: what lies there is a dead one's.

    Raise BlockedError `home.path_too_long`.
    """
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        hint = "Choose a home with a shorter path: `hongyan --home DIR up`."
        raise BlockedError("home.path_too_long", f"cannot listen on {path}: {error}", hint=hint) from error
    finally:
        os.umask(before)
    return listening


class Door:
    """Serves an application on one bound socket until it is closed."""

    def __init__(self, application: ASGIApp, listening: socket.socket) -> None:
        self._listening = listening
        self._state = ServerState()
        self._server: asyncio.Server | None = None
        self._config = uvicorn.Config(
            application,
            interface="asgi3",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )

    async def open(self) -> None:
        """Serve."""
        self._config.load()
        self._server = await asyncio.get_running_loop().create_server(self._protocol, sock=self._listening)

    async def close(self) -> None:
        """Take no more calls, let running ones end for a moment, then cut them."""
        if self._server is None:
            return
        self._server.close()
        connections = list(self._state.connections)
        for connection in connections:
            connection.shutdown()
        if self._state.tasks:
            _, late = await asyncio.wait(set(self._state.tasks), timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
        for connection in connections:
            connection.transport.close()
        await asyncio.sleep(0)  # lets the cut connections report themselves closed

    def _protocol(self) -> asyncio.Protocol:
        kind = _OwnUserOnly if self._listening.family == socket.AF_UNIX else H11Protocol
        return kind(config=self._config, server_state=self._state, app_state={})


class _OwnUserOnly(H11Protocol):
    """Speaks only with a peer that the kernel says is this user or root."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # its base has the same
        """Take the connection, or drop it before a byte is read."""
        super().connection_made(transport)
        user = _peer_user(transport.get_extra_info("socket"))
        if user not in {os.getuid(), ROOT}:
            log.warning("socket.foreign_user", user=user)
            transport.abort()


def _peer_user(connected: Any) -> int:
    """Give the user at the other end; where the kernel does not tell, the folder and the socket keep others out."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return os.getuid()
    _, user, _ = PEER.unpack(connected.getsockopt(socket.SOL_SOCKET, option, PEER.size))
    return int(user)
