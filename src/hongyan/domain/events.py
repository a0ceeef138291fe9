"""What a running Turn showed, one row an event, with a cursor that only grows within the Turn."""

import dataclasses
import json
import re
from dataclasses import dataclass

from hongyan.domain.agents import AgentEvent
from hongyan.domain.changes import ONE_OR_NONE, Insert, Of, Value
from hongyan.domain.identity import TurnId

__all__ = ["TurnEventRow", "event_kind", "keep_event"]


@dataclass(frozen=True, slots=True)
class TurnEventRow:
    """One kept event. `body` is the event's fields as JSON; `at` is UTC milliseconds."""

    turn_id: TurnId
    cursor: int
    kind: str
    body: str
    at: int


def event_kind(event: AgentEvent) -> str:
    """Name an event for the log and the API: `ToolChanged` is `tool_changed`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


def keep_event(turn: TurnId, cursor: int, event: AgentEvent, at: int) -> Insert:
    """Plan the row of an event; keeping the same cursor twice leaves the first."""
    body = json.dumps(dataclasses.asdict(event), ensure_ascii=False, separators=(",", ":"))
    row: dict[str, Value | Of] = {"turn_id": turn, "cursor": cursor, "kind": event_kind(event), "body": body, "at": at}
    return Insert("turn_events", row, ONE_OR_NONE)
