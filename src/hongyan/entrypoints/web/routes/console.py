"""What the console's page reads for each of its places. Other callers use the interface under `/api/v1`."""

from typing import Annotated

from fastapi import APIRouter, Query

from hongyan.entrypoints.web.console import (
    ConversationShown,
    LedgerShown,
    NeedsShown,
    Overview,
    show_conversation,
    show_ledger,
    show_needs,
    show_overview,
)
from hongyan.entrypoints.web.routes.given import TheGateway

__all__ = ["router"]

router = APIRouter(prefix="/console", include_in_schema=False)

Kind = Annotated[str, Query(max_length=40)]


@router.get("/overview")
async def overview(gateway: TheGateway) -> Overview:
    """Read the list of conversations and what every place shows."""
    return await show_overview(gateway)


@router.get("/sessions/{session_id}")
async def conversation(session_id: str, gateway: TheGateway, cursor: str | None = None) -> ConversationShown:
    """Read a page of one conversation."""
    return await show_conversation(gateway, session_id, cursor)


@router.get("/needs")
async def needs(gateway: TheGateway) -> NeedsShown:
    """Read what needs somebody."""
    return await show_needs(gateway)


@router.get("/ledger")
async def ledger(gateway: TheGateway, kind: Kind = "") -> LedgerShown:
    """Read both identities and the lines of one class."""
    return await show_ledger(gateway, kind)
