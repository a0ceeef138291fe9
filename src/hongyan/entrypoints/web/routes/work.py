"""Sessions and Turns: open, look, send, follow, stop."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import StreamingResponse

from hongyan.application.browse import events_after, list_sessions, turn_has_ended
from hongyan.application.desk import Desk
from hongyan.application.send_text import send_text
from hongyan.application.sessions import close_local_session, open_local_session, view_session, view_turn
from hongyan.application.steer_turn import steer_turn
from hongyan.application.stop_turn import stop_turn
from hongyan.domain.identity import TurnId
from hongyan.entrypoints.web.forms import MOST_NUMBER, SessionForm, TextForm
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheGateway
from hongyan.entrypoints.web.work_views import (
    AcceptedTurnView,
    EventList,
    EventView,
    SessionDetail,
    SessionList,
    SessionView,
    SteeredView,
    TurnStateView,
    TurnView,
)

__all__ = ["router"]

STREAM: Final = "text/event-stream"
LOOK_SECONDS: Final = 0.25  # how often a stream asks the store, as often as events are kept
HEARTBEAT_LOOKS: Final = 60  # 15 s at that rate

router = APIRouter(tags=["work"], responses=PROBLEMS)

MessageLimit = Annotated[int, Query(ge=1, le=200)]


@router.get("/sessions")
async def sessions(gateway: TheGateway, binding_id: str | None = None) -> SessionList:
    """List Sessions, newest first; with `binding_id` those of that binding and no others."""
    found = await list_sessions(gateway.desk, binding_id)
    return SessionList(binding_id=binding_id, sessions=[SessionView.of(session) for session in found])


@router.post("/sessions", status_code=201)
async def open_session(form: SessionForm, gateway: TheGateway) -> SessionView:
    """Open a Session that is written to from this machine only."""
    return SessionView.of(await open_local_session(gateway.desk, form.workspace, form.executor))


@router.get("/sessions/{session_id}")
async def session(
    session_id: str, gateway: TheGateway, message_limit: MessageLimit = 50, cursor: str | None = None
) -> SessionDetail:
    """Show a Session with a page of its entries and its Turns that have not ended; `cursor` leads to earlier pages."""
    return SessionDetail.seen(await view_session(gateway.desk, session_id, message_limit, cursor))


@router.delete("/sessions/{session_id}")
async def close(session_id: str, gateway: TheGateway) -> SessionView:
    """Close a Session for new input; what it accepted still finishes."""
    await close_local_session(gateway.desk, session_id)
    return SessionView.of((await view_session(gateway.desk, session_id, 1)).session)


@router.post("/sessions/{session_id}/turns", status_code=202)
async def send(session_id: str, form: TextForm, gateway: TheGateway) -> AcceptedTurnView:
    """Queue a text. Safe to repeat with the same `client_turn_id`."""
    sent = await send_text(gateway.desk, session_id, form.message, form.client_turn_id)
    return AcceptedTurnView(
        session_id=sent.turn.session_id,
        turn_id=sent.turn.id,
        created=sent.created,
        state=sent.turn.state,
        events_url=f"/api/v1/turns/{sent.turn.id}/events",
    )


@router.get("/turns/{turn_id}")
async def turn(turn_id: str, gateway: TheGateway) -> TurnView:
    """Show a Turn and what it waits for."""
    return TurnView.of(await view_turn(gateway.desk, turn_id))


@router.post("/turns/{turn_id}/stop")
async def stop(turn_id: str, gateway: TheGateway) -> TurnStateView:
    """Stop exactly this Turn; `interrupting` means that its agent has not confirmed yet."""
    state = await stop_turn(gateway.desk, TurnId(turn_id), "owner")
    return TurnStateView(turn_id=turn_id, state=state)


@router.post("/turns/{turn_id}/steer", status_code=202)
async def steer(turn_id: str, form: TextForm, gateway: TheGateway) -> SteeredView:
    """Say something to exactly this Turn while it runs; words that it cannot take are queued, and why is told."""
    said = await steer_turn(gateway.desk, turn_id, form.message, form.client_turn_id)
    return SteeredView(
        outcome="queued" if said.why else "steered",
        reason=said.why,
        session_id=said.turn.session_id,
        turn_id=said.turn.id,
        created=said.created,
        state=said.turn.state,
        events_url=f"/api/v1/turns/{said.turn.id}/events",
    )


@router.get("/turns/{turn_id}/events", response_model=EventList)
async def events(
    turn_id: str,
    request: Request,
    gateway: TheGateway,
    after: Annotated[int, Query(ge=0, le=MOST_NUMBER)] = 0,
    last_event_id: Annotated[str | None, Header(max_length=100)] = None,
) -> EventList | StreamingResponse:
    """Give what a Turn showed after a cursor: at once, or as a stream for `Accept: text/event-stream`."""
    ended = await turn_has_ended(gateway.desk, turn_id)
    if STREAM in request.headers.get("accept", ""):
        start = min(int(last_event_id), MOST_NUMBER) if last_event_id and last_event_id.isdecimal() else after
        told = _stream(gateway.desk, turn_id, start)
        return StreamingResponse(told, headers={"cache-control": "no-store"}, media_type=STREAM)
    found = [EventView.of(row) for row in await events_after(gateway.desk, turn_id, after)]
    cursor = found[-1].cursor if found else after
    return EventList(turn_id=turn_id, events=found, cursor=cursor, ended=ended)


async def _stream(desk: Desk, turn_id: str, cursor: int) -> AsyncIterator[str]:
    """Tell events until the Turn has ended and its last one was told."""
    quiet = 0
    while True:
        ended = await turn_has_ended(desk, turn_id)  # asked first: what was kept before the end is read after it
        rows = await events_after(desk, turn_id, cursor)
        for row in rows:
            cursor, quiet = row.cursor, 0
            yield f"id: {row.cursor}\nevent: {row.kind}\ndata: {row.body}\n\n"
        if ended:
            yield f"event: end\ndata: {json.dumps({'turn_id': turn_id})}\n\n"
            return
        quiet += 1
        if quiet % HEARTBEAT_LOOKS == 0:
            yield ": still here\n\n"
        await asyncio.sleep(LOOK_SECONDS)
