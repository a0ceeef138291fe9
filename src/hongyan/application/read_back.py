"""See what the platform shows of a part: whether a message is it, and whether one of many is."""

from typing import Final

from hongyan.application.desk import Desk
from hongyan.domain import limits
from hongyan.domain.cards import card_text, card_words, from_json
from hongyan.domain.deliveries import Part
from hongyan.domain.identity import MessageId
from hongyan.domain.markdown.forms import words_of
from hongyan.domain.markdown.likeness import same_words
from hongyan.domain.messages import PostedMessage, SenderKind, Transport, same_text
from hongyan.ports import queries

__all__ = ["find_written", "is_it"]

_SEARCH_LIMIT: Final = 200  # messages of one chat around the first attempt


async def find_written(desk: Desk, part: Part) -> MessageId | None:
    """Search the history for a part that may have been written: none older than its first attempt, none of another's.

    Raise the reading errors of the chat port when the history cannot be read.
    """
    chat = desk.chat(part.app)
    ahead = max(-(chat.directory.platform_offset() or 0), 0)  # our clock may have been wrong at the first attempt, too
    start = part.first_attempt_at - ahead - limits.CLOCK_DISAGREEMENT_MS
    end = max(desk.platform_now(part.app), part.first_attempt_at) + limits.CLOCK_DISAGREEMENT_MS
    for posted in await chat.history.between(part.chat_id, start, end, _SEARCH_LIMIT):
        claimed = await desk.store.one(queries.CLAIMED_BY, app=part.app, provider_id=posted.message_id)
        if claimed is None and is_it(part, posted):
            return posted.message_id
    return None


def is_it(part: Part, posted: PostedMessage) -> bool:
    """Tell whether a message is the part: own sender, same place, same words."""
    in_place = posted.chat_id == part.chat_id and (not part.target or posted.parent == part.target)
    ours = posted.sender_kind is SenderKind.APP and posted.sender in {part.app, ""}
    return in_place and ours and _says(part, posted.text)


def _says(part: Part, shown: str | None) -> bool:
    """Compare as the form allows: a text comes back as it went, Markdown comes back taken apart."""
    if part.transport is Transport.CARD:
        return same_text(card_words(from_json(part.content)), shown)
    if part.transport is Transport.CARD_TEXT:
        return same_text(card_text(from_json(part.content)), shown)
    if part.transport is Transport.TEXT:
        return same_text(part.content, shown)
    return same_words(words_of(part.transport, part.content), shown)
