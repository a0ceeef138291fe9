"""The control API's routes and the page, behind their guard."""

from typing import Final

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from feishu_simulator.control import acts, machinery, residents, timeline
from feishu_simulator.control.act import Act, route
from feishu_simulator.control.clicks import ClickDesk, card, clicks
from feishu_simulator.control.guard import Door, Guard
from feishu_simulator.control.page import page_routes
from feishu_simulator.control.stream import Streams
from feishu_simulator.platform import Platform

ACTS: Final[tuple[tuple[str, str, Act], ...]] = (
    ("POST", "/_sim/apps", residents.add_app),
    ("PATCH", "/_sim/apps/{app_id}", residents.change_app),
    ("POST", "/_sim/users", residents.add_user),
    ("PATCH", "/_sim/users/{user_id}", residents.change_user),
    ("POST", "/_sim/chats", residents.add_chat),
    ("PATCH", "/_sim/chats/{chat_id}", residents.change_chat),
    ("POST", "/_sim/chats/{chat_id}/enter", residents.enter_chat),
    ("POST", "/_sim/chats/{chat_id}/read", residents.read_chat),
    ("POST", "/_sim/messages", acts.act),
    ("GET", "/_sim/messages", acts.messages),
    ("POST", "/_sim/reactions", acts.react),
    ("GET", "/_sim/clicks", clicks),
    ("GET", "/_sim/cards/{message_id}", card),
    ("GET", "/_sim/requests", machinery.requests),
    ("GET", "/_sim/connections", machinery.connections),
    ("POST", "/_sim/connections/{connection_id}", machinery.cut_connection),
    ("GET", "/_sim/events", machinery.events),
    ("GET", "/_sim/events/{event_id}", timeline.event),
    ("POST", "/_sim/events/{event_id}/repeat", machinery.repeat_event),
    ("POST", "/_sim/faults", machinery.add_fault),
    ("GET", "/_sim/faults", machinery.faults),
    ("DELETE", "/_sim/faults/{fault_id}", machinery.remove_fault),
    ("GET", "/_sim/clock", machinery.clock),
    ("POST", "/_sim/clock", machinery.move_clock),
    ("POST", "/_sim/reset", machinery.reset),
    ("GET", "/_sim/state", machinery.state),
    ("GET", "/_sim/timeline", timeline.timeline),
    ("GET", "/_sim/resources/{key}", timeline.resource),
)


def control_app(platform: Platform, door: Door, streams: Streams) -> ASGIApp:
    """Return the application for everything that is not the platform's own surface."""
    routes = [
        *(route(platform, method, path, act) for method, path, act in ACTS),
        Route("/_sim/stream", streams.endpoint),
        Route("/_sim/clicks", ClickDesk(platform).endpoint, methods=["POST"]),
        *page_routes(door),
    ]
    return Guard(Starlette(routes=routes), door)
