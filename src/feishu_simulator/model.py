"""The nouns of the simulated platform: Apps, people, chats, messages, reactions."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Json = dict[str, Any]


class PartyKind(StrEnum):
    """Who acts: a person or an App's bot."""

    USER = "user"
    APP = "app"


class ChatKind(StrEnum):
    """A private chat, an ordinary group, or a group whose every message opens a topic."""

    P2P = "p2p"
    GROUP = "group"
    TOPIC = "topic"


class Withdrawal(StrEnum):
    """Why a message is gone: recalled leaves a note, deleted leaves nothing."""

    RECALLED = "recalled"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Party:
    """A person (`id` is the user_id) or a bot (`id` is the app_id)."""

    kind: PartyKind
    id: str


def person(user_id: str) -> Party:
    """Name a person."""
    return Party(PartyKind.USER, user_id)


def bot(app_id: str) -> Party:
    """Name an App's bot."""
    return Party(PartyKind.APP, app_id)


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """What the platform tells long-connection clients; seconds."""

    reconnect_count: int = -1
    reconnect_interval: int = 120
    reconnect_nonce: int = 30
    ping_interval: int = 120


@dataclass(slots=True)
class App:
    """A self-built App with its bot. `None` for scopes, subscriptions or available_to means everything."""

    app_id: str
    secret: str
    name: str
    bot_open_id: str
    tenant_key: str
    brand: Literal["feishu", "lark"] = "feishu"
    enabled: bool = True
    scopes: frozenset[str] | None = None
    subscriptions: frozenset[str] | None = None
    available_to: frozenset[str] | None = None
    client_config: ClientConfig = ClientConfig()

    def may(self, *any_of: str) -> bool:
        """Say whether the App holds one of the scopes."""
        return not any_of or self.scopes is None or not self.scopes.isdisjoint(any_of)

    def subscribes(self, event_type: str) -> bool:
        """Say whether the App asked for this event."""
        return self.subscriptions is None or event_type in self.subscriptions

    def reaches(self, user_id: str) -> bool:
        """Say whether the person is in the App's availability range."""
        return self.available_to is None or user_id in self.available_to


@dataclass(slots=True)
class User:
    """A person of the tenant, or a visitor from another one."""

    user_id: str
    union_id: str
    name: str
    tenant_key: str
    outside_tenant: bool = False
    guest: bool = False
    resigned: bool = False
    stopped_apps: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Chat:
    """A conversation; members keep their order of joining."""

    chat_id: str
    kind: ChatKind
    name: str
    created_ms: int
    owner: str | None = None
    users: list[str] = field(default_factory=list)
    bots: list[str] = field(default_factory=list)
    muted: bool = False
    dissolved: bool = False
    threads_allowed: bool = True

    def has(self, party: Party) -> bool:
        """Say whether the party is a member."""
        return party.id in (self.users if party.kind is PartyKind.USER else self.bots)


@dataclass(frozen=True, slots=True)
class Mention:
    """One `@`: the key that stands in the text and who is meant."""

    key: str
    party: Party
    name: str


@dataclass(slots=True)
class Message:
    """One message as it can be read back; `content` is the JSON text in the read form."""

    message_id: str
    order: int
    chat_id: str
    sender: Party
    msg_type: str
    content: str
    create_ms: int
    update_ms: int
    mentions: tuple[Mention, ...] = ()
    root_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    opens_thread: bool = False
    withdrawn: Withdrawal | None = None
    edits: int = 0
    card_changes: int = 0
    uuid: str | None = None

    @property
    def text(self) -> str:
        """The words a reader sees, mentions by name, without markup."""
        words = readable(self.msg_type, json.loads(self.content))
        for mention in self.mentions:
            words = words.replace(mention.key, f"@{mention.name}")
        return words.replace("@_all", "@all")

    @property
    def by_bot(self) -> bool:
        """Say whether a bot wrote it."""
        return self.sender.kind is PartyKind.APP


@dataclass(frozen=True, slots=True)
class Reaction:
    """One emoji by one party on one message."""

    reaction_id: str
    message_id: str
    emoji: str
    party: Party
    at_ms: int


@dataclass(frozen=True, slots=True)
class Resource:
    """A picture or file that a message carries."""

    key: str
    kind: Literal["image", "file"]
    name: str
    content: bytes


def readable(msg_type: str, content: Json) -> str:
    """Return what a person would read of a message's content."""
    if msg_type == "text":
        return str(content.get("text", ""))
    if msg_type in ("post", "interactive"):
        paragraphs = content.get("content") or content.get("elements") or []
        lines = ["".join(_node_text(node) for node in line) for line in paragraphs]
        title = content.get("title")
        return "\n".join([title, *lines] if title else lines)
    if msg_type == "file":
        return f"[{content.get('file_name', 'file')}]"
    return f"[{msg_type}]"


def _node_text(node: Json) -> str:
    match node.get("tag"):
        case "at":
            return str(node.get("user_id", ""))
        case "img":
            return "[image]"
        case "emotion":
            return f":{node.get('emoji_type', '')}:"
        case "hr":
            return "---"
        case _:
            return str(node.get("text", ""))
