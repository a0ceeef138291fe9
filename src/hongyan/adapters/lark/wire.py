"""What the platform's answers look like, and what they mean here.

Fields that are unknown, null or empty are passed over, so that an addition of the platform breaks nothing. Errors never
show the input, for it holds what people wrote.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hongyan.adapters.lark.content import RECALLED, has_attachment, kind_of, plain_text
from hongyan.domain.identity import AppId, ChatId, MessageId, OpenId, UnionId
from hongyan.domain.messages import (
    ChatKind,
    InboundMessage,
    MessageRecalled,
    PostedMessage,
    SenderKind,
)
from hongyan.ports.chat import BotIdentity, Person

__all__ = [
    "BotInfo",
    "CardMade",
    "ClientConfig",
    "Envelope",
    "Header",
    "MessagePage",
    "PersonFound",
    "ReactionPage",
    "ReactionSet",
    "RecallEvent",
    "ReceiveEvent",
    "StreamGiven",
    "TokenGiven",
    "Wire",
    "Written",
]


class Wire(BaseModel):
    """Anything that comes from the platform."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _without_empty_fields(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: field for name, field in value.items() if field is not None and field != ""}
        return value


class TokenGiven(Wire):
    """A tenant token."""

    tenant_access_token: str
    expire: int = Field(gt=0)


class Written(Wire):
    """The part of a create or reply answer that proves a message."""

    message_id: MessageId


class CardMade(Wire):
    """The answer that names a new card entity."""

    card_id: str


class Mention(Wire):
    """Who is behind a mention key."""

    key: str = ""
    name: str = ""


class PostedSender(Wire):
    """Who wrote a message that was read back."""

    id: str = ""
    sender_type: str = ""


class PostedBody(Wire):
    """The content of a message that was read back; empty after a recall."""

    content: str = ""


class Posted(Wire):
    """A message that was read back."""

    message_id: MessageId
    chat_id: ChatId = ChatId("")
    msg_type: str = ""
    create_time: int
    update_time: int = 0
    updated: bool = False
    deleted: bool = False
    parent_id: str = ""
    root_id: str = ""
    thread_id: str = ""
    sender: PostedSender = PostedSender()
    body: PostedBody = PostedBody()
    mentions: list[Mention] = []

    def to_domain(self) -> PostedMessage:
        """Say it in our words; a recalled message has none of its own left."""
        kind = kind_of(self.msg_type)
        # A person may well write these words: theirs come inside JSON, the platform's do not.
        recalled = self.deleted or self.body.content == RECALLED
        return PostedMessage(
            message_id=self.message_id,
            chat_id=self.chat_id,
            sender=self.sender.id,
            sender_kind=_sender_kind(self.sender.sender_type),
            kind=kind,
            text=None if recalled else plain_text(kind, self.body.content, _names(self.mentions)),
            create_time=self.create_time,
            update_time=self.update_time or self.create_time,
            updated=self.updated,
            recalled=recalled,
            parent=self.parent_id,
            root=self.root_id,
            thread_id=self.thread_id,
            has_attachment=not recalled and has_attachment(kind, self.body.content),
        )


class MessagePage(Wire):
    """One page of messages, also the answer to reading a single one."""

    items: list[Posted] = []
    has_more: bool = False
    page_token: str = ""


class ReactionOperator(Wire):
    """Who reacted."""

    operator_id: str = ""
    operator_type: str = ""


class ReactionSet(Wire):
    """A mark under a message."""

    reaction_id: str
    operator: ReactionOperator = ReactionOperator()


class ReactionPage(Wire):
    """One page of marks."""

    items: list[ReactionSet] = []
    has_more: bool = False
    page_token: str = ""


class BotInfo(Wire):
    """Who the App's bot is."""

    open_id: OpenId
    app_name: str = ""

    def to_domain(self) -> BotIdentity:
        """Say it in our words."""
        return BotIdentity(open_id=self.open_id, name=self.app_name)


class PersonShown(Wire):
    """The fields of a person that the App may see."""

    union_id: UnionId = UnionId("")
    name: str = ""


class PersonFound(Wire):
    """The answer to looking a person up."""

    user: PersonShown

    def to_domain(self, open_id: OpenId) -> Person:
        """Say it in our words."""
        return Person(open_id=open_id, union_id=self.user.union_id, name=self.user.name)


class ClientConfig(Wire):
    """How often the platform wants to be pinged. It counts only when all four are there, as in the platform's SDKs."""

    reconnect_count: int = Field(alias="ReconnectCount")
    reconnect_interval: int = Field(alias="ReconnectInterval")
    reconnect_nonce: int = Field(alias="ReconnectNonce")
    ping_interval: int = Field(alias="PingInterval", gt=0)


class StreamGiven(Wire):
    """Where the long connection may be opened, once. The address holds a ticket: it is shown nowhere."""

    url: str = Field(alias="URL", repr=False)
    config: ClientConfig | None = Field(alias="ClientConfig", default=None)


class Header(Wire):
    """The head of an event."""

    event_id: str = ""
    event_type: str = ""
    app_id: str = ""
    create_time: int = 0  # microseconds for a click, milliseconds otherwise


class Envelope(Wire):
    """An event of any kind. The older shape has no header and no kind that the gateway uses."""

    header: Header = Header()
    event: dict[str, Any] = {}


class SenderIds(Wire):
    """The ids of who wrote."""

    open_id: OpenId = OpenId("")


class EventSender(Wire):
    """Who wrote."""

    sender_id: SenderIds = SenderIds()
    sender_type: str = ""


class EventMessage(Wire):
    """What was written."""

    message_id: MessageId
    chat_id: ChatId
    chat_type: str
    message_type: str
    content: str = ""
    create_time: int
    root_id: str = ""
    thread_id: str = ""
    mentions: list[Mention] = []


class ReceiveEvent(Wire):
    """`im.message.receive_v1`."""

    sender: EventSender
    message: EventMessage

    def to_domain(self, app: AppId, event_id: str) -> InboundMessage:
        """Say it in our words."""
        said = self.message
        kind = kind_of(said.message_type)
        return InboundMessage(
            app=app,
            event_id=event_id,
            message_id=said.message_id,
            chat_id=said.chat_id,
            chat_kind=ChatKind.PRIVATE if said.chat_type == "p2p" else ChatKind.GROUP,
            sender=self.sender.sender_id.open_id,
            sender_kind=_sender_kind(self.sender.sender_type),
            kind=kind,
            text=plain_text(kind, said.content, _names(said.mentions)) or "",
            create_time=said.create_time,
            thread_root=(said.root_id or said.message_id) if said.thread_id else "",
        )


class RecallEvent(Wire):
    """`im.message.recalled_v1`."""

    message_id: MessageId
    chat_id: ChatId
    recall_time: int

    def to_domain(self, app: AppId, event_id: str) -> MessageRecalled:
        """Say it in our words."""
        return MessageRecalled(
            app=app,
            event_id=event_id,
            message_id=self.message_id,
            chat_id=self.chat_id,
            recalled_at=self.recall_time,
        )


def _sender_kind(sender_type: str) -> SenderKind:
    return SenderKind.USER if sender_type == "user" else SenderKind.APP  # events say `bot`, history says `app`


def _names(mentions: list[Mention]) -> dict[str, str]:
    return {mention.key: mention.name for mention in mentions if mention.key and mention.name}
