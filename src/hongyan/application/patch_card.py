"""Give a card that stands on the platform another look, and read back what it shows.

Such a write has no key. One whose outcome is open is read back: the new look closes it, the old one lets it be written
again, because a look is the whole card and says nothing new the second time.
"""

from dataclasses import dataclass

from hongyan.application.deliver import intend, note_failure
from hongyan.application.desk import OUTBOX, Desk, insist
from hongyan.application.mend_card import CardFailure, mend_card, patch_instead
from hongyan.application.post_card import check_weight
from hongyan.domain import limits
from hongyan.domain.cards import Tone, card_text, card_words, from_json, grown, is_clickable
from hongyan.domain.changes import Change, Changes, Columns, Update, Where
from hongyan.domain.deliveries import Part, PartEvent, PartState, back_off, move_part, part_id
from hongyan.domain.errors import ChatBlockedError, ChatError, ChatNotFoundError, ChatRejectedError
from hongyan.domain.identity import MessageId
from hongyan.domain.issued_cards import LOOK_OF, CardKind, Carrier, IssuedCard, spend_edit, take_number
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

    @property
    def numbered(self) -> bool:
        """Tell whether the change needs a number."""
        return self.card.carrier in {Carrier.STREAM, Carrier.ENTITY}

    @property
    def spent(self) -> bool:
        """Tell whether no passing edit of the text is left."""
        return self.passing and self.card.carrier is Carrier.TEXT and self.card.edits >= limits.TEXT_EDITS


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
    if look.spent:
        await _move(desk, "skip_look", _superseded(look.part))
        return
    typed = await _typed(desk, look)
    intended = await intend(desk, look.part, *_costs(look))
    if intended is None:
        return
    try:
        await _change(desk, look, typed)
    except (ChatRejectedError, ChatBlockedError) as error:
        if look.numbered:
            await mend_card(desk, CardFailure(look.card, intended, error))
        else:
            await note_failure(desk, intended, error)
    except ChatError as error:
        await note_failure(desk, intended, error)
    else:
        now = desk.clock.now()
        due = None if look.passing else now  # a look that the next one replaces is not worth a read
        await _move(desk, "keep_look", move_part(intended, PartEvent.RECEIPT, written_at=now, next_at=due, code=""))


def _costs(look: _Look) -> tuple[Change, ...]:
    """Plan what is counted before the write: the number of a change, a passing edit, and the way that it now goes."""
    way = LOOK_OF[look.card.carrier]
    rerouted = () if way is look.part.transport else (Update("parts", {"id": look.part.id}, {"transport": way.value}),)
    if look.numbered:
        return (*rerouted, take_number(look.card))
    edit = (spend_edit(look.card),) if look.passing and look.card.carrier is Carrier.TEXT else ()
    return (*rerouted, *edit)


async def _typed(desk: Desk, look: _Look) -> str | None:
    """Give the words of the stream when they are all that changed since the look that surely stands there."""
    if look.card.carrier is not Carrier.STREAM:
        return None
    before = await desk.store.one(queries.PART, id=part_id(look.part.delivery_id, look.part.ordinal - 1))
    if before is None or before.state not in {PartState.WRITTEN, PartState.VERIFIED}:
        return None
    return grown(from_json(before.content), from_json(look.part.content))


async def _change(desk: Desk, look: _Look, typed: str | None) -> None:
    chat, drawn, card = desk.chat(look.part.app), from_json(look.part.content), look.card
    if card.carrier is Carrier.TEXT:
        await chat.writer.edit(look.message, card_text(drawn))
        return
    check_weight(look.part)
    number = card.sequence + 1
    if card.carrier is Carrier.WHOLE:
        await chat.cards.patch(look.message, drawn)
    elif typed is not None:
        await chat.streams.type_on(card.entity, number, typed)
    else:
        streaming = card.carrier is Carrier.STREAM and drawn.tone is Tone.WORKING
        await chat.streams.update(card.entity, number, drawn, streaming=streaming)


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
        await _differs(desk, look)
    else:
        await _again(desk, look)


async def _differs(desk: Desk, look: _Look) -> None:
    """Keep that the platform took a look and shows another; an entity that drops its changes is patched instead."""
    differs = move_part(look.part, PartEvent.DIFFER, next_at=None, code="delivery.differs")
    if look.numbered:
        await patch_instead(desk, look.card, look.part, differs)
    else:
        await _move(desk, "look_differs", differs)


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
