"""Asks the platform where the long connection may be opened. Each address is good for one attempt."""

import json
from dataclasses import dataclass, field
from typing import Final

import httpx
from pydantic import ValidationError

from hongyan.adapters.lark.client import LarkClient
from hongyan.adapters.lark.settings import is_loopback
from hongyan.adapters.lark.transport import Answer, Request
from hongyan.adapters.lark.wire import StreamGiven
from hongyan.domain.errors import ChatBlockedError, ChatError, ChatUnknownOutcomeError, ChatUnreachableError

__all__ = ["Address", "discover"]

PING_SECONDS: Final = 120  # the platform's usual interval, when it names none
TRY_AGAIN: Final = frozenset({1, 1000040343, 1000040350, 99991400})  # busy, failing, too many connections, too often


@dataclass(frozen=True, slots=True)
class Address:
    """Where to connect. The address holds a ticket and an access key, so it is shown nowhere."""

    url: str = field(repr=False)
    service: int
    ping_seconds: int

    @property
    def on_loopback(self) -> bool:
        """Tell whether the other end is this machine."""
        return is_loopback(httpx.URL(self.url).host)


async def discover(client: LarkClient) -> Address:
    """Ask for an address. Raise ChatBlockedError when a person must mend something, ChatUnreachableError otherwise."""
    try:
        answer = await client.ask(_request(client))
    except ChatUnknownOutcomeError as error:
        raise ChatUnreachableError(f"{_API}: no answer") from error
    if answer.code != 0 or answer.status >= 400:
        raise _refused(answer)
    return _address(answer)


def _request(client: LarkClient) -> Request:
    settings = client.settings
    body = {"AppID": settings.app_id, "AppSecret": settings.app_secret.get_secret_value()}
    return Request(
        api=_API,
        method="POST",
        path="/callback/ws/endpoint",
        query={},
        headers={"Content-Type": "application/json; charset=utf-8", "locale": "zh"},
        content=json.dumps(body).encode(),
        writes=False,
    )


def _refused(answer: Answer) -> ChatError:
    code = answer.code or 0
    if not code or answer.status >= 500 or code in TRY_AGAIN:
        message = f"{_API}: not now (HTTP {answer.status}, code {code})"
        return ChatUnreachableError(message, platform_code=code)
    return ChatBlockedError(
        f"{_API}: the App may not open a long connection (HTTP {answer.status}, code {code})",
        platform_code=code,
        hint="Check the App's secret and that it receives events by long connection in the developer console.",
    )


def _address(answer: Answer) -> Address:
    try:
        given = StreamGiven.model_validate(answer.body.get("data") or {})
        url = httpx.URL(given.url)
    except ValidationError as error:
        raise ChatUnreachableError(f"{_API}: the answer holds no address") from error
    except httpx.InvalidURL:
        raise ChatUnreachableError(f"{_API}: the address cannot be read") from None  # the cause would show it
    if url.scheme != "wss" and not (url.scheme == "ws" and is_loopback(url.host)):
        raise ChatUnreachableError(f"{_API}: the address is not an encrypted one")
    service = url.params.get("service_id", "")
    ping_seconds = given.config.ping_interval if given.config else PING_SECONDS
    return Address(given.url, int(service) if service.isdigit() else 0, ping_seconds)


_API: Final = "callback.endpoint"
