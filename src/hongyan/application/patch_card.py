"""Give a card that stands on the platform another look, and read back what it shows.

Such a write has no key. One whose outcome is open is read back: the new look closes it, the old one lets it be written
again, because a look is the whole card and says nothing new the second time.
"""

from dataclasses import dataclass

from hongyan.application.deliver import intend, note_failure
from hongyan.application.desk import OUTBOX, Desk, insist
from hongyan.application.post_card import check_weight
from hongyan.domain import limits
from hongyan.domain.cards import card_text, card_words, from_json, is_clickable
from hongyan.domain.changes import Change, Changes, Columns, Update, Where
from hongyan.domain.deliveries import Part, PartEvent, PartState, back_off, move_part
from hongyan.domain.errors import ChatError, ChatNotFoundError
from hongyan.domain.identity import MessageId
from hongyan.domain.issued_cards import CardKind, IssuedCard, Surface, spend_edit
from hongyan.domain.messages import PostedMessage, Transport, same_text
from hongyan.ports import queries

__all__ = ["patch_card"]


@dataclass(frozen=True, slots=True)
class _Look:
    """One look on its way, the card that it belongs to, and the message that shows it."""

    part: Part
    card: IssuedCard
    message: MessageId

    @property
    def passing(self) -> bool:
        """Tell whether another look follows for certain: a card that works still shows its button."""
        return self.card.kind is CardKind.PROGRESS and is_clickable(from_json(self.part.content))


async def patch_card(desk: Desk, part: Part) -> None:
    """Carry one look of a card a step further. Nothing else waits for it."""
    card = await desk.store.one(queries.CARD_OF_DELIVERY, delivery_id=part.delivery_id)
    posted = await desk.store.one(queries.PART, id=card.part_id) if card else None
    if card is None or posted is None or not posted.provider_id:  # it was never seen: there is nothing to change
        await _move(desk, "skip_look", _superseded(part))
    elif part.state is PartState.PLANNED:
        await _write(desk, _Look(part, card, MessageId(posted.provider_id)))
    else:
        await _read_back(desk, _Look(part, card, MessageId(posted.provider_id)))
    desk.wakeup.wake(OUTBOX)


async def _write(desk: Desk, look: _Look) -> None:
    counted = look.passing and look.card.surface is Surface.TEXT
    if counted and look.card.edits >= limits.TEXT_EDITS:
        await _move(desk, "skip_look", _superseded(look.part))
        return
    intended = await intend(desk, look.part, *((spend_edit(look.card),) if counted else ()))
    if intended is None:
        return
    try:
        await _change(desk, intended, look.message)
    except ChatError as error:
        await note_failure(desk, intended, error)
        return
    now = desk.clock.now()
    due = None if look.passing else now  # a look that the next one replaces is not worth a read
    await _move(desk, "keep_look", move_part(intended, PartEvent.RECEIPT, written_at=now, next_at=due, code=""))


async def _change(desk: Desk, part: Part, message: MessageId) -> None:
    chat, card = desk.chat(part.app), from_json(part.content)
    if part.transport is Transport.CARD_EDIT:
        await chat.writer.edit(message, card_text(card))
        return
    check_weight(part)
    await chat.cards.patch(message, card)


async def _read_back(desk: Desk, look: _Look) -> None:
    part = look.part
    try:
        seen = await desk.chat(part.app).history.message(look.message)
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
        await _again(desk, look)


async def _again(desk: Desk, look: _Look) -> None:
    """The old look stands: write the new one again, unless a newer one waits or it was tried often enough."""
    part = look.part
    newest = await desk.store.one(queries.LAST_LOOK, delivery_id=part.delivery_id)
    if newest is not None and newest.id != part.id:
        await _move(desk, "skip_look", _superseded(part))
    elif part.attempts >= limits.CARD_REWRITES:
        await _move(desk, "give_up_look", move_part(part, PartEvent.LOSE, next_at=None, code="delivery.unknown"))
    else:
        await _write(desk, look)


async def _gone(desk: Desk, part: Part) -> None:
    event = PartEvent.DIFFER if part.state is PartState.WRITTEN else PartEvent.REFUSE
    await _move(desk, "look_gone", move_part(part, event, next_at=None, code="delivery.gone"))


def _shows(part: Part, seen: PostedMessage) -> bool:
    card = from_json(part.content)
    return same_text(card_text(card) if part.transport is Transport.CARD_EDIT else card_words(card), seen.text)


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
