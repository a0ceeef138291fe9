"""The control API's routes and the page, behind their guard."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from feishu_simulator.control import acts, clicks, forms, machinery, residents, timeline
from feishu_simulator.control.act import refusal, route
from feishu_simulator.control.clicks import ClickDesk
from feishu_simulator.control.description import Call, description
from feishu_simulator.control.guard import Door, Guard
from feishu_simulator.control.page import page_routes
from feishu_simulator.control.stream import Streams
from feishu_simulator.platform import Platform

CALLS: Final[tuple[Call, ...]] = (
    Call("POST", "/_sim/apps", residents.add_app, forms.NewAppForm),
    Call("PATCH", "/_sim/apps/{app_id}", residents.change_app, forms.AppChanges),
    Call("POST", "/_sim/users", residents.add_user, forms.NewUserForm),
    Call("PATCH", "/_sim/users/{user_id}", residents.change_user, forms.UserChanges),
    Call("POST", "/_sim/chats", residents.add_chat, forms.NewChatForm),
    Call("PATCH", "/_sim/chats/{chat_id}", residents.change_chat, forms.ChatChanges),
    Call("POST", "/_sim/chats/{chat_id}/enter", residents.enter_chat, forms.VisitForm),
    Call("POST", "/_sim/chats/{chat_id}/read", residents.read_chat, forms.VisitForm),
    Call("POST", "/_sim/messages", acts.act, forms.MessageForm),
    Call("GET", "/_sim/messages", acts.messages, query=("chat_id", "visible")),
    Call("POST", "/_sim/reactions", acts.react, forms.ReactionForm),
    Call("GET", "/_sim/clicks", clicks.clicks, query=("message_id",)),
    Call("GET", "/_sim/cards/{message_id}", clicks.card),
    Call("GET", "/_sim/requests", machinery.requests, query=("endpoint",)),
    Call("GET", "/_sim/connections", machinery.connections),
    Call("POST", "/_sim/connections/{connection_id}", machinery.cut_connection, forms.CutForm),
    Call("GET", "/_sim/events", machinery.events, query=("event_type",)),
    Call("GET", "/_sim/events/{event_id}", timeline.event),
    Call("POST", "/_sim/events/{event_id}/repeat", machinery.repeat_event),
    Call("POST", "/_sim/faults", machinery.add_fault, forms.FaultForm),
    Call("GET", "/_sim/faults", machinery.faults),
    Call("DELETE", "/_sim/faults/{fault_id}", machinery.remove_fault),
    Call("GET", "/_sim/clock", machinery.clock),
    Call("POST", "/_sim/clock", machinery.move_clock, forms.ClockForm),
    Call("POST", "/_sim/reset", machinery.reset),
    Call("GET", "/_sim/state", machinery.state),
    Call("GET", "/_sim/timeline", timeline.timeline, query=("last",)),
    Call("GET", "/_sim/resources/{key}", timeline.resource),
)
CLICK: Final = Call("POST", "/_sim/clicks", clicks.press, forms.ClickForm)

Endpoint = Callable[[Request], Awaitable[Response]]


def control_app(platform: Platform, door: Door, streams: Streams) -> ASGIApp:
    """Return the application for everything that is not the platform's own surface."""
    routes = [
        *(route(platform, call.method, call.path, call.act) for call in CALLS),
        Route("/_sim/stream", streams.endpoint),
        Route(CLICK.path, ClickDesk(platform).endpoint, methods=[CLICK.method]),
        Route("/_sim/openapi.json", partial(_described, description((*CALLS, CLICK)))),
        *page_routes(door),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={HTTPException: _refused}), door)


async def _described(document: dict[str, object], _: Request) -> JSONResponse:
    return JSONResponse(document)


async def _refused(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    code = {404: "unknown", 405: "bad_method"}.get(status, "bad_request")
    answer = refusal(status, code, str(getattr(error, "detail", "")))
    answer.headers.update(getattr(error, "headers", None) or {})
    return answer
