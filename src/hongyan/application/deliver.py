"""Write one part: the intent is committed first, the key never changes, the receipt is kept before it is believed."""

from dataclasses import replace
from typing import Final

from hongyan.application.desk import OUTBOX, Desk, insist
from hongyan.application.post_card import has_no_driver, is_needless, refuse_card, refused_code, write_card
from hongyan.application.refused import after_refusal
from hongyan.application.settle import settle_part
from hongyan.domain import limits
from hongyan.domain.cards import Tone, from_json, is_clickable
from hongyan.domain.changes import Change, Changes, Insert, Not, Require, Update, Value, Where, insert
from hongyan.domain.deliveries import Attempt, Delivery, Part, PartEvent, PartState, back_off, move_part
from hongyan.domain.errors import (
    ChatBlockedError,
    ChatError,
    ChatRejectedError,
    ChatThrottledError,
    ChatUnreachableError,
    ConflictError,
)
from hongyan.domain.identity import MessageId
from hongyan.domain.issued_cards import folded_looks, lost_card, shown_card
from hongyan.domain.messages import CARD_LOOKS, CARD_POSTS, Outbound, Transport
from hongyan.ports import queries

__all__ = [
    "attempt_now",
    "deliver_part",
    "intend",
    "keep_receipt",
    "lose_part",
    "note_failure",
    "postpone_part",
    "refuse_part",
]

_NONE: Final = frozenset({0})
_INTENTS: Final = {
    Transport.TEXT: "intend_part",
    Transport.POST: "intend_part",
    Transport.WORDS_CARD: "intend_part",
    **dict.fromkeys(CARD_POSTS, "intend_card"),
    **dict.fromkeys(CARD_LOOKS, "intend_look"),
}


async def deliver_part(desk: Desk, part: Part) -> None:
    """Write planned words, or repeat unknown ones with their own key inside the window.

    Killed after the intent, the part is unknown at the next start and goes the same way; nothing is written twice,
    because the platform keeps the key longer than we use it.
    """
    if await has_no_driver(desk, part):
        if await is_needless(desk, part):
            await _keep(desk, "skip_card", move_part(part, PartEvent.SUPERSEDE, next_at=None))
            return
        await _look_later(desk, part, limits.SAFETY_SCAN_MS, part.code)
        return
    intended = await intend(desk, part)
    if intended is None:
        return
    desk.haste.end(part.id)  # from here on the platform is what everybody waits for
    doubted = part.state is PartState.UNKNOWN
    try:
        message = await _write(desk, intended)
    except ChatRejectedError as error:
        await _follow_refusal(desk, intended, error, doubted=doubted)
    except ChatError as error:
        await note_failure(desk, intended, error, doubted=doubted)
    else:
        await keep_receipt(desk, intended, message)
    desk.wakeup.wake(OUTBOX)


async def _write(desk: Desk, part: Part) -> MessageId:
    if part.transport in CARD_POSTS:
        return await write_card(desk, part)
    at = Outbound(part.chat_id, part.target, part.in_thread, part.content, part.key, part.transport)
    return await desk.chat(part.app).writer.write(at)


async def _follow_refusal(desk: Desk, part: Part, error: ChatRejectedError, *, doubted: bool) -> None:
    """Keep the refusal with what follows it in one transaction, so that a crash finds both or neither."""
    if part.transport in CARD_POSTS:
        await refuse_card(desk, part, error)
        return
    try:
        follows = await after_refusal(desk, part, error, doubted=doubted)
    except ChatError as unread:
        await note_failure(desk, part, unread, doubted=doubted)
        return
    if follows is None:
        await refuse_part(desk, part, error)
    elif isinstance(follows, Part):
        refused = move_part(part, PartEvent.REFUSE, next_at=None, code=refused_code(error))
        await _keep(desk, "say_otherwise", refused, insert("parts", follows))
    else:
        await keep_receipt(desk, part, follows)


async def intend(desk: Desk, part: Part, *also: Change) -> Part | None:
    """Commit that the write is about to happen, on the authority of a binding that still lives; None when not.

    `also` is committed with it: what the write costs is counted before it is made.
    """
    delivery = await desk.store.one(queries.DELIVERY, id=part.delivery_id)
    if delivery is None:
        raise AssertionError("a part names its delivery")
    at = attempt_now(desk, part)
    first: dict[str, Value] = (
        {"first_attempt_at": at.now, "first_boot": at.boot, "boot_id": at.boot_id} if part.attempts == 0 else {}
    )
    attempts = part.attempts + 1
    step = move_part(part, PartEvent.INTEND, attempts=attempts, next_at=None, code="", **first)
    step = replace(step, where={**step.where, "content": part.content})  # the look of a card may change until now
    try:
        steps = (step, *folded_looks(part), *_fence(part, delivery), *also)
        await desk.store.commit(Changes(_INTENTS.get(part.transport, "intend_mark"), steps))
    except ConflictError:
        await _withhold_if_revoked(desk, part, delivery)
        await _wait_for_the_known_bot(desk, part)
        return None
    return replace(part, state=PartState.INTENDED, attempts=attempts)


def attempt_now(desk: Desk, part: Part) -> Attempt:
    """Read the clocks for the idempotency window of a part."""
    offset = desk.chat(part.app).directory.platform_offset()
    return Attempt(desk.clock.now(), desk.clock.boot(), desk.clock.boot_id(), offset)


def _fence(part: Part, delivery: Delivery) -> tuple[Change, ...]:
    """Demand that the App is the bot that it was, and the binding that the write was planned under."""
    same_bot = Require("apps", {"app_id": part.app, "other_bot": Not("")}, _NONE)
    if delivery.binding_id is None or _disarms(part):
        return (same_bot,)
    live: Where = {"id": delivery.binding_id, "revision": delivery.binding_revision, "state": "live"}
    return (same_bot, Require("bindings", live))


async def _wait_for_the_known_bot(desk: Desk, part: Part) -> None:
    app = await desk.store.one(queries.CHAT_APP, app_id=part.app)
    fresh = await desk.store.one(queries.PART, id=part.id)
    waits = fresh is not None and fresh.state is part.state and fresh.next_at is not None
    if app is not None and app.other_bot and waits:
        await _look_later(desk, part, limits.BACK_OFF_MOST_MS, "app.other_bot")


def _disarms(part: Part) -> bool:
    """Tell whether the write only takes something away: a mark, or the buttons of a card by its last look.

    That needs nobody's leave; a look of a card that still works shows something new.
    """
    if part.transport is Transport.REACTION_REMOVE:
        return True
    if part.transport not in CARD_LOOKS:
        return False
    card = from_json(part.content)
    return not is_clickable(card) and card.tone not in {Tone.WORKING, Tone.ASKING}


async def _withhold_if_revoked(desk: Desk, part: Part, delivery: Delivery) -> None:
    binding = await desk.store.one(queries.BINDING, id=delivery.binding_id) if delivery.binding_id else None
    fresh = await desk.store.one(queries.PART, id=part.id)
    if binding is None or fresh is None or fresh.state is not PartState.PLANNED or _disarms(fresh):
        return
    if (binding.revision, binding.state.value) == (delivery.binding_revision, "live"):
        return
    step = move_part(fresh, PartEvent.WITHHOLD, next_at=None, code="access.revoked")
    await settle_part(desk, fresh, (step,), PartState.WITHHELD)


async def note_failure(desk: Desk, part: Part, error: ChatError, *, doubted: bool = False) -> None:
    """Keep what a failed write means: nothing written and due again, refused for good, or unknown.

    `doubted` says that an earlier attempt had no clear outcome; it stays so whatever became of this one.
    """
    code, due = error.code, desk.clock.now() + back_off(part.attempts)
    if isinstance(error, ChatThrottledError):
        due = max(due, desk.clock.now() + int(error.retry_after.total_seconds() * 1_000))
    deferred = isinstance(error, ChatThrottledError | ChatUnreachableError | ChatBlockedError)
    if deferred and not doubted:
        await _keep(desk, "defer_part", move_part(part, PartEvent.DEFER, next_at=due, code=code))
    elif isinstance(error, ChatRejectedError) and part.transport in CARD_POSTS:
        await refuse_card(desk, part, error)
    elif isinstance(error, ChatRejectedError):
        await refuse_part(desk, part, error)
    else:
        await _keep(desk, "lose_part", move_part(part, PartEvent.LOSE, next_at=due, code=code), *lost_card(part))


async def postpone_part(desk: Desk, part: Part) -> None:
    """Look at a part again much later: its App is not served by this gateway now."""
    await _look_later(desk, part, limits.BACK_OFF_MOST_MS, "app.not_served")


async def _look_later(desk: Desk, part: Part, wait: int, code: str) -> None:
    where: Where = {"id": part.id, "state": part.state.value}
    later = Update("parts", where, {"next_at": desk.clock.now() + wait, "code": code})
    await _keep(desk, "postpone_part", later)


async def lose_part(desk: Desk, part_id: str) -> None:
    """Mark a write that broke off in an unexpected way as unknown, so that it is looked for."""
    part = await desk.store.one(queries.PART, id=part_id)
    if part is not None and part.state is PartState.INTENDED:
        due = desk.clock.now() + back_off(part.attempts)
        lost = move_part(part, PartEvent.LOSE, next_at=due, code="delivery.broke_off")
        await _keep(desk, "lose_part", lost, *lost_card(part))


async def refuse_part(desk: Desk, part: Part, error: ChatRejectedError) -> None:
    """Keep a definite refusal: the part is over, and the request says that it was not delivered."""
    step = move_part(part, PartEvent.REFUSE, next_at=None, code=refused_code(error))
    await settle_part(desk, part, (step,), PartState.REJECTED)


async def keep_receipt(desk: Desk, part: Part, message: MessageId) -> None:
    """Keep the platform's id, claimed by this part alone, and let the read-back follow."""
    now = desk.clock.now()
    steps: tuple[Change, ...] = (
        move_part(part, PartEvent.RECEIPT, provider_id=message, written_at=now, next_at=now, code=""),
        Insert("provider_ids", {"app": part.app, "provider_id": message, "part_id": part.id}),
        *shown_card(part),
    )
    label = "keep_card" if part.transport in CARD_POSTS else "keep_receipt"
    await insist(desk, lambda: desk.store.commit(Changes(label, steps)))


async def _keep(desk: Desk, label: str, *steps: Change) -> None:
    await insist(desk, lambda: desk.store.commit(Changes(label, steps)))
