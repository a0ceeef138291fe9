"""Hands each event to the application and acknowledges it afterwards, several at a time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from hongyan.adapters.lark.cards import toast_answer
from hongyan.adapters.lark.events import ForeignEventError, UnreadableEventError, decode
from hongyan.adapters.lark.frames import Frame
from hongyan.domain.errors import HongyanError
from hongyan.domain.identity import AppId
from hongyan.domain.messages import Toast
from hongyan.ports.chat import ChatEvent, EventSink
from hongyan.ports.surroundings import Clock

__all__ = ["Intake", "Receiver", "send"]

AT_ONCE: Final = 64  # events between frame and acknowledgement; a commit batch holds more
SINK_SECONDS: Final = 30.0  # ten times the platform's patience; then the event is refused and its place given free
SEND_SECONDS: Final = 10.0  # a peer that does not read for this long is gone

TAKEN: Final = 200
AGAIN: Final = 500

_log = structlog.get_logger("hongyan.lark")


@dataclass(frozen=True, slots=True)
class Receiver:
    """Where events of one App go: `sink` keeps them, `acknowledged` hears when the platform was told."""

    app: AppId
    sink: EventSink
    acknowledged: Callable[[ChatEvent], None]


class Intake:
    """The events under way. They outlive the connection that brought them: a commit is not undone by a lost socket."""

    def __init__(self, receiver: Receiver, clock: Clock, tasks: asyncio.TaskGroup) -> None:
        self._receiver = receiver
        self.clock = clock
        self._tasks = tasks
        self._places = asyncio.Semaphore(AT_ONCE)

    async def take(self, socket: ClientConnection, frame: Frame, payload: bytes) -> None:
        """Start handling an event; wait first when too many are under way."""
        await self._places.acquire()
        self._tasks.create_task(self._handle(socket, frame, payload))

    async def _handle(self, socket: ClientConnection, frame: Frame, payload: bytes) -> None:
        started = self.clock.boot()
        try:
            event = self._decoded(frame, payload)
            code, toast = (TAKEN, None) if event is None else await self._settle(event)
            body = toast_answer(toast) if toast is not None else None
            told = await send(socket, frame.answer(code, self.clock.boot() - started, body))
        finally:
            self._places.release()
        if not told:
            # Nothing is lost: the platform sends the event again, and its message id is known by then.
            _log.info("lark.ack.lost", app=self._receiver.app, frame=frame.header("message_id"))
        elif event is not None and code == TAKEN:
            self._receiver.acknowledged(event)

    def _decoded(self, frame: Frame, payload: bytes) -> ChatEvent | None:
        """Read the event; what cannot be used is acknowledged all the same.

        The same bytes would come four more times over seven hours and read no better; the message itself stays in the
        platform's history, which is read independently of events.
        """
        app = self._receiver.app
        try:
            return decode(app, payload)
        except ForeignEventError:
            _log.warning("lark.event.foreign", app=app, frame=frame.header("message_id"))
        except UnreadableEventError:
            _log.error("lark.event.unreadable", app=app, frame=frame.header("message_id"))
        return None

    async def _settle(self, event: ChatEvent) -> tuple[int, Toast | None]:
        """Give the event to the application. Whatever it meets, the platform keeps the event and sends it again."""
        try:
            async with asyncio.timeout(SINK_SECONDS):
                return TAKEN, await self._receiver.sink(event)
        except Exception as error:  # noqa: BLE001 - supervising: no event's failure may end the connection
            code = error.code if isinstance(error, HongyanError) else type(error).__name__
            _log.error("lark.event.refused", app=event.app, message=event.message_id, error=code)
            return AGAIN, None


async def send(socket: ClientConnection, frame: Frame) -> bool:
    """Write a frame; tell whether it left."""
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await socket.send(frame.encode())
    except (ConnectionClosed, TimeoutError):
        return False
    return True
