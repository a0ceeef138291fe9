"""The web page's mount: the printed link becomes a cookie, then the page and its files are served."""

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from feishu_simulator.control.guard import Door

PAGE_FOLDER: Final = Path(__file__).parent.parent / "page"
SESSION_SECONDS: Final = 30 * 24 * 3600
HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
}
PLACEHOLDER: Final = "<!doctype html><title>Feishu simulator</title><p>The simulator runs. Its page is not built.</p>"
NO_SESSION: Final = (
    "<!doctype html><title>Feishu simulator</title>"
    "<p>Open the link that the simulator printed. 请打开模拟器打印出来的链接。</p>"
)


def page_routes(door: Door) -> list[BaseRoute]:
    """Return the routes of the page and its files."""

    async def front(request: Request) -> Response:
        token = request.query_params.get("token")
        if token is not None and door.knows(token):
            entered = RedirectResponse("/", 303, HEADERS)
            entered.set_cookie(door.cookie, token, SESSION_SECONDS, httponly=True, samesite="strict")
            return entered
        if not door.has_session(request.headers):
            return HTMLResponse(NO_SESSION, 401, HEADERS)
        index = PAGE_FOLDER / "index.html"
        return FileResponse(index, headers=HEADERS) if index.is_file() else HTMLResponse(PLACEHOLDER, 200, HEADERS)

    static = StaticFiles(directory=PAGE_FOLDER / "static", check_dir=False)
    return [Route("/", front), Mount("/static", static)]
