"""More words for a Turn that runs: whether they may be said there, and whether the Turn can take them now.

Steering is a wish. Words that the Turn cannot take are queued behind it, and that is said; none is ever lost or sent
twice.
"""

from dataclasses import dataclass
from enum import StrEnum

from hongyan.domain.bindings import Audience, Binding, BindingState
from hongyan.domain.conversations import TERMINAL, SessionState, Turn, TurnState
from hongyan.domain.errors import BlockedError, HongyanError, RefusedError
from hongyan.domain.identity import PlaceId

__all__ = ["SteerFacts", "WhyQueued", "objection_to_steer", "objection_to_write", "why_queued"]


class WhyQueued(StrEnum):
    """Why words wait behind a Turn instead of going into it; `NOT_QUEUED` when they went in."""

    NOT_QUEUED = ""
    AGENT_CANNOT_STEER = "agent_cannot_steer"
    TURN_NOT_RUNNING = "turn_not_running"
    TURN_OVER = "turn_over"
    NOT_TAKEN = "not_taken"


@dataclass(frozen=True, slots=True)
class SteerFacts:
    """What is known of a Turn and its Session at the moment; `agent_steers` is what the live agent says of itself."""

    turn: Turn
    place_id: PlaceId
    session_state: SessionState
    binding: Binding | None
    workspace_usable: bool
    executor_known: bool
    agent_steers: bool


def objection_to_write(session_state: SessionState, binding: Binding | None) -> HongyanError | None:
    """Give why this machine may not write into a Session, None when it may."""
    if session_state is SessionState.CLOSED:
        return RefusedError("session.closed", "this session is closed", hint="Open another one.")
    if binding is None or binding.state is not BindingState.LIVE:
        return RefusedError("binding.revoked", "the binding of this session is revoked")
    if binding.audience is Audience.GROUP_TOPIC:
        return RefusedError("session.group", "a group topic is written to in its chat", hint="Write there.")
    return None


def objection_to_steer(facts: SteerFacts) -> HongyanError | None:
    """Give why nobody may steer here: what is checked of a message, and the grant that the Turn itself runs under."""
    objection = objection_to_write(facts.session_state, facts.binding)
    if objection is not None or facts.binding is None:
        return objection
    if facts.binding.revision != facts.turn.binding_revision:
        return RefusedError("binding.revoked", "the binding changed since this turn was accepted")
    if not facts.workspace_usable:
        return BlockedError("workspace.unavailable", "the workspace is no longer the folder that was authorised")
    if not facts.executor_known:
        return BlockedError("executor.unavailable", f"the agent {facts.binding.executor} is not configured any more")
    return None


def why_queued(facts: SteerFacts) -> WhyQueued:
    """Give why the words have to wait, `NOT_QUEUED` when the Turn can take them."""
    if facts.turn.state in TERMINAL or facts.turn.state is TurnState.COMPLETING:
        return WhyQueued.TURN_OVER
    if facts.turn.state is not TurnState.RUNNING:
        return WhyQueued.TURN_NOT_RUNNING
    return WhyQueued.NOT_QUEUED if facts.agent_steers else WhyQueued.AGENT_CANNOT_STEER
