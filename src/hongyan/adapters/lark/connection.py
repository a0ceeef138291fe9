"""Keeps one App's long connection open: finds its address, opens it, and opens the next one when it ends.

Everything that can end it is tried again with a bounded wait, also what the platform's own SDKs give up on; what a
person must mend is remembered and tried less often.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Never

import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus, WebSocketException

from hongyan.adapters.lark.client import LarkClient
from hongyan.adapters.lark.endpoint import Address, discover
from hongyan.adapters.lark.intake import Intake, Receiver
from hongyan.adapters.lark.line import Line
from hongyan.domain.errors import ChatBlockedError, ChatError, ChatUnreachableError
from hongyan.domain.limits import LISTENER_BACK_OFF_MOST_MS, LISTENER_BACK_OFF_MS
from hongyan.ports.chat import ChatEvent, EventSink, ListenerState
from hongyan.ports.surroundings import Clock, Entropy

__all__ = ["LarkListener"]

BLOCKED_WAIT_MS: Final = 60_000  # a person must mend something: no hurry, and no storm of wrong secrets
JITTER: Final = 0.5  # of the wait, so that several Apps do not come back in step
OPEN_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 2.0  # a dead peer must not hold up the next connection
PROBE_SECONDS: Final = 20.0  # RFC 6455 pings find a dead path long before the platform's own ping does
MOST_BYTES: Final = 4 * 2**20  # far above the platform's largest event part
FORBIDDEN: Final = 403

_log = structlog.get_logger("hongyan.lark")


@dataclass(frozen=True, slots=True)
class _Opened:
    """A connection that is open, and the address that it was opened to."""

    address: Address
    socket: ClientConnection


class LarkListener:
    """The long connection of one App; see `Listener`."""

    def __init__(self, client: LarkClient, entropy: Entropy) -> None:
        self._client = client
        self._clock: Clock = client.clock
        self._entropy = entropy
        self._observed = (ListenerState.UNKNOWN, 0)
        self._error: ChatError | None = None
        self._failures = 0
        self._serving: _Opened | None = None
        self._successor: _Opened | None = None

    async def listen(self, sink: EventSink, acknowledged: Callable[[ChatEvent], None]) -> None:
        """Receive events until cancelled, reconnecting with a bounded wait; an event is acknowledged after `sink`."""
        self._observe(ListenerState.STARTING)
        try:
            async with asyncio.TaskGroup() as tasks:
                receiver = Receiver(self._client.settings.app_id, sink, acknowledged)
                await self._stay(Intake(receiver, self._clock, tasks))
        finally:
            self._observe(ListenerState.STOPPED)
            if self._successor is not None:
                await self._successor.socket.close()

    async def renew(self) -> None:
        """Open another connection, then close the one before; nothing while none is open."""
        former = self._serving
        if former is None or self._successor is not None:
            return
        try:
            opened = await self._open()
        except (ChatError, WebSocketException, OSError, TimeoutError) as error:
            # Only the name: the text of a handshake error may hold the address with its ticket.
            _log.warning("lark.connection.not_renewed", app=self._client.settings.app_id, error=type(error).__name__)
            return
        if self._serving is not former:  # it ended meanwhile, and the next one is on its way by itself
            await opened.socket.close()
            return
        _log.info("lark.connection.renewed", app=self._client.settings.app_id)
        self._successor = opened
        await former.socket.close()

    def state(self) -> tuple[ListenerState, int]:
        """Give the cached observation and its wall-clock time in UTC milliseconds."""
        return self._observed

    def last_error(self) -> ChatError | None:
        """Give what ended the last attempt, None while listening."""
        return self._error

    async def _stay(self, intake: Intake) -> Never:
        while True:
            self._error = await self._attempt(intake)
            if self._successor is not None:
                continue  # the next one was opened before this one was closed
            self._observe(ListenerState.RETRYING)
            wait = self._wait(self._error)
            self._failures += 1
            _log.warning(
                "lark.connection.lost",
                app=self._client.settings.app_id,
                error=self._error.code,
                reason=self._error.message,
                failures=self._failures,
                wait_ms=wait,
            )
            await self._clock.sleep(wait)

    async def _attempt(self, intake: Intake) -> ChatError:
        """Open one connection and serve it to its end; give what ended it."""
        try:
            successor, self._successor = self._successor, None
            return await self._serve(successor or await self._open(), intake)
        except ChatError as error:
            return error
        except InvalidStatus as error:
            return _rejected(error.response.status_code, error.response.headers)
        except Exception as error:  # noqa: BLE001 - supervising: whatever ended it, the App must not go deaf
            # Only the name: the text of a handshake error may hold the address with its ticket.
            return ChatUnreachableError(f"connection: failed ({type(error).__name__})")

    async def _open(self) -> _Opened:
        address = await discover(self._client)
        socket = await connect(
            address.url,
            compression=None,
            proxy=None if address.on_loopback else True,
            open_timeout=OPEN_SECONDS,
            close_timeout=CLOSE_SECONDS,
            ping_interval=PROBE_SECONDS,
            ping_timeout=PROBE_SECONDS,
            max_size=MOST_BYTES,
            user_agent_header="hongyan",
            logger=_MUTE,
        )
        return _Opened(address, socket)

    async def _serve(self, opened: _Opened, intake: Intake) -> ChatError:
        socket = opened.socket
        self._serving = opened
        try:
            self._hear()
            _log.info("lark.connection.open", app=self._client.settings.app_id)
            line = Line(socket, opened.address, intake, self._hear_pong)
            await line.run()
            how = "no pong came" if line.silent else f"closed with {socket.close_code}"
            return ChatUnreachableError(f"connection: {how}")
        finally:
            self._serving = None
            await socket.close()

    def _hear(self) -> None:
        self._error = None
        self._observe(ListenerState.LISTENING)

    def _hear_pong(self) -> None:
        # Only now, not at the handshake: a server that accepts and closes at once must meet growing waits.
        self._failures = 0
        self._hear()

    def _observe(self, state: ListenerState) -> None:
        self._observed = (state, self._clock.now())

    def _wait(self, error: ChatError) -> int:
        wait = min(LISTENER_BACK_OFF_MS << min(self._failures, 16), LISTENER_BACK_OFF_MOST_MS)
        if isinstance(error, ChatBlockedError):
            wait = BLOCKED_WAIT_MS
        return round(wait * (1 + JITTER * self._entropy.fraction()))


def _rejected(http_status: int, headers: Headers) -> ChatError:
    """Read a refused handshake. The platform says in headers why; nothing of it is final for us.

    After a machine slept, the platform may still count its old connection and answer that there are too many.
    """
    status = _number(headers, "Handshake-Status") or http_status
    code = _number(headers, "Handshake-Autherrcode")
    message = f"connection: the handshake was refused (status {status}, code {code})"
    if _number(headers, "Handshake-Status") == FORBIDDEN:
        return ChatBlockedError(message, platform_code=code)
    return ChatUnreachableError(message, platform_code=code)


def _number(headers: Headers, name: str) -> int:
    value = next(iter(headers.get_all(name)), "")
    return int(value) if value.isascii() and value.isdigit() else 0


def _mute() -> logging.Logger:
    """Make a logger that says nothing: the library's own one would log the address, ticket and all, at DEBUG."""
    logger = logging.Logger("hongyan.lark.websockets", level=logging.CRITICAL + 1)
    logger.propagate = False
    return logger


_MUTE: Final = _mute()
