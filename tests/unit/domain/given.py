"""Plain examples of what the tables hold, to be changed with `dataclasses.replace`."""

from typing import Final

from hongyan.domain.bindings import Audience, Binding, BindingState, Role, Scope
from hongyan.domain.conversations import Input, Session, SessionState, Turn, new_turn
from hongyan.domain.deliveries import Delivery, Part, PartState, Phase
from hongyan.domain.identity import (
    AppId,
    BindingId,
    ChatId,
    DeliveryId,
    MessageId,
    OpenId,
    PartId,
    PlaceId,
    SessionId,
    WorkspaceId,
)
from hongyan.domain.messages import ChatKind, InboundMessage, MessageKind, SenderKind, Transport
from hongyan.domain.requests import ClosedAs, Origin, Request, capture
from hongyan.domain.workspaces import Grant

APP: Final = AppId("cli_1")
CHAT: Final = ChatId("oc_1")
OWNER: Final = OpenId("ou_1")
NOW: Final = 1_750_000_000_000


def inbound(text: str = "hello", message: str = "om_1") -> InboundMessage:
    """Give a message event of the owner."""
    return InboundMessage(
        app=APP,
        event_id="ev_1",
        message_id=MessageId(message),
        chat_id=CHAT,
        chat_kind=ChatKind.PRIVATE,
        sender=OWNER,
        sender_kind=SenderKind.USER,
        kind=MessageKind.TEXT,
        text=text,
        create_time=NOW,
    )


def request(message: str = "om_1") -> Request:
    """Give a captured request."""
    return capture(inbound(message=message), NOW, 1)


def binding() -> Binding:
    """Give a live binding of the owner's private chat."""
    return Binding(
        id=BindingId("bind_1"),
        app=APP,
        audience=Audience.OWNER_PRIVATE,
        chat_id=CHAT,
        owner=OWNER,
        role=Role.PROJECT,
        workspace_id=WorkspaceId("ws_1"),
        executor="rehearsal",
        grant_kind=Grant.WRITE,
        scope=Scope.HOST_DEFAULT,
        state=BindingState.LIVE,
        revision=1,
        created_at=NOW,
    )


def turn() -> Turn:
    """Give a queued Turn."""
    said = Input(request().id, "turn-1", Origin.LARK, "hello")
    return new_turn(said, SessionId("ses_1"), binding(), NOW)


def session() -> Session:
    """Give an open Session in which nothing runs."""
    return Session(
        id=SessionId("ses_1"),
        place_id=PlaceId("place_1"),
        binding_id=BindingId("bind_1"),
        workspace_id=WorkspaceId("ws_1"),
        executor="rehearsal",
        upstream="",
        state=SessionState.READY,
        lane=None,
        epoch=0,
        next_position=0,
        queued=0,
        opened_at=NOW,
        closed_at=0,
    )


def delivery() -> Delivery:
    """Give the delivery of a final answer."""
    return Delivery(
        id=DeliveryId("dlv_1"),
        request_id=request().id,
        turn_id=turn().id,
        session_id=SessionId("ses_1"),
        binding_id=BindingId("bind_1"),
        binding_revision=1,
        app=APP,
        chat_id=CHAT,
        phase=Phase.FINAL,
        closes_as=ClosedAs.ANSWERED,
        created_at=NOW,
        seq=1,
    )


def part() -> Part:
    """Give a planned text that was never tried."""
    return Part(
        id=PartId("part_1"),
        delivery_id=DeliveryId("dlv_1"),
        ordinal=0,
        transport=Transport.TEXT,
        app=APP,
        chat_id=CHAT,
        target="om_1",
        in_thread=False,
        content="echo: hello",
        key="part_1",
        state=PartState.PLANNED,
        provider_id="",
        attempts=0,
        first_attempt_at=0,
        first_boot=0,
        boot_id="",
        searches=0,
        code="",
        next_at=NOW,
        order_key="ses_1",
        seq=1,
        written_at=0,
        verified_at=0,
        replaces="",
    )
