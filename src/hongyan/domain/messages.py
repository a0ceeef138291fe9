"""What people write and what the platform gives back: inbound events, messages read back, outbound words.

The event is a hint; the message read back from the platform is the fact. Nothing here knows a wire format.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain.identity import AppId, ChatId, MessageId, OpenId, digest

__all__ = [
    "CARD_LOOKS",
    "CARD_POSTS",
    "WRITTEN",
    "CardClicked",
    "ChatKind",
    "InboundMessage",
    "MessageKind",
    "MessageRecalled",
    "Outbound",
    "PostedMessage",
    "SenderKind",
    "Toast",
    "ToastKind",
    "Transport",
    "content_hash",
    "escape_mentions",
    "same_text",
]


class ChatKind(StrEnum):
    """What a chat is to the platform."""

    PRIVATE = "private"
    GROUP = "group"


class SenderKind(StrEnum):
    """Who may have written a message."""

    USER = "user"
    APP = "app"


class MessageKind(StrEnum):
    """The kinds of content told apart so far; everything else is `OTHER`."""

    TEXT = "text"
    POST = "post"
    IMAGE = "image"
    FILE = "file"
    CARD = "card"
    OTHER = "other"


WRITTEN: Final = frozenset({MessageKind.TEXT, MessageKind.POST})  # what people write words in


class Transport(StrEnum):
    """How one outbound part travels; text, post and words card are the forms that words may have."""

    TEXT = "text"
    POST = "post"
    WORDS_CARD = "words_card"  # a card that nothing is pressed on and that never changes
    CARD = "card"
    CARD_TEXT = "card_text"  # a card said as a text, where no card can be posted
    CARD_STREAM = "card_stream"
    CARD_PATCH = "card_patch"
    CARD_EDIT = "card_edit"
    REACTION_ADD = "reaction_add"
    REACTION_REMOVE = "reaction_remove"


CARD_POSTS: Final = frozenset({Transport.CARD, Transport.CARD_TEXT})  # what makes a card's message
CARD_LOOKS: Final = frozenset({Transport.CARD_STREAM, Transport.CARD_PATCH, Transport.CARD_EDIT})  # what changes it


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A message event as it arrived. `create_time` is the platform's, UTC milliseconds; `thread_root` is empty
    outside a topic."""

    app: AppId
    event_id: str
    message_id: MessageId
    chat_id: ChatId
    chat_kind: ChatKind
    sender: OpenId
    sender_kind: SenderKind
    kind: MessageKind
    text: str
    create_time: int
    thread_root: str = ""


@dataclass(frozen=True, slots=True)
class MessageRecalled:
    """Somebody took a message back. `recalled_at` is the platform's time in UTC milliseconds."""

    app: AppId
    event_id: str
    message_id: MessageId
    chat_id: ChatId
    recalled_at: int


@dataclass(frozen=True, slots=True)
class CardClicked:
    """Somebody pressed a button of a card. `value` is the opaque id that the button was given, empty for none;
    `clicked_at` is the platform's time in UTC milliseconds."""

    app: AppId
    event_id: str
    message_id: MessageId
    chat_id: ChatId
    operator: OpenId
    value: str
    clicked_at: int


class ToastKind(StrEnum):
    """How a toast looks."""

    DONE = "done"
    TOLD = "told"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Toast:
    """The line that the person who pressed sees for a moment."""

    kind: ToastKind
    text: str


@dataclass(frozen=True, slots=True)
class PostedMessage:
    """A message as the platform shows it now. Times are the platform's, UTC milliseconds.

    `text` is None when the message was recalled or holds no text; `has_attachment` tells of a picture or a film among
    the words of a post. `sender` is an open id for a person and the app
    id for an App. `parent` and `root` are empty for a message that answers nothing.
    """

    message_id: MessageId
    chat_id: ChatId
    sender: str
    sender_kind: SenderKind
    kind: MessageKind
    text: str | None
    create_time: int
    update_time: int
    updated: bool
    recalled: bool
    parent: str
    root: str
    thread_id: str
    has_attachment: bool = False


@dataclass(frozen=True, slots=True)
class Outbound:
    """One outbound message: an answer to `reply_to`, or a fresh one in `chat_id` when `reply_to` is empty.

    `form` says how `text` travels and so what it holds: words, Markdown, or what a part keeps of a card of words.
    `key` is the idempotency key, at most 50 characters, the same for every attempt.
    """

    chat_id: ChatId
    reply_to: str
    in_thread: bool
    text: str
    key: str
    form: Transport = Transport.TEXT


def content_hash(kind: MessageKind, text: str | None) -> str:
    """Give the hash that tells two contents apart."""
    return digest("content", kind.value, text or "")


def escape_mentions(text: str) -> str:
    """Make sure that an agent's words ping nobody: a mention loses its meaning, its letters stay readable."""
    return _MENTION_KEY.sub("@\u200b", _MENTION_TAG.sub("<\u200b\\1", text))


def same_text(sent: str, shown: str | None) -> bool:
    """Tell whether the platform shows what was sent, but for the white space that it is known to trim."""
    return shown is not None and _fold(sent) == _fold(shown)


def _fold(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))


_MENTION_TAG: Final = re.compile(r"<(/?(?:at|person)\b)", re.IGNORECASE)
_MENTION_KEY: Final = re.compile(r"@(?=_all\b|_user_\d)")  # what the platform puts in the place of a mention
