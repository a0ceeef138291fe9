"""How a Turn stands in the transcript: only what was observed, each fact with its time, the last one in its tone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hongyan.application.transcripts import LastWords, Transcript, TurnLine, TurnSeen
from hongyan.domain.conversations import TERMINAL, TurnState
from hongyan.domain.decisions import REVOKED, Decision, DecisionState
from hongyan.domain.requests import Origin
from hongyan.entrypoints.web.diffs import Diff, diff_of
from hongyan.entrypoints.web.markdown import render

__all__ = ["ApprovalShown", "Fact", "SteerShown", "TurnShown", "approval_shown", "turns_shown"]

_OPEN_PARTS: Final = frozenset({"planned", "intended", "written"})
_PART_TONES: Final = {"unknown": "waits", "rejected": "failed", "mismatch": "failed", "withheld": "quiet"}
_FAILED: Final = frozenset({TurnState.FAILED, TurnState.TIMED_OUT})


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the way. `at` is when it was observed; `since` counts a wait; UTC milliseconds, None for neither.

    `n` and `who` fill the gaps of its words; an empty `who` is the reader.
    """

    key: str
    tone: str
    at: int | None = None
    since: int | None = None
    n: int = 0
    who: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalShown:
    """A decision with its whole arguments, and the change they describe when they are those of an edit.

    `decider` is the name of who decided, empty when nobody is known by it.
    """

    id: str
    version: int
    state: str
    outcome: str
    applied: str
    session_id: str
    turn_id: str
    subject: str
    risk: str
    reason: str
    arguments: str
    diff: Diff | None
    asked_at: int
    expires_at: int
    decided_at: int | None
    decided_by: str
    decider: str
    decided_where: str
    call_id: str
    also_asked_in_chat: bool


@dataclass(frozen=True, slots=True)
class SteerShown:
    """Words that the Turn took while it ran. `at` is UTC milliseconds."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class TurnShown:
    """A Turn as the page draws it. `answer` is a fragment of HTML that `markdown` made, `events` raw rows."""

    id: str
    client_turn_id: str
    position: int
    origin: str
    speaker: str
    text: str
    state: str
    is_open: bool
    way: tuple[Fact, ...]
    running_at: int | None
    ended_at: int | None
    answer: str
    failure: str
    detail: str
    stop_at: int | None
    owed_id: str
    owed_version: int
    tools: int
    thought: bool
    decisions: tuple[ApprovalShown, ...]
    steers: tuple[SteerShown, ...]
    events: tuple[dict[str, Any], ...]


def turns_shown(page: Transcript, names: Mapping[str, str]) -> tuple[TurnShown, ...]:
    """Draw a page; `names` are the people known by their open id. Renders Markdown: run it beside the loop."""
    ahead, shown = 0, []
    running = any(seen.line.state not in {*TERMINAL, TurnState.QUEUED} for seen in page.turns)
    for seen in page.turns:
        shown.append(_turn(seen, names, ahead, running))
        ahead += seen.line.state is TurnState.QUEUED
    return tuple(shown)


def approval_shown(decision: Decision, origin: Origin, names: Mapping[str, str]) -> ApprovalShown:
    """Draw a decision about a Turn of that origin: only what came from a chat is asked about there."""
    return ApprovalShown(
        id=decision.id,
        version=decision.version,
        state=decision.state,
        outcome=decision.outcome,
        applied=decision.applied,
        session_id=decision.session_id,
        turn_id=decision.turn_id,
        subject=decision.subject,
        risk=decision.risk,
        reason=decision.reason,
        arguments=decision.arguments,
        diff=diff_of(decision.arguments),
        asked_at=decision.asked_at,
        expires_at=decision.expires_at,
        decided_at=decision.decided_at or None,
        decided_by=decision.decided_by,
        decider=names.get(decision.decided_by, ""),
        decided_where=decision.decided_where,
        call_id=decision.call_id,
        also_asked_in_chat=origin is Origin.LARK,
    )


def _turn(seen: TurnSeen, names: Mapping[str, str], ahead: int, running: bool) -> TurnShown:
    line = seen.line
    failed = line.state in _FAILED
    return TurnShown(
        id=line.id,
        client_turn_id=line.client_turn_id,
        position=line.position,
        origin=line.origin,
        speaker=names.get(line.sender, "") if line.origin is Origin.LARK else "",
        text=line.text,
        state=line.state,
        is_open=line.state not in TERMINAL,
        way=_way(seen, names, ahead, running),
        running_at=line.running_at or None,
        ended_at=line.ended_at or None,
        answer=render(line.answer) if line.answer.strip() else "",
        failure=line.code if failed or line.state is TurnState.HELD else "",
        detail=line.detail if failed else "",
        stop_at=line.stop_at or None,
        owed_id=line.request_id if line.owed else "",
        owed_version=line.version,
        tools=seen.tools,
        thought=seen.thought,
        decisions=tuple(approval_shown(decision, line.origin, names) for decision in seen.decisions),
        steers=tuple(SteerShown(said.text, said.at) for said in seen.steers),
        events=tuple({"cursor": row.cursor, "kind": row.kind, "at": row.at, "body": row.body} for row in seen.events),
    )


def _way(seen: TurnSeen, names: Mapping[str, str], ahead: int, running: bool) -> tuple[Fact, ...]:
    line = seen.line
    facts = [Fact("way.received", "quiet", line.received_at)]
    if line.running_at:
        facts.append(Fact("way.started", "quiet", line.running_at))
    if line.state in TERMINAL:
        facts.extend(_end(seen, names))
    else:
        facts.append(_now(seen, ahead, running))
    return tuple(facts)


def _now(seen: TurnSeen, ahead: int, running: bool) -> Fact:
    line = seen.line
    asked = [decision.asked_at for decision in seen.decisions if decision.state is DecisionState.ASKED]
    if asked:
        return Fact("way.waits_for_you", "waits", since=min(asked))
    if line.state is TurnState.HELD:
        return Fact(f"hold.{line.hold_reason or 'upstream_unknown'}", "waits")
    if line.state is TurnState.INTERRUPTING:
        return Fact("turn.interrupting", "running", since=line.stop_at or None)
    if line.state is not TurnState.QUEUED:
        return Fact(f"turn.{line.state}", "running", since=line.running_at or None)
    if ahead:
        return Fact("way.ahead", "quiet", n=ahead)
    return Fact("way.after_this_turn" if running else "turn.queued", "quiet")


def _end(seen: TurnSeen, names: Mapping[str, str]) -> list[Fact]:
    line = seen.line
    facts = _ended(line, names)
    if line.origin is not Origin.LARK:
        return facts
    told = facts if line.state is not TurnState.COMPLETED or line.stop_at else []
    return told + _written(seen.words) if seen.words else facts


def _ended(line: TurnLine, names: Mapping[str, str]) -> list[Fact]:
    ended = Fact(f"turn.{line.state}", "failed" if line.state in _FAILED else "quiet", line.ended_at)
    if line.state is TurnState.COMPLETED and line.stop_at:
        return [Fact("way.finished_before_the_stop", "quiet", line.ended_at)]
    if line.state is not TurnState.INTERRUPTED or not line.stopped_by:
        return [ended]
    if line.stopped_by == REVOKED:
        return [Fact("way.stopped_revoked", "quiet", line.ended_at)]
    who = "" if line.stopped_by == "owner" else names.get(line.stopped_by, line.stopped_by)
    ran = max(0, line.ended_at - (line.running_at or line.ended_at)) // 1_000
    return [Fact("way.stopped_by" if who else "way.stopped_by_you", "quiet", line.ended_at, n=ran, who=who)]


def _written(words: Sequence[LastWords]) -> list[Fact]:
    """Tell how far the last words came, judged by the part that came least far."""
    for state in _PART_TONES:
        if any(part.state == state for part in words):
            return [Fact(f"part.{state}", _PART_TONES[state])]
    written = [Fact("way.written", "quiet", max(part.written_at for part in words))]
    if all(part.state == "verified" for part in words):
        return [*written, Fact("part.verified", "verified", max(part.verified_at for part in words))]
    return written if all(part.written_at for part in words) else [Fact("part.planned", "running")]
