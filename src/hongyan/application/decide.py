"""Decide what was asked, from any surface: the first decision wins, and everybody else is told that it did."""

from functools import partial

from hongyan.application.desk import LANES, OUTBOX, Desk, decide_again, insist
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Insert
from hongyan.domain.decisions import (
    Decision,
    DecisionState,
    Outcome,
    Verdict,
    applied_steps,
    decide_steps,
    expire_steps,
)
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.ports import queries

__all__ = ["check_shown", "decide", "expire_open", "settle_questions", "verdict_steps"]


async def decide(desk: Desk, decision_id: str, outcome: Outcome, by: str, where: str) -> Decision:
    """Decide an open decision and give it as decided.

    Raise NotFoundError, or RefusedError `decision.settled` naming who was first, or that it expired.
    """

    async def attempt() -> tuple[Changes, Decision]:
        decision = await desk.store.one(queries.DECISION, id=decision_id)
        if decision is None:
            raise NotFoundError("approval", decision_id, hint="`hongyan approval list` shows the open ones.")
        if decision.state is not DecisionState.ASKED:
            raise RefusedError("decision.settled", _settled(decision), hint="Nothing was changed by this answer.")
        verdict = Verdict(outcome, by, where, desk.clock.now())
        return Changes("decide", verdict_steps(decision, verdict)), decision

    await decide_again(desk, attempt)
    desk.wakeup.wake(LANES)
    desk.wakeup.wake(OUTBOX)
    decided = await desk.store.one(queries.DECISION, id=decision_id)
    if decided is None:
        raise AssertionError("a decision is never deleted")
    return decided


async def check_shown(desk: Desk, decision_id: str, version: int) -> None:
    """Make sure that a decision is still as it was shown.

    Raise NotFoundError, or RefusedError `decision.changed`. A later change is met by `decide` itself.
    """
    decision = await desk.store.one(queries.DECISION, id=decision_id)
    if decision is None:
        raise NotFoundError("approval", decision_id, hint="`hongyan approval list` shows the open ones.")
    if decision.state is DecisionState.ASKED and decision.version != version:
        raise RefusedError("decision.changed", "this request changed meanwhile", hint="Look at it again.")


def verdict_steps(decision: Decision, verdict: Verdict) -> tuple[Change, ...]:
    """Plan a decision; a yes for the session is remembered for requests of the same class in this Session."""
    if verdict.outcome is not Outcome.ALLOWED_SESSION:
        return decide_steps(decision, verdict)
    allowance = {"session_id": decision.session_id, "risk": decision.risk, "decision_id": decision.id}
    return (*decide_steps(decision, verdict), Insert("allowances", dict(allowance), ONE_OR_NONE))


async def settle_questions(desk: Desk) -> None:
    """Hand decisions that were committed since to the agents of this process that wait for them."""
    for decision in await desk.store.all(queries.UNAPPLIED_DECISIONS):
        waiting = desk.questions.get(decision.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(decision)


async def expire_open(desk: Desk) -> list[str]:
    """Close what a restart overtook: open ones expire, decided ones that never reached their agent say so.

    Call it once before anything runs; no decision is invented.
    """
    now, settled = desk.clock.now(), []
    for decision in await desk.store.all(queries.OPEN_DECISIONS):
        await insist(desk, partial(desk.store.commit, Changes("expire_decision", expire_steps(decision, now))))
        settled.append(decision.id)
    for decision in await desk.store.all(queries.UNAPPLIED_DECISIONS):
        await insist(desk, partial(desk.store.commit, Changes("not_applied", applied_steps(decision, "restart", now))))
        settled.append(decision.id)
    return settled


def _settled(decision: Decision) -> str:
    if decision.state is DecisionState.EXPIRED:
        return "this request expired before it was decided"
    return f"this request was decided already: {decision.outcome}, on {decision.decided_where}"
