"""What a browser opens: the console, the one-time link, and the page's files."""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Cookie, Depends, FastAPI, Header, Query
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from hongyan.entrypoints.web.access import COOKIE_SECONDS
from hongyan.entrypoints.web.guard import Caller
from hongyan.entrypoints.web.page import FOLDER, Pages
from hongyan.entrypoints.web.routes.given import TheAccess, TheCaller
from hongyan.entrypoints.web.words import Tongue, choose

__all__ = ["mount"]

NO_STORE: Final = {"cache-control": "no-store"}
THEMES: Final = frozenset({"light", "dark"})

router = APIRouter(include_in_schema=False)
pages: Final = Pages()

Lang = Annotated[str | None, Query()]
AcceptLanguage = Annotated[str, Header()]
ChosenTongue = Annotated[str | None, Cookie(alias="hongyan_tongue")]
ChosenTheme = Annotated[str, Cookie(alias="hongyan_theme")]


@dataclass(frozen=True, slots=True)
class Look:
    """How a browser wants to be spoken to; an empty theme is the system's."""

    tongue: Tongue
    theme: str


async def _look(
    lang: Lang = None, accept_language: AcceptLanguage = "", tongue: ChosenTongue = None, theme: ChosenTheme = ""
) -> Look:
    """An address that names a language wins over the choice that was kept, and that over the browser's own."""
    return Look(choose(lang or tongue, accept_language), theme if theme in THEMES else "")


TheLook = Annotated[Look, Depends(_look)]


def mount(app: FastAPI) -> None:
    """Mount the page, its link and its files."""
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"))


@router.get("/")
async def front(caller: TheCaller, look: TheLook) -> Response:
    """Give the console; to a browser without a session, how to get one."""
    if caller is Caller.NOBODY:
        return _entrance(look, 401)
    return HTMLResponse(pages.shell(look.tongue, look.theme), headers=NO_STORE)


@router.get("/login")
async def enter(access: TheAccess, look: TheLook, t: str = "") -> Response:
    """Let a browser in, once a link."""
    cookie = access.redeem(t)
    if cookie is None:
        return _entrance(look, 410)
    answer = RedirectResponse("/", 303, NO_STORE)
    answer.set_cookie(access.cookie_name, cookie, COOKIE_SECONDS, path="/", httponly=True, samesite="strict")
    return answer


def _entrance(look: Look, status: int) -> Response:
    return HTMLResponse(pages.entrance(look.tongue, look.theme, over=status == 410), status, NO_STORE)
