"""Reading a chat or a thread page by page."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Generic, TypeVar

from feishu_simulator.errors import invalid_field
from feishu_simulator.messages import Messages
from feishu_simulator.model import Message

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page; `token` leads to the next and is empty on the last."""

    items: list[Item]
    token: str = ""

    @property
    def has_more(self) -> bool:
        """Say whether there is a next page."""
        return bool(self.token)


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of a list is asked for."""

    size: int
    token: str = ""


@dataclass(frozen=True, slots=True)
class Range:
    """Which messages are asked for; seconds, both ends included. Those written from `found_before_ms` on are not yet
    found."""

    newest_first: bool = False
    start_seconds: int | None = None
    end_seconds: int | None = None
    found_before_ms: int | None = None

    def holds(self, message: Message) -> bool:
        """Say whether a message was said in the asked time and can be found."""
        if self.found_before_ms is not None and message.create_ms >= self.found_before_ms:
            return False
        seconds = message.create_ms // 1000
        return (self.start_seconds is None or seconds >= self.start_seconds) and (
            self.end_seconds is None or seconds <= self.end_seconds
        )


def chat_page(messages: Messages, chat_id: str, asked: Range, part: Slice) -> Page[Message]:
    """Return a page of a chat: what stands in the chat itself, of threads only their first message."""
    roots = [item for item in messages.in_chat(chat_id) if item.thread_id is None or item.opens_thread]
    return _message_page([item for item in roots if asked.holds(item)], asked, part, chat_id)


def thread_page(messages: Messages, thread_id: str, asked: Range, part: Slice) -> Page[Message]:
    """Return a page of a thread, its first message included."""
    return _message_page(messages.in_thread(thread_id), asked, part, thread_id)


def offset_page(items: list[Item], part: Slice, name: str) -> Page[Item]:
    """Return a page of a list that only grows at its end."""
    start = int(_opened(part.token, name)) if part.token else 0
    end = start + part.size
    return Page(items[start:end], _sealed(str(end), name) if end < len(items) else "")


def _message_page(found: list[Message], asked: Range, part: Slice, container_id: str) -> Page[Message]:
    """Continue after the message the token names, so that new messages shift no page."""
    name = f"{container_id}:{'desc' if asked.newest_first else 'asc'}"
    if asked.newest_first:
        found = found[::-1]
    if part.token:
        after = int(_opened(part.token, name))
        found = [item for item in found if (item.order < after if asked.newest_first else item.order > after)]
    items = found[: part.size]
    return Page(items, _sealed(str(items[-1].order), name) if len(found) > part.size else "")


def _sealed(position: str, name: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([position, name]).encode()).decode()


def _opened(token: str, name: str) -> str:
    """Return the position a token holds; a foreign or changed token is refused."""
    try:
        position, sealed_name = json.loads(base64.urlsafe_b64decode(token.encode()))
        if sealed_name == name and str(position).isdigit():
            return str(position)
    except (ValueError, TypeError, binascii.Error):
        pass
    raise invalid_field("page_token", token, "the page token is invalid")
