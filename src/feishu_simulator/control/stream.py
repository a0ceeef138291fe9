"""The event stream: one JSON object for each change, numbered, resumable."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import StreamingResponse

from feishu_simulator.journal import Change, Journal
from feishu_simulator.platform import Platform

HEARTBEAT_SECONDS = 15.0


class Streams:
    """Serves the event stream to any number of readers until `end` is called."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._ended = False
        self._wakers: set[asyncio.Event] = set()

    async def endpoint(self, request: Request) -> StreamingResponse:
        """Stream changes after `Last-Event-ID`, after `?after=`, or from now on."""
        journal = self._platform.journal
        asked = request.headers.get("last-event-id") or request.query_params.get("after", "")
        start = int(asked) if asked.isdecimal() and len(asked) < 19 else journal.last_number
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._lines(journal, start), media_type="text/event-stream", headers=headers)

    def end(self) -> None:
        """Let every reader's stream finish."""
        self._ended = True
        for waker in tuple(self._wakers):
            waker.set()

    async def _lines(self, journal: Journal, position: int) -> AsyncIterator[str]:
        waker = asyncio.Event()
        self._wakers.add(waker)
        unsubscribe = journal.subscribe(waker.set)
        try:
            yield "retry: 1000\n\n"
            while not self._ended:
                changes = journal.since(position)
                for change in changes:
                    yield _line(change)
                position = changes[-1].number if changes else position
                waker.clear()
                if not changes and not await _woken(waker):
                    yield ": alive\n\n"
        finally:
            unsubscribe()
            self._wakers.discard(waker)


async def _woken(waker: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(HEARTBEAT_SECONDS):  # `wait_for` may swallow a cancellation
            await waker.wait()
    except TimeoutError:
        return False
    return True


def _line(change: Change) -> str:
    shown = {"number": change.number, "at_ms": change.at_ms, "kind": change.kind, "facts": change.facts}
    return f"id: {change.number}\ndata: {json.dumps(shown, ensure_ascii=False)}\n\n"
