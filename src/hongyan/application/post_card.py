"""Post a card's message, and say the same another way when the platform refuses it for good."""

from hongyan.application.desk import CARDS, Desk, decide_again, insist
from hongyan.domain.card_weight import preflight
from hongyan.domain.cards import card_text, from_json
from hongyan.domain.changes import Changes
from hongyan.domain.deliveries import Part, PartEvent, move_part
from hongyan.domain.errors import CardTooHeavyError, ChatRejectedError
from hongyan.domain.identity import MessageId
from hongyan.domain.issued_cards import post_otherwise
from hongyan.domain.messages import Outbound, Transport
from hongyan.ports import queries

__all__ = ["check_weight", "refuse_card", "refused_code", "write_card"]


async def write_card(desk: Desk, part: Part) -> MessageId:
    """Post a card as a card, or as the text that says it; errors as for the ports, CardTooHeavyError before a call."""
    chat, card = desk.chat(part.app), from_json(part.content)
    at = Outbound(part.chat_id, part.target, part.in_thread, card_text(card), part.key)
    if part.transport is Transport.CARD_TEXT:
        return await chat.writer.write(at)
    check_weight(part)
    return await chat.cards.post(card, at)


def check_weight(part: Part) -> None:
    """Raise CardTooHeavyError for a card that the platform would refuse for its size."""
    over = preflight(from_json(part.content))
    if over:
        raise CardTooHeavyError(f"the card is over the limit of {over}")


async def refuse_card(desk: Desk, part: Part, error: ChatRejectedError) -> None:
    """Keep a definite refusal of a card's message, and plan what says the same instead, as a part of its own.

    Killed before this, the refusal is met again with the same key.
    """

    async def decide() -> tuple[Changes, None]:
        refused = move_part(part, PartEvent.REFUSE, next_at=None, code=refused_code(error))
        card = await desk.store.one(queries.CARD_OF_PART, part_id=part.id)
        last = await desk.store.one(queries.LAST_LOOK, delivery_id=part.delivery_id)
        otherwise = post_otherwise(card, part, last, desk.stamp()) if card and last else ()
        return Changes("refuse_card", (refused, *otherwise)), None

    await insist(desk, lambda: decide_again(desk, decide))
    desk.wakeup.wake(CARDS)


def refused_code(error: ChatRejectedError) -> str:
    """Give the code that the ledger shows for a refusal."""
    return f"{error.code}.{error.platform_code}" if error.platform_code else error.code
