"""After a revocation: what was asked is withdrawn, what waits is cancelled, what runs is stopped.

It acts on what the published revocation left in the records, so that a crash between the two, or a stop that could not
be kept, is met again.
"""

from functools import partial
from typing import Final

from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk, decide_again
from hongyan.application.end_turn import cancel_silently
from hongyan.domain.access import Silent
from hongyan.domain.changes import Changes
from hongyan.domain.conversations import Turn, TurnEvent, TurnState, move_turn
from hongyan.domain.decisions import REVOKED, Decision, DecisionState, Outcome, Verdict, decide_steps
from hongyan.domain.identity import TurnId
from hongyan.ports import queries

__all__ = ["withdraw_access"]

_STOPPABLE: Final = frozenset({TurnState.CLAIMED, TurnState.STARTING, TurnState.RUNNING})


async def withdraw_access(desk: Desk) -> None:
    """Bring everything that revoked bindings still have to its end; a running Turn ends when its agent confirmed.

    Safe to repeat. A held Turn stays: what became of it is still for the owner to settle, and it runs no more.
    """
    asked = await desk.store.all(queries.REVOKED_DECISIONS)
    turns = await desk.store.all(queries.REVOKED_TURNS)
    for decision in asked:
        await decide_again(desk, partial(_withdraw, desk, decision))
    for turn in turns:
        await _end(desk, turn)
    if asked or turns:
        for topic in (LANES, CARDS, OUTBOX):
            desk.wakeup.wake(topic)


async def _withdraw(desk: Desk, asked: Decision) -> tuple[Changes | None, None]:
    decision = await desk.store.one(queries.DECISION, id=asked.id)
    if decision is None or decision.state is not DecisionState.ASKED:
        return None, None
    verdict = Verdict(Outcome.CANCELLED, REVOKED, REVOKED, desk.clock.now())
    return Changes("withdraw_question", decide_steps(decision, verdict)), None


async def _end(desk: Desk, turn: Turn) -> None:
    if turn.state is TurnState.QUEUED:
        await cancel_silently(desk, turn.id, Silent.REVOKED)
    else:
        await decide_again(desk, partial(_stop, desk, turn.id))


async def _stop(desk: Desk, turn_id: TurnId) -> tuple[Changes | None, None]:
    turn = await desk.store.one(queries.TURN, id=turn_id)
    if turn is None or turn.state not in _STOPPABLE:
        return None, None
    asked = move_turn(turn, TurnEvent.STOP, stop_at=desk.clock.now(), stopped_by=REVOKED)
    return Changes("stop_revoked", (asked,)), None
