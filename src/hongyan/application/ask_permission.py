"""An agent asks for leave: policy first, then whoever decides first, then the answer goes back to the agent.

Order: the record is committed, then shown, then waited for. The answer reaches the agent after the decision is
committed, and what came of it is a fact of its own.
"""

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import Any, Final

from hongyan.application.ask_on_card import Question, ask_on_card
from hongyan.application.decide import decide
from hongyan.application.desk import CARDS, OUTBOX, Desk, decide_again, insist
from hongyan.application.routes import route_of
from hongyan.domain import limits
from hongyan.domain.agents import PermissionAnswer, PermissionAsked
from hongyan.domain.approvals import Risk, Rule, parse_policy, risk_of
from hongyan.domain.bindings import Binding
from hongyan.domain.changes import Change, Changes
from hongyan.domain.conversations import Turn
from hongyan.domain.decisions import (
    Applied,
    Decision,
    DecisionKind,
    DecisionState,
    Outcome,
    Verdict,
    applied_steps,
    ask_steps,
    decide_steps,
    expire_steps,
    frozen_digest,
)
from hongyan.domain.errors import ConflictError, RefusedError
from hongyan.domain.identity import AppId, ChatId, derive
from hongyan.domain.notices import language_of
from hongyan.domain.requests import Origin, Request
from hongyan.ports import queries
from hongyan.ports.agents import Permissions

__all__ = ["ask_permission", "withdraw_permission"]

_ASK_TRIES: Final = 64  # requests that meet on one card: each conflict means that another one went on

_ANSWERS: Final = {
    Outcome.ALLOWED_ONCE: PermissionAnswer.ALLOW_ONCE,
    Outcome.ALLOWED_SESSION: PermissionAnswer.ALLOW_SESSION,
    Outcome.REJECTED: PermissionAnswer.REJECT,
}


@dataclass(frozen=True, slots=True)
class _Scene:
    """Where the question belongs."""

    turn: Turn
    request: Request | None
    binding: Binding | None
    workspace: str


async def ask_permission(desk: Desk, turn: Turn, asked: PermissionAsked, agent: Permissions) -> None:
    """Bring one request of an agent to its decision and hand the answer over.

    Killed on the way, the record stays asked and expires at the next start; nothing is decided for a person.
    """
    scene = await _scene(desk, turn)
    decision = _record(desk, scene, asked)
    verdict = await _by_rule(desk, scene, decision)
    if verdict is not None:
        steps = (*ask_steps(decision), *decide_steps(decision, verdict))
        await insist(desk, lambda: desk.store.commit(Changes("ask_and_decide", steps)))
        decided = replace(decision, state=DecisionState.DECIDED, outcome=verdict.outcome)
    else:
        decided = await _by_people(desk, scene, decision, asked)
    await _apply(desk, decided, asked, agent)


async def withdraw_permission(desk: Desk, turn: Turn, ask_id: str) -> None:
    """Decide "cancelled" because the agent no longer waits; a decision that was first stays."""
    with contextlib.suppress(RefusedError, ConflictError):
        await decide(desk, _identity(turn, ask_id), Outcome.CANCELLED, "agent", "agent")


async def _scene(desk: Desk, turn: Turn) -> _Scene:
    request = await desk.store.one(queries.REQUEST, id=turn.request_id) if turn.request_id else None
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    workspace = await desk.store.one(queries.WORKSPACE, id=binding.workspace_id) if binding else None
    return _Scene(turn, request, binding, workspace.path if workspace else "/")


def _identity(turn: Turn, ask_id: str) -> str:
    return derive("dec", turn.id, str(turn.attempt), ask_id)


def _record(desk: Desk, scene: _Scene, asked: PermissionAsked) -> Decision:
    stamp, request = desk.stamp(), scene.request
    return Decision(
        id=_identity(scene.turn, asked.ask_id),
        kind=DecisionKind.APPROVAL,
        state=DecisionState.ASKED,
        outcome=Outcome.OPEN,
        applied=Applied.OPEN,
        applied_reason="",
        app=request.app if request else AppId(""),
        chat_id=request.chat_id if request else ChatId(""),
        session_id=scene.turn.session_id,
        turn_id=scene.turn.id,
        subject=asked.title or asked.kind,
        risk=risk_of(asked.kind, asked.locations, scene.workspace).value,
        reason="",
        arguments=asked.arguments,
        digest=frozen_digest(asked.title or asked.kind, "", asked.arguments),
        call_id=asked.tool_id,
        asked_at=stamp.now,
        expires_at=stamp.now + limits.APPROVAL_LIFE_MS,
        decided_at=0,
        decided_by="",
        decided_where="",
        code=desk.entropy.code(limits.PAIRING_ALPHABET, limits.APPROVAL_CODE_LENGTH),
        version=0,
        seq=stamp.seq,
    )


async def _by_rule(desk: Desk, scene: _Scene, decision: Decision) -> Verdict | None:
    """Decide by the binding's policy or by an earlier yes for this session; None when a person must."""
    rule = parse_policy(scene.binding.approve if scene.binding else "").rule(Risk(decision.risk))
    now = desk.clock.now()
    if rule is Rule.NEVER:
        return Verdict(Outcome.REJECTED, "policy", "policy", now)
    if rule is Rule.AUTO:
        return Verdict(Outcome.ALLOWED_ONCE, "policy", "policy", now)
    allowed = await desk.store.one(queries.ALLOWANCE, session_id=decision.session_id, risk=decision.risk)
    return Verdict(Outcome.ALLOWED_SESSION, "owner", "session", now) if allowed else None


async def _by_people(desk: Desk, scene: _Scene, decision: Decision, asked: PermissionAsked) -> Decision:
    """Offer the record to every surface and wait for the first decision, or for its end."""

    async def attempt() -> tuple[Changes, None]:
        return Changes("ask", (*ask_steps(decision), *await _shown(desk, scene, decision, asked))), None

    waiting: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
    desk.questions[decision.id] = waiting
    try:
        await insist(desk, lambda: decide_again(desk, attempt, _ASK_TRIES))
        for topic in (CARDS, OUTBOX):
            desk.wakeup.wake(topic)
        expiry = asyncio.create_task(desk.clock.sleep(limits.APPROVAL_LIFE_MS))
        racers: set[asyncio.Future[Any]] = {waiting, expiry}
        try:
            await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
        finally:
            expiry.cancel()
        return waiting.result() if waiting.done() else await _expire(desk, decision)
    finally:
        del desk.questions[decision.id]


async def _expire(desk: Desk, decision: Decision) -> Decision:
    with contextlib.suppress(ConflictError):  # decided in the last moment: that decision stands
        await desk.store.commit(Changes("expire_decision", expire_steps(decision, desk.clock.now())))
    return await desk.store.one(queries.DECISION, id=decision.id) or decision


async def _shown(desk: Desk, scene: _Scene, decision: Decision, asked: PermissionAsked) -> tuple[Change, ...]:
    """Plan the card that asks the owner in the private chat; elsewhere the record itself is what is shown."""
    if scene.request is None or scene.request.origin is not Origin.LARK:
        return ()
    route = route_of(scene.request, scene.binding, scene.turn)
    question = Question(decision, route, language_of(scene.turn.text), asked.whole_session)
    return await ask_on_card(desk, question)


async def _apply(desk: Desk, decided: Decision, asked: PermissionAsked, agent: Permissions) -> None:
    """Hand the answer to the agent and keep whether it still waited for it."""
    answer = _ANSWERS.get(decided.outcome, PermissionAnswer.CANCEL)
    taken = await agent.answer(asked.ask_id, answer)
    reason = "" if taken else "the agent withdrew"
    if decided.state is DecisionState.DECIDED:
        steps = applied_steps(decided, reason, desk.clock.now())
        with contextlib.suppress(ConflictError):
            await insist(desk, lambda: desk.store.commit(Changes("applied", steps)))
    desk.wakeup.wake(CARDS)
