"""What stands before every route: who is speaking, from where, and how much.

Three kinds of callers: the Unix socket (the kernel said which user it is, `over_socket`), a program with the bearer
token, and a browser with the cookie. A browser can be made to call us by a page of somebody else, so its unsafe calls
must name our own origin, port and all; and whoever comes over TCP must have asked for this machine by one of its own
names, or a rebound name would make us look like that page's own server.
"""

from enum import StrEnum
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hongyan.entrypoints.web.access import Access
from hongyan.entrypoints.web.problems import Problem, problem

__all__ = ["BODY_BYTES", "CALLER", "Caller", "Guard", "over_socket"]

BODY_BYTES: Final = 1024 * 1024
CALLER: Final = "hongyan.caller"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS: Final = frozenset({"/", "/health", "/login"})  # the page itself says how to come in
OPEN_PREFIX: Final = "/static/"
HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Caller(StrEnum):
    """Who is speaking."""

    SOCKET = "socket"
    PROGRAM = "program"
    BROWSER = "browser"
    NOBODY = "nobody"


def over_socket(app: ASGIApp) -> ASGIApp:
    """Wrap the application for the Unix socket, whose listener has checked the peer's user."""

    async def marked(scope: Scope, receive: Receive, send: Send) -> None:
        scope[CALLER] = Caller.SOCKET
        await app(scope, receive, send)

    return marked


class Guard:
    """Refuses what may not come in, limits what does, and adds the headers that every answer carries."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault(CALLER, self._caller(scope))
        objection = self._objection(scope)
        if objection is None and scope["method"] not in SAFE:
            objection, receive = await _limited(scope, receive)
        inside = self._app if objection is None else objection
        await inside(scope, receive, _with_headers(send))

    def _caller(self, scope: Scope) -> Caller:
        headers = Headers(scope=scope)
        if "authorization" in headers:  # a wrong token is not excused by a cookie
            return Caller.PROGRAM if self._access.knows_bearer(headers["authorization"]) else Caller.NOBODY
        return Caller.BROWSER if self._access.knows_browser(headers.get("cookie", "")) else Caller.NOBODY

    def _objection(self, scope: Scope) -> Problem | None:
        if scope[CALLER] is Caller.SOCKET:
            return None
        headers = Headers(scope=scope)
        return self._wrong_address(scope, headers) or self._missing_proof(scope, headers)

    def _wrong_address(self, scope: Scope, headers: Headers) -> Problem | None:
        if not self._access.admits_host(headers.get("host", "")):
            return problem(421, "access.host", "the Host header names another machine", hint="Use 127.0.0.1.")
        if scope["method"] not in SAFE and not self._same_origin(scope[CALLER], headers):
            return _other_page()
        return None

    def _missing_proof(self, scope: Scope, headers: Headers) -> Problem | None:
        path = str(scope["path"])
        if path in OPEN_PATHS or path.startswith(OPEN_PREFIX):
            return None
        if scope[CALLER] is Caller.NOBODY:
            hint = "Send the token of the ready file as bearer, or open a link of `hongyan status`."
            return problem(401, "access.required", "this call needs a token or an opened link", hint=hint)
        return None if headers.get("sec-fetch-site", "none") in {"same-origin", "none"} else _other_page()

    def _same_origin(self, caller: Caller, headers: Headers) -> bool:
        """Tell whether an unsafe call names our own page; only a program may name none."""
        origin = headers.get("origin")
        if origin is None:
            return caller is not Caller.BROWSER
        if origin != f"http://{headers.get('host', '')}":
            return False
        return caller is not Caller.BROWSER or headers.get("sec-fetch-site") == "same-origin"


def _other_page() -> Problem:
    return problem(403, "access.origin", "this call comes from another page", hint="Use the console itself.")


async def _limited(scope: Scope, receive: Receive) -> tuple[Problem | None, Receive]:
    """Read the body, at most so much of it, and give a `receive` that plays it again."""
    too_large = problem(413, "request.too_large", f"a request holds at most {BODY_BYTES} bytes")
    declared = Headers(scope=scope).get("content-length", "0")
    if not declared.isdecimal() or len(declared) > len(str(BODY_BYTES)) or int(declared) > BODY_BYTES:
        return too_large, receive
    heard: list[Message] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":  # half a request is no request; nobody hears this answer
            return problem(400, "request.cut_off", "the request ended before its body did"), receive
        heard.append(message)
        size += len(message.get("body", b""))
        if size > BODY_BYTES:
            return too_large, receive
        if not message.get("more_body", False):
            break

    async def again() -> Message:
        return heard.pop(0) if heard else await receive()

    return None, again


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
