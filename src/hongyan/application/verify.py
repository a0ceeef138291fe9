"""Read back what was written, and look for what may have been."""

from hongyan.application.deliver import attempt_now, deliver_part, keep_receipt
from hongyan.application.desk import OUTBOX, Desk, insist
from hongyan.application.note_edit import edit_note
from hongyan.application.read_back import find_written, is_it
from hongyan.application.settle import settle_part
from hongyan.domain import limits
from hongyan.domain.changes import Changes, Columns, Update, Where
from hongyan.domain.deliveries import Part, PartEvent, PartState, back_off, move_part, window_open
from hongyan.domain.errors import ChatError, ChatNotFoundError
from hongyan.domain.identity import MessageId

__all__ = ["reconcile_part", "verify_part"]


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
    if is_it(part, posted):
        step = move_part(part, PartEvent.VERIFY, verified_at=desk.clock.now(), next_at=None, code="")
        await settle_part(desk, part, (step, *await edit_note(desk, part)), PartState.VERIFIED)
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
        found = await find_written(desk, part)
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
