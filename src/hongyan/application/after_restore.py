"""After a backup was put back: what happened since is read from the platform before anything is written or run.

A message under which our words stand was answered; its journal row closes so and what was planned for it is withheld.
Whatever else was open then, or was said since, is owed: it runs only when the owner says so.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from hongyan.application.check_coverage import note_gap, read_piece
from hongyan.application.desk import Desk, decide_again
from hongyan.application.end_turn import Ending, clear_mark, complete_turn, end_turn
from hongyan.application.recover import Settled
from hongyan.application.settle_gap import as_answered
from hongyan.domain import limits
from hongyan.domain.bindings import Binding
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Delete, Insert, insert
from hongyan.domain.conversations import LIVE, Turn, TurnEvent, TurnState, free_lane, leave_queue, move_turn
from hongyan.domain.coverage import Gap, GapState, Side, answered_in, begin, since_backup, suspect, to_account_for
from hongyan.domain.deliveries import PartEvent, move_part
from hongyan.domain.identity import AppId, RequestId
from hongyan.domain.messages import PostedMessage
from hongyan.domain.notices import Notice
from hongyan.domain.requests import ClosedAs, Request, RequestEvent, RequestState, close_request, move_request
from hongyan.ports import queries

__all__ = ["settle_restored", "was_restored"]

RESTORED: Final = "restored_at"
CODE: Final = "restore.not_run"
ANSWERED: Final = "source.answered_before"

Tell = Callable[[Settled], None]


async def was_restored(desk: Desk) -> bool:
    """Tell whether the database was put back from a backup at some time."""
    return await desk.store.one(queries.META, key=RESTORED) is not None


async def settle_restored(desk: Desk, app: AppId, tell: Tell) -> None:
    """Read what happened since the backup and settle it, once a restore. Safe to repeat after a crash.

    Raise ChatError when a history cannot be read: nothing of this App may be written or run before it can.
    """
    restored_at, done = await desk.store.one(queries.META, key=RESTORED), f"restore_read.{app}"
    if restored_at is None or await desk.store.one(queries.META, key=done) == restored_at:
        return
    answered: set[RequestId] = set()
    if app in desk.chats:
        await desk.chat(app).directory.me()  # the windows are in the platform's time
        for binding in await desk.store.all(queries.COVERED_BINDINGS):
            if binding.app == app:
                answered |= await _read_chat(desk, binding, tell)
    for request in await desk.store.all(queries.OPEN_REQUESTS, app=app):
        if request.id in answered:
            await decide_again(desk, partial(_close_answered, desk, request.id))
            tell(Settled("request", request.id, "answered_before"))
        elif await _owe(desk, request):
            tell(Settled("request", request.id, "owed"))
    mark = (Delete("meta", {"key": done}, ONE_OR_NONE), Insert("meta", {"key": done, "value": restored_at}))
    await desk.store.commit(Changes("restore_read", mark))


async def _read_chat(desk: Desk, binding: Binding, tell: Tell) -> frozenset[RequestId]:
    """Take in what was said in a chat since the backup; give the messages that our words stand under."""
    now = desk.platform_now(binding.app)
    coverage = await desk.store.one(queries.COVERAGE, binding_id=binding.id) or begin(binding, None, now)
    posted = await _posted(desk, binding, since_backup(coverage), now)
    answered = answered_in(binding.app, posted)
    for message in to_account_for(coverage, posted):
        gap = replace(suspect(coverage, Side.HISTORY, message, now), state=GapState.DECLARED)
        if await desk.store.one(queries.REQUEST, id=gap.id) is not None:
            continue
        await desk.store.commit(Changes("restored_message", _take_in(desk, gap, gap.id in answered)))
        tell(Settled("message", gap.id, "answered_before" if gap.id in answered else "owed"))
    return answered


async def _posted(desk: Desk, binding: Binding, start: int, end: int) -> list[PostedMessage]:
    """List everything that was said in a stretch, window by window."""
    limit = limits.COVERAGE_READ_MESSAGES
    found: dict[str, PostedMessage] = {}
    while True:
        until = min(start + limits.COVERAGE_WINDOW_MS, end)
        piece = await read_piece(desk, binding.app, binding.chat_id, start, until)
        found.update((message.message_id, message) for message in piece)
        if len(piece) < limit and until >= end:
            return list(found.values())
        start = until if len(piece) < limit else max(piece[-1].create_time, start + 1)


def _take_in(desk: Desk, gap: Gap, answered: bool) -> tuple[Change, ...]:
    """Plan what becomes of a message that the journal lacks; nobody was told of it, so nothing of it runs."""
    if answered:
        return Delete("gaps", {"id": gap.id}, ONE_OR_NONE), insert("requests", as_answered(desk, gap), ONE_OR_NONE)
    desk.gaps.add((gap.id,))
    return note_gap(gap)


async def _close_answered(desk: Desk, request_id: RequestId) -> tuple[Changes | None, None]:
    request = await desk.store.one(queries.REQUEST, id=request_id)
    if request is None or request.state is RequestState.CLOSED:
        return None, None
    turn = await desk.store.one(queries.TURN, id=request.turn_id) if request.turn_id else None
    if turn is not None and turn.state is TurnState.COMPLETING:
        await complete_turn(desk, turn.id)
        return await _close_answered(desk, request_id)
    planned = await desk.store.all(queries.PLANNED_WORDS_OF_REQUEST, request_id=request_id)
    steps = (
        *(move_part(part, PartEvent.WITHHOLD, next_at=None, code=ANSWERED) for part in planned),
        *(await _end_silently(desk, turn, request) if turn is not None and turn.state in LIVE else ()),
        close_request(request, ClosedAs.ANSWERED, desk.clock.now(), code=ANSWERED),
    )
    return Changes("answered_before", steps), None


async def _end_silently(desk: Desk, turn: Turn, request: Request) -> tuple[Change, ...]:
    """End a Turn of which the platform shows that it ran: its answer stands there and nowhere here."""
    waits = turn.state in {TurnState.QUEUED, TurnState.HELD}
    event = TurnEvent.CANCEL if waits else TurnEvent.FAIL
    moved = move_turn(turn, event, ended_at=desk.clock.now(), code=ANSWERED)
    if turn.state is TurnState.QUEUED:
        return moved, leave_queue(turn)
    session = await desk.store.one(queries.SESSION, id=turn.session_id)
    lane = free_lane(session, turn) if session is not None else ()
    return (moved, *lane, *await clear_mark(desk, turn, request))


async def _owe(desk: Desk, request: Request) -> bool:
    """Leave the decision to the owner; False for what is not to be run, or what they decide about already."""
    if request.state is RequestState.CAPTURED:
        asked = move_request(request, RequestEvent.ASK, code=CODE, owed=1, owed_why=CODE)
        await desk.store.commit(Changes("ask_after_restore", (asked,)))
        return True
    turn = await desk.store.one(queries.TURN, id=request.turn_id) if request.turn_id else None
    if turn is None or request.state is not RequestState.TURN:
        return False
    if turn.state not in LIVE or turn.state is TurnState.HELD:
        return False
    await end_turn(desk, turn.id, Ending(TurnEvent.FAIL, CODE, Notice.NOT_RUN_AFTER_RESTORE))
    return True
