"""The journal of what was received: one row a message, and the one class it is in at any moment."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import (
    AppId,
    BindingId,
    ChatId,
    MessageId,
    PlaceId,
    RequestId,
    SessionId,
    TurnId,
    digest,
    place_id,
    request_id,
)
from hongyan.domain.messages import ChatKind, InboundMessage, MessageKind, SenderKind, content_hash

__all__ = [
    "ClosedAs",
    "Origin",
    "Request",
    "RequestEvent",
    "RequestState",
    "advance_request",
    "capture",
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


_S = RequestState
MOVES: Final = {
    (_S.CAPTURED, RequestEvent.ADMIT): _S.ADMITTED,
    (_S.CAPTURED, RequestEvent.REJECT): _S.REJECTED,
    (_S.CAPTURED, RequestEvent.ASK): _S.ASKING,
    (_S.CAPTURED, RequestEvent.CLOSE): _S.CLOSED,
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
