"""Set and take away the marks under a person's message. They carry no key: an open outcome is read back once."""

from hongyan.application.deliver import intend
from hongyan.application.desk import OUTBOX, Desk, insist
from hongyan.domain import limits
from hongyan.domain.changes import Changes, Columns, Update, Where
from hongyan.domain.conversations import TERMINAL
from hongyan.domain.deliveries import Part, PartEvent, PartState, back_off, move_part
from hongyan.domain.errors import (
    ChatBlockedError,
    ChatError,
    ChatRejectedError,
    ChatThrottledError,
    ChatUnknownOutcomeError,
    ChatUnreachableError,
)
from hongyan.domain.identity import MessageId
from hongyan.domain.messages import Transport
from hongyan.domain.reactions import wants_mark
from hongyan.ports import queries

__all__ = ["set_mark"]


async def set_mark(desk: Desk, part: Part) -> None:
    """Carry out one reaction write, or read an unknown one back; text never waits for it."""
    if part.state is PartState.UNKNOWN:
        await _read_back(desk, part)
    elif part.transport is Transport.REACTION_ADD:
        await _add(desk, part)
    else:
        await _remove(desk, part)
    desk.wakeup.wake(OUTBOX)


async def _add(desk: Desk, part: Part) -> None:
    if not await _is_wanted(desk, part):
        await _skip(desk, part)
        return
    intended = await intend(desk, part)
    if intended is None:
        return
    try:
        reaction = await desk.chat(part.app).reactions.add(MessageId(part.target), part.content)
    except ChatError as error:
        await _failed(desk, intended, error)
    else:
        await _done(desk, intended, reaction)


async def _remove(desk: Desk, part: Part) -> None:
    added = await desk.store.one(queries.PART, id=part.content)
    if added is None or not added.provider_id:  # it was never set
        await _skip(desk, part)
        return
    intended = await intend(desk, part)
    if intended is None:
        return
    try:
        await desk.chat(part.app).reactions.remove(MessageId(part.target), added.provider_id)
    except ChatError as error:
        await _failed(desk, intended, error)
    else:
        await _done(desk, intended, "")


async def _is_wanted(desk: Desk, part: Part) -> bool:
    delivery = await desk.store.one(queries.DELIVERY, id=part.delivery_id)
    turn = await desk.store.one(queries.TURN, id=delivery.turn_id) if delivery and delivery.turn_id else None
    return delivery is None or wants_mark(delivery.phase, ended=turn is not None and turn.state in TERMINAL)


async def _skip(desk: Desk, part: Part) -> None:
    where: Where = {"id": part.id, "state": part.state.value}
    gone = Update("parts", where, {"state": PartState.SUPERSEDED.value, "next_at": None})
    await insist(desk, lambda: desk.store.commit(Changes("skip_mark", (gone,))))


async def _read_back(desk: Desk, part: Part) -> None:
    """Look whether the mark is there; what cannot be read stays unknown and blocks nothing.

    A mark that was to be set and is not there stays away. One that was to go and still stands is taken away again:
    nothing else would ever do it, and it says that the Turn runs.
    """
    added = await desk.store.one(queries.PART, id=part.content) if part.transport is Transport.REACTION_REMOVE else part
    emoji = added.content if added else ""
    try:
        mine = await desk.chat(part.app).reactions.mine(MessageId(part.target), emoji)
    except ChatError as error:
        again = error.retryable or isinstance(error, ChatUnknownOutcomeError)  # a read may always be repeated
        due = desk.clock.now() + back_off(part.searches + 1) if again else None
        values: Columns = {"next_at": due, "code": error.code, "searches": part.searches + 1}
        where: Where = {"id": part.id, "state": part.state.value}
        await insist(desk, lambda: desk.store.commit(Changes("read_mark_later", (Update("parts", where, values),))))
        return
    adds = part.transport is Transport.REACTION_ADD
    if (mine is not None) == adds:
        await _done(desk, part, mine or "")
    elif not adds and part.attempts < limits.CLEANUP_TRIES:
        await _remove(desk, part)
    else:
        step = move_part(part, PartEvent.REFUSE, next_at=None, code="delivery.not_there")
        await insist(desk, lambda: desk.store.commit(Changes("mark_absent", (step,))))


async def _done(desk: Desk, part: Part, reaction: str) -> None:
    """The platform's answer names message, kind and owner of the mark: it is receipt and read-back in one."""
    now = desk.clock.now()
    where: Where = {"id": part.id, "state": part.state.value, "attempts": part.attempts}
    values: Columns = {
        "state": PartState.VERIFIED.value,
        "provider_id": reaction,
        "written_at": now,
        "verified_at": now,
        "next_at": None,
        "code": "",
    }
    await insist(desk, lambda: desk.store.commit(Changes("keep_mark", (Update("parts", where, values),))))


async def _failed(desk: Desk, part: Part, error: ChatError) -> None:
    now, code = desk.clock.now(), error.code
    if isinstance(error, ChatThrottledError | ChatUnreachableError):
        step = move_part(part, PartEvent.DEFER, next_at=now + back_off(part.attempts), code=code)
    elif isinstance(error, ChatRejectedError | ChatBlockedError):
        step = move_part(part, PartEvent.REFUSE, next_at=None, code=code)
    else:
        step = move_part(part, PartEvent.LOSE, next_at=now + back_off(part.attempts), code=code)
    await insist(desk, lambda: desk.store.commit(Changes("mark_failed", (step,))))
