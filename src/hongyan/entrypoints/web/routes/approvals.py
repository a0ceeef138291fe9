"""What agents ask leave for: see it, and decide it once."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from hongyan.application.decide import decide, list_approvals
from hongyan.domain.decisions import Outcome
from hongyan.entrypoints.web.approval_views import ApprovalList, ApprovalView, DecideForm
from hongyan.entrypoints.web.guard import Caller
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheCaller, TheGateway

__all__ = ["router"]

_SURFACES: Final = {Caller.SOCKET: "cli", Caller.BROWSER: "console"}

router = APIRouter(tags=["approvals"], responses=PROBLEMS)


@router.get("/approvals")
async def approvals(
    gateway: TheGateway,
    settled: bool = False,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> ApprovalList:
    """List the open requests, oldest first; with `settled` the newest ones of any state, newest first."""
    found = await list_approvals(gateway.desk, limit, settled=settled)
    return ApprovalList(approvals=[ApprovalView.of(decision) for decision in found])


@router.post("/approvals/{approval_id}/decide")
async def decide_approval(approval_id: str, form: DecideForm, gateway: TheGateway, caller: TheCaller) -> ApprovalView:
    """Decide an open request; the first decision on any surface wins, a later one is refused as settled."""
    where = _SURFACES.get(caller, "api")
    return ApprovalView.of(await decide(gateway.desk, approval_id, Outcome(form.outcome), "owner", where))
