"""The long connection's server: handshakes, frames in and out, closing in every way a client may meet."""

import asyncio
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from feishu_simulator.connections import Connection, Ticket
from feishu_simulator.faults import Strike
from feishu_simulator.frames import CONTROL, Frame, FrameError, decode
from feishu_simulator.platform import Platform
from feishu_simulator.rest.entrance import client_config_bytes

AUTH_FAILED = 514
BAD_TICKET = 1000040344
TOO_MANY = 1000040350
ABNORMAL = 1006
CLOSE_WAIT_SECONDS = 2.0


class SocketLink:
    """The wire under one connection: a queue and the task that empties it."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self._queue: asyncio.Queue[bytes | int] = asyncio.Queue()

    def send(self, frame: bytes) -> None:
        """Send after what was queued before."""
        self._queue.put_nowait(frame)

    def close(self, code: int) -> None:
        """Close after what was queued before; 1006 cuts the line without a close frame."""
        self._queue.put_nowait(code)

    async def run(self) -> None:
        """Empty the queue until the connection is closed."""
        with suppress(ConnectionClosed):
            while True:
                item = await self._queue.get()
                if isinstance(item, bytes):
                    await self._socket.send(item)
                elif item == ABNORMAL:
                    self._socket.transport.abort()
                    return
                else:
                    await self._socket.close(item)
                    return


class LongConnections:
    """Listens for long connections and moves frames between them and the platform."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._admitted: dict[ServerConnection, tuple[Ticket, Strike]] = {}
        self._server: Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen and return the port."""
        self._server = await serve(
            self._serve,
            host,
            port,
            process_request=self._admit,
            ping_interval=None,
            compression=None,
            close_timeout=CLOSE_WAIT_SECONDS,
            max_size=4 * 1024 * 1024,
        )
        return int(next(iter(self._server.sockets)).getsockname()[1])

    async def stop(self) -> None:
        """Close every connection and stop listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _admit(self, socket: ServerConnection, request: Request) -> Response | None:
        """Let a handshake through, or answer it as the platform refuses one."""
        asked = parse_qs(urlsplit(request.path).query)
        ticket = self._platform.connections.redeem(asked.get("ticket", [""])[0])
        if ticket is None:
            return _refusal(AUTH_FAILED, "ticket is invalid", BAD_TICKET)
        strike = self._platform.faults.consult("ws", ticket.app_id)
        effect = strike.effect
        if effect.delay_ms:
            await asyncio.sleep(effect.delay_ms / 1000)
        if effect.refuse_connection:
            socket.transport.abort()
            return None
        if effect.error_code is not None or effect.http_status is not None:
            status = effect.http_status or AUTH_FAILED
            return _refusal(status, effect.error_message or "refused by a fault", effect.error_code or status)
        if self._platform.connections.full(ticket.app_id):
            return _refusal(AUTH_FAILED, "exceed connection limit", TOO_MANY)
        self._admitted[socket] = (ticket, strike)
        return None

    async def _serve(self, socket: ServerConnection) -> None:
        ticket, strike = self._admitted.pop(socket)
        link = SocketLink(socket)
        platform = self._platform
        writer = asyncio.ensure_future(link.run())
        connection = platform.connections.opened(ticket, link, half_dead=strike.effect.half_dead)
        if strike.effect.close is not None:
            link.close(strike.effect.close)
        try:
            async for raw in socket:
                if isinstance(raw, bytes):
                    self._take(connection, raw)
        except ConnectionClosed:
            pass
        finally:
            writer.cancel()
            platform.connections.closed(connection, socket.close_code or ABNORMAL)
            with suppress(asyncio.CancelledError):
                await writer

    def _take(self, connection: Connection, raw: bytes) -> None:
        if not connection.live:
            return  # the platform was reset under it
        try:
            frame = decode(raw)
        except (FrameError, UnicodeDecodeError):
            connection.link.close(1002)
            return
        if frame.method != CONTROL:
            self._platform.delivery.acknowledge(connection, frame)
        elif frame.header("type") == "ping":
            self._pong(connection, frame)

    def _pong(self, connection: Connection, ping: Frame) -> None:
        self._platform.connections.pinged(connection)
        effect = self._platform.faults.consult("ping", connection.app_id).effect
        if effect.close is not None:
            connection.link.close(effect.close)
        elif not effect.drop:
            app = self._platform.directory.apps[connection.app_id]
            pong = Frame(CONTROL, [("type", "pong")], client_config_bytes(app.client_config), service=ping.service)
            connection.link.send(pong.encode())


def _refusal(status: int, message: str, code: int) -> Response:
    headers = Headers()
    headers["Handshake-Status"] = str(status)
    headers["Handshake-Msg"] = message
    headers["Handshake-Autherrcode"] = str(code)
    headers["Content-Length"] = "0"
    return Response(HTTPStatus.FORBIDDEN.value, HTTPStatus.FORBIDDEN.phrase, headers, b"")
