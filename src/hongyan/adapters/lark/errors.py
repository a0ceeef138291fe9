"""Turns the platform's numbers into the gateway's errors: one table, one line a number.

A number that is not here was never seen: with a 4xx (or a 200) it counts as a refusal, with a 5xx as an open outcome.
The platform's own sentence is never repeated, for it may quote what was sent.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from hongyan.domain.errors import (
    ChatBlockedError,
    ChatError,
    ChatFormRefusedError,
    ChatNotFoundError,
    ChatOutOfSequenceError,
    ChatRejectedError,
    ChatStreamClosedError,
    ChatTargetGoneError,
    ChatThrottledError,
    ChatUnknownOutcomeError,
)

__all__ = [
    "CHAT_LIMIT",
    "IN_FLIGHT",
    "NAME_HIDDEN",
    "REACTION_GONE",
    "STALE_TOKEN",
    "Refusal",
    "platform_error",
]

STALE_TOKEN: Final = frozenset({99991663, 99991664, 99991665})  # fetch another token, send the same again once
REACTION_GONE: Final = frozenset({231003, 231010, 231011})  # what was to be removed is not there
NAME_HIDDEN: Final = frozenset({41050, 99991672})  # the person exists, this App may not see who it is
CHAT_LIMIT: Final = 230020  # the chat's own limit, the other throttling codes are the API's
IN_FLIGHT: Final = frozenset({200810, 230049, 231015})  # something of this one thing is under way: no limit was met

DEFAULT_WAIT: Final = timedelta(seconds=1)  # when the platform names no time; its windows are one second
LONGEST_WAIT: Final = timedelta(minutes=5)  # nonsense in a header must not silence an App for a day

_GONE = ChatTargetGoneError
_ABSENT = ChatNotFoundError
_REJECTED = ChatRejectedError
_FORM = ChatFormRefusedError
_OPEN = ChatUnknownOutcomeError
_BLOCKED = ChatBlockedError
_CLOSED = ChatStreamClosedError
_UNORDERED = ChatOutOfSequenceError
_THROTTLED = ChatThrottledError

CODES: Final[dict[int, tuple[type[ChatError], str]]] = {
    # credentials and the App itself
    10014: (_BLOCKED, "the App is disabled"),
    10015: (_BLOCKED, "the App's secret is wrong"),
    99991401: (_BLOCKED, "this machine's address is not on the App's allow-list"),
    99991403: (_BLOCKED, "the monthly quota of API calls is used up"),
    99991543: (_BLOCKED, "the App's id or secret is wrong"),
    99991661: (_BLOCKED, "the call carried no token"),
    99991662: (_BLOCKED, "the App is disabled"),
    99991663: (_BLOCKED, "a fresh tenant token is not accepted"),
    99991664: (_BLOCKED, "a fresh App token is not accepted"),
    99991665: (_BLOCKED, "the tenant is not accepted"),
    99991668: (_BLOCKED, "the API takes another kind of token"),
    99991671: (_BLOCKED, "the API takes another kind of token"),
    99991672: (_BLOCKED, "the App lacks a permission"),
    99991673: (_BLOCKED, "the App is disabled"),
    99991679: (_BLOCKED, "a person has not granted the permission"),
    41050: (_BLOCKED, "the person is outside the App's contact range"),
    230006: (_BLOCKED, "the App's bot is not activated"),
    230027: (_BLOCKED, "the App lacks a permission, or the chat is external"),
    231204: (_BLOCKED, "this type of App may not list messages"),
    232025: (_BLOCKED, "the App's bot is not activated"),
    232034: (_BLOCKED, "the App is not active in this tenant"),
    # waiting helps
    11232: (_THROTTLED, "too many messages are created"),
    11233: (_THROTTLED, "too many messages are created in this chat"),
    11247: (_THROTTLED, "too many messages are created"),
    99991400: (_THROTTLED, "the API is called too often"),
    230020: (_THROTTLED, "the chat is written to too often"),
    230049: (_THROTTLED, "the same message is being sent right now"),
    231015: (_THROTTLED, "the same reaction is being set right now"),
    # it may have been done
    2200: (_OPEN, "the platform failed within"),
    # the message that was to be answered or marked
    230011: (_GONE, "the message was withdrawn"),
    230110: (_GONE, "the message was deleted"),
    230111: (_GONE, "the message has destroyed itself"),
    231003: (_GONE, "the message is not there or was withdrawn"),
    # named by a wrong name, or not visible
    41012: (_ABSENT, "no person has this id"),
    99992351: (_ABSENT, "no person has this open id"),
    99992354: (_ABSENT, "no message has this id"),
    99992356: (_ABSENT, "no chat has this id"),
    99992360: (_ABSENT, "no person has this user id"),
    99992361: (_ABSENT, "the open id belongs to another App"),
    99992364: (_ABSENT, "the user id belongs to another tenant"),
    99992381: (_ABSENT, "the union id belongs to another tenant"),
    230019: (_ABSENT, "the topic does not exist"),
    230034: (_ABSENT, "the receiver's id is not of the kind it was called"),
    230036: (_ABSENT, "the tenant no longer exists"),
    230050: (_ABSENT, "the message is not visible to the App"),
    231004: (_ABSENT, "the chat is gone"),
    231018: (_ABSENT, "the message is not visible to the App"),
    232006: (_ABSENT, "no chat has this id"),
    232009: (_ABSENT, "the chat was dissolved"),
    # cards that are entities of their own
    200740: (_REJECTED, "the card entity does not exist or was sent before"),
    200750: (_REJECTED, "the card entity is older than fourteen days"),
    200810: (_THROTTLED, "somebody is pressing a button of the card"),
    200850: (_CLOSED, "the card was streamed into for ten minutes"),
    200860: (_REJECTED, "the card is too large"),
    300305: (_REJECTED, "the card has more than 200 elements"),
    300309: (_CLOSED, "the card is not open for streaming"),
    300311: (_REJECTED, "the card belongs to another App"),
    300313: (_REJECTED, "the card has no such element"),
    300317: (_UNORDERED, "the change of the card came with a number that is not new"),
    # refused for good
    10002: (_REJECTED, "the App's bot is not in the chat"),
    10030: (_REJECTED, "the App's bot is not in the chat"),
    11225: (_REJECTED, "the App is not visible to the person"),
    230001: (_FORM, "the content or a parameter is not valid"),
    230002: (_REJECTED, "the App's bot is not in the chat"),
    230009: (_REJECTED, "the time for withdrawing is over"),
    230012: (_REJECTED, "the message is not the App's own"),
    230013: (_REJECTED, "the person is outside the App's availability range"),
    230015: (_REJECTED, "a private chat cannot be shared"),
    230017: (_REJECTED, "the file belongs to another App"),
    230018: (_REJECTED, "the group's settings forbid the App to speak"),
    230022: (_REJECTED, "the content was found sensitive"),
    230025: (_FORM, "the content is too long"),
    230026: (_REJECTED, "the App may not withdraw this message"),
    230028: (_REJECTED, "the content was held back by an audit rule"),
    230029: (_REJECTED, "the person has left the company"),
    230031: (_REJECTED, "the card is older than fourteen days"),
    230033: (_REJECTED, "the message is older than seven days"),
    230035: (_REJECTED, "the App may not send here: muted, blocked, or the tenant's rule"),
    230038: (_REJECTED, "a private chat across tenants is forbidden"),
    230053: (_REJECTED, "the person has stopped the App's messages"),
    230054: (_FORM, "this type of message is not supported here"),
    230055: (_REJECTED, "the file was uploaded as another type"),
    230071: (_REJECTED, "the group has no topics, or the message is not the App's own"),
    230072: (_REJECTED, "the message was edited as often as the platform allows"),
    230073: (_REJECTED, "the chat is secret, or the topic is not visible"),
    230074: (_REJECTED, "the chat is encrypted"),
    230075: (_REJECTED, "the time for editing is over, or the chat is encrypted"),
    230099: (_FORM, "the card's content is not valid"),
    231001: (_REJECTED, "the platform has no such emoji"),
    231002: (_REJECTED, "the App may not react here"),
    231007: (_REJECTED, "the reaction is not the App's own"),
    231008: (_REJECTED, "the App has no access to the chat"),
    231010: (_REJECTED, "no reaction has this id"),
    231011: (_REJECTED, "the reaction is not on this message"),
    231017: (_REJECTED, "a system message takes no reactions"),
    231022: (_REJECTED, "the person is outside the App's availability range"),
    231203: (_REJECTED, "this type of chat cannot be listed"),
    232010: (_REJECTED, "the chat belongs to another tenant"),
    232011: (_REJECTED, "the App's bot is not in the chat"),
    232033: (_REJECTED, "the chat is external and the App may not act there"),
    99991201: (_REJECTED, "the API does not exist"),
    99991301: (_REJECTED, "the API does not take this method"),
    99992402: (_REJECTED, "a field is not valid"),
}

# refusals that do not say which permission would have helped
UNNAMED: Final = {("im.message.list", 230027): ("im:message.group_msg",)}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the platform said instead of doing it. `code` is 0 when the body was not the platform's."""

    api: str
    status: int
    code: int
    reset: timedelta | None = None  # `x-ogw-ratelimit-reset`
    scopes: Sequence[str] = ()  # permissions named as missing
    writes: bool = False


def platform_error(refusal: Refusal) -> ChatError:
    """Choose the error for a refusal.

    A read has nothing that could be gone or rejected: what the App may not see is not found.
    """
    kind, reason = _verdict(refusal)
    message = f"{refusal.api}: {reason} (HTTP {refusal.status}, code {refusal.code})"
    if issubclass(kind, ChatThrottledError):
        wait = min(refusal.reset or DEFAULT_WAIT, LONGEST_WAIT)
        return ChatThrottledError(message, retry_after=wait, platform_code=refusal.code)
    if issubclass(kind, ChatRejectedError) and not refusal.writes:
        return ChatNotFoundError(message, platform_code=refusal.code)
    if issubclass(kind, ChatBlockedError):
        named = _named(refusal)
        return kind(message, platform_code=refusal.code, hint=_hint(named), permissions=named)
    return kind(message, platform_code=refusal.code)


def _verdict(refusal: Refusal) -> tuple[type[ChatError], str]:
    if refusal.status >= 500:
        return ChatUnknownOutcomeError, "the platform failed"
    if refusal.code in CODES:
        return CODES[refusal.code]
    if refusal.status == 429:
        return ChatThrottledError, "the API is called too often"
    if refusal.code == 0:
        return ChatUnknownOutcomeError, "the answer is not the platform's"
    return ChatRejectedError, "the platform refused"


def _named(refusal: Refusal) -> tuple[str, ...]:
    """Give the permissions that the platform named, or the one that is known to be behind this refusal."""
    named = tuple(scope for scope in refusal.scopes if _SCOPE.fullmatch(scope))
    return named or UNNAMED.get((refusal.api, refusal.code), ())


def _hint(permissions: Sequence[str]) -> str:
    if permissions:
        return f"Grant the App {', '.join(permissions)} in the developer console and publish a version."
    return "Check the App's secret, permissions and release in the developer console."


_SCOPE: Final = re.compile(r"[a-z0-9_.\-]+(:[a-z0-9_.\-]+)+")
