"""The outbox: every outbound word of every kind, frozen and split before the first write.

A Delivery is one thing to say in one place; its parts are the single writes. One key a part, the same for every
attempt. An unknown part is repeated only with that key and only inside the window; after it, history is searched.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hongyan.domain import limits
from hongyan.domain.changes import Insert, Update, Value, Where, insert
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import AppId, BindingId, ChatId, DeliveryId, PartId, RequestId, SessionId, TurnId, derive
from hongyan.domain.markdown.forms import compose, sentences
from hongyan.domain.messages import Transport
from hongyan.domain.requests import ClosedAs

__all__ = [
    "SETTLED",
    "Attempt",
    "Delivery",
    "Part",
    "PartEvent",
    "PartState",
    "Phase",
    "Route",
    "Stamp",
    "Words",
    "advance_part",
    "again",
    "back_off",
    "blank_part",
    "mark",
    "move_part",
    "part_id",
    "processing_delivery",
    "say",
    "unmark",
    "window_open",
]


class Phase(StrEnum):
    """What a delivery is for."""

    RECEIVED = "received"
    PROCESSING = "processing"
    NOTICE = "notice"
    REPLY = "reply"
    ASK = "ask"
    PROGRESS = "progress"
    FINAL = "final"
    RECOVERED = "recovered"
    RETURN = "return"
    MIRROR = "mirror"
    CONSENTED = "consented"
    OWNER = "owner"


class PartState(StrEnum):
    """Where one write stands."""

    PLANNED = "planned"
    INTENDED = "intended"
    WRITTEN = "written"
    VERIFIED = "verified"
    MISMATCH = "mismatch"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    WITHHELD = "withheld"
    SUPERSEDED = "superseded"


class PartEvent(StrEnum):
    """What may happen to a part."""

    INTEND = "intend"
    RECEIPT = "receipt"
    VERIFY = "verify"
    DIFFER = "differ"
    REFUSE = "refuse"
    DEFER = "defer"  # the platform asked us to wait, or could not be reached: nothing was written
    LOSE = "lose"  # no usable answer
    WITHHOLD = "withhold"
    SUPERSEDE = "supersede"


_S, _E = PartState, PartEvent
MOVES: Final = {
    (_S.PLANNED, _E.INTEND): _S.INTENDED,
    (_S.PLANNED, _E.WITHHOLD): _S.WITHHELD,
    (_S.PLANNED, _E.SUPERSEDE): _S.SUPERSEDED,
    (_S.INTENDED, _E.RECEIPT): _S.WRITTEN,
    (_S.INTENDED, _E.REFUSE): _S.REJECTED,
    (_S.INTENDED, _E.LOSE): _S.UNKNOWN,
    (_S.INTENDED, _E.DEFER): _S.PLANNED,
    (_S.UNKNOWN, _E.INTEND): _S.INTENDED,
    (_S.UNKNOWN, _E.RECEIPT): _S.WRITTEN,
    (_S.UNKNOWN, _E.REFUSE): _S.REJECTED,
    (_S.UNKNOWN, _E.LOSE): _S.UNKNOWN,
    (_S.UNKNOWN, _E.SUPERSEDE): _S.SUPERSEDED,  # a look of a card that a newer look replaces
    (_S.WRITTEN, _E.VERIFY): _S.VERIFIED,
    (_S.WRITTEN, _E.DIFFER): _S.MISMATCH,
    (_S.WRITTEN, _E.SUPERSEDE): _S.SUPERSEDED,  # likewise
    (_S.MISMATCH, _E.VERIFY): _S.VERIFIED,
}

AGENTS_WORDS: Final = (Phase.FINAL, Phase.RECOVERED, Phase.RETURN)  # Markdown; all other words are the gateway's own
SETTLED: Final = (_S.VERIFIED, _S.MISMATCH, _S.REJECTED, _S.WITHHELD, _S.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing to say in one place. `closes_as` is what its verified end makes of the request, OPEN for nothing."""

    id: DeliveryId
    request_id: RequestId | None
    turn_id: TurnId | None
    session_id: SessionId | None
    binding_id: BindingId | None
    binding_revision: int
    app: AppId
    chat_id: ChatId
    phase: Phase
    closes_as: ClosedAs
    created_at: int
    seq: int


@dataclass(frozen=True, slots=True)
class Part:
    """One write. Times are UTC milliseconds; `first_boot` is the boot clock of the first attempt.

    `content` is the text, the card, the emoji, or for a removal the part that set the mark. `provider_id` is the
    message or reaction id on the platform. `next_at` is when it is due again, None when nothing is. Parts with one
    `order_key` are written in the order of (`seq`, `ordinal`).
    """

    id: PartId
    delivery_id: DeliveryId
    ordinal: int
    transport: Transport
    app: AppId
    chat_id: ChatId
    target: str
    in_thread: bool
    content: str
    key: str
    state: PartState
    provider_id: str
    attempts: int
    first_attempt_at: int
    first_boot: int
    boot_id: str
    searches: int
    code: str
    next_at: int | None
    order_key: str
    seq: int
    written_at: int
    verified_at: int
    replaces: str


@dataclass(frozen=True, slots=True)
class Route:
    """Where words go and on whose authority."""

    app: AppId
    chat_id: ChatId
    reply_to: str
    in_thread: bool
    request_id: RequestId | None
    turn_id: TurnId | None
    session_id: SessionId | None
    binding_id: BindingId | None
    binding_revision: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """The clocks at one moment, for the idempotency window. `platform_offset` is None when it is not known."""

    now: int
    boot: int
    boot_id: str
    platform_offset: int | None


def advance_part(part: Part, event: PartEvent) -> PartState:
    """Give the next state. Raise IllegalMoveError when the table has no such move."""
    try:
        return MOVES[part.state, event]
    except KeyError:
        raise IllegalMoveError("part", part.id, part.state, event) from None


def move_part(part: Part, event: PartEvent, **values: Value) -> Update:
    """Plan the move of a part from the state and attempt it was read in, with further columns."""
    state = advance_part(part, event)
    where: Where = {"id": part.id, "state": part.state.value, "attempts": part.attempts}
    return Update("parts", where, {"state": state.value, **values})


def part_id(delivery: DeliveryId, ordinal: int) -> PartId:
    """Name a part; it is also its idempotency key."""
    return PartId(derive("part", delivery, str(ordinal)))


def processing_delivery(app: AppId, turn: TurnId) -> DeliveryId:
    """Name the delivery of a Turn's working mark."""
    return DeliveryId(derive("dlv", app, turn, "", Phase.PROCESSING.value))


@dataclass(frozen=True, slots=True)
class Words:
    """What to say, for what, and how its verified end closes the request.

    `tag` tells equal phases of one source apart.
    """

    phase: Phase
    text: str
    closes_as: ClosedAs
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Stamp:
    """When something is planned (UTC milliseconds), and its place in the order of everything planned."""

    now: int
    seq: int


def say(route: Route, words: Words, stamp: Stamp) -> tuple[Insert, ...]:
    """Plan the inserts of one delivery of words, in the form and the parts that fit them.

    Planning the same thing twice gives the same ids.
    """
    form, contents = compose(words.text) if words.phase in AGENTS_WORDS else (Transport.TEXT, sentences(words.text))
    source = (route.turn_id or route.request_id or route.chat_id, words.tag)
    delivery = _delivery(route, words, source, stamp)
    in_order = words.phase is Phase.FINAL and route.session_id
    blank = blank_part(delivery, route.session_id if in_order and route.session_id else delivery.id)
    parts = [
        replace(
            blank,
            id=part_id(delivery.id, n),
            ordinal=n,
            transport=form,
            key=part_id(delivery.id, n),
            target=route.reply_to,
            in_thread=route.in_thread,
            content=content,
        )
        for n, content in enumerate(contents)
    ]
    return (insert("deliveries", delivery), *(insert("parts", part) for part in parts))


def mark(route: Route, phase: Phase, emoji: str, stamp: Stamp, after_ms: int = 0) -> tuple[Insert, ...]:
    """Plan a reaction under the message that is answered, to be written `after_ms` from now at the earliest."""
    source = (route.turn_id or route.request_id or route.chat_id, "")
    delivery = _delivery(route, Words(phase, "", ClosedAs.OPEN), source, stamp)
    part = replace(
        blank_part(delivery, derive("marks", route.reply_to, phase)),
        transport=Transport.REACTION_ADD,
        target=route.reply_to,
        content=emoji,
        next_at=stamp.now + after_ms,
    )
    return (insert("deliveries", delivery), insert("parts", part))


def unmark(added: Part, now: int) -> Part:
    """Plan the removal of a reaction; it follows the part that set it."""
    return replace(
        added,
        id=part_id(added.delivery_id, added.ordinal + 1),
        ordinal=added.ordinal + 1,
        transport=Transport.REACTION_REMOVE,
        content=added.id,
        key="",
        state=PartState.PLANNED,
        provider_id="",
        attempts=0,
        first_attempt_at=0,
        searches=0,
        code="",
        next_at=now,
        written_at=0,
        verified_at=0,
    )


def again(part: Part, stamp: Stamp) -> Part:
    """Plan the owner's "send again" of a part whose outcome stayed unknown: a new part that names the old one."""
    identity = PartId(derive("part", part.id, "again"))
    return replace(
        part,
        id=identity,
        key=identity,
        state=PartState.PLANNED,
        provider_id="",
        attempts=0,
        first_attempt_at=0,
        searches=0,
        code="",
        next_at=stamp.now,
        seq=stamp.seq,
        written_at=0,
        verified_at=0,
        replaces=part.id,
    )


def window_open(part: Part, at: Attempt) -> bool:
    """Tell whether the part may be written again with its key: inside the window by every clock that we have.

    A wall clock that jumped, a platform clock that disagrees or is not known, and a boot clock past the window each
    close it.
    """
    if part.first_attempt_at == 0:
        return True
    room = limits.IDEMPOTENCY_WINDOW_MS - limits.REST_TIME_OUT_MS
    if at.platform_offset is None or abs(at.platform_offset) > limits.CLOCK_DISAGREEMENT_MS:
        return False
    by_boot = at.boot - part.first_boot if at.boot_id == part.boot_id else 0
    return 0 <= at.now - part.first_attempt_at < room and 0 <= by_boot < room


def back_off(attempts: int) -> int:
    """Give the wait in milliseconds before the next attempt."""
    return min(limits.BACK_OFF_MS << min(max(attempts - 1, 0), 10), limits.BACK_OFF_MOST_MS)


def _delivery(route: Route, words: Words, source: tuple[str, str], stamp: Stamp) -> Delivery:
    return Delivery(
        id=DeliveryId(derive("dlv", route.app, *source, words.phase.value)),
        request_id=route.request_id,
        turn_id=route.turn_id,
        session_id=route.session_id,
        binding_id=route.binding_id,
        binding_revision=route.binding_revision,
        app=route.app,
        chat_id=route.chat_id,
        phase=words.phase,
        closes_as=words.closes_as,
        created_at=stamp.now,
        seq=stamp.seq,
    )


def blank_part(delivery: Delivery, order_key: str) -> Part:
    """Give the first part of a delivery before it has a content."""
    identity = part_id(delivery.id, 0)
    return Part(
        id=identity,
        delivery_id=delivery.id,
        ordinal=0,
        transport=Transport.TEXT,
        app=delivery.app,
        chat_id=delivery.chat_id,
        target="",
        in_thread=False,
        content="",
        key="",
        state=PartState.PLANNED,
        provider_id="",
        attempts=0,
        first_attempt_at=0,
        first_boot=0,
        boot_id="",
        searches=0,
        code="",
        next_at=delivery.created_at,
        order_key=order_key,
        seq=delivery.seq,
        written_at=0,
        verified_at=0,
        replaces="",
    )
