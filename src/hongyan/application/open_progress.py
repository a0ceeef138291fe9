"""Open the card that shows a running Turn: one a Turn at a time, in the chat that it came from."""

import structlog

from hongyan.application.desk import CARDS, OUTBOX, Desk
from hongyan.application.routes import route_of
from hongyan.domain.cards import to_json
from hongyan.domain.changes import Change, Changes, insert
from hongyan.domain.conversations import Turn
from hongyan.domain.errors import ConflictError, StoreError
from hongyan.domain.issued_cards import (
    STOP,
    CardKind,
    CardState,
    CardWish,
    Carrier,
    IssuedButton,
    issue_card,
    progress_card_id,
)
from hongyan.domain.notices import language_of
from hongyan.domain.progress_card import Shown, render_progress
from hongyan.domain.requests import Origin
from hongyan.ports import queries

__all__ = ["open_progress", "progress_card"]

log = structlog.get_logger(__name__)


async def open_progress(desk: Desk, turn: Turn) -> None:
    """Open the card unless the Turn came from elsewhere or has one; no room for it costs the card, never the Turn."""
    ordinal = await _next_ordinal(desk, turn)
    steps = await progress_card(desk, Shown(turn), ordinal) if ordinal is not None else ()
    if not steps:
        return
    try:
        await desk.store.commit(Changes("open_progress", steps))
    except ConflictError:
        return  # an earlier attempt at this Turn opened it
    except StoreError as error:
        log.warning("progress.not_opened", turn=turn.id, code=error.code)
    for topic in (CARDS, OUTBOX):
        desk.wakeup.wake(topic)


async def _next_ordinal(desk: Desk, turn: Turn) -> int | None:
    """Number the next card of a Turn; None while one is open. Only a Turn that was cut off can have one already."""
    ordinal = 0
    while turn.attempt > 1:
        card = await desk.store.one(queries.CARD, id=progress_card_id(turn.id, ordinal))
        if card is None:
            break
        if card.state is not CardState.CLOSED:
            return None
        ordinal += 1
    return ordinal


async def progress_card(desk: Desk, shown: Shown, ordinal: int) -> tuple[Change, ...]:
    """Plan the n-th card of a Turn with its Stop button; nothing for a Turn that came from elsewhere."""
    turn = shown.turn
    request = await desk.store.one(queries.REQUEST, id=turn.request_id) if turn.request_id else None
    if request is None or request.origin is not Origin.LARK or request.app not in desk.chats:
        return ()
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    card, button = progress_card_id(turn.id, ordinal), desk.entropy.token()
    wish = CardWish(
        id=card,
        kind=CardKind.PROGRESS,
        subject=turn.id,
        ordinal=ordinal,
        language=language_of(turn.text),
        content=to_json(render_progress(shown, button, desk.clock.now())),
        carrier=Carrier.STREAM,
        boot=desk.clock.boot(),
        boot_id=desk.clock.boot_id(),
    )
    return (
        *issue_card(route_of(request, binding, turn), wish, desk.stamp()),
        insert("buttons", IssuedButton(button, card, turn.id, STOP, "", 0)),
    )
