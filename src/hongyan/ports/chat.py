"""The platform people write on, seen from one App.

Reading errors: ChatUnreachableError, ChatThrottledError, ChatBlockedError, ChatNotFoundError, ChatUnknownOutcomeError
(here: no usable answer; reading again is safe). Writing errors mean what their class says: only
ChatUnknownOutcomeError leaves the outcome open. Every call has a time-out of its own.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from hongyan.domain.cards import Card
from hongyan.domain.identity import ChatId, MessageId, OpenId, UnionId
from hongyan.domain.messages import CardClicked, InboundMessage, MessageRecalled, Outbound, PostedMessage, Toast

__all__ = [
    "BotIdentity",
    "CallMeter",
    "CardStreams",
    "Cards",
    "ChatEvent",
    "Directory",
    "EventSink",
    "History",
    "Listener",
    "ListenerState",
    "MessageWriter",
    "Person",
    "Reactions",
]

ChatEvent = InboundMessage | MessageRecalled | CardClicked


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """Who this App is on the platform."""

    open_id: OpenId
    name: str


@dataclass(frozen=True, slots=True)
class Person:
    """A person as the platform names them under this App; `union_id` is empty when the App may not see it."""

    open_id: OpenId
    union_id: UnionId
    name: str


class MessageWriter(Protocol):
    """Texts: posted once per idempotency key, and edited."""

    async def write(self, outbound: Outbound) -> MessageId:
        """Post the words once per key: the same key within the platform's window gives the first message's id.

        Raise ChatTargetGoneError, ChatFormRefusedError, ChatRejectedError, ChatThrottledError, ChatBlockedError or
        ChatUnreachableError when nothing was written, ChatUnknownOutcomeError when it may have been (also for a
        success without an id).
        """

    async def edit(self, message: MessageId, text: str) -> None:
        """Give a text of ours other words. It carries no key: an open outcome is read back, never repeated blindly.

        The platform takes a bounded number of edits a message. Errors as for `write`.
        """

    def pause(self, chat: ChatId, answers: bool) -> int:
        """Give the milliseconds until a fresh message or an answer may go to a chat; 0 when it may go now."""


class Cards(Protocol):
    """Messages with buttons that can be given another look."""

    async def post(self, card: Card, at: Outbound) -> MessageId:
        """Post a card where `at` says, once per its key; its text is not used. Errors as for `MessageWriter.write`."""

    async def patch(self, message: MessageId, card: Card) -> None:
        """Give a posted card another look. It carries no key: an open outcome is read back, never repeated blindly.

        Errors as for `MessageWriter.write`.
        """


class CardStreams(Protocol):
    """Cards that are made before they are sent, so that text can be streamed into them.

    Every change carries a number larger than the last one's; the platform refuses any other with
    ChatOutOfSequenceError. It carries no key: an open outcome is read back. Errors as for `MessageWriter.write`.
    """

    async def create(self, card: Card) -> str:
        """Make a card that nobody sees yet, open for a stream, and give its id. Made twice, one is never seen."""

    async def send(self, entity: str, at: Outbound) -> MessageId:
        """Post the card where `at` says, once per its key; a card can be posted once."""

    async def update(self, entity: str, sequence: int, card: Card, *, streaming: bool) -> None:
        """Give the card another look, open for a stream or not."""

    async def type_on(self, entity: str, sequence: int, text: str) -> None:
        """Let the words of the card's stream be `text`. Raise ChatStreamClosedError when the stream was ended."""


class Reactions(Protocol):
    """Marks under a message. They carry no key: an open outcome is read back with `mine`, never repeated."""

    async def add(self, message: MessageId, emoji: str) -> str:
        """Set the mark and give its reaction id; errors as for `MessageWriter.write`."""

    async def remove(self, message: MessageId, reaction_id: str) -> None:
        """Take the mark away; a mark that is gone already counts as taken away."""

    async def mine(self, message: MessageId, emoji: str) -> str | None:
        """Give the reaction id of this App's own mark, or None."""


class History(Protocol):
    """What the platform shows now."""

    async def message(self, message: MessageId) -> PostedMessage:
        """Read one message. Raise ChatNotFoundError when it does not exist or is not visible."""

    async def between(self, chat: ChatId, start: int, end: int, limit: int) -> Sequence[PostedMessage]:
        """List messages of a chat created in [start, end] (UTC milliseconds), oldest first, at most `limit`."""


class Directory(Protocol):
    """Who is who."""

    async def me(self) -> BotIdentity:
        """Read who this App's bot is."""

    async def person(self, open_id: OpenId) -> Person:
        """Read a person's name and union id; the name is empty when the App may not see it."""

    def platform_offset(self) -> int | None:
        """Give platform clock minus wall clock in milliseconds as last seen in a response, None before the first."""


class CallMeter(Protocol):
    """How much of the platform's quota is used."""

    def calls(self) -> int:
        """Give how many calls this App made since the gateway started, those that were refused too."""


EventSink = Callable[[ChatEvent], Awaitable[Toast | None]]


class ListenerState(StrEnum):
    """What is known of the long connection."""

    STARTING = "starting"
    LISTENING = "listening"
    RETRYING = "retrying"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


class Listener(Protocol):
    """The long connection of one App."""

    async def listen(self, sink: EventSink, acknowledged: Callable[[ChatEvent], None]) -> None:
        """Receive events until cancelled, reconnecting by itself with a bounded wait.

        Each event is acknowledged to the platform only after `sink` returned; when `sink` raises a retryable error it
        is refused, so that the platform delivers it again (a click never is). What `sink` gives for a click is shown to
        the person who pressed; the platform waits three seconds for it. `acknowledged` is called after the
        acknowledgement was written to the socket. Events of kinds that the gateway does not use are acknowledged and
        dropped.
        """

    async def renew(self) -> None:
        """Open another connection and close the one before, in this order; nothing while none is open.

        When the platform does not let another one open, the one before stays.
        """

    def state(self) -> tuple[ListenerState, int]:
        """Give the cached observation and its wall-clock time in UTC milliseconds."""
