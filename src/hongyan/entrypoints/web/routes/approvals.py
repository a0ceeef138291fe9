"""What agents ask for, and one decision each."""

from typing import Annotated

from fastapi import APIRouter, Query

from hongyan.application.browse import list_decisions
from hongyan.application.decide import check_shown, decide
from hongyan.domain.decisions import Outcome
from hongyan.entrypoints.web.forms import DecideForm
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheCaller, TheGateway, refuse_programs, surface_of
from hongyan.entrypoints.web.work_views import ApprovalList, ApprovalView

__all__ = ["router"]

router = APIRouter(tags=["approvals"], responses=PROBLEMS)

Recent = Annotated[int, Query(ge=0, le=1_000)]


@router.get("/approvals")
async def approvals(gateway: TheGateway, recent: Recent = 0) -> ApprovalList:
    """List what waits for a decision, oldest first; with `recent` the newest ones instead, settled or not."""
    found = await list_decisions(gateway.desk, recent)
    return ApprovalList(approvals=[ApprovalView.of(decision) for decision in found])


@router.post("/approvals/{approval_id}/decide")
async def settle(approval_id: str, form: DecideForm, gateway: TheGateway, caller: TheCaller) -> ApprovalView:
    """Decide; the first decision wins, and every later one is told who was first.

    Raise RefusedError `approval.program` for a program: an agent that finds its token must not allow itself anything.
    """
    refuse_programs(caller)
    if form.expected_version is not None:
        await check_shown(gateway.desk, approval_id, form.expected_version)
    outcome = Outcome(form.outcome)
    return ApprovalView.of(await decide(gateway.desk, approval_id, outcome, "owner", surface_of(caller)))
