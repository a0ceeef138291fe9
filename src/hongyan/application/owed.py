"""Whatever needs someone: one list and one act, the same for chat, console and command line."""

from typing import Final

from hongyan.application.check_books import see_books
from hongyan.application.desk import ADMISSION, CARDS, LANES, OUTBOX, Desk, decide_again
from hongyan.application.end_turn import Ending, end_turn, requeue_turn
from hongyan.application.open_session import FoundSession, find_session
from hongyan.application.settle_gap import ignore_gap, run_gap
from hongyan.domain.access import Silent
from hongyan.domain.bindings import Binding
from hongyan.domain.changes import Changes, Insert, Value, insert
from hongyan.domain.conversations import (
    Input,
    SessionState,
    Turn,
    TurnEvent,
    TurnState,
    append_turn,
    new_turn,
)
from hongyan.domain.coverage import Gap, GapState, may_run
from hongyan.domain.deliveries import again
from hongyan.domain.errors import ConflictError, NotFoundError, RefusedError
from hongyan.domain.messages import CARD_LOOKS, CARD_POSTS
from hongyan.domain.notices import Notice
from hongyan.domain.owed import FollowUp, OwedAction, OwedRow, note_act, see_owed
from hongyan.domain.requests import (
    STEER,
    ClosedAs,
    Origin,
    Request,
    RequestEvent,
    close_request,
    move_request,
    owe,
)
from hongyan.ports import queries

__all__ = [
    "FollowUp",
    "OwedAction",
    "OwedRow",
    "act_on_owed",
    "gap_actions",
    "list_owed",
    "owed_action",
    "see_gap",
    "send_again",
]


def owed_action(word: str) -> OwedAction:
    """Read the name of an action. Raise RefusedError `owed.unknown_action` that lists them."""
    try:
        return OwedAction(word)
    except ValueError:
        known = ", ".join(OwedAction)
        raise RefusedError("owed.unknown_action", f"{word!r} is no action", hint=f"Actions: {known}.") from None


async def list_owed(desk: Desk) -> list[OwedRow]:
    """List what is owed and which messages were missed, oldest first."""
    rows = [await _row(desk, request) for request in await desk.store.all(queries.OWED)]
    rows += [see_gap(desk, gap) for gap in await desk.store.all(queries.DECLARED_GAPS)]
    rows += await see_books(desk)
    return sorted(rows, key=lambda row: row.since)


async def act_on_owed(
    desk: Desk, request_id: str, action: OwedAction, expected_version: int | None = None, where: str = "console"
) -> None:
    """Do one thing about an owed request or a missed message, on the surface that `where` names; the first act wins.

    Raise NotFoundError, or RefusedError with `owed.changed` (somebody acted meanwhile) or `owed.not_possible`; running
    again also with `binding.revoked`, `session.closed`, `agent.session_lost` or `queue.full`: it stays owed then.
    """
    thing = await _owed(desk, request_id)
    if expected_version is not None and thing.version != expected_version:
        raise RefusedError("owed.changed", "somebody acted on this meanwhile", hint="List again and look.")
    row = see_gap(desk, thing) if isinstance(thing, Gap) else await _row(desk, thing)
    if action not in row.actions:
        possible = ", ".join(row.actions)
        raise RefusedError("owed.not_possible", f"{action} is not possible here", hint=f"Possible: {possible}.")
    note = note_act((thing.id, thing.version), action, where, desk.clock.now())
    try:
        if isinstance(thing, Gap):
            await (run_gap if action is OwedAction.RUN else ignore_gap)(desk, thing, note)
        else:
            await _ACTS[action](desk, thing, note)
    except ConflictError:
        raise RefusedError("owed.changed", "somebody acted on this meanwhile", hint="List again and look.") from None
    for topic in (ADMISSION, LANES, CARDS, OUTBOX):
        desk.wakeup.wake(topic)


async def _owed(desk: Desk, identity: str) -> Request | Gap:
    """Find what is owed under an id: a request, or a message that was missed and never became one."""
    request = await desk.store.one(queries.REQUEST, id=identity)
    if request is not None and request.owed:
        return request
    gap = await desk.store.one(queries.GAP, id=identity)
    if gap is not None and gap.state is GapState.DECLARED:
        return gap
    raise NotFoundError("owed", identity, hint="`hongyan owed list` shows what is owed now.")


def gap_actions(desk: Desk, gap: Gap) -> tuple[OwedAction, ...]:
    """Name what can be done about a missed message: one that is older than a day is not run any more."""
    young = may_run(gap, desk.platform_now(gap.app))
    return (OwedAction.RUN, OwedAction.IGNORE) if young else (OwedAction.IGNORE,)


def see_gap(desk: Desk, gap: Gap) -> OwedRow:
    """Give a missed message as it is listed."""
    return OwedRow(
        id=gap.id,
        version=gap.version,
        why="source.missed",
        text=gap.text[:200],
        since=gap.create_time,
        session_id="",
        turn_state="",
        actions=gap_actions(desk, gap),
    )


async def _row(desk: Desk, request: Request) -> OwedRow:
    turn = await desk.store.one(queries.TURN, id=request.turn_id) if request.turn_id else None
    attempts = await desk.store.all(queries.CONTINUATIONS_OF_REQUEST, request_id=request.id)
    return see_owed(request, turn, attempts[0] if attempts else None)


async def _run_again(desk: Desk, request: Request, note: Insert) -> None:
    """A held Turn goes back to its place; an ended one stays as it is and the request gets a new Turn."""
    turn = await desk.store.one(queries.TURN, id=request.turn_id or "")
    if turn is None:
        raise NotFoundError("turn", request.turn_id or "")
    if turn.state is TurnState.HELD and request.command != STEER:
        await _take(desk, request, note)
        await requeue_turn(desk, turn.id)
        return
    await decide_again(desk, lambda: _new_turn(desk, request, turn, note))


async def _new_turn(desk: Desk, request: Request, former: Turn, note: Insert) -> tuple[Changes, None]:
    binding = await desk.store.one(queries.BINDING, id=former.binding_id)
    if binding is None or binding.state.value != "live":
        raise RefusedError("binding.revoked", "the binding of this message is revoked")
    found = await _session_again(desk, request, former, binding)
    number = await desk.store.one(queries.TURNS_OF_REQUEST, request_id=request.id) or 1
    text = request.text if request.command == STEER else former.text
    said = Input(request.id, f"{request.id}.{number}", former.origin, text)
    turn = new_turn(said, found.session.id, binding, desk.clock.now(), number)
    fresh: dict[str, Value] = {"turn_id": turn.id, "session_id": turn.session_id, "closed_as": "", "closed_at": 0}
    fresh["command"] = ""
    move = move_request(request, RequestEvent.RUN_AGAIN, owed=0, owed_why="", **fresh)
    return Changes("run_again", (*found.steps, *append_turn(turn, desk.options.queue_turns), move, note)), None


async def _session_again(desk: Desk, request: Request, former: Turn, binding: Binding) -> FoundSession:
    """Give the Session of the former Turn; after it was closed, the one that the place writes to now."""
    session = await desk.store.one(queries.SESSION, id=former.session_id)
    place = await desk.store.one(queries.PLACE, id=session.place_id) if session else None
    if session is None or place is None:
        raise AssertionError("a Turn names its Session, and a Session its place")
    found = FoundSession(session, ())
    if session.state is SessionState.CLOSED:
        if request.origin is not Origin.LARK or place.binding_id != binding.id:
            raise RefusedError("session.closed", "the conversation of this message is closed", hint="Send it again.")
        found = await find_session(desk, place, binding)
    if found.session.state is SessionState.RESUME_FAILED:
        raise RefusedError("agent.session_lost", "the agent lost this conversation", hint="Send /new, then run again.")
    if found.session.queued >= desk.options.queue_turns:
        raise RefusedError("queue.full", f"{found.session.queued} messages already wait there", hint="Try again later.")
    return found


async def _take(desk: Desk, request: Request, note: Insert) -> None:
    """Be the one who decides about a held Turn: whoever saw the same version comes too late."""
    await desk.store.commit(Changes("take_owed", (owe(request, request.owed_why), note)))


async def _drop(desk: Desk, request: Request, note: Insert) -> None:
    if request.turn_id is not None:
        await _take(desk, request, note)
        await end_turn(desk, request.turn_id, Ending(TurnEvent.CANCEL, "turn.dropped", Notice.DROPPED))


async def _close(desk: Desk, request: Request, note: Insert) -> None:
    await desk.store.commit(Changes("close_without_answer", (owe(request, ""), note)))


async def _run(desk: Desk, request: Request, note: Insert) -> None:
    now = desk.clock.now()
    moved = move_request(request, RequestEvent.ADMIT, code="owner.run", owed=0, owed_why="", next_at=now)
    await desk.store.commit(Changes("owner_run", (moved, note)))


async def _ignore(desk: Desk, request: Request, note: Insert) -> None:
    closed = close_request(request, ClosedAs.SILENT, desk.clock.now(), code=Silent.IGNORED.value, owed=0, owed_why="")
    await desk.store.commit(Changes("owner_ignore", (closed, note)))


async def _send_again(desk: Desk, request: Request, note: Insert) -> None:
    """Send every part of the request's last words that is not verified once more, as new parts that name the old."""
    parts = await desk.store.all(queries.UNDELIVERED_PARTS, request_id=request.id)
    if not parts:
        raise RefusedError("owed.nothing_to_send", "no part of this request is open to be sent again")
    steps = tuple(insert("parts", again(part, desk.stamp())) for part in parts)
    await desk.store.commit(Changes("send_again", (*steps, owe(request, ""), note)))


async def send_again(desk: Desk, part_id: str) -> str:
    """Send one unknown or rejected part again; give the id of the new part.

    Raise NotFoundError, or RefusedError: `delivery.not_open` when its outcome is not open, `delivery.card` for a card.
    """
    part = await desk.store.one(queries.PART, id=part_id)
    if part is None:
        raise NotFoundError("delivery", part_id, hint="`hongyan deliveries` lists them.")
    if part.transport in CARD_POSTS | CARD_LOOKS:
        why = "a card is not sent again: its buttons would look alive"
        raise RefusedError("delivery.card", why, hint="It follows its record by itself.")
    open_outcome = part.state.value in {"unknown", "rejected", "mismatch"} and part.next_at is None
    if not open_outcome:
        raise RefusedError("delivery.not_open", f"this part is {part.state}: sending it again could double it")
    fresh = again(part, desk.stamp())
    try:
        await desk.store.commit(Changes("send_again", (insert("parts", fresh),)))
    except ConflictError:
        raise RefusedError("delivery.not_open", "this part was sent again already") from None
    desk.wakeup.wake(OUTBOX)
    return fresh.id


_ACTS: Final = {
    OwedAction.RUN_AGAIN: _run_again,
    OwedAction.DROP: _drop,
    OwedAction.CLOSE: _close,
    OwedAction.RUN: _run,
    OwedAction.IGNORE: _ignore,
    OwedAction.SEND_AGAIN: _send_again,
}
