"""An error becomes an answer: RFC 9457 problem JSON with our stable code. One table says which class has which status.

`problem` is also what the guard answers with, so that every refusal looks alike.
"""

from collections.abc import Mapping
from typing import Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from hongyan.domain import errors

__all__ = ["STATUS", "Problem", "install", "problem"]

log = structlog.get_logger("hongyan.web")

STATUS: Final[Mapping[type[errors.HongyanError], int]] = {
    errors.HongyanError: 500,
    errors.IllegalMoveError: 409,
    errors.ConflictError: 409,
    errors.StoreError: 500,
    errors.StoreFullError: 507,
    errors.StoreBusyError: 503,
    errors.RefusedError: 409,
    errors.NotFoundError: 404,
    errors.ConfigurationError: 422,
    errors.BlockedError: 424,
    errors.BusyError: 423,
    errors.ChatError: 502,
    errors.ChatRejectedError: 422,
    errors.ChatNotFoundError: 404,
    errors.ChatBlockedError: 424,
    errors.ChatThrottledError: 503,
    errors.ChatUnreachableError: 502,
    errors.ChatUnknownOutcomeError: 504,
    errors.AgentError: 502,
    errors.AgentBusyError: 423,
    errors.AgentStartError: 424,
}

_CODES: Final = {404: "route.not_found", 405: "route.method_not_allowed", 413: "request.too_large"}


class Problem(JSONResponse):
    """A problem document."""

    media_type = "application/problem+json"


def problem(status: int, code: str, detail: str, *, hint: str = "", retryable: bool = False) -> Problem:
    """Make the answer to a request that was not carried out."""
    return _document(status, {"code": code, "detail": detail, "hint": hint, "retryable": retryable})


def _document(status: int, facts: Mapping[str, object]) -> Problem:
    title = str(facts["code"])
    body = {"type": f"urn:hongyan:{title}", "title": title, "status": status, **facts}
    return Problem(body, status, {"cache-control": "no-store"})


def status_of(error: errors.HongyanError) -> int:
    """Give the status of the nearest class in the table."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def install(app: FastAPI) -> None:
    """Let the application answer every error with a problem."""
    app.add_exception_handler(errors.HongyanError, _known)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _unknown)


async def _known(request: Request, error: Exception) -> Problem:
    if not isinstance(error, errors.HongyanError):
        return await _unknown(request, error)
    answer = problem(status_of(error), error.code, error.message, hint=error.hint, retryable=error.retryable)
    if isinstance(error, errors.ChatThrottledError):
        answer.headers["retry-after"] = str(max(1, round(error.retry_after.total_seconds())))
    return answer


async def _unreadable(_: Request, error: Exception) -> Problem:
    """Name the fields, never what stood in them."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    fields = [{"field": ".".join(map(str, one["loc"])), "message": one["msg"]} for one in found]
    named = ", ".join(field["field"] for field in fields)
    facts = {"code": "request.invalid", "detail": f"not as it should be: {named}", "hint": "See /api/openapi.json."}
    return _document(422, {**facts, "retryable": False, "fields": fields})


async def _refused(_: Request, error: Exception) -> Problem:
    status = error.status_code if isinstance(error, HTTPException) else 500
    detail = str(error.detail) if isinstance(error, HTTPException) else ""
    return problem(status, _CODES.get(status, "request.refused"), detail)


async def _unknown(request: Request, error: Exception) -> Problem:
    log.error("request.failed", path=request.url.path, error=type(error).__name__, exc_info=error)
    return problem(500, "internal.error", "this is a fault of the gateway", hint="The log file has more.")
