"""Cards that were issued: which message shows them, which buttons they carry, and what a click on one means.

Every button ever issued for a request counts as long as the digest of what it was shown with is the request's own:
cards get replaced.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hongyan.domain import limits
from hongyan.domain.changes import (
    ONE_OR_NONE,
    Add,
    Change,
    Columns,
    Insert,
    Less,
    Not,
    OneOf,
    Require,
    Update,
    Where,
    insert,
)
from hongyan.domain.deliveries import Delivery, Part, PartState, Phase, Route, Stamp, blank_part, part_id
from hongyan.domain.identity import AppId, ChatId, DeliveryId, PartId, derive
from hongyan.domain.messages import CARD_LOOKS, CARD_POSTS, Transport
from hongyan.domain.notices import Language
from hongyan.domain.requests import ClosedAs

__all__ = [
    "LOOK_OF",
    "STOP",
    "CardKind",
    "CardState",
    "CardWish",
    "Carrier",
    "IssuedButton",
    "IssuedCard",
    "age_of",
    "approval_card_id",
    "change_carrier",
    "close_card",
    "folded_looks",
    "issue_card",
    "join_card",
    "lost_card",
    "name_entity",
    "next_look",
    "owed_card_id",
    "post_otherwise",
    "progress_card_id",
    "shown_card",
    "spend_edit",
    "take_number",
]

STOP: Final = "stop"  # the act of a button that stops a Turn


class CardKind(StrEnum):
    """What a card is for."""

    APPROVAL = "approval"
    PROGRESS = "progress"
    OWED = "owed"  # the answer to a question for what waits


class CardState(StrEnum):
    """What is known of a card: to be written, seen on the platform, maybe there, or brought to its last look."""

    STAGED = "staged"
    VISIBLE = "visible"
    UNCERTAIN = "uncertain"
    CLOSED = "closed"


_PHASES: Final = {
    CardKind.APPROVAL: Phase.ASK,
    CardKind.PROGRESS: Phase.PROGRESS,
    CardKind.OWED: Phase.REPLY,
}


class Carrier(StrEnum):
    """How a card stands on the platform, and so how it is changed; a refusal leads to the next one."""

    STREAM = "stream"  # an entity of its own into which text is streamed
    ENTITY = "entity"  # the same after its stream was ended for it
    WHOLE = "whole"  # a message that is a card
    TEXT = "text"  # a message that says it


LOOK_OF: Final = {
    Carrier.STREAM: Transport.CARD_STREAM,
    Carrier.ENTITY: Transport.CARD_STREAM,
    Carrier.WHOLE: Transport.CARD_PATCH,
    Carrier.TEXT: Transport.CARD_EDIT,
}


@dataclass(frozen=True, slots=True)
class IssuedCard:
    """One card. `subject` is the Turn of a progress card; `lines` counts the requests that it ever showed.

    `entity` is the platform's id of a card that was made before it was sent, empty for none, and `sequence` the last
    number that a change of it was given; `edits` counts the passing edits of a text. All are kept before the write
    that they belong to. `opened_boot` is the boot clock when it was issued.
    """

    id: str
    kind: CardKind
    state: CardState
    app: AppId
    chat_id: ChatId
    subject: str
    delivery_id: DeliveryId
    part_id: PartId
    ordinal: int
    lines: int
    language: Language
    carrier: Carrier
    entity: str
    sequence: int
    edits: int
    opened_boot: int
    boot_id: str
    created_at: int
    seq: int


@dataclass(frozen=True, slots=True)
class IssuedButton:
    """One button. `id` is the opaque value that a click brings back; `subject` is a decision or a Turn."""

    id: str
    card_id: str
    subject: str
    act: str
    digest: str
    ordinal: int


def approval_card_id(app: AppId, chat: ChatId, ordinal: int) -> str:
    """Name the n-th card of a chat: two that are issued at once meet in one name, and only one of them is."""
    return derive("card", app, chat, str(ordinal))


def progress_card_id(turn: str, ordinal: int) -> str:
    """Name the n-th progress card of a Turn: a long one goes on below."""
    return derive("card", turn, str(ordinal))


def owed_card_id(request: str) -> str:
    """Name the card that answers a request for what waits."""
    return derive("card", request)


@dataclass(frozen=True, slots=True)
class CardWish:
    """What a new card is, what it first shows, how it is to be posted, and the boot clock now.

    `lines` counts what it is about, shown or not.
    """

    id: str
    kind: CardKind
    subject: str
    ordinal: int
    language: Language
    content: str
    lines: int = 1
    carrier: Carrier = Carrier.WHOLE
    boot: int = 0
    boot_id: str = ""


def issue_card(route: Route, wish: CardWish, stamp: Stamp) -> tuple[Insert, ...]:
    """Plan a card with its delivery and the part that posts it."""
    delivery = _delivery(route, wish, stamp)
    part = replace(
        blank_part(delivery, delivery.id),
        transport=Transport.CARD,
        key=part_id(delivery.id, 0),
        target=route.reply_to,
        in_thread=route.in_thread,
        content=wish.content,
    )
    card = IssuedCard(
        id=wish.id,
        kind=wish.kind,
        state=CardState.STAGED,
        app=route.app,
        chat_id=route.chat_id,
        subject=wish.subject,
        delivery_id=delivery.id,
        part_id=part.id,
        ordinal=wish.ordinal,
        lines=wish.lines,
        language=wish.language,
        carrier=wish.carrier,
        entity="",
        sequence=0,
        edits=0,
        opened_boot=wish.boot,
        boot_id=wish.boot_id,
        created_at=stamp.now,
        seq=stamp.seq,
    )
    return insert("cards", card), insert("deliveries", delivery), insert("parts", part)


def _delivery(route: Route, wish: CardWish, stamp: Stamp) -> Delivery:
    return Delivery(
        id=DeliveryId(derive("dlv", wish.id)),
        request_id=route.request_id,
        turn_id=route.turn_id,
        session_id=route.session_id,
        binding_id=route.binding_id,
        binding_revision=route.binding_revision,
        app=route.app,
        chat_id=route.chat_id,
        phase=_PHASES[wish.kind],
        closes_as=ClosedAs.ANSWERED if wish.kind is CardKind.OWED else ClosedAs.OPEN,
        created_at=stamp.now,
        seq=stamp.seq,
    )


def join_card(card: IssuedCard) -> Update:
    """Plan one more line of a card that is still open and has room."""
    where: Where = {"id": card.id, "state": Not(CardState.CLOSED.value), "lines": Less(limits.APPROVALS_A_CARD)}
    return Update("cards", where, {"lines": Add(1)})


def close_card(card: IssuedCard) -> Update:
    """Plan the end of a card whose last look is planned; a line that joined meanwhile keeps it open."""
    where: Where = {"id": card.id, "state": Not(CardState.CLOSED.value), "lines": card.lines}
    return Update("cards", where, {"state": CardState.CLOSED.value})


def shown_card(part: Part) -> tuple[Change, ...]:
    """Plan what the receipt of a part means for its card."""
    return _learn(part, CardState.VISIBLE, (CardState.STAGED, CardState.UNCERTAIN))


def lost_card(part: Part) -> tuple[Change, ...]:
    """Plan what an open outcome of a part means for its card: it may be there."""
    return _learn(part, CardState.UNCERTAIN, (CardState.STAGED,))


def _learn(part: Part, state: CardState, before: tuple[CardState, ...]) -> tuple[Change, ...]:
    if part.transport not in CARD_POSTS:
        return ()
    where: Where = {"part_id": part.id, "state": OneOf(tuple(known.value for known in before))}
    return (Update("cards", where, {"state": state.value}, ONE_OR_NONE),)


def post_otherwise(card: IssuedCard, refused: Part, last: Part, stamp: Stamp) -> tuple[Change, ...]:
    """Plan the same card on its next carrier, after the platform refused this one for good; nothing after the last.

    `last` is the look that was planned last: it is what the new message begins with.
    """
    if card.state is CardState.CLOSED or card.carrier is Carrier.TEXT:
        return ()
    carrier = Carrier.WHOLE if card.entity else Carrier.TEXT
    ordinal = last.ordinal + 1
    identity = part_id(refused.delivery_id, ordinal)
    other = replace(
        blank_look(last, identity, stamp),
        ordinal=ordinal,
        transport=Transport.CARD if carrier is Carrier.WHOLE else Transport.CARD_TEXT,
        target=refused.target,
        key=identity,
    )
    where: Where = {"id": card.id, "part_id": refused.id, "carrier": card.carrier.value}
    values: Columns = {"part_id": identity, "carrier": carrier.value, "entity": ""}
    return insert("parts", other), Update("cards", where, values)


def name_entity(card: IssuedCard, entity: str) -> Update:
    """Plan that the platform made this entity for the card; it is sent only after this is kept."""
    where: Where = {"id": card.id, "entity": "", "carrier": Carrier.STREAM.value}
    return Update("cards", where, {"entity": entity, "sequence": 0})


def change_carrier(card: IssuedCard, carrier: Carrier) -> Update:
    """Plan that the card goes on another way."""
    return Update("cards", {"id": card.id, "carrier": card.carrier.value}, {"carrier": carrier.value})


def take_number(card: IssuedCard, step: int = 1) -> Update:
    """Plan the next number of a change before the change is made: one whose outcome stays open used it up."""
    return Update("cards", {"id": card.id, "sequence": card.sequence}, {"sequence": Add(step)})


def age_of(card: IssuedCard, now: int, boot: int, boot_id: str) -> int:
    """Give the milliseconds since the card was issued, those of a suspended machine too."""
    return boot - card.opened_boot if card.boot_id == boot_id else now - card.created_at


def folded_looks(part: Part) -> tuple[Change, ...]:
    """Plan the end of the passing looks before this one: they were written, and nobody reads back what is gone."""
    if part.transport not in CARD_LOOKS:
        return ()
    passing: Where = {
        "delivery_id": part.delivery_id,
        "transport": OneOf(tuple(sorted(look.value for look in CARD_LOOKS))),
        "state": PartState.WRITTEN.value,
        "next_at": None,
        "ordinal": Less(part.ordinal),
    }
    some = frozenset(range(part.ordinal + 1))
    return (Update("parts", passing, {"state": PartState.SUPERSEDED.value, "content": ""}, some),)


def spend_edit(card: IssuedCard) -> Update:
    """Plan one more passing edit of a text before it is written: one whose outcome stays open counts too."""
    where: Where = {"id": card.id, "edits": Less(limits.TEXT_EDITS)}
    return Update("cards", where, {"edits": Add(1)})


def next_look(card: IssuedCard, last: Part, content: str, stamp: Stamp) -> tuple[Change, ...]:
    """Plan a new look of a card after its last one, the way that its carrier is changed."""
    ordinal = last.ordinal + 1
    look = replace(
        blank_look(last, part_id(last.delivery_id, ordinal), stamp),
        ordinal=ordinal,
        transport=LOOK_OF[card.carrier],
        target=card.part_id,
        content=content,
    )
    return Require("cards", {"id": card.id, "carrier": card.carrier.value}), insert("parts", look)


def blank_look(last: Part, identity: PartId, stamp: Stamp) -> Part:
    """Give a part that follows another one of its card and was not tried yet."""
    return replace(
        last,
        id=identity,
        key="",
        state=PartState.PLANNED,
        provider_id="",
        attempts=0,
        first_attempt_at=0,
        first_boot=0,
        boot_id="",
        searches=0,
        code="",
        next_at=stamp.now,
        seq=stamp.seq,
        written_at=0,
        verified_at=0,
        replaces="",
    )
