"""An agent asks for leave: the chain of surfaces decides, and the answer goes back to the agent.

Order: the record is committed, then shown, then waited for. The answer reaches the agent after the decision is
committed, and what came of it is a fact of its own.
"""

import contextlib
from dataclasses import dataclass
from typing import Final

from hongyan.application.ask_on_card import Question, ask_on_card
from hongyan.application.decide import decide
from hongyan.application.desk import CARDS, Desk, insist
from hongyan.application.offer_request import Offered, offer_request
from hongyan.application.routes import route_of
from hongyan.domain import limits
from hongyan.domain.agents import PermissionAnswer, PermissionAsked
from hongyan.domain.approvals import Risk, parse_policy, risk_of
from hongyan.domain.bindings import Binding
from hongyan.domain.changes import Change, Changes
from hongyan.domain.conversations import Turn
from hongyan.domain.decisions import (
    Applied,
    Decision,
    DecisionKind,
    DecisionState,
    Outcome,
    applied_steps,
    frozen_digest,
)
from hongyan.domain.errors import ConflictError, RefusedError
from hongyan.domain.identity import AppId, ChatId, derive
from hongyan.domain.notices import language_of
from hongyan.domain.requests import Origin, Request
from hongyan.domain.surfaces import Known
from hongyan.ports import queries
from hongyan.ports.agents import Permissions

__all__ = ["ask_permission", "withdraw_permission"]

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

    async def plan_card() -> tuple[Change, ...]:
        return await _shown(desk, scene, decision, asked)

    decided = await offer_request(desk, Offered(decision, await _known(desk, scene, decision), plan_card))
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


async def _known(desk: Desk, scene: _Scene, decision: Decision) -> Known:
    """Read what is known before anybody is asked: the binding's policy, an earlier yes, the chat."""
    rule = parse_policy(scene.binding.approve if scene.binding else "").rule(Risk(decision.risk))
    allowed = await desk.store.one(queries.ALLOWANCE, session_id=decision.session_id, risk=decision.risk)
    in_chat = scene.request is not None and scene.request.origin is Origin.LARK
    return Known(rule, bool(allowed), in_chat, desk.clock.now())


async def _shown(desk: Desk, scene: _Scene, decision: Decision, asked: PermissionAsked) -> tuple[Change, ...]:
    """Plan the card that asks the owner in the private chat; elsewhere the record itself is what is shown."""
    if scene.request is None:
        raise AssertionError("a card is asked for in a chat, and a chat's Turn has a request")
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
