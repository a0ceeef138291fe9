"""Read back what was written, and look for what may have been."""

from typing import Final

from hongyan.application.deliver import attempt_now, deliver_part, keep_receipt
from hongyan.application.desk import OUTBOX, Desk, insist
from hongyan.application.settle import settle_part
from hongyan.domain import limits
from hongyan.domain.cards import card_text, card_words, from_json
from hongyan.domain.changes import Changes, Columns, Update, Where
from hongyan.domain.deliveries import Part, PartEvent, PartState, back_off, move_part, window_open
from hongyan.domain.errors import ChatError, ChatNotFoundError
from hongyan.domain.identity import MessageId
from hongyan.domain.messages import CARD_POSTS, PostedMessage, SenderKind, Transport, same_text
from hongyan.ports import queries

__all__ = ["reconcile_part", "verify_part"]

_SEARCH_LIMIT: Final = 200  # messages of one chat around the first attempt


async def verify_part(desk: Desk, part: Part) -> None:
    """Read a written message by its id: right chat, right place, same words. An outage only delays it."""
    try:
        posted = await desk.chat(part.app).history.message(MessageId(part.provider_id))
    except ChatNotFoundError:
        await _differ(desk, part, "delivery.gone")
        return
    except ChatError as error:
        await _later(desk, part, error.code)
        return
    if _is_it(part, posted):
        step = move_part(part, PartEvent.VERIFY, verified_at=desk.clock.now(), next_at=None, code="")
        await settle_part(desk, part, (step,), PartState.VERIFIED)
    else:
        await _differ(desk, part, "delivery.differs")


async def reconcile_part(desk: Desk, part: Part) -> None:
    """Find out what became of an unknown part: the same key again inside the window, the history after it.

    What cannot be proved stays unknown, visible and owed; it is never written under another key by itself.
    """
    try:
        if await _window_open(desk, part):
            await deliver_part(desk, part)
            return
        found = await _search(desk, part)
    except ChatError as error:
        await _later(desk, part, error.code)
        return
    if found is not None:
        await keep_receipt(desk, part, found)
        desk.wakeup.wake(OUTBOX)
    elif part.searches + 1 < limits.SEARCH_TRIES:
        await _later(desk, part, "delivery.not_found_yet")
    else:
        step = move_part(part, PartEvent.LOSE, next_at=None, code="delivery.unknown", searches=part.searches + 1)
        await settle_part(desk, part, (step,), PartState.UNKNOWN)


async def _window_open(desk: Desk, part: Part) -> bool:
    """Ask the platform for its time first when it is not known yet, as after a start."""
    if attempt_now(desk, part).platform_offset is None:
        await desk.chat(part.app).directory.me()
    return window_open(part, attempt_now(desk, part))


async def _search(desk: Desk, part: Part) -> MessageId | None:
    """Own sender, same place, not older than the first attempt, same words, claimed by no other part."""
    chat = desk.chat(part.app)
    start = part.first_attempt_at - limits.CLOCK_DISAGREEMENT_MS
    end = max(desk.platform_now(part.app), part.first_attempt_at) + limits.CLOCK_DISAGREEMENT_MS
    for posted in await chat.history.between(part.chat_id, start, end, _SEARCH_LIMIT):
        claimed = await desk.store.one(queries.CLAIMED_BY, app=part.app, provider_id=posted.message_id)
        if claimed is None and _is_it(part, posted):
            return posted.message_id
    return None


def _is_it(part: Part, posted: PostedMessage) -> bool:
    in_place = posted.chat_id == part.chat_id and (not part.target or posted.parent == part.target)
    ours = posted.sender_kind is SenderKind.APP and posted.sender in {part.app, ""}
    return in_place and ours and same_text(_words(part), posted.text)


def _words(part: Part) -> str:
    if part.transport not in CARD_POSTS:
        return part.content
    card = from_json(part.content)
    return card_words(card) if part.transport is Transport.CARD else card_text(card)


async def _differ(desk: Desk, part: Part, code: str) -> None:
    step = move_part(part, PartEvent.DIFFER, next_at=None, code=code)
    await settle_part(desk, part, (step,), PartState.MISMATCH)


async def _later(desk: Desk, part: Part, code: str) -> None:
    """Due again after a wait that grows; the state says what is known, the code why it waits."""
    tries = part.searches + 1
    where: Where = {"id": part.id, "state": part.state.value, "attempts": part.attempts}
    due = desk.clock.now() + back_off(tries)
    values: Columns = {"next_at": due, "code": code, "searches": tries}
    await insist(desk, lambda: desk.store.commit(Changes("read_later", (Update("parts", where, values),))))
