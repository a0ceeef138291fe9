"""End a Turn exactly once: freeze and hand over its answer, or tell why there is none.

The first terminal state wins. Each ending is one transaction: state, transcript, lane, words to say.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from hongyan.application.desk import LANES, OUTBOX, Desk, decide_again, insist
from hongyan.application.plan_continuation import (
    Failed,
    inserted,
    plan_recovery,
    recovery_words,
    settle_continuation,
)
from hongyan.application.routes import route_of
from hongyan.domain.access import Silent
from hongyan.domain.bindings import Binding
from hongyan.domain.changes import ONE_OR_NONE, Add, Change, Changes, Insert, Update, Value, Where, insert
from hongyan.domain.continuations import ContinuationEvent
from hongyan.domain.conversations import (
    TERMINAL,
    HoldReason,
    Message,
    Session,
    Speaker,
    Turn,
    TurnEvent,
    TurnState,
    free_lane,
    leave_queue,
    move_turn,
)
from hongyan.domain.decisions import REVOKED
from hongyan.domain.deliveries import PartState, Phase, Words, part_id, processing_delivery, say, unmark
from hongyan.domain.errors import ConflictError, StoreError
from hongyan.domain.identity import TurnId, derive
from hongyan.domain.messages import ChatKind
from hongyan.domain.notices import Notice, language_of, sentence
from hongyan.domain.requests import RECALLED, ClosedAs, Origin, Request, RequestState, close_request, owe
from hongyan.ports import queries

__all__ = [
    "Ending",
    "Seen",
    "cancel_silently",
    "clear_mark",
    "end_turn",
    "finish_turn",
    "hold_turn",
    "requeue_turn",
    "say_to_stops",
]

RECALLED_WORDS: Final = "—"  # stands where recalled words stood
_ENDING_TRIES: Final = 50  # more than anybody else can move one Turn


@dataclass(frozen=True, slots=True)
class Ending:
    """How a Turn ends without an answer: the move, the stable code, and the sentence with its one detail.

    `retry_at` is when a spent quota comes back (UTC milliseconds), 0 when that is not known.
    """

    event: TurnEvent
    code: str
    notice: Notice
    detail: str = ""
    retry_at: int = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """What whoever followed a prompt saw last: the Turn as it stands unless somebody moved it, and unkept events."""

    turn: Turn | None = None
    events: tuple[Insert, ...] = ()


@dataclass(frozen=True, slots=True)
class _Scene:
    """A Turn with everything its end touches, read in one go."""

    turn: Turn
    session: Session
    request: Request | None
    binding: Binding | None


async def finish_turn(desk: Desk, turn_id: TurnId, answer: str, seen: Seen | None = None) -> None:
    """Freeze the agent's answer, then hand it over; a crash between the two is finished at the next start."""
    last = seen or Seen()
    if not await _freeze_as_seen(desk, last, answer):
        await _surely(desk, lambda: _freeze(desk, turn_id, answer, last.events))
    await complete_turn(desk, turn_id)


async def complete_turn(desk: Desk, turn_id: TurnId) -> None:
    """Hand a frozen answer over: transcript, lane, outbox. Safe to repeat."""
    await _surely(desk, lambda: _complete(desk, turn_id))
    desk.wakeup.wake(OUTBOX)
    desk.wakeup.wake(LANES)


async def end_turn(desk: Desk, turn_id: TurnId, ending: Ending) -> None:
    """End a Turn without an answer and tell the person why; one that was being stopped ends as stopped."""
    await _surely(desk, lambda: _end(desk, turn_id, ending))
    desk.wakeup.wake(OUTBOX)
    desk.wakeup.wake(LANES)


async def hold_turn(desk: Desk, turn_id: TurnId, reason: HoldReason) -> None:
    """Keep the lane shut until the owner decides, and tell the person once."""
    await _surely(desk, lambda: _hold(desk, turn_id, reason))
    desk.wakeup.wake(OUTBOX)


async def requeue_turn(desk: Desk, turn_id: TurnId) -> None:
    """Put a Turn back to its place in the queue; its prompt never went out, or the owner wants it run again."""
    await _surely(desk, lambda: _requeue(desk, turn_id))
    desk.wakeup.wake(LANES)


async def cancel_silently(desk: Desk, turn_id: TurnId, code: Silent) -> None:
    """End a Turn by rule, without a word: its message was recalled, changed without explanation, or revoked."""
    await _surely(desk, lambda: _cancel(desk, turn_id, code))
    desk.wakeup.wake(LANES)


async def say_to_stops(desk: Desk, turn_id: TurnId, notice: Notice, *, last: bool) -> None:
    """Answer the `/stop` commands that wait for this Turn; only the last word closes them."""
    steps = await _stop_replies(desk, turn_id, notice, last=last)
    if steps:
        await insist(desk, lambda: desk.store.commit(Changes("say_to_stops", steps)))
        desk.wakeup.wake(OUTBOX)


async def _surely(desk: Desk, decide: Callable[[], Awaitable[tuple[Changes | None, None]]]) -> None:
    """Decide until it is committed: an ending must not be lost to a conflict or a full disk."""
    await insist(desk, lambda: decide_again(desk, decide, _ENDING_TRIES))


async def _scene(desk: Desk, turn_id: TurnId) -> _Scene:
    turn = await desk.store.one(queries.TURN, id=turn_id)
    session = await desk.store.one(queries.SESSION, id=turn.session_id) if turn else None
    if turn is None or session is None:
        raise AssertionError("a Turn and its Session are never deleted")
    request = await desk.store.one(queries.REQUEST, id=turn.request_id) if turn.request_id else None
    return _Scene(turn, session, request, await desk.store.one(queries.BINDING, id=turn.binding_id))


async def _freeze_as_seen(desk: Desk, seen: Seen, answer: str) -> bool:
    """Freeze behind a beginning that is still on its way to the store; False when the Turn has to be read first."""
    if seen.turn is None:
        return False
    try:
        await desk.store.commit(_frozen(seen.turn, answer, seen.events))
    except (ConflictError, StoreError):
        return False
    return True


def _frozen(turn: Turn, answer: str, events: tuple[Insert, ...]) -> Changes:
    return Changes("freeze_answer", (move_turn(turn, TurnEvent.FREEZE, answer=answer), *events))


async def _freeze(desk: Desk, turn_id: TurnId, answer: str, events: tuple[Insert, ...]) -> tuple[Changes | None, None]:
    turn = (await _scene(desk, turn_id)).turn
    if turn.state in TERMINAL or turn.state is TurnState.COMPLETING:
        return None, None
    return _frozen(turn, answer, events), None


async def _complete(desk: Desk, turn_id: TurnId) -> tuple[Changes | None, None]:
    scene = await _scene(desk, turn_id)
    if scene.turn.state is not TurnState.COMPLETING:
        return None, None
    now = desk.clock.now()
    recalled = scene.request is not None and scene.request.code == RECALLED
    said: dict[str, Value] = {"text": RECALLED_WORDS} if recalled else {}
    steps = (
        move_turn(scene.turn, TurnEvent.COMPLETE, ended_at=now, **said),
        *free_lane(scene.session, scene.turn),
        *_transcript(desk, replace(scene.turn, text=RECALLED_WORDS) if recalled else scene.turn, scene.turn.answer),
        *(_kept_back(desk, scene) if recalled else _final(desk, scene)),
        *await clear_mark(desk, scene.turn, scene.request),
        *await settle_continuation(desk, scene.turn, ContinuationEvent.SUCCEED),
        *await _stop_replies(desk, turn_id, Notice.STOP_FINISHED_FIRST, last=True),
    )
    return Changes("complete", steps), None


def _final(desk: Desk, scene: _Scene) -> tuple[Change, ...]:
    request, turn = scene.request, scene.turn
    if request is None:
        return ()
    if request.origin is not Origin.LARK:
        return (close_request(request, ClosedAs.ANSWERED, desk.clock.now()),)  # the transcript is its destination
    text = turn.answer.strip() or sentence(Notice.EMPTY_ANSWER, language_of(turn.text))
    return say(route_of(request, scene.binding, turn), Words(Phase.FINAL, text, ClosedAs.ANSWERED), desk.stamp())


def _kept_back(desk: Desk, scene: _Scene) -> tuple[Change, ...]:
    """Keep an answer to a recalled message: in private the owner decides, elsewhere nobody is told what it was."""
    request = scene.request
    if request is None:
        return ()
    now, private = desk.clock.now(), request.chat_kind is ChatKind.PRIVATE
    held = [_withheld(step) for step in _final(desk, scene)]
    if not private:
        return (*held, close_request(request, ClosedAs.SILENT, now, code=RECALLED))
    route = replace(route_of(request, scene.binding, scene.turn), reply_to="")
    words = sentence(Notice.KEPT_BACK, language_of(scene.turn.text))
    return (
        *held,
        close_request(request, ClosedAs.UNDELIVERED, now, code=RECALLED, owed=1, owed_why=RECALLED),
        *say(route, Words(Phase.NOTICE, words, ClosedAs.OPEN, "kept_back"), desk.stamp()),
    )


def _withheld(step: Change) -> Change:
    if not isinstance(step, Insert) or step.table != "parts":
        return step
    return replace(step, values={**step.values, "state": PartState.WITHHELD.value, "next_at": None, "code": RECALLED})


async def _end(desk: Desk, turn_id: TurnId, ending: Ending) -> tuple[Changes | None, None]:
    scene = await _scene(desk, turn_id)
    if scene.turn.state in TERMINAL or scene.turn.state is TurnState.COMPLETING:
        return None, None
    stopped = scene.turn.state is TurnState.INTERRUPTING
    final = _stopped(desk, scene.turn) if stopped else ending
    planned = await plan_recovery(desk, scene.turn, Failed(final.event, final.code, final.retry_at))
    words = sentence(final.notice, language_of(scene.turn.text), final.detail)
    words += recovery_words(desk, scene.turn, planned)
    queued = scene.turn.state is TurnState.QUEUED
    steps = (
        move_turn(scene.turn, final.event, ended_at=desk.clock.now(), code=final.code, detail=final.detail[:500]),
        *((leave_queue(scene.turn),) if queued else free_lane(scene.session, scene.turn)),
        *_transcript(desk, scene.turn, words, Speaker.GATEWAY),
        *_told(desk, scene, final, words),
        *await clear_mark(desk, scene.turn, scene.request),
        *inserted(planned),
        *await settle_continuation(desk, scene.turn, ContinuationEvent.FAIL),
        *await _stop_replies(desk, turn_id, _stop_word(desk, turn_id), last=True),
    )
    return Changes("end_turn", steps), None


def _stopped(desk: Desk, turn: Turn) -> Ending:
    if turn.stopped_by == REVOKED:
        return Ending(TurnEvent.INTERRUPTED, Silent.REVOKED.value, Notice.STOPPED_REVOKED)
    if turn.running_at == 0:
        return Ending(TurnEvent.INTERRUPTED, "turn.stopped", Notice.STOPPED_BEFORE_START)
    seconds = max(desk.clock.now() - turn.running_at, 0) // 1_000
    return Ending(TurnEvent.INTERRUPTED, "turn.stopped", Notice.STOPPED, str(seconds))


def _stop_word(desk: Desk, turn_id: TurnId) -> Notice:
    running = desk.running.get(turn_id)
    return Notice.STOP_UNCONFIRMED if running is not None and running.killed else Notice.STOP_DONE


def _told(desk: Desk, scene: _Scene, ending: Ending, words: str) -> tuple[Change, ...]:
    """A failure is told and stays owed; what a person ended is told and is not, even when it was owed before."""
    request = scene.request
    if request is None:
        return ()
    if ending.code == Silent.REVOKED.value and request.origin is Origin.LARK:  # the chat has no access any more
        closed: dict[str, Value] = {"code": ending.code, "owed": 0, "owed_why": ""}
        return (close_request(request, ClosedAs.SILENT, desk.clock.now(), **closed),)
    why = ending.code if ending.event in {TurnEvent.FAIL, TurnEvent.TIME_OUT} else ""
    if request.origin is not Origin.LARK:
        return (close_request(request, ClosedAs.TOLD, desk.clock.now(), owed=int(bool(why)), owed_why=why),)
    route = route_of(request, scene.binding, scene.turn)
    notice = say(route, Words(Phase.NOTICE, words, ClosedAs.TOLD, ending.code), desk.stamp())
    return (*((owe(request, why),) if why or request.owed else ()), *notice)


async def _hold(desk: Desk, turn_id: TurnId, reason: HoldReason) -> tuple[Changes | None, None]:
    scene = await _scene(desk, turn_id)
    if scene.turn.state in TERMINAL or scene.turn.state is TurnState.HELD:
        return None, None
    code = f"turn.{reason.value}"
    held = move_turn(scene.turn, TurnEvent.HOLD, hold_reason=reason.value, held_at=desk.clock.now(), code=code)
    request = scene.request
    if request is None:
        return Changes("hold", (held,)), None
    words = sentence(Notice.HELD_UNKNOWN, language_of(scene.turn.text))
    tag = f"held.{scene.turn.attempt}"
    notice = (
        say(route_of(request, scene.binding, scene.turn), Words(Phase.NOTICE, words, ClosedAs.OPEN, tag), desk.stamp())
        if request.origin is Origin.LARK
        else ()
    )
    marks = await clear_mark(desk, scene.turn, scene.request)
    return Changes("hold", (held, owe(request, code), *notice, *marks)), None


async def _requeue(desk: Desk, turn_id: TurnId) -> tuple[Changes | None, None]:
    scene = await _scene(desk, turn_id)
    if scene.turn.state not in {TurnState.CLAIMED, TurnState.STARTING, TurnState.HELD}:
        return None, None
    back = move_turn(scene.turn, TurnEvent.REQUEUE, claimed_at=0, intent_at=0, held_at=0, hold_reason="", code="")
    count = Update("sessions", {"id": scene.session.id}, {"queued": Add(1)})
    request = scene.request
    settled = (owe(request, ""),) if request is not None and request.owed else ()
    return Changes("requeue", (back, *free_lane(scene.session, scene.turn), count, *settled)), None


async def _cancel(desk: Desk, turn_id: TurnId, code: Silent) -> tuple[Changes | None, None]:
    scene = await _scene(desk, turn_id)
    turn, now = scene.turn, desk.clock.now()
    if turn.state in TERMINAL or turn.state is TurnState.COMPLETING:
        return None, None
    if turn.state in {TurnState.QUEUED, TurnState.HELD}:
        moved = move_turn(turn, TurnEvent.CANCEL, ended_at=now, code=code.value)
    else:
        moved = move_turn(turn, TurnEvent.FAIL, ended_at=now, code=code.value)
    lane = (leave_queue(turn),) if turn.state is TurnState.QUEUED else free_lane(scene.session, turn)
    owed: dict[str, Value] = {"owed": 1, "owed_why": code.value} if code is Silent.CONFLICT else {}
    closed = (
        (close_request(scene.request, ClosedAs.SILENT, now, code=code.value, **owed),)
        if scene.request is not None and scene.request.state is RequestState.TURN
        else ()
    )
    failed = await settle_continuation(desk, turn, ContinuationEvent.FAIL)
    return Changes("cancel", (moved, *lane, *closed, *failed)), None


def _transcript(desk: Desk, turn: Turn, text: str, speaker: Speaker = Speaker.AGENT) -> tuple[Change, ...]:
    stamp = desk.stamp()
    rows = ((Speaker.PERSON, turn.text, stamp.seq), (speaker, text, desk.order.next(stamp.now)))
    return tuple(
        insert(
            "messages",
            Message(derive("msg", turn.id, who.value), turn.session_id, turn.id, who, said, seq, stamp.now),
            ONE_OR_NONE,
        )
        for who, said, seq in rows
    )


async def clear_mark(desk: Desk, turn: Turn, request: Request | None) -> tuple[Change, ...]:
    """Take the working mark away: one not set yet never is, one that is set is removed."""
    if request is None or turn.running_at == 0:
        return ()
    added = await desk.store.one(queries.PART, id=part_id(processing_delivery(request.app, turn.id), 0))
    if added is None:
        return ()
    if added.state is PartState.PLANNED and added.attempts == 0:
        where: Where = {"id": added.id, "state": PartState.PLANNED.value, "attempts": 0}
        return (Update("parts", where, {"state": PartState.SUPERSEDED.value, "next_at": None}),)
    return (insert("parts", unmark(added, desk.clock.now()), ONE_OR_NONE),)


async def _stop_replies(desk: Desk, turn_id: TurnId, notice: Notice, *, last: bool) -> tuple[Change, ...]:
    waiting = await desk.store.all(queries.STOPS_WAITING, turn_id=turn_id)
    steps: list[Change] = []
    for request in waiting:
        binding = await desk.store.one(queries.BINDING, id=request.binding_id) if request.binding_id else None
        words = sentence(notice, language_of(request.text))
        closes = ClosedAs.ANSWERED if last else ClosedAs.OPEN
        tag = "" if last else "stopping"
        steps.extend(say(route_of(request, binding), Words(Phase.REPLY, words, closes, tag), desk.stamp()))
    return tuple(steps)
