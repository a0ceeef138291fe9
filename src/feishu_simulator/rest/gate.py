"""The way into the REST surface: log, faults, token and scopes, envelope."""

import asyncio
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Final
from urllib.parse import quote

from starlette.types import Message, Receive, Scope, Send

from feishu_simulator.errors import PlatformError, invalid_field, missing_scope
from feishu_simulator.faults import Strike
from feishu_simulator.model import App
from feishu_simulator.platform import Platform
from feishu_simulator.request_log import SHOWN_BODY, Request
from feishu_simulator.rest.call import Answer, Binary, Call, Json, Whole
from feishu_simulator.rest.routes import Route, find_route

RATE_LIMITED: Final = 99991400
JSON_TYPE: Final = "application/json; charset=utf-8"
_SECRET = re.compile(r'("app_?secret"\s*:\s*)"[^"]*"', re.IGNORECASE)


@dataclass(slots=True)
class Response:
    """What goes over the wire."""

    status: int
    content: bytes
    media_type: str = JSON_TYPE
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wire:
    """One HTTP exchange: who asks, what was asked, and the way to cut the line."""

    scope: Scope
    body: bytes
    send: Send

    def header(self, name: bytes) -> str:
        """Return a request header; empty when absent."""
        return next((value.decode("latin-1") for key, value in self.scope["headers"] if key == name), "")


class Gate:
    """An ASGI application for everything under /open-apis and /callback."""

    def __init__(self, platform: Platform, ws_url: str, cut: Callable[[Scope], None]) -> None:
        self._platform = platform
        self._ws_url = ws_url
        self._cut = cut

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one call and log it."""
        wire = Wire(scope, await _read(receive), send)
        started_ns = time.perf_counter_ns()
        query = scope["query_string"].decode("latin-1")
        request = self._platform.request_log.begin(self._platform.clock.now_ms(), scope["method"], scope["path"], query)
        request.body = _SECRET.sub(r'\1"***"', wire.body[: SHOWN_BODY * 4].decode(errors="replace"))[:SHOWN_BODY]
        response = await self._answer(wire, request)
        request.status = response.status if response else None
        request.duration_us = (time.perf_counter_ns() - started_ns) // 1000
        self._platform.request_log.finish(request)
        if response is None:
            self._cut(scope)
            await asyncio.sleep(0)  # the server learns of the cut before it misses an answer
        else:
            await self._send(wire, response)

    async def _answer(self, wire: Wire, request: Request) -> Response | None:
        """Return the response; None when a fault cuts the line."""
        try:
            route, path = find_route(request.method, request.path)
        except PlatformError as refusal:
            return self._refusal(refusal, request)
        request.template = route.template
        request.app_id = _stated_app(wire.body) if route.open else self._platform.tokens.holder(_bearer(wire))
        strike = self._platform.faults.consult(request.endpoint, request.app_id)
        request.fault = strike.label
        if strike.effect.delay_ms:
            await asyncio.sleep(strike.effect.delay_ms / 1000)
        if strike.effect.refuse_connection:
            return None
        try:
            response = self._before(strike, request, wire) or self._handled(route, path, wire, request, strike)
        except PlatformError as refusal:
            response = self._refusal(refusal, request)
        if strike.effect.hollow_response and response.status == 200:
            return Response(200, _dumped({"code": 0, "msg": "success", "data": {}}))
        return None if strike.effect.lost_response else response

    def _before(self, strike: Strike, request: Request, wire: Wire) -> Response | None:
        """Return what a fault answers in the handler's place."""
        effect = strike.effect
        if effect.stale_token:
            self._platform.tokens.revoke(_bearer(wire))
            raise PlatformError(99991663)
        code = effect.error_code
        if code is None and strike.retry_after_seconds is not None:
            code = RATE_LIMITED
        if code is not None:
            refusal = PlatformError(code, effect.error_message or "")
            refusal.http_status = effect.http_status or refusal.http_status
            if strike.retry_after_seconds is not None:
                refusal.headers["x-ogw-ratelimit-reset"] = str(strike.retry_after_seconds)
                refusal.headers["x-ogw-ratelimit-limit"] = str(effect.rate_limit.limit if effect.rate_limit else 0)
            return self._refusal(refusal, request)
        if effect.swallow:
            return self._wrapped({}, request)
        if effect.http_status is not None:
            return Response(effect.http_status, b"", "text/plain")
        return None

    def _handled(self, route: Route, path: dict[str, str], wire: Wire, request: Request, strike: Strike) -> Response:
        app = None if route.open else self._caller(wire)
        if app is not None and not app.may(*route.scopes):
            raise missing_scope(app.app_id, route.scopes)
        call = Call(self._platform, request, path, _json(wire.body), app, self._ws_url, strike.effect.unlisted_ms)
        return self._wrapped(route.handler(call), request)

    def _caller(self, wire: Wire) -> App:
        token = _bearer(wire)
        if not token:
            raise PlatformError(99991661)
        if not token.startswith(("t-", "u-")):
            raise PlatformError(99991671)
        app = self._platform.directory.apps[self._platform.tokens.owner(token)]
        if not app.enabled:
            raise PlatformError(99991662)
        return app

    def _wrapped(self, answer: Answer, request: Request) -> Response:
        if isinstance(answer, Binary):
            disposition = f"attachment; filename*=UTF-8''{quote(answer.name)}"
            return Response(200, answer.content, answer.media_type, {"content-disposition": disposition})
        envelope: Json = answer.envelope if isinstance(answer, Whole) else {"code": 0, "msg": "success", "data": answer}
        request.code = envelope["code"]
        return Response(200, _dumped(envelope))

    def _refusal(self, refusal: PlatformError, request: Request) -> Response:
        request.code = refusal.code
        log_id = self._platform.ids.log_id(self._platform.clock.now_ms())
        error = {"log_id": log_id, "troubleshooter": "", **refusal.extra}
        envelope = {"code": refusal.code, "msg": refusal.sentence, "error": error}
        return Response(refusal.http_status, _dumped(envelope), headers={"x-tt-logid": log_id, **refusal.headers})

    async def _send(self, wire: Wire, response: Response) -> None:
        now_ms = self._platform.clock.now_ms()
        headers = {
            "date": formatdate(now_ms / 1000, usegmt=True),
            "content-type": response.media_type,
            "content-length": str(len(response.content)),
            **response.headers,
        }
        if "x-tt-logid" not in headers:
            headers["x-tt-logid"] = self._platform.ids.log_id(now_ms)
        start: Message = {
            "type": "http.response.start",
            "status": response.status,
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        }
        await wire.send(start)
        await wire.send({"type": "http.response.body", "body": response.content})


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    more = True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _bearer(wire: Wire) -> str:
    scheme, _, token = wire.header(b"authorization").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _stated_app(body: bytes) -> str | None:
    """Return the App an open call names in its body, so that faults can match it."""
    try:
        stated = json.loads(body)
    except ValueError:
        return None
    found = stated.get("AppID") or stated.get("app_id") if isinstance(stated, dict) else None
    return found if isinstance(found, str) else None


def _json(body: bytes) -> Json:
    if not body:
        return {}
    try:
        parsed = json.loads(body)
    except ValueError:
        raise invalid_field("body", "", "the body is not JSON") from None
    if not isinstance(parsed, dict):
        raise invalid_field("body", "", "the body is not a JSON object")
    return parsed


def _dumped(envelope: Json) -> bytes:
    return json.dumps(envelope, ensure_ascii=False).encode()
