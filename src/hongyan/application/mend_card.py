"""What follows when the platform refuses a change of a card that is an entity: the next way to bring the same look."""

from dataclasses import dataclass, replace

from hongyan.application.desk import OUTBOX, Desk, decide_again, insist
from hongyan.application.post_card import refused_code
from hongyan.domain import limits
from hongyan.domain.changes import Change, Changes, Update
from hongyan.domain.deliveries import Part, PartEvent, back_off, move_part
from hongyan.domain.errors import (
    CardTooHeavyError,
    ChatBlockedError,
    ChatOutOfSequenceError,
    ChatRejectedError,
    ChatStreamClosedError,
)
from hongyan.domain.issued_cards import Carrier, IssuedCard, change_carrier, next_look, take_number
from hongyan.ports import queries

__all__ = ["CardFailure", "mend_card", "patch_instead"]


@dataclass(frozen=True, slots=True)
class CardFailure:
    """A change that was refused: nothing of it was written. `card` is as it was before the change took its number."""

    card: IssuedCard
    part: Part
    error: ChatRejectedError | ChatBlockedError


async def mend_card(desk: Desk, failure: CardFailure) -> None:
    """Bring the look another way: without a stream, under a larger number, or as a patch of the message.

    A look that is too heavy goes no way at all; the next one may.
    """
    card, part, error = failure.card, failure.part, failure.error
    tired = part.attempts >= limits.CARD_REWRITES
    if isinstance(error, ChatStreamClosedError) and card.carrier is Carrier.STREAM:
        await _again(desk, part, error, change_carrier(card, Carrier.ENTITY))
    elif isinstance(error, ChatOutOfSequenceError) and not tired:
        numbered = replace(card, sequence=card.sequence + 1)
        await _again(desk, part, error, take_number(numbered, limits.SEQUENCE_JUMP))
    elif isinstance(error, CardTooHeavyError):
        refused = move_part(part, PartEvent.REFUSE, next_at=None, code=error.code)
        await insist(desk, lambda: desk.store.commit(Changes("refuse_look", (refused,))))
    else:
        code = refused_code(error)
        await patch_instead(desk, card, part, move_part(part, PartEvent.REFUSE, next_at=None, code=code))


async def _again(desk: Desk, part: Part, error: ChatRejectedError, step: Update) -> None:
    """Put the look back: it was not written, and the next try goes differently."""
    due = desk.clock.now() + (back_off(part.attempts) if part.attempts > 1 else 0)
    back = move_part(part, PartEvent.DEFER, next_at=due, code=refused_code(error))
    await insist(desk, lambda: desk.store.commit(Changes("mend_card", (back, step))))


async def patch_instead(desk: Desk, card: IssuedCard, part: Part, end: Update) -> None:
    """End a look that the entity did not take, and bring the card's newest one as a patch of its message from now on.

    A patch is another way and so another part; a newer look that waits already goes it by itself.
    """

    async def decide() -> tuple[Changes, None]:
        newest = await desk.store.one(queries.LAST_LOOK, delivery_id=part.delivery_id)
        steps: tuple[Change, ...] = (end, change_carrier(card, Carrier.WHOLE))
        if newest is not None and newest.id == part.id:
            steps += next_look(replace(card, carrier=Carrier.WHOLE), part, part.content, desk.stamp())
        return Changes("patch_instead", steps), None

    await insist(desk, lambda: decide_again(desk, decide))
    desk.wakeup.wake(OUTBOX)
