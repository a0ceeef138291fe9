"""Who and what: the names of everything that is stored, and how derived ones are made.

Ids of the platform are scoped: an `open_id` means nothing under another App. Every derived id of the gateway is made
here, from its parts, so that the same thing met twice gets the same name.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NewType

__all__ = [
    "AppId",
    "BindingId",
    "Brand",
    "ChatApp",
    "ChatId",
    "DeliveryId",
    "MessageId",
    "OpenId",
    "PartId",
    "PlaceId",
    "RequestId",
    "SessionId",
    "TurnId",
    "UnionId",
    "WorkspaceId",
    "derive",
    "digest",
    "place_id",
    "request_id",
]

AppId = NewType("AppId", str)
OpenId = NewType("OpenId", str)
UnionId = NewType("UnionId", str)
ChatId = NewType("ChatId", str)
MessageId = NewType("MessageId", str)  # the platform's message id, `om_…`
RequestId = NewType("RequestId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
BindingId = NewType("BindingId", str)
WorkspaceId = NewType("WorkspaceId", str)
DeliveryId = NewType("DeliveryId", str)
PartId = NewType("PartId", str)
PlaceId = NewType("PlaceId", str)  # one private chat, or one topic of a group

DERIVED_LENGTH: Final = 20  # 80 bits of sha256: no collision to fear below 10^10 rows, short enough to read aloud


class Brand(StrEnum):
    """Which of the two clouds an App lives in."""

    FEISHU = "feishu"
    LARK = "lark"


@dataclass(frozen=True, slots=True)
class ChatApp:
    """One application on the platform, as it was last observed. Times are UTC milliseconds, 0 = never.

    `other_bot` is the bot that answers in the place of the known one, empty while it is the same: nothing is written
    as somebody else.
    """

    app_id: AppId
    name: str
    brand: Brand
    base_url: str
    bot_open_id: OpenId | None
    bot_name: str
    other_bot: str
    observed_at: int


def derive(kind: str, *parts: str) -> str:
    """Name a thing by its parts: `kind_` and 20 hexadecimal digits, equal for equal parts."""
    joined = "\0".join((kind, *parts)).encode()
    return f"{kind}_{hashlib.sha256(joined).hexdigest()[:DERIVED_LENGTH]}"


def digest(*parts: str) -> str:
    """Give the whole sha256 of the parts, for comparing content."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def request_id(app: AppId, message: MessageId) -> RequestId:
    """Name the journal row of one platform message."""
    return RequestId(derive("req", app, message))


def place_id(app: AppId, chat: ChatId, thread_key: str = "") -> PlaceId:
    """Name one private chat (empty thread key) or one topic of a group."""
    return PlaceId(derive("place", app, chat, thread_key))
