"""Who may use the control API and the page: this machine, with the token or the cookie that came of it."""

import hmac
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feishu_simulator.control.act import refusal

SAFE_METHODS = frozenset({"GET", "HEAD"})
OPEN_PATHS = frozenset({"/"})  # its own code says what a visitor without a session sees
OWN_PAGES = frozenset({"same-origin", "none"})  # what a browser says of a call by our page, or by a person
HEADERS = {"x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin"}


@dataclass(frozen=True, slots=True)
class Door:
    """The simulator's address and token."""

    host: str
    port: int
    token: str

    @property
    def origin(self) -> str:
        """Return the one origin that may call."""
        return f"http://{self.host}:{self.port}"

    @property
    def cookie(self) -> str:
        """Return the cookie's name; cookies ignore ports, so the name holds ours."""
        return f"feishu_simulator_{self.port}"

    def admits_host(self, host: str) -> bool:
        """Say whether the Host header names this machine and our port."""
        return host in {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}

    def knows(self, token: str) -> bool:
        """Compare a token in constant time."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def has_token(self, headers: Headers) -> bool:
        """Say whether the call carries our bearer token."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.knows(token.strip())

    def has_session(self, headers: Headers) -> bool:
        """Say whether the browser carries our cookie."""
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return morsel is not None and self.knows(morsel.value)


class Guard:
    """Refuses what comes from elsewhere, before any route sees it."""

    def __init__(self, inside: ASGIApp, door: Door) -> None:
        self._inside = inside
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a call through or answer why not."""
        objection = self._objection(scope)
        if objection is None:
            await self._inside(scope, receive, _with_headers(send))
        else:
            status, message = objection
            answer = refusal(status, "forbidden" if status == 403 else "unauthorized", message)
            await answer(scope, receive, _with_headers(send))

    def _objection(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if not self._door.admits_host(headers.get("host", "")):
            return 403, "the Host header names another machine"
        origin = headers.get("origin")
        if origin is not None and origin != self._door.origin:
            return 403, "the Origin header names another site"
        return None if scope["path"] in OPEN_PATHS else self._missing_proof(scope, headers)

    def _missing_proof(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if self._door.has_token(headers):
            return None
        if not self._door.has_session(headers):
            return 401, "the control API needs its token"
        if headers.get("sec-fetch-site", "none") not in OWN_PAGES:  # a cookie also goes to other ports
            return 403, "the call comes from another page"
        if scope["method"] not in SAFE_METHODS and "origin" not in headers:
            return 403, "a browser's call needs its Origin"
        return None


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
