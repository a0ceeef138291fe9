"""What a browser opens: the status page, the one-time link, and the page's files."""

from typing import Annotated, Final

from fastapi import APIRouter, FastAPI, Header, Query
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from hongyan.entrypoints.web.access import COOKIE_SECONDS
from hongyan.entrypoints.web.guard import Caller
from hongyan.entrypoints.web.page import FOLDER, Pages, look
from hongyan.entrypoints.web.routes.given import TheAccess, TheCaller, TheGateway, TheHouse
from hongyan.entrypoints.web.words import Tongue, choose

__all__ = ["mount"]

NO_STORE: Final = {"cache-control": "no-store"}

router = APIRouter(include_in_schema=False)
pages: Final = Pages()

Lang = Annotated[str | None, Query()]
AcceptLanguage = Annotated[str, Header()]


def mount(app: FastAPI) -> None:
    """Mount the page, its link and its files."""
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"))


@router.get("/")
async def front(
    gateway: TheGateway, house: TheHouse, caller: TheCaller, lang: Lang = None, accept_language: AcceptLanguage = ""
) -> Response:
    """Show what runs; to a browser without a session, how to get one."""
    tongue = choose(lang, accept_language)
    if caller is Caller.NOBODY:
        return _entrance(tongue, 401)
    overview = await look(gateway, tongue)
    text = pages.render("status.html", tongue, seen=overview, version=house.version, home=str(house.home))
    return HTMLResponse(text, headers=NO_STORE)


@router.get("/overview")
async def overview(gateway: TheGateway, lang: Lang = None, accept_language: AcceptLanguage = "") -> Response:
    """Give the page's sections anew; the page asks for them every two seconds."""
    tongue = choose(lang, accept_language)
    text = pages.render("overview.html", tongue, seen=await look(gateway, tongue))
    return JSONResponse({"html": text}, headers=NO_STORE)


@router.get("/login")
async def enter(access: TheAccess, t: str = "", lang: Lang = None, accept_language: AcceptLanguage = "") -> Response:
    """Let a browser in, once a link."""
    cookie = access.redeem(t)
    if cookie is None:
        return _entrance(choose(lang, accept_language), 410)
    answer = RedirectResponse("/", 303, NO_STORE)
    answer.set_cookie(access.cookie_name, cookie, COOKIE_SECONDS, path="/", httponly=True, samesite="strict")
    return answer


def _entrance(tongue: Tongue, status: int) -> Response:
    return HTMLResponse(pages.render("entrance.html", tongue, over=status == 410), status, NO_STORE)
