"""Decide what was asked, from any surface: the first decision wins, and everybody else is told that it did."""

from functools import partial

from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk, decide_again, insist
from hongyan.domain.bindings import holds
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Insert, Require
from hongyan.domain.decisions import (
    ALLOWING,
    Decision,
    DecisionState,
    Objection,
    Outcome,
    Verdict,
    applied_steps,
    decide_steps,
    expire_steps,
    may_decide,
)
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.ports import queries

__all__ = ["check_shown", "decide", "expire_open", "plan_verdict", "settle_questions"]


async def decide(desk: Desk, decision_id: str, outcome: Outcome, by: str, where: str) -> Decision:
    """Decide an open decision and give it as decided.

    Raise NotFoundError, or RefusedError: `decision.settled` naming who was first, `decision.expired` or
    `decision.revoked`.
    """

    async def attempt() -> tuple[Changes, Decision]:
        decision = await desk.store.one(queries.DECISION, id=decision_id)
        if decision is None:
            raise NotFoundError("approval", decision_id, hint="`hongyan approval list` shows the open ones.")
        planned = await plan_verdict(desk, decision, Verdict(outcome, by, where, desk.clock.now()))
        if isinstance(planned, Objection):
            raise _refused(planned, decision)
        return Changes("decide", planned), decision

    await decide_again(desk, attempt)
    for topic in (LANES, CARDS, OUTBOX):
        desk.wakeup.wake(topic)
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


async def plan_verdict(desk: Desk, decision: Decision, verdict: Verdict) -> tuple[Change, ...] | Objection:
    """Plan an answer from any surface, or say why it changes nothing; a yes demands that the access still lives.

    A yes for the session is remembered for requests of the same class in this Session.
    """
    turn = await desk.store.one(queries.TURN, id=decision.turn_id)
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id) if turn else None
    live = turn is not None and holds(binding, turn.binding_revision)
    objection = may_decide(decision, verdict.outcome, live=live, now=verdict.at)
    if objection is not None:
        return objection
    steps: tuple[Change, ...] = decide_steps(decision, verdict)
    if binding is None or verdict.outcome not in ALLOWING:
        return steps
    fence = Require("bindings", {"id": binding.id, "revision": binding.revision, "state": "live"})
    if verdict.outcome is not Outcome.ALLOWED_SESSION:
        return (*steps, fence)
    allowance = {"session_id": decision.session_id, "risk": decision.risk, "decision_id": decision.id}
    return (*steps, fence, Insert("allowances", dict(allowance), ONE_OR_NONE))


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


def _refused(objection: Objection, decision: Decision) -> RefusedError:
    unchanged = "Nothing was changed by this answer."
    if objection is Objection.REVOKED:
        return RefusedError("decision.revoked", "access here was revoked; nothing was decided", hint=unchanged)
    if objection is Objection.EXPIRED:
        return RefusedError("decision.expired", "this request expired before it was decided", hint=unchanged)
    first = f"this request was decided already: {decision.outcome}, on {decision.decided_where}"
    return RefusedError("decision.settled", first, hint=unchanged)
