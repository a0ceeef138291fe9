"""The journal of what was received: one row a message, and the one class it is in at any moment."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hongyan.domain.changes import Update, Value, Where
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import (
    AppId,
    BindingId,
    ChatId,
    MessageId,
    OpenId,
    PlaceId,
    RequestId,
    SessionId,
    TurnId,
    digest,
    place_id,
    request_id,
)
from hongyan.domain.messages import ChatKind, InboundMessage, MessageKind, PostedMessage, SenderKind, content_hash

__all__ = [
    "RECALLED",
    "STEER",
    "ClosedAs",
    "LocalSource",
    "Origin",
    "Request",
    "RequestEvent",
    "RequestState",
    "admit_as",
    "advance_request",
    "capture",
    "capture_local",
    "close_request",
    "mark_recalled",
    "move_request",
    "owe",
    "resee",
    "secondary_key",
]


class Origin(StrEnum):
    """Where a Turn's input came from; a request body cannot claim one."""

    LARK = "lark"
    CONSOLE = "console"
    PEER = "peer"
    SCHEDULE = "schedule"
    CONTINUATION = "continuation"


class RequestState(StrEnum):
    """Where a request stands."""

    CAPTURED = "captured"
    ADMITTED = "admitted"
    ASKING = "asking"
    REJECTED = "rejected"
    COMMAND = "command"
    TURN = "turn"
    CLOSED = "closed"


class ClosedAs(StrEnum):
    """How a request ended; `OPEN` while it has not."""

    OPEN = ""
    ANSWERED = "answered"
    TOLD = "told"
    MERGED = "merged"
    SILENT = "silent"
    UNDELIVERED = "undelivered"


class RequestEvent(StrEnum):
    """What may happen to a request."""

    ADMIT = "admit"
    REJECT = "reject"
    ASK = "ask"
    BECOME_TURN = "become_turn"
    BECOME_COMMAND = "become_command"
    CLOSE = "close"
    RUN_AGAIN = "run_again"


STEER: Final = "steer"  # the `command` of words that are meant for the Turn that runs
RECALLED: Final = "source.recalled"  # the code of a message that was taken back, also while it ran
_S = RequestState
MOVES: Final = {
    (_S.CAPTURED, RequestEvent.ADMIT): _S.ADMITTED,
    (_S.CAPTURED, RequestEvent.REJECT): _S.REJECTED,
    (_S.CAPTURED, RequestEvent.ASK): _S.ASKING,
    (_S.CAPTURED, RequestEvent.CLOSE): _S.CLOSED,
    (_S.ADMITTED, RequestEvent.CLOSE): _S.CLOSED,  # words on their way into a running Turn
    (_S.ASKING, RequestEvent.ADMIT): _S.CAPTURED,
    (_S.ASKING, RequestEvent.CLOSE): _S.CLOSED,
    (_S.ADMITTED, RequestEvent.BECOME_TURN): _S.TURN,
    (_S.ADMITTED, RequestEvent.BECOME_COMMAND): _S.COMMAND,
    (_S.REJECTED, RequestEvent.CLOSE): _S.CLOSED,
    (_S.COMMAND, RequestEvent.CLOSE): _S.CLOSED,
    (_S.TURN, RequestEvent.CLOSE): _S.CLOSED,
    (_S.CLOSED, RequestEvent.CLOSE): _S.CLOSED,  # undelivered → answered when the lost answer is found or sent again
    (_S.CLOSED, RequestEvent.RUN_AGAIN): _S.TURN,  # only while it is owed
}


@dataclass(frozen=True, slots=True)
class Request:
    """One message received. Times are UTC milliseconds; 0 means not yet.

    `seq` orders acceptance. `target_turn` is the Turn that held the place's lane at acceptance (what `/stop` means).
    `text`, `text_hash` and `update_time` come from the platform's read-back, not from the event. `owed` says that
    somebody still has to act, `owed_why` why; `version` counts changes for callers that act on what they saw.
    """

    id: RequestId
    app: AppId
    place_id: PlaceId
    chat_id: ChatId
    chat_kind: ChatKind
    thread_root: str
    message_id: MessageId
    sender: str
    sender_kind: SenderKind
    kind: MessageKind
    origin: Origin
    secondary_key: str
    create_time: int
    accepted_at: int
    seq: int
    state: RequestState
    code: str
    text: str
    text_hash: str
    update_time: int
    read_at: int
    binding_id: BindingId | None
    session_id: SessionId | None
    turn_id: TurnId | None
    command: str
    target_turn: TurnId | None
    closed_as: ClosedAs
    closed_at: int
    owed: bool
    owed_why: str
    version: int
    tries: int
    next_at: int


def advance_request(request: Request, event: RequestEvent) -> RequestState:
    """Give the next state. Raise IllegalMoveError when the table has no such move."""
    try:
        return MOVES[request.state, event]
    except KeyError:
        raise IllegalMoveError("request", request.id, request.state, event) from None


def move_request(request: Request, event: RequestEvent, **values: Value) -> Update:
    """Plan the move of a request that nobody else changed meanwhile, with further columns."""
    state = advance_request(request, event)
    where: Where = {"id": request.id, "version": request.version}
    return Update("requests", where, {"state": state.value, "version": request.version + 1, **values})


def admit_as(request: Request, event: RequestEvent, **values: Value) -> Update:
    """Plan admission and what the request becomes in one step: a Turn or a command."""
    admitted = replace(request, state=advance_request(request, RequestEvent.ADMIT))
    state = advance_request(admitted, event)
    where: Where = {"id": request.id, "version": request.version}
    return Update("requests", where, {"state": state.value, "version": request.version + 1, **values})


def close_request(request: Request, closed_as: ClosedAs, now: int, **values: Value) -> Update:
    """Plan the end of a request; an answer settles what was owed."""
    settled: dict[str, Value] = {"owed": 0, "owed_why": ""} if closed_as is ClosedAs.ANSWERED else {}
    return move_request(request, RequestEvent.CLOSE, closed_as=closed_as.value, closed_at=now, **{**settled, **values})


def owe(request: Request, why: str) -> Update:
    """Plan the flag that somebody still has to act, and why; an empty reason takes it away."""
    where: Where = {"id": request.id, "version": request.version}
    return Update("requests", where, {"owed": int(bool(why)), "owed_why": why, "version": request.version + 1})


def mark_recalled(request: Request) -> Update:
    """Plan that a message was taken back while it ran: its words are shown no more."""
    where: Where = {"id": request.id, "version": request.version}
    return Update("requests", where, {"code": RECALLED, "text": "", "version": request.version + 1})


def resee(request: Request, posted: PostedMessage, now: int) -> Update:
    """Plan what a later read-back says of the message."""
    values: dict[str, Value] = {
        "text": posted.text or "",
        "text_hash": content_hash(posted.kind, posted.text),
        "update_time": posted.update_time,
        "read_at": now,
        "version": request.version + 1,
    }
    return Update("requests", {"id": request.id, "version": request.version}, values)


def secondary_key(message: InboundMessage) -> str:
    """Give the key that betrays one message arriving under two ids: chat, sender, platform time and content."""
    content = content_hash(message.kind, message.text)
    return digest(message.app, message.chat_id, message.sender, str(message.create_time), content)


def capture(message: InboundMessage, now: int, seq: int) -> Request:
    """Make the journal row of a message event; nothing of the event but its address is believed."""
    return Request(
        id=request_id(message.app, message.message_id),
        app=message.app,
        place_id=place_id(message.app, message.chat_id, message.thread_root),
        chat_id=message.chat_id,
        chat_kind=message.chat_kind,
        thread_root=message.thread_root,
        message_id=message.message_id,
        sender=message.sender,
        sender_kind=message.sender_kind,
        kind=message.kind,
        origin=Origin.LARK,
        secondary_key=secondary_key(message),
        create_time=message.create_time,
        accepted_at=now,
        seq=seq,
        state=RequestState.CAPTURED,
        code="",
        text="",
        text_hash="",
        update_time=0,
        read_at=0,
        binding_id=None,
        session_id=None,
        turn_id=None,
        command="",
        target_turn=None,
        closed_as=ClosedAs.OPEN,
        closed_at=0,
        owed=False,
        owed_why="",
        version=0,
        tries=0,
        next_at=now,
    )


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A text sent on this machine into a Session, and the Turn that it became."""

    id: RequestId
    app: AppId
    place_id: PlaceId
    text: str
    binding_id: BindingId
    session_id: SessionId
    turn_id: TurnId


def capture_local(source: LocalSource, now: int, seq: int) -> Request:
    """Make the journal row of a text sent on this machine; it is admitted in the same transaction."""
    message = InboundMessage(
        app=source.app,
        event_id="",
        message_id=MessageId(source.id),  # a client's own id is its Session's, ours is everybody's
        chat_id=ChatId(source.session_id),
        chat_kind=ChatKind.PRIVATE,
        sender=OpenId(""),
        sender_kind=SenderKind.USER,
        kind=MessageKind.TEXT,
        text=source.text,
        create_time=now,
    )
    return replace(
        capture(message, now, seq),
        id=source.id,
        place_id=source.place_id,
        origin=Origin.CONSOLE,
        state=RequestState.TURN,
        text=source.text,
        text_hash=content_hash(MessageKind.TEXT, source.text),
        read_at=now,
        binding_id=source.binding_id,
        session_id=source.session_id,
        turn_id=source.turn_id,
    )
