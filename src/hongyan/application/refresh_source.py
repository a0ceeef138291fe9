"""Read a message again just before dispatch when it waited: the latest revision wins until the intent."""

from dataclasses import dataclass

from hongyan.application.desk import Desk
from hongyan.domain import limits
from hongyan.domain.access import Silent
from hongyan.domain.changes import Changes
from hongyan.domain.conversations import Turn
from hongyan.domain.errors import ChatError, ChatNotFoundError, ConflictError, StoreError
from hongyan.domain.messages import PostedMessage, content_hash
from hongyan.domain.requests import Origin, Request, resee
from hongyan.ports import queries

__all__ = ["Source", "is_unchanged", "refresh_source"]


@dataclass(frozen=True, slots=True)
class Source:
    """The text to dispatch."""

    text: str


async def refresh_source(desk: Desk, turn: Turn) -> Source | Silent:
    """Give the text as the platform shows it now, or why it must not run.

    A message that was read moments ago, or did not come from the platform, is not read again. When the platform
    cannot be read now, the revision that was admitted is used.
    """
    request = await desk.store.one(queries.REQUEST, id=turn.request_id) if turn.request_id else None
    if not _is_old(desk, turn, request) or request is None:
        return Source(turn.text)
    try:
        posted = await desk.chat(request.app).history.message(request.message_id)
    except ChatNotFoundError:
        return Silent.GONE
    except ChatError:
        return Source(turn.text)
    if turn.origin is Origin.CONTINUATION and not is_unchanged(request, posted):
        return Silent.RECALLED if posted.recalled else Silent.EDITED
    return await _compare(desk, request, posted)


def _is_old(desk: Desk, turn: Turn, request: Request | None) -> bool:
    of_platform = turn.origin in {Origin.LARK, Origin.CONTINUATION}
    if request is None or not of_platform or request.origin is not Origin.LARK:
        return False
    return desk.clock.now() - request.read_at > limits.REREAD_AFTER_MS


def is_unchanged(request: Request, posted: PostedMessage) -> bool:
    """Tell whether a message is still, by place, sender and content, the one that was admitted."""
    same_place = (posted.chat_id, posted.sender) == (request.chat_id, request.sender)
    same_words = posted.text is not None and content_hash(posted.kind, posted.text) == request.text_hash
    return same_place and same_words and not posted.recalled


async def _compare(desk: Desk, request: Request, posted: PostedMessage) -> Source | Silent:
    if posted.recalled or posted.text is None:
        return Silent.RECALLED
    same_place = (posted.chat_id, posted.sender) == (request.chat_id, request.sender)
    same_words = content_hash(posted.kind, posted.text) == request.text_hash
    if not same_place or not (same_words or posted.updated):
        return Silent.CONFLICT
    if not same_words:
        await _keep_edit(desk, request, posted)
    return Source(posted.text)


async def _keep_edit(desk: Desk, request: Request, posted: PostedMessage) -> None:
    try:
        await desk.store.commit(Changes("reread", (resee(request, posted, desk.clock.now()),)))
    except (ConflictError, StoreError):
        return  # the row moved, or there was no room for it; the text that is dispatched stands on the Turn
