"""What is owed, what was written, and whether both sums add up."""

from typing import Annotated

from fastapi import APIRouter, Query

from hongyan.application.browse import list_deliveries
from hongyan.application.owed import act_on_owed, list_owed, owed_action, send_again
from hongyan.application.read_coverage import read_coverage
from hongyan.application.read_ledger import read_ledger
from hongyan.entrypoints.web.coverage_views import CoverageList, CoverageView
from hongyan.entrypoints.web.forms import ActForm
from hongyan.entrypoints.web.ledger_views import LedgerView
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheCaller, TheGateway, surface_of
from hongyan.entrypoints.web.work_views import (
    ActedView,
    DeliveryList,
    DeliveryView,
    OwedList,
    OwedView,
    ResentView,
)

__all__ = ["router"]

router = APIRouter(tags=["books"], responses=PROBLEMS)


@router.get("/owed")
async def owed(gateway: TheGateway) -> OwedList:
    """List what needs someone, oldest first."""
    return OwedList(owed=[OwedView.of(row) for row in await list_owed(gateway.desk)])


@router.post("/owed/{request_id}/{action}")
async def act(request_id: str, action: str, form: ActForm, gateway: TheGateway, caller: TheCaller) -> ActedView:
    """Do one thing about what is owed; the first act wins."""
    chosen = owed_action(action)
    await act_on_owed(gateway.desk, request_id, chosen, form.expected_version, surface_of(caller))
    return ActedView(id=request_id, action=chosen)


@router.get("/coverage")
async def coverage(gateway: TheGateway) -> CoverageList:
    """Tell how far each chat was compared with the platform's history, and which messages were missed."""
    reports = await read_coverage(gateway.desk)
    return CoverageList(coverage=[CoverageView.of(gateway, report) for report in reports])


@router.get("/deliveries")
async def deliveries(gateway: TheGateway, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> DeliveryList:
    """List the newest writes, newest first."""
    found = await list_deliveries(gateway.desk, limit)
    return DeliveryList(deliveries=[DeliveryView.of(line) for line in found])


@router.post("/deliveries/{part_id}/resend", status_code=202)
async def resend(part_id: str, gateway: TheGateway) -> ResentView:
    """Send one part whose outcome is open once more, as a new part."""
    return ResentView(id=await send_again(gateway.desk, part_id), replaces=part_id)


@router.get("/ledger")
async def ledger(gateway: TheGateway) -> LedgerView:
    """Count both identities."""
    return LedgerView.of(await read_ledger(gateway.desk))
