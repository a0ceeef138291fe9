"""The loops that carry work: admission, lanes, outbox. Each wakes on a hint and scans once a second anyway.

A work item that fails unexpectedly is logged with its id and met again at the next scan; it stops nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Final, Generic, TypeVar

import structlog

from hongyan.application.admit import admit
from hongyan.application.deliver import deliver_part
from hongyan.application.desk import ADMISSION, LANES, OUTBOX, Desk
from hongyan.application.run_turn import run_turn
from hongyan.application.set_mark import set_mark
from hongyan.application.stop_turn import signal_stop
from hongyan.application.verify import reconcile_part, verify_part
from hongyan.domain import limits
from hongyan.domain.deliveries import Part, PartState
from hongyan.domain.errors import ConflictError, HongyanError
from hongyan.domain.identity import TurnId
from hongyan.domain.messages import Transport
from hongyan.ports import queries

__all__ = ["Crew", "admission_loop", "lanes_loop", "outbox_loop"]

log = structlog.get_logger(__name__)

ADMISSIONS_AT_ONCE: Final = 16
SCAN_ROWS: Final = 64

Item = TypeVar("Item")


class Crew(Generic[Item]):
    """At most `slots` items under way at once, and never two with one key."""

    def __init__(self, name: str, slots: int, group: asyncio.TaskGroup) -> None:
        self._name, self._slots, self._group = name, slots, group
        self._busy: set[Hashable] = set()

    def free(self) -> int:
        """Give the number of idle slots."""
        return self._slots - len(self._busy)

    def takes(self, key: Hashable) -> bool:
        """Tell whether an item with this key could start now."""
        return self.free() > 0 and key not in self._busy

    def start(self, key: Hashable, work: Callable[[], Awaitable[None]], done: Callable[[], None]) -> None:
        """Carry an item in the background; `done` is called when it ended, however it did."""
        self._busy.add(key)
        self._group.create_task(self._carry(key, work, done))

    async def _carry(self, key: Hashable, work: Callable[[], Awaitable[None]], done: Callable[[], None]) -> None:
        try:
            await work()
        except ConflictError:
            log.debug("work.moved", crew=self._name, item=str(key))  # it had moved on between the scan and the work
        except HongyanError as error:
            log.warning("work.failed", crew=self._name, item=str(key), code=error.code)
        except Exception as error:
            log.error("work.broke", crew=self._name, item=str(key), error=type(error).__name__, exc_info=True)
        finally:
            self._busy.discard(key)
            done()


async def admission_loop(desk: Desk) -> None:
    """Admit captured requests: in order within a place, side by side across places."""
    async with asyncio.TaskGroup() as group:
        crew: Crew[None] = Crew("admission", ADMISSIONS_AT_ONCE, group)
        while True:
            due = await desk.store.all(queries.CAPTURED_HEADS, now=desk.clock.now(), limit=SCAN_ROWS)
            for request in due:
                if crew.takes(request.place_id):
                    done = partial(desk.wakeup.wake, ADMISSION)
                    crew.start(request.place_id, partial(admit, desk, request), done)
            await desk.wakeup.wait(ADMISSION, limits.SAFETY_SCAN_MS)


async def lanes_loop(desk: Desk) -> None:
    """Run the head of every Session whose lane is free, and pass committed stops on to running agents."""
    async with asyncio.TaskGroup() as group:
        crew: Crew[None] = Crew("lanes", limits.AGENTS_AT_ONCE * 4, group)
        while True:
            for turn_id in await desk.store.all(queries.INTERRUPTING_TURNS):
                await signal_stop(desk, TurnId(turn_id))
            for turn in await desk.store.all(queries.RUNNABLE_HEADS, limit=SCAN_ROWS):
                session = await desk.store.one(queries.SESSION, id=turn.session_id)
                if session is not None and crew.takes(session.id):
                    done = partial(desk.wakeup.wake, LANES)
                    crew.start(session.id, partial(run_turn, desk, session, turn), done)
            await desk.wakeup.wait(LANES, limits.SAFETY_SCAN_MS)


async def outbox_loop(desk: Desk) -> None:
    """Carry due parts: words first, read-backs and marks beside them, each group with slots of its own."""
    async with asyncio.TaskGroup() as group:
        words: Crew[None] = Crew("words", limits.DELIVERY_SLOTS, group)
        beside: Crew[None] = Crew("beside", limits.BESIDE_SLOTS, group)
        while True:
            now = desk.clock.now()
            for part in await desk.store.all(queries.DUE_WORDS, now=now, limit=SCAN_ROWS):
                _offer(desk, words, part)
            for part in await desk.store.all(queries.DUE_BESIDE, now=now, limit=SCAN_ROWS):
                _offer(desk, beside, part)
            await desk.wakeup.wait(OUTBOX, limits.SAFETY_SCAN_MS)


def _offer(desk: Desk, crew: Crew[None], part: Part) -> None:
    if crew.takes(part.order_key):
        crew.start(part.order_key, partial(_carry_part, desk, part), partial(desk.wakeup.wake, OUTBOX))


async def _carry_part(desk: Desk, part: Part) -> None:
    if part.transport is not Transport.TEXT:
        await set_mark(desk, part)
    elif part.state is PartState.WRITTEN:
        await verify_part(desk, part)
    elif part.state is PartState.UNKNOWN:
        await reconcile_part(desk, part)
    else:
        await deliver_part(desk, part)
