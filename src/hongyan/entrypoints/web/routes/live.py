"""The one stream of a tab: everything that changes, as it changes."""

from typing import Annotated, Final

from fastapi import APIRouter, Header, Request
from starlette.responses import StreamingResponse

from hongyan.entrypoints.web.access import Access
from hongyan.entrypoints.web.guard import Caller
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheAccess, TheCaller, TheFeed

__all__ = ["router"]

STREAM: Final = "text/event-stream"

router = APIRouter(tags=["live"], responses=PROBLEMS)


@router.get("/events", response_class=StreamingResponse)
async def events(
    request: Request,
    feed: TheFeed,
    access: TheAccess,
    caller: TheCaller,
    last_event_id: Annotated[str | None, Header(max_length=100)] = None,
) -> StreamingResponse:
    """Tell what changes from now on, or from `Last-Event-ID`; ends when the caller may not listen any more."""
    told = feed.follow(last_event_id, lambda: _is_admitted(request, access, caller))
    return StreamingResponse(told, headers={"cache-control": "no-store"}, media_type=STREAM)


def _is_admitted(request: Request, access: Access, caller: Caller) -> bool:
    if caller is Caller.SOCKET:
        return True
    if caller is Caller.PROGRAM:
        return access.knows_bearer(request.headers.get("authorization", ""))
    return access.knows_browser(request.headers.get("cookie", ""))
