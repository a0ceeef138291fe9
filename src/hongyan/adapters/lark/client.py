"""Calls of one App: within its limits, with its token, and with the platform's refusals as errors of ours."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

import httpx
import structlog
from pydantic import ValidationError

from hongyan.adapters.lark.errors import CHAT_LIMIT, IN_FLIGHT, STALE_TOKEN, Refusal, platform_error
from hongyan.adapters.lark.limiter import Limiter
from hongyan.adapters.lark.settings import LarkSettings
from hongyan.adapters.lark.tokens import Grant, TokenCache
from hongyan.adapters.lark.transport import Answer, Request, Transport
from hongyan.adapters.lark.wire import TokenGiven, Wire
from hongyan.domain.errors import (
    ChatError,
    ChatThrottledError,
    ChatUnknownOutcomeError,
    ChatUnreachableError,
)
from hongyan.ports.surroundings import Clock

__all__ = ["Call", "LarkClient"]

_Shape = TypeVar("_Shape", bound=Wire)

_log = structlog.get_logger("hongyan.lark")


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `chat` names the chat whose own limit it counts against; the answer stands under `answer_in`."""

    api: str
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    writes: bool = False
    chat: str = ""
    answer_in: str = "data"


class LarkClient:
    """The REST side of one App. Nothing here is shared between Apps."""

    def __init__(self, settings: LarkSettings, clock: Clock, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.settings = settings
        self.clock = clock
        self._transport = Transport(settings, clock, transport)
        self._limiter = Limiter(clock)
        self._tokens = TokenCache(clock, self._fetch_token)
        self._calls = 0

    async def call(self, call: Call, shape: type[_Shape]) -> _Shape:
        """Make the call and read its answer as `shape`; raise the errors that the chat port names.

        A token that the platform no longer takes is replaced once and the very same bytes are sent again: the platform
        refused the first ones unread.
        """
        await self._limiter.admit(call.api, call.chat)
        token = await self._tokens.get()
        request = _request(call, token)
        answer = await self._exchange(request)
        if answer.code in STALE_TOKEN:
            _log.info("lark.token.refused", app=self.settings.app_id, code=answer.code)
            self._tokens.drop(token)
            answer = await self._exchange(_with_token(request, await self._tokens.get()))
        return self._read(call, answer, shape)

    async def _exchange(self, request: Request) -> Answer:
        self._calls += 1
        return await self._transport.exchange(request)

    def calls(self) -> int:
        """Give how many calls with a token were made; one for a token counts against no quota."""
        return self._calls

    async def ask(self, request: Request) -> Answer:
        """Send a request that carries no token, such as the one for a token."""
        return await self._transport.exchange(request)

    def platform_offset(self) -> int | None:
        """Give the platform's clock minus ours in milliseconds, None before the first answer."""
        return self._transport.platform_offset()

    def pause(self, api: str, chat: str) -> int:
        """Give the milliseconds until a call to an API, for a chat, would leave without waiting; 0 for now."""
        return self._limiter.pause(api, chat)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    def _read(self, call: Call, answer: Answer, shape: type[_Shape]) -> _Shape:
        if answer.code != 0 or answer.status >= 400:
            raise self._refused(call, answer)
        try:
            return shape.model_validate(answer.body.get(call.answer_in) or {})
        except ValidationError as error:
            # For a write this may well be a success; only the proof of it is missing.
            raise ChatUnknownOutcomeError(f"{call.api}: the answer lacks what it should hold") from error

    def _refused(self, call: Call, answer: Answer) -> ChatError:
        error = platform_error(
            Refusal(
                api=call.api,
                status=answer.status,
                code=answer.code or 0,
                reset=answer.reset,
                scopes=answer.scopes(),
                writes=call.writes,
            )
        )
        if isinstance(error, ChatThrottledError) and answer.code not in IN_FLIGHT:
            self._pause(call, error)
        _log.info(
            "lark.call.refused",
            app=self.settings.app_id,
            api=call.api,
            status=answer.status,
            code=answer.code,
            error=error.code,
            log_id=answer.log_id,
        )
        return error

    def _pause(self, call: Call, error: ChatThrottledError) -> None:
        if call.chat and error.platform_code == CHAT_LIMIT:
            self._limiter.pause_chat(call.chat, error.retry_after)
        else:
            self._limiter.pause_api(call.api, error.retry_after)

    async def _fetch_token(self) -> Grant:
        """Ask for a token. Whatever goes wrong here, the call that needs it has not left."""
        settings = self.settings
        body = {"app_id": settings.app_id, "app_secret": settings.app_secret.get_secret_value()}
        call = Call(api=_TOKEN_API, method="POST", path=_TOKEN_PATH, body=body)
        try:
            answer = await self.ask(_request(call, ""))
            if answer.code != 0 or answer.status >= 400:
                raise self._refused(replace(call, body=None, writes=True), answer)
            given = TokenGiven.model_validate(answer.body)
        except (ChatUnknownOutcomeError, ValidationError) as error:
            raise ChatUnreachableError(f"{_TOKEN_API}: no token could be fetched") from error
        _log.info("lark.token.fetched", app=settings.app_id, life_seconds=given.expire)
        return Grant(given.tenant_access_token, given.expire)


def _request(call: Call, token: str) -> Request:
    body = None if call.body is None else json.dumps(call.body, ensure_ascii=False)
    request = Request(
        api=call.api,
        method=call.method,
        path=call.path,
        query=call.query,
        headers={} if body is None else {"Content-Type": "application/json; charset=utf-8"},
        # Half of a surrogate pair, as agents sometimes write it, has no bytes; it is shown as a question mark.
        content=None if body is None else body.encode("utf-8", "replace"),
        writes=call.writes,
    )
    return _with_token(request, token) if token else request


def _with_token(request: Request, token: str) -> Request:
    return replace(request, headers={**request.headers, "Authorization": f"Bearer {token}"})


_TOKEN_API: Final = "auth.tenant_access_token"
_TOKEN_PATH: Final = "/open-apis/auth/v3/tenant_access_token/internal"
