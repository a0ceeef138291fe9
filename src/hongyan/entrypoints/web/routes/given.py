"""What a route is handed: the gateway, its process, the door's keys, and who is speaking."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, Request

from hongyan.domain.errors import RefusedError
from hongyan.entrypoints.web.access import Access
from hongyan.entrypoints.web.feed import Feed
from hongyan.entrypoints.web.gateway import Gateway, House
from hongyan.entrypoints.web.guard import CALLER, Caller

__all__ = [
    "PROBLEMS",
    "Given",
    "TheAccess",
    "TheCaller",
    "TheFeed",
    "TheGateway",
    "TheHouse",
    "give",
    "refuse_programs",
    "surface_of",
]

_PROBLEM: Final = {
    "description": "Why it was not carried out (RFC 9457)",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemView"}}},
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {"default": _PROBLEM}


@dataclass(frozen=True, slots=True)
class Given:
    """Everything the routes of one application work on."""

    gateway: Gateway
    house: House
    access: Access
    feed: Feed


def give(app: FastAPI, given: Given) -> None:
    """Hand it to the routes of an application."""
    app.state.given = given


def _given(request: Request) -> Given:
    given: Given = request.app.state.given
    return given


# A plain function would be run in a thread for each request.
async def _gateway(request: Request) -> Gateway:
    return _given(request).gateway


async def _house(request: Request) -> House:
    return _given(request).house


async def _access(request: Request) -> Access:
    return _given(request).access


async def _feed(request: Request) -> Feed:
    return _given(request).feed


async def _caller(request: Request) -> Caller:
    return Caller(request.scope[CALLER])


def refuse_programs(caller: Caller) -> None:
    """Let people pass. Raise RefusedError `approval.program` for a program."""
    if caller is Caller.PROGRAM:
        hint = "Decide on the card, in the console, or in a terminal with `hongyan approval`."
        raise RefusedError("approval.program", "a program cannot say what agents may do", hint=hint)


def surface_of(caller: Caller) -> str:
    """Name the surface on which a caller acts, as the records keep it."""
    return {Caller.SOCKET: "cli", Caller.BROWSER: "console"}.get(caller, "api")


TheGateway = Annotated[Gateway, Depends(_gateway)]
TheHouse = Annotated[House, Depends(_house)]
TheAccess = Annotated[Access, Depends(_access)]
TheFeed = Annotated[Feed, Depends(_feed)]
TheCaller = Annotated[Caller, Depends(_caller)]
