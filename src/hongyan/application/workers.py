"""The loops that carry work: admission, lanes, cards, outbox. Each wakes on a hint and scans once a second anyway.

A work item that fails unexpectedly is logged with its id and brought to a true state; it stops nothing else. A scan
that the store cannot answer now is made again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import structlog

from hongyan.application.admit import admit
from hongyan.application.continue_turn import continue_turn
from hongyan.application.decide import settle_questions
from hongyan.application.deliver import deliver_part, lose_part, postpone_part
from hongyan.application.desk import ADMISSION, CARDS, LANES, OUTBOX, START, Desk
from hongyan.application.patch_card import patch_card
from hongyan.application.recover import salvage_turn
from hongyan.application.rota import Rota
from hongyan.application.run_turn import run_turn
from hongyan.application.set_mark import set_mark
from hongyan.application.show_cards import CardShow
from hongyan.application.stop_turn import signal_stop
from hongyan.application.verify import reconcile_part, verify_part
from hongyan.application.withdraw_access import withdraw_access
from hongyan.domain import limits
from hongyan.domain.changes import Value
from hongyan.domain.continuations import Continuation
from hongyan.domain.conversations import Turn
from hongyan.domain.deliveries import Part, PartState
from hongyan.domain.errors import ConflictError, HongyanError, StoreError
from hongyan.domain.identity import AppId, TurnId
from hongyan.domain.issued_cards import IssuedCard
from hongyan.domain.markdown.forms import FORMS
from hongyan.domain.messages import CARD_LOOKS, CARD_POSTS, Transport
from hongyan.ports import queries
from hongyan.ports.store import Query

__all__ = ["Crew", "Crews", "Work", "admission_loop", "cards_loop", "lanes_loop", "outbox_loop", "scan"]

log = structlog.get_logger(__name__)

ADMISSIONS_AT_ONCE: Final = 16
SCAN_ROWS: Final = 64
SCAN_ROWS_AT_START: Final = 4_096  # an App that is held must not stand in front of the others

Row = TypeVar("Row")


async def _nothing() -> None:
    """Mend nothing: the item is met again at the next scan."""


@dataclass(frozen=True, slots=True)
class Work:
    """One item: what to do, whom to tell when it ended, and what mends a state that it broke off in."""

    key: Hashable
    act: Callable[[], Awaitable[None]]
    done: Callable[[], None]
    mend: Callable[[], Awaitable[None]] = _nothing
    place: str = ""


class Crew:
    """At most `slots` items under way at once, and never two with one key or in one place.

    An item that failed rests for a while, in nobody's way: a full disk is not asked again without a pause.
    """

    def __init__(self, desk: Desk, name: str, slots: int, group: asyncio.TaskGroup) -> None:
        self._desk, self._name, self._slots, self._group = desk, name, slots, group
        self._busy: dict[Hashable, str] = {}
        self._resting: set[Hashable] = set()

    def takes(self, key: Hashable, place: str = "") -> bool:
        """Tell whether an item with this key could start now."""
        free = len(self._busy) < self._slots and key not in self._busy and key not in self._resting
        return free and not (place and place in self._busy.values())

    def start(self, work: Work) -> None:
        """Carry an item in the background."""
        self._busy[work.key] = work.place
        self._group.create_task(self._carry(work))

    async def _carry(self, work: Work) -> None:
        try:
            went_well = await self._attempt(work.act, str(work.key))
            if not went_well:
                await self._attempt(work.mend, str(work.key))
        finally:
            self._busy.pop(work.key, None)
        if not went_well:
            await self._rest(work.key)
        work.done()

    async def _rest(self, key: Hashable) -> None:
        self._resting.add(key)
        await self._desk.clock.sleep(limits.SAFETY_SCAN_MS)
        self._resting.discard(key)

    async def _attempt(self, act: Callable[[], Awaitable[None]], item: str) -> bool:
        """Tell whether it went as foreseen; an item that had moved on since the scan did."""
        try:
            await act()
        except ConflictError:
            log.debug("work.moved", crew=self._name, item=item)
        except HongyanError as error:
            log.warning("work.failed", crew=self._name, item=item, code=error.code)
            return False
        except Exception as error:
            log.error("work.broke", crew=self._name, item=item, error=type(error).__name__, exc_info=True)
            return False
        return True


class Crews:
    """A crew for each App: one whose platform answers slowly holds nobody else's slots."""

    def __init__(self, desk: Desk, name: str, slots: int, group: asyncio.TaskGroup) -> None:
        self._make = partial(Crew, desk, name, slots, group)
        self._crews: dict[AppId, Crew] = {}

    def of(self, app: AppId) -> Crew:
        """Give the crew of an App."""
        if app not in self._crews:
            self._crews[app] = self._make()
        return self._crews[app]


async def scan(desk: Desk, query: Query[Row], **arguments: Value) -> Sequence[Row]:
    """Read what is due; nothing when the store cannot answer now, which is logged."""
    try:
        return await desk.store.all(query, **arguments)
    except StoreError as error:
        log.warning("scan.failed", query=query.name, code=error.code)
        return ()


async def _due(desk: Desk, query: Query[Row]) -> Sequence[Row]:
    now = desk.clock.now()
    return await scan(desk, query, now=now, far=now + limits.WAIT_MOST_MS, limit=_rows(desk))


async def admission_loop(desk: Desk) -> None:
    """Admit captured requests: in order within a place, side by side across places."""
    done = partial(desk.wakeup.wake, ADMISSION)
    async with asyncio.TaskGroup() as group:
        crew = Crew(desk, "admission", ADMISSIONS_AT_ONCE, group)
        while True:
            for request in await _due(desk, queries.CAPTURED_HEADS):
                if not desk.starts.holds(request.app) and crew.takes(request.place_id):
                    crew.start(Work(request.place_id, partial(admit, desk, request), done))
            await desk.wakeup.wait(ADMISSION, limits.SAFETY_SCAN_MS)


async def lanes_loop(desk: Desk) -> None:
    """Run the head of every Session whose lane is free, and pass committed stops on to running agents."""
    async with asyncio.TaskGroup() as group:
        crew = Crew(desk, "lanes", limits.AGENTS_AT_ONCE * 4, group)
        while True:
            await _withdraw(desk)
            for turn_id in await scan(desk, queries.INTERRUPTING_TURNS):
                await signal_stop(desk, TurnId(turn_id))
            await _settle(desk)
            for turn in await scan(desk, queries.RUNNABLE_HEADS, limit=_rows(desk)):
                if crew.takes(turn.session_id) and not await _is_held(desk, turn):
                    crew.start(_run(desk, turn))
            for row in await scan(desk, queries.DUE_CONTINUATIONS, now=desk.clock.now(), limit=SCAN_ROWS):
                if crew.takes(row.session_id):  # no Turn of this Session runs while its history is read
                    crew.start(_continue(desk, row))
            await desk.wakeup.wait(LANES, limits.SAFETY_SCAN_MS)


async def _withdraw(desk: Desk) -> None:
    """Meet again what a revocation left; what moved meanwhile, or cannot be kept now, is met at the next scan."""
    try:
        await withdraw_access(desk)
    except (ConflictError, StoreError) as error:
        log.warning("revocation.not_carried_out", code=error.code)


def _rows(desk: Desk) -> int:
    return SCAN_ROWS_AT_START if desk.starts else SCAN_ROWS


async def _is_held(desk: Desk, turn: Turn) -> bool:
    """Tell whether the App that a Turn works for does not run anything yet."""
    if not desk.starts:
        return False
    try:
        binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    except StoreError:
        return True
    return binding is not None and desk.starts.holds(binding.app)


async def _settle(desk: Desk) -> None:
    if not desk.questions:
        return
    try:
        await settle_questions(desk)
    except StoreError as error:
        log.warning("scan.failed", query="unapplied_decisions", code=error.code)


def _run(desk: Desk, turn: Turn) -> Work:
    done = partial(desk.wakeup.wake, LANES)
    desk.haste.begin(turn.id)  # now, not in its task: the outbox may look before that begins
    return Work(turn.session_id, partial(run_turn, desk, turn), done, partial(salvage_turn, desk, turn.id))


def _continue(desk: Desk, row: Continuation) -> Work:
    return Work(row.session_id, partial(continue_turn, desk, row), partial(desk.wakeup.wake, LANES))


async def cards_loop(desk: Desk) -> None:
    """Bring every open card to the look that its records have, one after the other: it costs reads of our own only."""
    show = CardShow(desk)
    while True:
        for card in await scan(desk, queries.OPEN_CARDS):
            await _look(desk, show, card)
        await desk.wakeup.wait(CARDS, limits.SAFETY_SCAN_MS)


async def _look(desk: Desk, show: CardShow, card: IssuedCard) -> None:
    """Plan one card's look; one that fails is met again at the next scan and stops no other."""
    try:
        await show.show(card)
    except ConflictError:
        desk.wakeup.wake(CARDS)  # a line joined, or its write began: look again at once
    except HongyanError as error:
        log.warning("work.failed", crew="cards", item=card.id, code=error.code)
    except Exception as error:
        log.error("work.broke", crew="cards", item=card.id, error=type(error).__name__, exc_info=True)


async def outbox_loop(desk: Desk) -> None:
    """Carry due parts: words first, read-backs and marks beside them, each group with slots of its own an App.

    A chat is written to by one at a time. Words that it does not take yet stay where they are: they hold no slot, keep
    their place, and are looked at again at that moment.
    """
    async with asyncio.TaskGroup() as group:
        words = Crews(desk, "words", limits.DELIVERY_SLOTS, group)
        beside = Crews(desk, "beside", limits.BESIDE_SLOTS, group)
        rota = Rota()
        while True:
            wait = limits.SAFETY_SCAN_MS
            for part in rota.in_turn(await _due(desk, queries.DUE_WORDS)):
                pause = _pause(desk, part)
                if desk.starts.keeps(part):
                    continue
                if pause:
                    wait = min(wait, pause)
                elif _offer(desk, words.of(part.app), part, _place(part)):
                    desk.haste.begin(part.id)
                    rota.serve(part)
            for part in await _due(desk, queries.DUE_BESIDE):
                if not desk.starts.keeps(part) and not _gives_way(desk, part):
                    _offer(desk, beside.of(part.app), part)
            await desk.wakeup.wait(OUTBOX, wait)


def _pause(desk: Desk, part: Part) -> int:
    """Give the milliseconds until the chat of a part takes another message."""
    chat = desk.chats.get(part.app)
    return chat.writer.pause(part.chat_id, bool(part.target)) if chat is not None else 0


def _place(part: Part) -> str:
    """Name what is written to by one at a time: a chat, beside which its questions on cards go their own way."""
    return f"{part.chat_id} card" if part.transport is Transport.CARD else part.chat_id


def _gives_way(desk: Desk, part: Part) -> bool:
    """Tell whether a mark waits for what a person waits for; whoever ends the haste wakes the outbox."""
    is_mark = part.transport in {Transport.REACTION_ADD, Transport.REACTION_REMOVE}
    now = desk.clock.now()
    return is_mark and bool(desk.haste) and 0 <= now - (part.next_at or now) < limits.MARK_YIELDS_MS


def _offer(desk: Desk, crew: Crew, part: Part, place: str = "") -> bool:
    if not crew.takes(part.order_key, place):
        return False
    done, mend = partial(desk.wakeup.wake, OUTBOX), partial(lose_part, desk, part.id)
    crew.start(Work(part.order_key, partial(_carry_part, desk, part), done, mend, place))
    return True


async def _carry_part(desk: Desk, part: Part) -> None:
    try:
        await _act_on(desk, part)
    finally:
        desk.haste.end(part.id)
        if desk.starts:
            desk.wakeup.wake(START)


async def _act_on(desk: Desk, part: Part) -> None:
    if part.app not in desk.chats:
        await postpone_part(desk, part)
    elif part.transport in CARD_LOOKS:
        await patch_card(desk, part)
    elif part.transport not in {*FORMS, *CARD_POSTS}:
        await set_mark(desk, part)
    elif part.state is PartState.WRITTEN:
        await verify_part(desk, part)
    elif part.state is PartState.UNKNOWN:
        await reconcile_part(desk, part)
    else:
        await deliver_part(desk, part)
