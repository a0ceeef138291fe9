"""What happened, as it happens: every commit becomes notices, and each open tab reads them from one short memory.

A notice has a number that only grows within this process. A tab that comes back with the number it saw last is told
everything since; when that is not remembered any more, or the process is another one, it is told to read anew. Notices
say what changed, not what it is now: the reader asks for it. Only what a running Turn shows travels whole.
"""

import asyncio
import json
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from itertools import islice
from typing import Any, Final, TypeAlias

from hongyan.domain.changes import Change, Changes, Delete, Insert, Require
from hongyan.entrypoints.web.gateway import Gateway

__all__ = ["HEARTBEAT_SECONDS", "Feed", "notices"]

Notice: TypeAlias = tuple[str, dict[str, Any]]

HEARTBEAT_SECONDS: Final = 15.0
LISTENER_SECONDS: Final = 1.0  # listeners report to nobody; they are looked at
REMEMBERED: Final = 4_096
RETRY: Final = "retry: 1000\n\n"

_LEDGER: Final = frozenset({"requests", "parts", "deliveries"})
# Per table: the kind of notice, and its fields with the column that names the row where the change does not say.
_FIELDS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "turn_events": ("event", {name: name for name in ("turn_id", "cursor", "kind", "at", "body")}),
    "turns": ("turn", {"id": "id", "session_id": "session_id", "state": ""}),
    "sessions": ("session", {"id": "id"}),
    "messages": ("transcript", {"session_id": "session_id", "turn_id": "turn_id"}),
    "decisions": ("approval", {"id": "id", "session_id": "session_id", "state": ""}),
    **{table: ("settings", {}) for table in ("apps", "owners", "workspaces", "bindings", "pairings")},
}


def notices(changes: Changes) -> list[Notice]:
    """Name what a commit changed, each thing once."""
    found = [notice for step in changes.steps if not isinstance(step, Require) for notice in _of_step(step)]
    return [notice for place, notice in enumerate(found) if notice not in found[:place]]


def _of_step(step: Change) -> Iterator[Notice]:
    if isinstance(step, Require):
        return
    written = {} if isinstance(step, Delete) else dict(step.values)
    named = written if isinstance(step, Insert) else dict(step.where)
    fields = _FIELDS.get(step.table)
    if fields is not None:
        kind, names = fields
        yield kind, {name: _plain(written.get(name), named.get(key)) for name, key in names.items()}
    if step.table in _LEDGER:
        yield "ledger", {}
    if step.table in {"gaps", "meta"} or ("owed" in written and (written["owed"] or not isinstance(step, Insert))):
        yield "owed", {}


def _plain(*candidates: object) -> object:
    """Give the first value that can be told; a value that the store computes is not known here."""
    return next((one for one in candidates if isinstance(one, int | str)), None)


class Feed:
    """The notices of one gateway. `heartbeat` is in seconds."""

    def __init__(self, gateway: Gateway, heartbeat: float = HEARTBEAT_SECONDS) -> None:
        self._gateway, self._heartbeat = gateway, heartbeat
        self._epoch = secrets.token_hex(4)
        self._last = 0
        self._kept: deque[tuple[int, Notice]] = deque(maxlen=REMEMBERED)
        self._news = asyncio.Event()
        self._closed = False
        gateway.subscribe(self.note)

    def note(self, changes: Changes) -> None:
        """Remember what a commit changed, and wake every tab."""
        for notice in notices(changes):
            self._last += 1
            self._kept.append((self._last, notice))
        self._news.set()
        self._news = asyncio.Event()

    def close(self) -> None:
        """End every stream: the page comes back by itself once somebody serves again."""
        self._closed = True
        self._news.set()

    async def follow(self, last_seen: str | None, admitted: Callable[[], bool]) -> AsyncGenerator[str, None]:
        """Tell one tab everything after what it saw last, as long as `admitted` says so at each heartbeat."""
        cursor = self._place(last_seen)
        yield RETRY
        if cursor is None:
            cursor = self._last
            yield self._written(cursor, ("reset" if last_seen else "hello", {}))
        listeners, loop = "", asyncio.get_running_loop()
        due = loop.time() + self._heartbeat
        while not self._closed:
            news = self._news
            for number, notice in self._after(cursor):
                cursor = number
                yield self._written(number, notice)
            if (seen := self._listeners()) != listeners:
                listeners = seen
                yield f"event: listeners\ndata: {seen}\n\n"
            if loop.time() >= due:
                if not admitted():
                    yield "event: over\ndata: {}\n\n"
                    return
                due = loop.time() + self._heartbeat
                yield ": still here\n\n"
            await _wait(news, min(LISTENER_SECONDS, self._heartbeat))

    def _place(self, last_seen: str | None) -> int | None:
        """Give the number that a tab saw last; None when what came after it is not remembered."""
        epoch, _, number = (last_seen or "").partition(".")
        if epoch != self._epoch or not number.isdecimal() or int(number) > self._last:
            return None
        oldest = self._kept[0][0] if self._kept else self._last + 1
        return int(number) if int(number) >= oldest - 1 else None

    def _after(self, cursor: int) -> list[tuple[int, Notice]]:
        """List what came after a number; a tab too slow for the memory is told to read anew."""
        if cursor == self._last:
            return []
        oldest = self._kept[0][0]
        if cursor < oldest - 1:
            return [(self._last, ("reset", {}))]
        return list(islice(self._kept, cursor - oldest + 1, None))

    def _written(self, number: int, notice: Notice) -> str:
        kind, facts = notice
        data = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
        return f"id: {self._epoch}.{number}\nevent: {kind}\ndata: {data}\n\n"

    def _listeners(self) -> str:
        seen = [{"app": one.app, "state": one.state, "code": one.error_code} for one in self._gateway.listeners()]
        return json.dumps(seen, separators=(",", ":"))


async def _wait(news: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await news.wait()
    except TimeoutError:
        return
