"""The application: what is mounted where, behind one guard."""

from typing import Any, Final

from fastapi import APIRouter, FastAPI
from pydantic.json_schema import models_json_schema

from hongyan.entrypoints.web.access import Access
from hongyan.entrypoints.web.feed import Feed
from hongyan.entrypoints.web.gateway import Gateway, House
from hongyan.entrypoints.web.guard import Guard
from hongyan.entrypoints.web.problems import install
from hongyan.entrypoints.web.routes import approvals, books, console, house, live, pages, setup, work
from hongyan.entrypoints.web.routes.given import Given, give
from hongyan.entrypoints.web.views import ProblemView

__all__ = ["create_app"]

API: Final = "/api/v1"


class Interface(FastAPI):
    """FastAPI, whose document also describes the problems: they have a media type of their own."""

    def openapi(self) -> dict[str, Any]:
        """Describe every call."""
        document = super().openapi()
        _, models = models_json_schema([(ProblemView, "serialization")], ref_template="#/components/schemas/{model}")
        document["components"]["schemas"].update(models["$defs"])
        return document


def create_app(gateway: Gateway, around: House, access: Access) -> FastAPI:
    """Make the application of a running gateway; `guard.over_socket` wraps it for the Unix socket."""
    app = Interface(
        title="Hongyan",
        version=around.version,
        openapi_url="/api/openapi.json",
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
    )
    feed = Feed(gateway)
    around.at_leave(feed.close)
    give(app, Given(gateway, around, access, feed))
    app.add_middleware(Guard, access=access)
    install(app)
    api = APIRouter(prefix=API)
    for part in (house.router, setup.router, work.router, approvals.router, books.router, live.router):
        api.include_router(part)
    app.include_router(house.health)
    app.include_router(books.metrics)
    app.include_router(api)
    app.include_router(console.router)
    pages.mount(app)
    return app
