"""What the interface takes and answers about approvals. Times are UTC milliseconds, null for "not yet"."""

from typing import Literal, Self

from hongyan.domain.decisions import Decision
from hongyan.entrypoints.web.forms import Form
from hongyan.entrypoints.web.views import View, moment

__all__ = ["ApprovalList", "ApprovalView", "DecideForm"]


class DecideForm(Form):
    """Decide what an agent asked for."""

    outcome: Literal["allowed_once", "allowed_session", "rejected"]


class ApprovalView(View):
    """One request of an agent, with its whole input. `outcome` and `decided_where` are empty while it is open."""

    id: str
    state: str
    outcome: str
    applied: str
    applied_reason: str
    session_id: str
    turn_id: str
    subject: str
    risk: str
    reason: str
    arguments: str
    digest: str
    code: str
    asked_at: int
    expires_at: int
    decided_at: int | None
    decided_by: str
    decided_where: str

    @classmethod
    def of(cls, decision: Decision) -> Self:
        """Render a decision."""
        return cls(
            id=decision.id,
            state=decision.state.value,
            outcome=decision.outcome.value,
            applied=decision.applied.value,
            applied_reason=decision.applied_reason,
            session_id=decision.session_id,
            turn_id=decision.turn_id,
            subject=decision.subject,
            risk=decision.risk,
            reason=decision.reason,
            arguments=decision.arguments,
            digest=decision.digest,
            code=decision.code,
            asked_at=decision.asked_at,
            expires_at=decision.expires_at,
            decided_at=moment(decision.decided_at),
            decided_by=decision.decided_by,
            decided_where=decision.decided_where,
        )


class ApprovalList(View):
    """Open requests, oldest first, or the newest ones of any state, newest first."""

    approvals: list[ApprovalView]
