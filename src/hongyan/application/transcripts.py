"""Read conversations for a screen: the list, pages of a transcript, and what is known of each Turn in it.

A page is named by a cursor that belongs to one Session and one entry; what is appended later moves no earlier page.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from hongyan.application.desk import Desk
from hongyan.domain.changes import Value
from hongyan.domain.conversations import TERMINAL, Message, TurnState
from hongyan.domain.decisions import Decision
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.domain.events import TurnEventRow
from hongyan.domain.identity import derive
from hongyan.ports import queries
from hongyan.ports.queries import LastWords, SessionLine, SteerLine, TurnLine

__all__ = [
    "LastWords",
    "MessagePage",
    "SessionLine",
    "SteerLine",
    "Transcript",
    "TurnLine",
    "TurnSeen",
    "list_open_decisions",
    "list_session_lines",
    "read_messages",
    "read_transcript",
]

OfTurn = TypeVar("OfTurn", LastWords, TurnEventRow, Decision, SteerLine)

_TOOL: Final = "tool_changed"
_NEWEST: Final = 2**62
_DIGITS: Final = 18  # of the largest place that a store can hold
_UNFINISHED: Final = frozenset({TurnState.FAILED, TurnState.TIMED_OUT, TurnState.INTERRUPTED})


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Transcript entries, oldest first; `cursor` leads to the ones before them, None at the beginning."""

    messages: tuple[Message, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """A Turn with what belongs to it. `events` are given while it is open, and when it ended without an answer."""

    line: TurnLine
    words: tuple[LastWords, ...]
    tools: int
    thought: bool
    decisions: tuple[Decision, ...]
    steers: tuple[SteerLine, ...]
    events: tuple[TurnEventRow, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A page of Turns, oldest first; `cursor` leads to earlier ones, None at the beginning."""

    session: SessionLine
    turns: tuple[TurnSeen, ...]
    cursor: str | None


async def list_session_lines(desk: Desk) -> Sequence[SessionLine]:
    """List Sessions, the one with the newest word first; no transcript is read for it."""
    return await desk.store.all(queries.SESSION_LINES)


async def list_open_decisions(desk: Desk) -> Sequence[Decision]:
    """List what somebody must decide, oldest first."""
    return await desk.store.all(queries.OPEN_DECISIONS)


async def read_messages(desk: Desk, session_id: str, limit: int, cursor: str | None) -> MessagePage:
    """Read a page of entries. Raise RefusedError `cursor.foreign` for a cursor of another Session."""
    before = _place(session_id, cursor)
    found = await desk.store.all(queries.MESSAGE_PAGE, session_id=session_id, before=before, limit=limit + 1)
    page = tuple(reversed(found[:limit]))
    return MessagePage(page, _cursor(session_id, page[0].seq) if len(found) > limit else None)


async def read_transcript(desk: Desk, session_id: str, limit: int, cursor: str | None = None) -> Transcript:
    """Read a page of Turns. Raise NotFoundError, or RefusedError `cursor.foreign` for a cursor of another Session."""
    before = _place(session_id, cursor)
    session = next((line for line in await list_session_lines(desk) if line.id == session_id), None)
    if session is None:
        raise NotFoundError("session", session_id, hint="`hongyan session list` shows them.")
    found = await desk.store.all(queries.TURN_LINES, session_id=session_id, before=before, limit=limit + 1)
    page = tuple(reversed(found[:limit]))
    earlier = _cursor(session_id, page[0].position) if len(found) > limit else None
    return Transcript(session, await _seen(desk, session_id, page), earlier)


async def _seen(desk: Desk, session_id: str, page: Sequence[TurnLine]) -> tuple[TurnSeen, ...]:
    if not page:
        return ()
    first, last = page[0].position, page[-1].position
    span: dict[str, Value] = {"session_id": session_id, "first": first, "last": last}
    words = _by_turn(await desk.store.all(queries.LAST_WORDS_OF_TURNS, **span))
    steps = _by_turn(await desk.store.all(queries.STEPS_OF_TURNS, **span))
    steers = _by_turn(await desk.store.all(queries.STEERS_OF_TURNS, **span))
    since = min(line.queued_at for line in page)
    asked = await desk.store.all(queries.DECISIONS_OF_SESSION, session_id=session_id, since=since)
    decisions = _by_turn(asked)
    seen = []
    for line in page:
        events = await _events(desk, line)
        tools = len({_tool(row) for row in steps[line.id] if row.kind == _TOOL})
        thought = any(row.kind != _TOOL for row in steps[line.id])
        asked_of, said = tuple(decisions[line.id]), tuple(steers[line.id])
        seen.append(TurnSeen(line, tuple(words[line.id]), tools, thought, asked_of, said, events))
    return tuple(seen)


async def _events(desk: Desk, line: TurnLine) -> tuple[TurnEventRow, ...]:
    """Read what a Turn showed while that is all there is of its answer."""
    is_open = line.state not in TERMINAL and line.state is not TurnState.QUEUED
    if not is_open and (line.state not in _UNFINISHED or line.running_at == 0):
        return ()
    return tuple(await desk.store.all(queries.EVENTS_OF_TURN, turn_id=line.id, after=0))


def _by_turn(rows: Iterable[OfTurn]) -> Mapping[str, list[OfTurn]]:
    found: defaultdict[str, list[OfTurn]] = defaultdict(list)
    for row in rows:
        found[row.turn_id].append(row)
    return found


def _tool(row: TurnEventRow) -> str:
    return str(json.loads(row.body)["tool_id"])


def _cursor(session_id: str, place: int) -> str:
    return f"{place}-{derive('page', session_id, str(place))[-12:]}"


def _place(session_id: str, cursor: str | None) -> int:
    """Give the place that a cursor names."""
    if cursor is None:
        return _NEWEST
    number, _, _ = cursor.partition("-")
    if not number.isdecimal() or len(number) > _DIGITS or cursor != _cursor(session_id, int(number)):
        raise RefusedError("cursor.foreign", "this cursor belongs to another session", hint="Begin at the newest page.")
    return int(number)
