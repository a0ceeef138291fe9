"""A platform that answers as it is told, and remembers what it was asked."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from pydantic import SecretStr
from tests.unit.adapters.lark.surroundings import ManualClock

from hongyan.adapters.lark import LarkApp, LarkSettings
from hongyan.adapters.lark.client import Call, LarkClient
from hongyan.domain.identity import AppId

APP = AppId("cli_00112233445566aa")
SECRET = "s3cret-of-the-app-0123456789"
BASE_URL = "http://127.0.0.1:9"

TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"
MESSAGES = "/open-apis/im/v1/messages"

Answer = Callable[[httpx.Request], httpx.Response]


def answer(
    data: Mapping[str, Any] | None = None,
    *,
    code: int = 0,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **top: Any,
) -> Answer:
    """An answer in the platform's envelope."""
    body = {"code": code, "msg": "as scripted", "data": data or {}, **top}
    return lambda _request: httpx.Response(status, json=body, headers=headers)


def fails(error: type[httpx.TransportError]) -> Answer:
    """No answer: the transport fails."""

    def raise_it(request: httpx.Request) -> httpx.Response:
        raise error("scripted", request=request)

    return raise_it


class ScriptedPlatform:
    """Each path answers with its scripted answers in turn, the last one for ever."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self._scripts: dict[str, list[Answer]] = defaultdict(list)
        self._tokens = 0
        self.transport = httpx.MockTransport(self._handle)

    def script(self, path: str, *answers: Answer) -> None:
        self._scripts[path] = list(answers)

    def asked(self, path: str) -> list[httpx.Request]:
        return [request for request in self.requests if request.url.path == path]

    def bodies(self, path: str) -> list[Any]:
        return [json.loads(request.content) for request in self.asked(path)]

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        script = self._scripts[request.url.path]
        if not script and request.url.path == TOKEN_PATH:
            return self._token(request)
        assert script, f"nothing is scripted for {request.url.path}"
        chosen = script.pop(0) if len(script) > 1 else script[0]
        return chosen(request)

    def _token(self, request: httpx.Request) -> httpx.Response:
        self._tokens += 1
        return answer(tenant_access_token=f"t-token-{self._tokens}", expire=7200)(request)


def settings(**changes: Any) -> LarkSettings:
    chosen = {"app_id": APP, "app_secret": SecretStr(SECRET), "base_url": BASE_URL, **changes}
    return LarkSettings(**chosen)


def app(platform: ScriptedPlatform, clock: ManualClock | None = None) -> LarkApp:
    return LarkApp(settings(), clock or ManualClock(), platform.transport)


def client(platform: ScriptedPlatform, clock: ManualClock | None = None, **changes: Any) -> LarkClient:
    return LarkClient(settings(**changes), clock or ManualClock(), platform.transport)


def a_write(**changes: Any) -> Call:
    """A write into one chat."""
    chosen = {
        "api": "im.message.create",
        "method": "POST",
        "path": MESSAGES,
        "body": {"uuid": "key-1"},
        "writes": True,
        "chat": "oc_1",
        **changes,
    }
    return Call(**chosen)


def a_read(**changes: Any) -> Call:
    """A read of one message."""
    chosen = {"api": "im.message.get", "method": "GET", "path": f"{MESSAGES}/om_1", **changes}
    return Call(**chosen)
