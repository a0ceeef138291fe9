"""The one record behind approvals, consents and proposals: frozen content, one first decision, what came of it.

Asked, decided and applied are three audit facts that never imply one another. A restart may leave an asked one without
a decision: it is shown as expired, and no decision is invented for it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain.changes import Insert, Update, Value, insert
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import AppId, ChatId, SessionId, TurnId, derive, digest

__all__ = [
    "ALLOWING",
    "REVOKED",
    "Applied",
    "Decision",
    "DecisionEvent",
    "DecisionKind",
    "DecisionState",
    "Fact",
    "Objection",
    "Outcome",
    "Verdict",
    "advance_decision",
    "applied_steps",
    "ask_steps",
    "decide_steps",
    "expire_steps",
    "frozen_digest",
    "may_decide",
]

REVOKED: Final = "revoked"  # where it was decided: nobody did, the access ended


class DecisionKind(StrEnum):
    """What is decided."""

    APPROVAL = "approval"
    CONSENT = "consent"
    PROPOSAL = "proposal"


class DecisionState(StrEnum):
    """Where a decision stands."""

    ASKED = "asked"
    DECIDED = "decided"
    EXPIRED = "expired"


class Outcome(StrEnum):
    """What was decided; `OPEN` while nothing is."""

    OPEN = ""
    ALLOWED_ONCE = "allowed_once"
    ALLOWED_SESSION = "allowed_session"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    UNAVAILABLE = "unavailable"


ALLOWING: Final = frozenset({Outcome.ALLOWED_ONCE, Outcome.ALLOWED_SESSION})


class Objection(StrEnum):
    """Why an answer changes nothing."""

    SETTLED = "settled"
    EXPIRED = "expired"
    REVOKED = "revoked"


class Applied(StrEnum):
    """What came of a decision at the one who asked."""

    OPEN = ""
    APPLIED = "applied"
    NOT_APPLIED = "not_applied"


class DecisionEvent(StrEnum):
    """What may happen to a decision."""

    DECIDE = "decide"
    EXPIRE = "expire"


class Fact(StrEnum):
    """The audit facts of a decision."""

    ASKED = "asked"
    DECIDED = "decided"
    EXPIRED = "expired"
    APPLIED = "applied"
    NOT_APPLIED = "not_applied"


MOVES: Final = {
    (DecisionState.ASKED, DecisionEvent.DECIDE): DecisionState.DECIDED,
    (DecisionState.ASKED, DecisionEvent.EXPIRE): DecisionState.EXPIRED,
}


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing somebody must decide. Times are UTC milliseconds; 0 means not yet.

    `subject` names what would be done (a tool), `reason` why, `arguments` holds the whole input as text; `digest`
    freezes all three as they were shown. `call_id` pairs it with the agent's own call. `decided_where` names the
    surface: `card`, `text`, `console`, `cli`, `policy`, `session`, `agent` or `revoked`. `code` is what a person types.
    """

    id: str
    kind: DecisionKind
    state: DecisionState
    outcome: Outcome
    applied: Applied
    applied_reason: str
    app: AppId
    chat_id: ChatId
    session_id: SessionId
    turn_id: TurnId
    subject: str
    risk: str
    reason: str
    arguments: str
    digest: str
    call_id: str
    asked_at: int
    expires_at: int
    decided_at: int
    decided_by: str
    decided_where: str
    code: str
    version: int
    seq: int


def advance_decision(decision: Decision, event: DecisionEvent) -> DecisionState:
    """Give the next state. Raise IllegalMoveError when the table has no such move: the first decision stays."""
    try:
        return MOVES[decision.state, event]
    except KeyError:
        raise IllegalMoveError("decision", decision.id, decision.state, event) from None


def may_decide(decision: Decision, outcome: Outcome, *, live: bool, now: int) -> Objection | None:
    """Judge an answer from any surface, None when it counts: a yes only in time and while the access is `live`.

    A no counts as long as nothing is decided.
    """
    if decision.state is not DecisionState.ASKED:
        if decision.decided_where == REVOKED:
            return Objection.REVOKED
        return Objection.EXPIRED if decision.state is DecisionState.EXPIRED else Objection.SETTLED
    if outcome not in ALLOWING:
        return None
    if not live:
        return Objection.REVOKED
    return Objection.EXPIRED if decision.expires_at <= now else None


def frozen_digest(subject: str, reason: str, arguments: str) -> str:
    """Give the hash of what is shown; a button counts only for the content that it was shown with."""
    return digest("decision", subject, reason, arguments)


def ask_steps(decision: Decision) -> tuple[Insert, ...]:
    """Plan the record and its first audit fact."""
    facts = {"kind": decision.kind, "subject": decision.subject, "risk": decision.risk, "digest": decision.digest}
    return insert("decisions", decision), _audit(decision.id, Fact.ASKED, decision.asked_at, facts)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision by somebody, somewhere, at some time (UTC milliseconds)."""

    outcome: Outcome
    by: str
    where: str
    at: int


def decide_steps(decision: Decision, verdict: Verdict) -> tuple[Update | Insert, ...]:
    """Plan the first decision and its audit fact; a second one meets a row that is no longer asked."""
    state = advance_decision(decision, DecisionEvent.DECIDE)
    values: dict[str, Value] = {
        "state": state.value,
        "outcome": verdict.outcome.value,
        "decided_at": verdict.at,
        "decided_by": verdict.by,
        "decided_where": verdict.where,
        "version": decision.version + 1,
    }
    where = {"id": decision.id, "state": DecisionState.ASKED.value}
    facts = {"outcome": verdict.outcome, "by": verdict.by, "where": verdict.where}
    return Update("decisions", where, values), _audit(decision.id, Fact.DECIDED, verdict.at, facts)


def expire_steps(decision: Decision, at: int) -> tuple[Update | Insert, ...]:
    """Plan the end of a decision that nobody took in time or that a restart overtook; it is no decision."""
    state = advance_decision(decision, DecisionEvent.EXPIRE)
    values: dict[str, Value] = {"state": state.value, "version": decision.version + 1}
    where = {"id": decision.id, "state": DecisionState.ASKED.value}
    return Update("decisions", where, values), _audit(decision.id, Fact.EXPIRED, at, {})


def applied_steps(decision: Decision, reason: str, at: int) -> tuple[Update | Insert, ...]:
    """Plan the third fact: it reached the agent (empty reason), or why it did not. Only the first one counts."""
    applied = Applied.NOT_APPLIED if reason else Applied.APPLIED
    where = {"id": decision.id, "applied": Applied.OPEN.value}
    values: dict[str, Value] = {"applied": applied.value, "applied_reason": reason}
    return Update("decisions", where, values), _audit(decision.id, Fact(applied.value), at, {"reason": reason})


def _audit(decision: str, fact: Fact, at: int, facts: Mapping[str, str]) -> Insert:
    """One row a decision and fact: the key makes a second `decided` impossible."""
    return Insert(
        "audit",
        {
            "id": derive("audit", decision, fact.value),
            "subject": decision,
            "fact": fact.value,
            "at": at,
            "facts": json.dumps(facts, sort_keys=True, separators=(",", ":")),
        },
    )
