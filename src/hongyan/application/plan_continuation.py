"""When a Turn ends: plan what may follow its failure, and note what became of a continuation."""

from dataclasses import dataclass

from hongyan.application.desk import Desk
from hongyan.domain.agents import ReadBackKind
from hongyan.domain.changes import Change, insert
from hongyan.domain.continuations import (
    Cause,
    Continuation,
    ContinuationEvent,
    ContinuationState,
    Failure,
    Wish,
    cause_of,
    may_follow,
    move_continuation,
    plan_continuation,
)
from hongyan.domain.conversations import Turn, TurnEvent
from hongyan.domain.identity import TurnId
from hongyan.domain.notices import Notice, language_of, moment_in_words, sentence
from hongyan.domain.requests import Origin
from hongyan.ports import queries

__all__ = ["Failed", "inserted", "plan_recovery", "recovery_words", "settle_continuation"]


@dataclass(frozen=True, slots=True)
class Failed:
    """How a Turn ended without an answer."""

    event: TurnEvent
    code: str
    retry_at: int


async def plan_recovery(desk: Desk, turn: Turn, failed: Failed) -> Continuation | None:
    """Give the attempt that may follow a failure; None when it only waits for a person."""
    if turn.request_id is None or turn.stop_at:
        return None
    failure = Failure(failed.event, failed.code, _keeps_a_ledger(desk, turn.id), failed.retry_at)
    began = turn.running_at > 0 or bool(await desk.store.one(queries.LAST_CURSOR, turn_id=turn.id))
    cause = cause_of(turn, failure, began)
    if cause is None:
        return None
    rows = await desk.store.all(queries.CONTINUATIONS_OF_REQUEST, request_id=turn.request_id)
    former = next((row for row in rows if row.reserved_turn == turn.id), None)
    if not may_follow(turn, former, cause):
        return None
    made = sum(row.cause is cause for row in rows)
    return plan_continuation(turn, Wish(cause, made, desk.clock.now(), failed.retry_at))


def recovery_words(desk: Desk, turn: Turn, planned: Continuation | None) -> str:
    """Say when it is tried again and on which condition; nothing for a mere look at the history."""
    if planned is None or planned.cause is Cause.READ_BACK:
        return ""
    notice = Notice.TRIED_AGAIN if turn.intent_at == 0 else Notice.TRIED_AGAIN_WITH_PROOF
    return " " + sentence(notice, language_of(turn.text), moment_in_words(planned.not_before, desk.options.zone))


async def settle_continuation(desk: Desk, turn: Turn, event: ContinuationEvent) -> tuple[Change, ...]:
    """Plan what the end of a Turn means for the attempt that brought it."""
    if turn.origin is not Origin.CONTINUATION:
        return ()
    row = await desk.store.one(queries.CONTINUATION_OF_TURN, turn_id=turn.id)
    if row is None or row.state is not ContinuationState.RESERVED:
        return ()
    return (move_continuation(row, event),)


def inserted(planned: Continuation | None) -> tuple[Change, ...]:
    """Plan the row of an attempt."""
    return (insert("continuations", planned),) if planned is not None else ()


def _keeps_a_ledger(desk: Desk, turn: TurnId) -> bool:
    running = desk.running.get(turn)
    agent = running.agent if running is not None else None
    return agent is not None and agent.capabilities().read_back is ReadBackKind.LEDGER
