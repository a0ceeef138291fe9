"""The web page's mount: the printed link becomes a cookie, then the page and its files are served."""

from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feishu_simulator.control.guard import Door

PAGE_FOLDER: Final = Path(__file__).parent.parent / "page"
SESSION_SECONDS: Final = 30 * 24 * 3600
CONTENT_POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)
HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
}
# A browser may keep a file but asks each time whether it is still the same: a newer simulator brings newer files.
FILE_HEADERS: Final = ((b"cache-control", b"no-cache"), (b"x-content-type-options", b"nosniff"))
NO_SESSION: Final = (
    '<!doctype html><html lang="en"><title>Simulated Feishu</title>'
    '<p>Open the link that the simulator printed. <span lang="zh-CN">请打开模拟器打印出来的链接。</span></p>'
)


def page_routes(door: Door) -> list[BaseRoute]:
    """Return the routes of the page and its files."""

    async def front(request: Request) -> Response:
        token = request.query_params.get("token")
        if token is not None and door.knows(token):
            return _entered(request, door, token)
        if not door.has_session(request.headers):
            return HTMLResponse(NO_SESSION, 401, HEADERS)
        return FileResponse(PAGE_FOLDER / "index.html", headers=HEADERS)

    files = StaticFiles(directory=PAGE_FOLDER / "static")
    return [Route("/", front), Mount("/static", _asked_each_time(files))]


def _entered(request: Request, door: Door, token: str) -> Response:
    """Put the token into a cookie and out of the address; what else the address asks for stays."""
    rest = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
    entered = RedirectResponse(f"/?{urlencode(rest)}" if rest else "/", 303, HEADERS)
    entered.set_cookie(door.cookie, token, SESSION_SECONDS, httponly=True, samesite="strict")
    return entered


def _asked_each_time(files: ASGIApp) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *FILE_HEADERS]
            await send(message)

        await files(scope, receive, with_headers)

    return serve
