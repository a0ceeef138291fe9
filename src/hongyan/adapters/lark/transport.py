"""One request to the platform and what came of it: not sent, sent without a usable answer, or an answer.

This distinction is the reason that the module exists: a write that never left may be repeated freely, one that may
have arrived only with the same key.
"""

import asyncio
import importlib.util
import json
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from hongyan.adapters.lark.settings import LarkSettings
from hongyan.domain.errors import ChatUnknownOutcomeError, ChatUnreachableError
from hongyan.ports.surroundings import Clock

__all__ = ["Answer", "Request", "Transport"]

CONNECT_SHARE: Final = 3  # connecting may take a third of the time-out, so that the rest is left for the answer
KEEP_ALIVE_SECONDS: Final = 30.0  # shorter than usual servers keep it: a connection closed under us costs certainty

# httpcore looks for sniffio several times a call. Where it is not installed, each look walks the whole import path: a
# third of the call's processor time. None in its place gives the same answer at once.
if importlib.util.find_spec("sniffio") is None:
    sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type] # the import system's own mark for "not there"

_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
_CLOSED_UNDER_US: Final = (httpx.ReadError, httpx.RemoteProtocolError, httpx.WriteError)


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `content` is encoded once, so that a second attempt carries the same bytes."""

    api: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None
    writes: bool

    def __repr__(self) -> str:
        return f"Request(api={self.api!r}, writes={self.writes})"  # headers hold a token, the content people's words


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the platform. `body` is empty and `code` None when it was not the platform's JSON."""

    status: int
    code: int | None
    body: Mapping[str, Any]
    reset: timedelta | None
    log_id: str

    def __repr__(self) -> str:
        return f"Answer(status={self.status}, code={self.code})"

    def scopes(self) -> list[str]:
        """Name the permissions that the platform says are missing."""
        error = self.body.get("error")
        named = error.get("permission_violations") if isinstance(error, dict) else None
        return [str(item.get("subject")) for item in named or [] if isinstance(item, dict)]


class Transport:
    """The connections of one App."""

    def __init__(self, settings: LarkSettings, clock: Clock, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._clock = clock
        self._base_url = settings.base_url
        self._timeout_seconds = settings.timeout_seconds
        self._offset: int | None = None
        self._http = httpx.AsyncClient(
            timeout=_time_outs(settings.timeout_seconds),
            limits=httpx.Limits(
                max_connections=settings.max_connections,
                max_keepalive_connections=settings.max_connections,
                keepalive_expiry=KEEP_ALIVE_SECONDS,
            ),
            trust_env=not settings.on_loopback,  # a proxy of the environment cannot reach this machine's loopback
            verify=_trust(settings),
            transport=transport,
            headers={"User-Agent": "hongyan"},
        )

    async def exchange(self, request: Request) -> Answer:
        """Send and wait for the answer.

        Raise ChatUnreachableError when the request did not leave, ChatUnknownOutcomeError when no answer came.
        """
        try:
            return await self._once(request)
        except ChatUnknownOutcomeError as error:
            if request.writes or not isinstance(error.__cause__, _CLOSED_UNDER_US):
                raise
        return await self._once(request)  # the server may have closed a kept connection under the first attempt

    def platform_offset(self) -> int | None:
        """Give the platform's clock minus ours in milliseconds, None before the first answer."""
        return self._offset

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def _once(self, request: Request) -> Answer:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                response = await self._http.request(
                    request.method,
                    f"{self._base_url}{request.path}",  # whole, and None for no query: httpx parses it once, not thrice
                    params=request.query or None,
                    headers=request.headers,
                    content=request.content,
                )
        except _NOT_SENT as error:
            raise ChatUnreachableError(f"{request.api}: no connection ({type(error).__name__})") from error
        except (httpx.HTTPError, TimeoutError) as error:
            raise ChatUnknownOutcomeError(f"{request.api}: no answer ({type(error).__name__})") from error
        self._observe_time(response)
        return _answer(response)

    def _observe_time(self, response: httpx.Response) -> None:
        try:
            shown = parsedate_to_datetime(response.headers.get("Date", ""))
        except ValueError:
            return
        self._offset = round(shown.timestamp() * 1_000) - self._clock.now()


def _time_outs(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(seconds, connect=seconds / CONNECT_SHARE, pool=seconds / CONNECT_SHARE)


def _trust(settings: LarkSettings) -> ssl.SSLContext | bool:
    """Load the certificate authorities only where they can be needed: they cost time and memory at start."""
    if settings.base_url.startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True


def _answer(response: httpx.Response) -> Answer:
    body = _json(response.content)
    code = body.get("code")
    return Answer(
        status=response.status_code,
        code=code if isinstance(code, int) else None,
        body=body,
        reset=_reset(response.headers.get("x-ogw-ratelimit-reset", "")),
        log_id=response.headers.get("X-Tt-Logid", ""),
    )


def _json(content: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _reset(value: str) -> timedelta | None:
    try:
        seconds = float(value)
        return timedelta(seconds=seconds) if seconds > 0 else None
    except (ValueError, OverflowError):
        return None
