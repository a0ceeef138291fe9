"""The line to the platform as the gateway's client has it: a call that is never answered, before or after it acts."""

from dataclasses import dataclass

import httpx
import pytest

from feishu_simulator.faults import matches

__all__ = ["Line"]


@dataclass(slots=True)
class Line:
    """Lets the next call to an endpoint run into its time-out without the time. `busy` counts the calls under way."""

    endpoint: str = ""
    acts_first: bool = False
    busy: int = 0

    def break_once(self, endpoint: str, *, acts_first: bool) -> None:
        """Let the next call to the endpoint time out, with or without the platform having acted on it."""
        self.endpoint, self.acts_first = endpoint, acts_first

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Stand between the client and its connections."""
        handle = httpx.AsyncHTTPTransport.handle_async_request

        async def carry(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
            self.busy += 1
            try:
                return await handle(transport, request)
            finally:
                self.busy -= 1

        async def watched(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
            if not self.endpoint or not matches(self.endpoint, f"{request.method} {request.url.path}"):
                return await carry(transport, request)
            self.endpoint = ""
            if self.acts_first:
                response = await carry(transport, request)
                await response.aread()
            raise httpx.ReadTimeout("no answer", request=request)

        monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", watched)
