"""Stop exactly one Turn: the one that was named, never the one that runs by the time the stop is carried out."""

from dataclasses import dataclass

from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk, decide_again
from hongyan.application.plan_continuation import settle_continuation
from hongyan.application.routes import route_of
from hongyan.domain.changes import Change, Changes, Require
from hongyan.domain.continuations import ContinuationEvent
from hongyan.domain.conversations import (
    TERMINAL,
    Turn,
    TurnEvent,
    TurnState,
    free_lane,
    leave_queue,
    move_turn,
)
from hongyan.domain.deliveries import Phase, Words, say
from hongyan.domain.errors import NotFoundError
from hongyan.domain.identity import TurnId
from hongyan.domain.notices import Notice, language_of, sentence
from hongyan.domain.requests import ClosedAs, Origin, close_request, owe
from hongyan.ports import queries

__all__ = ["StopPlan", "plan_stop", "signal_stop", "stop_turn"]


@dataclass(frozen=True, slots=True)
class StopPlan:
    """What stopping a Turn needs now. `notice` is None while the agent has to confirm."""

    steps: tuple[Change, ...]
    notice: Notice | None


async def plan_stop(desk: Desk, target: TurnId, by: str) -> StopPlan:
    """Plan the stop of a Turn: at once while it waits or is held, by asking the agent while it runs."""
    turn = await desk.store.one(queries.TURN, id=target)
    if turn is None:
        return StopPlan((), Notice.STOP_NOTHING)
    if turn.state in {TurnState.QUEUED, TurnState.HELD}:
        return StopPlan(await _cancel(desk, turn, by), Notice.STOP_DONE)
    if turn.state in TERMINAL or turn.state is TurnState.COMPLETING:
        stopped = turn.state in {TurnState.INTERRUPTED, TurnState.CANCELLED}
        return StopPlan((), Notice.STOP_DONE if stopped else Notice.STOP_FINISHED_FIRST)
    if turn.state is TurnState.INTERRUPTING:  # its end answers, so it must not have ended by then
        return StopPlan((Require("turns", {"id": turn.id, "state": turn.state.value}),), None)
    asked = move_turn(turn, TurnEvent.STOP, stop_at=desk.clock.now(), stopped_by=by)
    return StopPlan((asked,), None)


async def stop_turn(desk: Desk, target: TurnId, by: str) -> TurnState:
    """Stop one Turn for a caller on this machine and give its state after the commit.

    A running one is `interrupting` until the agent confirmed. Raise NotFoundError for an unknown Turn.
    """
    if await desk.store.one(queries.TURN, id=target) is None:
        raise NotFoundError("turn", target)

    async def decide() -> tuple[Changes | None, None]:
        plan = await plan_stop(desk, target, by)
        return (Changes("stop_turn", plan.steps) if plan.steps else None), None

    await decide_again(desk, decide)
    for topic in (LANES, CARDS, OUTBOX):
        desk.wakeup.wake(topic)
    turn = await desk.store.one(queries.TURN, id=target)
    return turn.state if turn else TurnState.CANCELLED


async def _cancel(desk: Desk, turn: Turn, by: str) -> tuple[Change, ...]:
    stamp = desk.stamp()
    cancelled = move_turn(
        turn, TurnEvent.CANCEL, ended_at=stamp.now, stop_at=stamp.now, stopped_by=by, code="turn.stopped"
    )
    session = await desk.store.one(queries.SESSION, id=turn.session_id)
    queued = turn.state is TurnState.QUEUED
    lane = (leave_queue(turn),) if queued else free_lane(session, turn) if session else ()
    failed = await settle_continuation(desk, turn, ContinuationEvent.FAIL)
    return (cancelled, *lane, *failed, *await _tell(desk, turn))


async def _tell(desk: Desk, turn: Turn) -> tuple[Change, ...]:
    if turn.request_id is None:
        return ()
    request = await desk.store.one(queries.REQUEST, id=turn.request_id)
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    if request is None:
        return ()
    if request.origin is not Origin.LARK:
        return (close_request(request, ClosedAs.TOLD, desk.clock.now(), owed=0, owed_why=""),)
    words = sentence(Notice.STOPPED_BEFORE_START, language_of(turn.text))
    notice = say(route_of(request, binding, turn), Words(Phase.NOTICE, words, ClosedAs.TOLD, "stopped"), desk.stamp())
    return (*((owe(request, ""),) if request.owed else ()), *notice)


async def signal_stop(desk: Desk, target: TurnId) -> None:
    """Pass a committed stop on to the agent that runs the Turn here, if one does. Safe to repeat."""
    running = desk.running.get(target)
    if running is None or running.stop_asked:
        return
    running.stop_asked = True
    running.stop_requested.set()
