"""Post a card's message, and say the same another way when the platform refuses it for good."""

import structlog

from hongyan.application.desk import CARDS, Desk, decide_again, insist
from hongyan.application.settle import closing_steps
from hongyan.domain.card_weight import preflight
from hongyan.domain.cards import card_text, from_json, is_clickable
from hongyan.domain.changes import Changes
from hongyan.domain.deliveries import Part, PartEvent, PartState, move_part
from hongyan.domain.errors import (
    CardTooHeavyError,
    ChatBlockedError,
    ChatError,
    ChatRejectedError,
    ChatUnknownOutcomeError,
)
from hongyan.domain.identity import MessageId, TurnId
from hongyan.domain.issued_cards import (
    CardKind,
    CardState,
    Carrier,
    IssuedCard,
    change_carrier,
    name_entity,
    post_otherwise,
)
from hongyan.domain.messages import CARD_POSTS, Outbound, Transport
from hongyan.ports import queries

__all__ = ["check_weight", "has_no_driver", "is_needless", "refuse_card", "refused_code", "write_card"]

log = structlog.get_logger(__name__)


async def write_card(desk: Desk, part: Part) -> MessageId:
    """Post a card as an entity, whole, or as the text that says it, as its record says.

    Errors as for the ports; CardTooHeavyError before any call. An entity's id is kept before the card is visible:
    killed between the two, what exists is a card that nobody sees.
    """
    chat, look = desk.chat(part.app), from_json(part.content)
    at = Outbound(part.chat_id, part.target, part.in_thread, card_text(look), part.key)
    if part.transport is Transport.CARD_TEXT:
        return await chat.writer.write(at)
    check_weight(part)
    card = await desk.store.one(queries.CARD_OF_PART, part_id=part.id)
    entity = await _entity(desk, card, part) if card is not None and card.carrier is Carrier.STREAM else ""
    return await (chat.streams.send(entity, at) if entity else chat.cards.post(look, at))


async def _entity(desk: Desk, card: IssuedCard, part: Part) -> str:
    """Give the card's entity, made now when there is none; nothing where the platform does not make one.

    Without a clear answer there may be one that nobody will ever see; the card is then posted without it.
    """
    if card.entity:
        return card.entity
    try:
        entity = await desk.chat(part.app).streams.create(from_json(part.content))
    except (ChatRejectedError, ChatBlockedError, ChatUnknownOutcomeError) as error:
        log.info("card.not_streamed", card=card.id, code=error.code, platform_code=error.platform_code)
        entity = ""
    step = name_entity(card, entity) if entity else change_carrier(card, Carrier.WHOLE)
    await insist(desk, lambda: desk.store.commit(Changes("keep_entity", (step,))))
    return entity


async def is_needless(desk: Desk, part: Part) -> bool:
    """Tell whether nobody needs a card any more that was never written: it is closed, its Turn is over."""
    card = await desk.store.one(queries.CARD_OF_PART, part_id=part.id)
    return card is not None and card.state is CardState.CLOSED and part.state is PartState.PLANNED


async def has_no_driver(desk: Desk, part: Part) -> bool:
    """Tell whether a card that was never written would show a button for a Turn that nothing here runs.

    So it is after a crash, until the Turn's own end decides what the card says.
    """
    if part.transport not in CARD_POSTS or part.state is not PartState.PLANNED:
        return False
    card = await desk.store.one(queries.CARD_OF_PART, part_id=part.id)
    if card is None or card.kind is not CardKind.PROGRESS or not is_clickable(from_json(part.content)):
        return False
    running = desk.running.get(TurnId(card.subject))
    return running is None or running.agent is None


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
        end = () if otherwise else await closing_steps(desk, part, PartState.REJECTED)
        return Changes("refuse_card", (refused, *otherwise, *end)), None

    await insist(desk, lambda: decide_again(desk, decide))
    desk.wakeup.wake(CARDS)


def refused_code(error: ChatError) -> str:
    """Give the code that the ledger shows for a refusal."""
    return f"{error.code}.{error.platform_code}" if error.platform_code else error.code
