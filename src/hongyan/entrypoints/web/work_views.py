"""What the interface answers about Sessions, Turns, what is owed, deliveries and the ledger.

Times are UTC milliseconds, null for "not yet".
"""

import json
from typing import Any, Literal, Self

from hongyan.application.browse import DeliveryLine
from hongyan.application.owed import FollowUp, OwedRow
from hongyan.application.sessions import SessionView as SeenSession
from hongyan.application.sessions import TurnView as SeenTurn
from hongyan.domain.conversations import Message, Session, Turn
from hongyan.domain.decisions import Decision
from hongyan.domain.events import TurnEventRow
from hongyan.domain.markdown.forms import words_of
from hongyan.domain.messages import Transport
from hongyan.entrypoints.web.views import AppView, View, moment

__all__ = [
    "AcceptedTurnView",
    "ActedView",
    "ApprovalList",
    "ApprovalView",
    "DeliveryList",
    "DeliveryView",
    "EventList",
    "EventView",
    "MessageView",
    "OwedList",
    "OwedView",
    "ResentView",
    "SessionDetail",
    "SessionList",
    "SessionView",
    "StatusView",
    "SteeredView",
    "TurnStateView",
    "TurnView",
]


class SessionView(View):
    """A Session. `running_turn` names the Turn that holds its lane."""

    session_id: str
    binding_id: str
    workspace_id: str
    executor: str
    state: str
    running_turn: str | None
    queued: int
    opened_at: int
    closed_at: int | None

    @classmethod
    def of(cls, session: Session) -> Self:
        """Render a Session."""
        return cls(**_session(session))


class SessionList(View):
    """Sessions, newest first; only those of `binding_id` when it is given."""

    binding_id: str | None
    sessions: list[SessionView]


class MessageView(View):
    """One entry of a transcript."""

    id: str
    turn_id: str
    speaker: str
    text: str
    seq: int
    at: int

    @classmethod
    def of(cls, message: Message) -> Self:
        """Render an entry."""
        return cls(
            id=message.id,
            turn_id=message.turn_id,
            speaker=message.speaker,
            text=message.text,
            seq=message.seq,
            at=message.at,
        )


class TurnView(View):
    """A Turn. `waits_for` names what was observed to come next, never a guess; `can_steer` that it takes words now."""

    turn_id: str
    session_id: str
    state: str
    waits_for: str
    can_steer: bool
    origin: str
    text: str
    position: int
    attempt: int
    code: str
    detail: str
    hold_reason: str
    answer: str
    stopped_by: str
    queued_at: int
    running_at: int | None
    ended_at: int | None

    @classmethod
    def of(cls, seen: SeenTurn) -> Self:
        """Render a Turn."""
        return cls(waits_for=seen.hint, can_steer=seen.can_steer, **_turn(seen.turn))


class SessionDetail(SessionView):
    """A Session with a page of its entries, oldest first, and its Turns that have not ended.

    `cursor` leads to the entries before these, null at the beginning.
    """

    messages: list[MessageView]
    cursor: str | None
    turns: list[TurnView]

    @classmethod
    def seen(cls, found: SeenSession) -> Self:
        """Render a Session with what belongs to it."""
        return cls(
            messages=[MessageView.of(message) for message in found.messages],
            cursor=found.cursor,
            turns=[TurnView.of(turn) for turn in found.turns],
            **_session(found.session),
        )


class AcceptedTurnView(View):
    """A text was accepted; `created` is false when it was known already."""

    session_id: str
    turn_id: str
    created: bool
    state: str
    events_url: str


class SteeredView(View):
    """Where words for a running Turn went: `steered` into it, or `queued` behind it for a `reason`."""

    outcome: Literal["steered", "queued"]
    reason: str
    session_id: str
    turn_id: str
    created: bool
    state: str
    events_url: str


class TurnStateView(View):
    """Where a Turn stands after a stop was asked for; `interrupting` until the agent confirmed."""

    turn_id: str
    state: str


class EventView(View):
    """One thing a Turn showed; `cursor` only grows within it."""

    cursor: int
    kind: str
    at: int
    body: dict[str, Any]  # the event's own fields; they differ by kind

    @classmethod
    def of(cls, row: TurnEventRow) -> Self:
        """Render an event."""
        return cls(cursor=row.cursor, kind=row.kind, at=row.at, body=json.loads(row.body))


class EventList(View):
    """What a Turn showed after the cursor that was named; `ended` when nothing more can come."""

    turn_id: str
    events: list[EventView]
    cursor: int
    ended: bool


class FollowUpView(View):
    """What happens by itself about an owed thing: it waits until `at`, runs, or `why` blocks it."""

    state: str
    why: str
    at: int

    @classmethod
    def of(cls, follow_up: FollowUp) -> Self:
        """Render it."""
        return cls(state=follow_up.state.value, why=follow_up.why, at=follow_up.at)


class OwedView(View):
    """One thing that needs someone: act on it with `version`."""

    id: str
    version: int
    why: str
    text: str
    since: int
    turn_state: str
    actions: list[str]
    follow_up: FollowUpView | None

    @classmethod
    def of(cls, row: OwedRow) -> Self:
        """Render a row."""
        return cls(
            id=row.id,
            version=row.version,
            why=row.why,
            text=row.text,
            since=row.since,
            turn_state=row.turn_state,
            actions=[action.value for action in row.actions],
            follow_up=FollowUpView.of(row.follow_up) if row.follow_up else None,
        )


class OwedList(View):
    """What needs someone, oldest first."""

    owed: list[OwedView]


class ActedView(View):
    """An act was carried out."""

    id: str
    action: str


class DeliveryView(View):
    """One write: what, where, and how far it came."""

    id: str
    request_id: str | None
    phase: str
    chat_id: str
    transport: str
    state: str
    provider_id: str
    attempts: int
    code: str
    content: str
    created_at: int
    written_at: int | None
    verified_at: int | None

    @classmethod
    def of(cls, line: DeliveryLine) -> Self:
        """Render a write."""
        return cls(
            id=line.id,
            request_id=line.request_id,
            phase=line.phase,
            chat_id=line.chat_id,
            transport=line.transport,
            state=line.state,
            provider_id=line.provider_id,
            attempts=line.attempts,
            code=line.code,
            content=words_of(Transport(line.transport), line.content),
            created_at=line.created_at,
            written_at=moment(line.written_at),
            verified_at=moment(line.verified_at),
        )


class DeliveryList(View):
    """The newest writes, newest first."""

    deliveries: list[DeliveryView]


class ApprovalView(View):
    """One thing that an agent asks for; decide it with `version`. What came of a decision is a fact of its own."""

    id: str
    version: int
    state: str
    outcome: str
    applied: str
    applied_reason: str
    session_id: str
    turn_id: str
    subject: str
    risk: str
    reason: str
    arguments: str
    asked_at: int
    expires_at: int
    decided_at: int | None
    decided_by: str
    decided_where: str

    @classmethod
    def of(cls, decision: Decision) -> Self:
        """Render a decision."""
        same = {name: getattr(decision, name) for name in cls.model_fields if name != "decided_at"}
        return cls(decided_at=moment(decision.decided_at), **same)


class ApprovalList(View):
    """What agents ask for."""

    approvals: list[ApprovalView]


class ResentView(View):
    """A part is sent once more, as a new part."""

    id: str
    replaces: str


class StatusView(View):
    """What runs and what is owed."""

    version: str
    pid: int
    home: str
    started_at: int
    console_url: str
    simulator_url: str | None
    apps: list[AppView]
    running: list[TurnStateView]
    sessions: int
    queued: int
    owed: int
    balanced: bool
    sandbox: str


def _session(session: Session) -> dict[str, Any]:
    return {
        "session_id": session.id,
        "binding_id": session.binding_id,
        "workspace_id": session.workspace_id,
        "executor": session.executor,
        "state": session.state.value,
        "running_turn": session.lane,
        "queued": session.queued,
        "opened_at": session.opened_at,
        "closed_at": moment(session.closed_at),
    }


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "turn_id": turn.id,
        "session_id": turn.session_id,
        "state": turn.state.value,
        "origin": turn.origin.value,
        "text": turn.text,
        "position": turn.position,
        "attempt": turn.attempt,
        "code": turn.code,
        "detail": turn.detail,
        "hold_reason": turn.hold_reason.value,
        "answer": turn.answer,
        "stopped_by": turn.stopped_by,
        "queued_at": turn.queued_at,
        "running_at": moment(turn.running_at),
        "ended_at": moment(turn.ended_at),
    }
