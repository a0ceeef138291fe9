"""Where the time of one answer went: the simulator's log of calls beside the gateway's own rows.

Both clocks are this machine's; rows and log hold whole milliseconds.
"""

import sqlite3
import statistics
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["Trace", "of_gateway", "summary"]

_ROWS: Final = """
SELECT r.message_id, r.app, r.create_time, r.accepted_at, t.queued_at, t.claimed_at, t.intent_at, t.running_at,
  t.ended_at, p.provider_id
FROM requests r JOIN turns t ON t.id = r.turn_id JOIN deliveries d ON d.turn_id = t.id AND d.phase = 'final'
JOIN parts p ON p.delivery_id = d.id
WHERE r.message_id IN (SELECT value FROM json_each(?))
"""
_BESIDE: Final = "/reactions"


@dataclass(frozen=True, slots=True)
class Trace:
    """One answer: the milliseconds of each stage, and the calls that had ended when it became visible."""

    stages: dict[str, float]
    agent_ms: float
    serial: tuple[str, ...]
    beside: int


@dataclass(frozen=True, slots=True)
class _Call:
    endpoint: str
    begun: float
    ended: float


def of_gateway(home: Path, messages: Sequence[str], calls: Sequence[dict[str, Any]]) -> list[Trace]:
    """Trace the answers to these messages."""
    with closing(sqlite3.connect(f"file:{home / 'hongyan.db'}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute(_ROWS, [_json_list(messages)]).fetchall()
    if len(rows) != len(messages):
        raise RuntimeError(f"{len(messages)} messages were said, {len(rows)} have an answer in the gateway's store")
    return [_trace(row, calls) for row in rows]


def summary(traces: Sequence[Trace]) -> dict[str, Any]:
    """Give the median of each stage, and how many calls came one after another before the answer was visible."""
    if not traces:
        return {"stages_ms": {}, "serial_rest_calls": 0, "serial_rest_call_names": {}}
    stages = {name: round(statistics.median(trace.stages[name] for trace in traces), 1) for name in traces[0].stages}
    return {
        "stages_ms": stages,
        "serial_rest_calls": statistics.mode(len(trace.serial) for trace in traces),
        "serial_rest_call_names": dict(Counter(name for trace in traces for name in trace.serial)),
        "calls_beside": round(statistics.mean(trace.beside for trace in traces), 1),
    }


def _trace(row: sqlite3.Row, calls: Sequence[dict[str, Any]]) -> Trace:
    """Pick the calls of this message: the App has one chat and one message under way, so all of them in its time."""
    own = [_call(one) for one in calls if one["app_id"] == row["app"] and one["at_ms"] >= row["create_time"]]
    reply = next(one for one in own if one.endpoint.endswith("/reply"))
    words = [one for one in own if _BESIDE not in one.endpoint and one.begun <= reply.begun]
    read = next((one for one in words if one is not reply), reply)
    stages = {
        "accepted": row["accepted_at"] - row["create_time"],
        "read_asked": read.begun - row["accepted_at"],
        "read_back": read.ended - read.begun,
        "queued": row["queued_at"] - read.ended,
        "claimed": row["claimed_at"] - row["queued_at"],
        "intent": row["intent_at"] - row["claimed_at"],
        "first_event": row["running_at"] - row["intent_at"],
        "ended": row["ended_at"] - row["running_at"],
        "reply_asked": reply.begun - row["ended_at"],
        "reply": reply.ended - reply.begun,
    }
    agent = row["running_at"] - row["intent_at"]
    beside = sum(_BESIDE in one.endpoint and one.begun <= reply.ended for one in own)
    return Trace(stages, agent, tuple(one.endpoint for one in words), beside)


def _call(one: dict[str, Any]) -> _Call:
    return _Call(f"{one['method']} {one['template']}", one["at_ms"], one["at_ms"] + one["duration_us"] / 1_000)


def _json_list(messages: Sequence[str]) -> str:
    return "[" + ",".join(f'"{one}"' for one in messages) + "]"
