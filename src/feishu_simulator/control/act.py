"""One control call: what an act gets, and how its outcome becomes an answer."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from feishu_simulator.control.forms import Form
from feishu_simulator.errors import PlatformError
from feishu_simulator.platform import Platform

Json = dict[str, Any]
Kind = TypeVar("Kind", bound=Form)


class UnknownError(Exception):
    """Nothing has that id; `name` is what was asked for."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one control call asks."""

    platform: Platform
    path: dict[str, str]
    query: dict[str, str]
    body: bytes

    def form(self, kind: type[Kind]) -> Kind:
        """Return the body as a form; ValidationError when it does not fit."""
        return kind.model_validate_json(self.body or b"{}")

    def person(self, reference: str) -> str:
        """Return the user_id of a person named by any id or name."""
        try:
            return self.platform.directory.person(reference).user_id
        except KeyError:
            raise UnknownError(reference) from None

    def app(self, app_id: str) -> str:
        """Return the app_id of an App that exists."""
        if app_id not in self.platform.directory.apps:
            raise UnknownError(app_id)
        return app_id


Act = Callable[[Asked], Json]


def route(platform: Platform, method: str, path: str, act: Act) -> Route:
    """Return the route that performs an act."""

    async def endpoint(request: Request) -> JSONResponse:
        query = dict(request.query_params)
        asked = Asked(platform, dict(request.path_params), query, await request.body())
        return answered(act, asked)

    return Route(path, endpoint, methods=[method])


def answered(act: Act, asked: Asked) -> JSONResponse:
    """Perform an act and return its outcome, or why it was not performed."""
    try:
        return JSONResponse(act(asked))
    except ValidationError as error:
        fields = json.loads(error.json(include_url=False, include_context=False, include_input=False))
        return refusal(400, "bad_request", "the body does not fit", fields=fields)
    except UnknownError as error:
        return refusal(404, "unknown", f"nothing has the id {error.name}")
    except PlatformError as error:
        return refusal(409, "refused", error.sentence, platform_code=error.code)
    except ValueError as error:
        return refusal(400, "bad_request", str(error))


def refusal(status: int, code: str, message: str, **facts: Any) -> JSONResponse:
    """Return an error answer."""
    return JSONResponse({"error": {"code": code, "message": message, **facts}}, status)
