"""Give a card that stands on the platform another look, and read back what it shows.

A patch has no key. One whose outcome is open is read back: the new look closes it, the old one lets it be written
again, because a look is the whole card and says nothing new the second time.
"""

from hongyan.application.deliver import intend, note_failure
from hongyan.application.desk import OUTBOX, Desk, insist
from hongyan.domain import limits
from hongyan.domain.cards import card_words, from_json, is_clickable
from hongyan.domain.changes import Change, Changes, Columns, Update, Where
from hongyan.domain.deliveries import Part, PartEvent, PartState, Phase, back_off, move_part
from hongyan.domain.errors import ChatError, ChatNotFoundError
from hongyan.domain.identity import MessageId
from hongyan.domain.messages import PostedMessage, same_text
from hongyan.ports import queries

__all__ = ["patch_card"]


async def patch_card(desk: Desk, part: Part) -> None:
    """Carry one look of a card a step further. Nothing else waits for it."""
    posted = await desk.store.one(queries.PART, id=part.target)
    if posted is None or not posted.provider_id:  # the card was never seen: there is nothing to change
        await _move(desk, "skip_look", _superseded(part))
    elif part.state is PartState.PLANNED:
        await _write(desk, part, MessageId(posted.provider_id))
    else:
        await _read_back(desk, part, MessageId(posted.provider_id))
    desk.wakeup.wake(OUTBOX)


async def _write(desk: Desk, part: Part, message: MessageId) -> None:
    intended = await intend(desk, part)
    if intended is None:
        return
    card = from_json(intended.content)
    try:
        await desk.chat(part.app).cards.patch(message, card)
    except ChatError as error:
        await note_failure(desk, intended, error)
        return
    now = desk.clock.now()
    delivery = await desk.store.one(queries.DELIVERY, id=part.delivery_id)
    passing = delivery is not None and delivery.phase is Phase.PROGRESS and is_clickable(card)
    due = None if passing else now  # a look that the next one replaces is not worth a read
    await _move(desk, "keep_look", move_part(intended, PartEvent.RECEIPT, written_at=now, next_at=due, code=""))


async def _read_back(desk: Desk, part: Part, message: MessageId) -> None:
    try:
        seen = await desk.chat(part.app).history.message(message)
    except ChatNotFoundError:
        await _gone(desk, part)
        return
    except ChatError as error:
        tries = part.searches + 1
        where: Where = {"id": part.id, "state": part.state.value, "attempts": part.attempts}
        values: Columns = {"next_at": desk.clock.now() + back_off(tries), "code": error.code, "searches": tries}
        await _move(desk, "read_later", Update("parts", where, values))
        return
    if _shows(part, seen):
        await _move(desk, "look_verified", _verified(part, desk.clock.now()))
    elif part.state is PartState.WRITTEN:
        await _move(desk, "look_differs", move_part(part, PartEvent.DIFFER, next_at=None, code="delivery.differs"))
    else:
        await _again(desk, part, message)


async def _again(desk: Desk, part: Part, message: MessageId) -> None:
    """The old look stands: write the new one again, unless a newer one waits or it was tried often enough."""
    newest = await desk.store.one(queries.LAST_LOOK, delivery_id=part.delivery_id)
    if newest is not None and newest.id != part.id:
        await _move(desk, "skip_look", _superseded(part))
    elif part.attempts >= limits.CARD_REWRITES:
        await _move(desk, "give_up_look", move_part(part, PartEvent.LOSE, next_at=None, code="delivery.unknown"))
    else:
        await _write(desk, part, message)


async def _gone(desk: Desk, part: Part) -> None:
    event = PartEvent.DIFFER if part.state is PartState.WRITTEN else PartEvent.REFUSE
    await _move(desk, "look_gone", move_part(part, event, next_at=None, code="delivery.gone"))


def _shows(part: Part, seen: PostedMessage) -> bool:
    return same_text(card_words(from_json(part.content)), seen.text)


def _verified(part: Part, now: int) -> Update:
    """An unknown look that stands there is written and read in one."""
    where: Where = {"id": part.id, "state": part.state.value, "attempts": part.attempts}
    written = part.written_at or now
    values: Columns = {
        "state": PartState.VERIFIED.value,
        "written_at": written,
        "verified_at": now,
        "next_at": None,
        "code": "",
    }
    return Update("parts", where, values)


def _superseded(part: Part) -> Update:
    return move_part(part, PartEvent.SUPERSEDE, next_at=None)


async def _move(desk: Desk, label: str, step: Change) -> None:
    await insist(desk, lambda: desk.store.commit(Changes(label, (step,))))
