"""From a start to `settled`: every App ties up what a former process left, on its own, before its queues move.

First what needs nobody else: writes that were under way become unknown, open decisions expire. Then, App by App and in
the background: after a restored backup the history is read; cut-off Turns are brought to where the evidence says they
are; cards that nobody keeps any more get their last look; unknown writes are looked for once. An App that cannot be
reached goes on trying and holds nobody else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

import structlog

from hongyan.application.after_restore import settle_restored, was_restored
from hongyan.application.decide import expire_open
from hongyan.application.desk import ADMISSION, CARDS, LANES, OUTBOX, START, Desk, insist
from hongyan.application.recover import Settled, open_intents, recover_turn, unfinished_turns
from hongyan.application.sessions import LOCAL_APP
from hongyan.application.show_cards import CardShow
from hongyan.application.starting import Stage
from hongyan.application.withdraw_access import withdraw_access
from hongyan.domain import limits
from hongyan.domain.conversations import ACTIVE, Turn
from hongyan.domain.errors import ConflictError, HongyanError, StoreError
from hongyan.domain.identity import AppId
from hongyan.domain.issued_cards import CardKind, IssuedCard
from hongyan.ports import queries

__all__ = ["LeftBehind", "begin_start", "drain", "settle_app"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """What a former process left of one App: Turns that it drove, and cards that it kept. `since` is this start."""

    app: AppId
    since: int
    turns: Sequence[Turn] = ()
    cards: Sequence[IssuedCard] = ()


async def begin_start(desk: Desk) -> list[LeftBehind]:
    """Settle what needs no App, hold every App's queues, and list what each of them has to settle.

    Call it once before anything runs.
    """
    for settled in await open_intents(desk):
        _tell(settled)
    await insist(desk, partial(withdraw_access, desk))
    for decision in await expire_open(desk):
        _tell(Settled("decision", decision, "expired"))
    turns: dict[AppId, list[Turn]] = {}
    for turn in await unfinished_turns(desk):
        binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
        turns.setdefault(binding.app if binding else LOCAL_APP, []).append(turn)
    cards = [card for card in await desk.store.all(queries.OPEN_CARDS) if card.kind is not CardKind.OWED]
    restored = await was_restored(desk)
    left = []
    for app in sorted({LOCAL_APP, *desk.chats, *turns, *(card.app for card in cards)}):
        desk.starts.begin(app, Stage.READING if restored else Stage.SETTLING)
        mine = [card for card in cards if card.app == app]
        left.append(LeftBehind(app, desk.clock.now(), turns.get(app, ()), mine))
    return left


async def settle_app(desk: Desk, left: LeftBehind) -> None:
    """Bring everything that was left of one App to a state that is true, say so, and let its queues move.

    It tries again until everything is settled; what is settled is not touched again.
    """
    app = left.app
    await _until_done(desk, app, partial(settle_restored, desk, app, _tell))
    desk.starts.begin(app, Stage.SETTLING)
    for topic in (OUTBOX, CARDS):
        desk.wakeup.wake(topic)
    await asyncio.gather(*(_until_done(desk, app, partial(_recover, desk, turn)) for turn in left.turns))
    for card in left.cards:
        await _leave(desk, card)
    if app in desk.chats and await _is_loose(desk, left):
        await _until_done(desk, app, partial(_reach, desk, app))
        while await _is_loose(desk, left):
            await desk.wakeup.wait(START, limits.SAFETY_SCAN_MS)
    log.info("start.settled", app=app, turns=len(left.turns), cards=len(left.cards))
    desk.starts.end(app)
    for topic in (ADMISSION, LANES, CARDS, OUTBOX, START):
        desk.wakeup.wake(topic)


async def drain(desk: Desk) -> None:
    """Begin nothing more and wait for the writes that are under way: what the platform answered is known then.

    It ends at its deadline; a write without an answer is looked for at the next start.
    """
    for app in (LOCAL_APP, *desk.chats):
        desk.starts.begin(app, Stage.READING)
    ends = desk.clock.boot() + limits.DRAIN_MS
    while desk.clock.boot() < ends:
        under_way = await desk.store.all(queries.INTENDED_PARTS)
        if not under_way:
            return
        await desk.wakeup.wait(START, ends - desk.clock.boot())
    log.warning("stop.not_drained", writes=len(await desk.store.all(queries.INTENDED_PARTS)))


def _tell(settled: Settled) -> None:
    log.info("recovery.settled", kind=settled.kind, id=settled.identity, way=settled.way)


async def _until_done(desk: Desk, app: AppId, act: Callable[[], Awaitable[None]]) -> None:
    """Try until it works, ever more seldom; what keeps it is shown and logged once a kind."""
    wait, told = limits.BACK_OFF_MS, ""
    while True:
        try:
            await act()
        except HongyanError as error:
            desk.starts.fail(app, error.code)
            if error.code != told:
                log.warning("start.retrying", app=app, code=error.code)
            told = error.code
        else:
            return
        await desk.clock.sleep(wait)
        wait = min(wait * 2, limits.BACK_OFF_MOST_MS)


async def _recover(desk: Desk, turn: Turn) -> None:
    current = await desk.store.one(queries.TURN, id=turn.id)
    if current is not None and current.state in ACTIVE:
        _tell(await recover_turn(desk, current))


async def _leave(desk: Desk, card: IssuedCard) -> None:
    """Give a card its last look; one that the loop of cards looks at in the same moment is met again."""
    for _ in range(limits.CONFLICT_TRIES):
        current = await desk.store.one(queries.CARD, id=card.id)
        if current is None or current.state.value == "closed":
            break
        try:
            await CardShow(desk).leave(current)
        except (ConflictError, StoreError):
            await desk.clock.sleep(0)
    _tell(Settled("card", card.id, "closed"))


async def _is_loose(desk: Desk, left: LeftBehind) -> bool:
    """Tell whether a write of a former process was not looked for yet."""
    return bool(await desk.store.one(queries.LOOSE_PARTS, app=left.app, since=left.since))


async def _reach(desk: Desk, app: AppId) -> None:
    """Hear from the platform once: what it does not answer is not known."""
    chat = desk.chat(app)
    if chat.directory.platform_offset() is None:
        await chat.directory.me()
