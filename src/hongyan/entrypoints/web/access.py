"""Who may come in: the bearer token of programs, one-time links and the cookie that a browser gets for one.

Everything lives in memory and ends with the process. Only digests are kept, so that a look-up takes no longer for a
nearly right guess than for a wrong one.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Final

__all__ = ["COOKIE_SECONDS", "LINK_SECONDS", "Access"]

LINK_SECONDS: Final = 60
COOKIE_SECONDS: Final = 30 * 24 * 3_600
LINKS_KEPT: Final = 32  # a link nobody opens is worth nothing after a minute; more than this are a mistake
BROWSERS_KEPT: Final = 64
SECRET_BYTES: Final = 32


class Access:
    """The door's keys for the address `host:port`. `clock` gives seconds that never go back."""

    def __init__(self, port: int, *, api_token: str | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.port = port
        self.api_token = api_token or secrets.token_urlsafe(SECRET_BYTES)
        self._clock = clock
        self._links: dict[str, float] = {}
        self._browsers: dict[str, float] = {}

    @property
    def base_url(self) -> str:
        """Give the address that links begin with."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def cookie_name(self) -> str:
        """Name the cookie; cookies do not know ports, so the name holds ours."""
        return f"hongyan_{self.port}"

    def admits_host(self, host: str) -> bool:
        """Tell whether a Host header names this machine and our port; a name that was rebound to us does not."""
        return host in {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}

    def new_link(self) -> str:
        """Make a link that opens the console once, within a minute."""
        ticket = secrets.token_urlsafe(SECRET_BYTES)
        _keep(self._links, _digest(ticket), self._clock() + LINK_SECONDS, LINKS_KEPT)
        return f"{self.base_url}/login?t={ticket}"

    def redeem(self, ticket: str) -> str | None:
        """Take a link's ticket in and give the browser's cookie; None for one that was used, is too old or unknown."""
        until = self._links.pop(_digest(ticket), None)
        if until is None or until < self._clock():
            return None
        cookie = secrets.token_urlsafe(SECRET_BYTES)
        _keep(self._browsers, _digest(cookie), self._clock() + COOKIE_SECONDS, BROWSERS_KEPT)
        return cookie

    def knows_browser(self, cookie_header: str) -> bool:
        """Tell whether a Cookie header carries the cookie of an open browser session."""
        try:
            morsel = SimpleCookie(cookie_header).get(self.cookie_name)
        except CookieError:
            return False
        until = self._browsers.get(_digest(morsel.value)) if morsel else None
        return until is not None and until >= self._clock()

    def knows_bearer(self, authorization: str) -> bool:
        """Tell whether an Authorization header carries the token of programs."""
        scheme, _, token = authorization.partition(" ")
        same = hmac.compare_digest(token.strip().encode(), self.api_token.encode())
        return scheme.lower() == "bearer" and same


def _keep(shelf: dict[str, float], key: str, until: float, most: int) -> None:
    shelf[key] = until
    while len(shelf) > most:
        del shelf[next(iter(shelf))]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
