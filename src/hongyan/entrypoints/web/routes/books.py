"""What is owed, what was written, and whether both sums add up."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import PlainTextResponse, StreamingResponse

from hongyan.application.browse import list_deliveries
from hongyan.application.owed import act_on_owed, list_owed, owed_action, send_again
from hongyan.application.read_coverage import read_coverage
from hongyan.application.read_ledger import book_lines, count_ledger, read_days, read_ledger
from hongyan.entrypoints.web.book_lines import MEDIA_TYPES, BookForm, write_books
from hongyan.entrypoints.web.coverage_views import CoverageList, CoverageView
from hongyan.entrypoints.web.forms import ActForm
from hongyan.entrypoints.web.ledger_views import LedgerDayList, LedgerDayView, LedgerView
from hongyan.entrypoints.web.metrics import METRICS_TYPE, write_metrics
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheCaller, TheGateway, TheHouse, surface_of
from hongyan.entrypoints.web.work_views import (
    ActedView,
    DeliveryList,
    DeliveryView,
    OwedList,
    OwedView,
    ResentView,
)

__all__ = ["metrics", "router"]

router = APIRouter(tags=["books"], responses=PROBLEMS)
metrics = APIRouter(tags=["books"], responses=PROBLEMS)


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
async def ledger(gateway: TheGateway, check: Annotated[bool, Query()] = False) -> LedgerView:
    """Give both identities by the tallies; with `check` every row is counted, and the tallies are compared with it."""
    return LedgerView.of(await (count_ledger if check else read_ledger)(gateway.desk))


@router.get("/ledger/days")
async def ledger_days(gateway: TheGateway, days: Annotated[int, Query(ge=1, le=366)] = 7) -> LedgerDayList:
    """Count both identities by day and binding, today and the days before it."""
    found = await read_days(gateway.desk, days)
    return LedgerDayList(days=[LedgerDayView.of(day) for day in found])


@router.get("/ledger/export", response_class=StreamingResponse)
async def export(gateway: TheGateway, form: Annotated[BookForm, Query(alias="format")] = BookForm.JSONL) -> Response:
    """Give every line of the books, without any words, as JSON Lines or CSV."""
    written = write_books(book_lines(gateway.desk), form)
    return StreamingResponse(written, media_type=MEDIA_TYPES[form], headers={"cache-control": "no-store"})


@metrics.get("/metrics", response_class=PlainTextResponse)
async def show_metrics(gateway: TheGateway, house: TheHouse) -> Response:
    """Give what is counted, as a Prometheus server reads it."""
    ledger, listeners = await read_ledger(gateway.desk), gateway.listeners()
    return Response(write_metrics(house.version, ledger, listeners), media_type=METRICS_TYPE)
