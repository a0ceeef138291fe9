"""Sessions and Turns: who may run next, in which states, and what is said of one that waits.

The lane is the Session's claim: the Turn named in `Session.lane` may run, nobody else. Queue position and count are
relative changes on the Session's row in the unit that inserts the Turn, so simultaneous messages never conflict.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain.bindings import Binding
from hongyan.domain.changes import ONE_OR_NONE, Add, Change, Less, Not, Of, Require, Update, Value, Where, insert
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import BindingId, PlaceId, RequestId, SessionId, TurnId, WorkspaceId, derive, digest
from hongyan.domain.requests import Origin

__all__ = [
    "ACTIVE",
    "LIVE",
    "TERMINAL",
    "HoldReason",
    "Input",
    "Message",
    "Session",
    "SessionState",
    "Speaker",
    "Turn",
    "TurnEvent",
    "TurnState",
    "WaitHint",
    "advance_turn",
    "append_turn",
    "free_lane",
    "leave_queue",
    "move_turn",
    "new_turn",
    "payload_hash",
    "prompt_key",
    "session_id",
    "turn_id",
    "wait_hint",
]


class SessionState(StrEnum):
    """Where a Session stands."""

    READY = "ready"
    BUSY = "busy"
    RESUMING = "resuming"
    RESUME_FAILED = "resume_failed"
    CLOSED = "closed"


class TurnState(StrEnum):
    """Where a Turn stands."""

    QUEUED = "queued"
    CLAIMED = "claimed"
    STARTING = "starting"
    RUNNING = "running"
    INTERRUPTING = "interrupting"
    COMPLETING = "completing"
    HELD = "held"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


class TurnEvent(StrEnum):
    """What may happen to a Turn."""

    CLAIM = "claim"
    START = "start"  # the agent is being started, or the dispatch intent is committed
    ACCEPT = "accept"  # the agent took the prompt up
    REQUEUE = "requeue"
    HOLD = "hold"
    STOP = "stop"
    FREEZE = "freeze"  # the answer is frozen
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    CANCEL = "cancel"
    FAIL = "fail"
    TIME_OUT = "time_out"


class HoldReason(StrEnum):
    """Why a Turn is held."""

    NONE = ""
    UPSTREAM_UNKNOWN = "upstream_unknown"
    LOGIN = "login"
    MODEL_UNCONFIRMED = "model_unconfirmed"
    QUOTA = "quota"


_S, _E = TurnState, TurnEvent

LIVE: Final = (_S.QUEUED, _S.CLAIMED, _S.STARTING, _S.RUNNING, _S.INTERRUPTING, _S.HELD)
ACTIVE: Final = (_S.CLAIMED, _S.STARTING, _S.RUNNING, _S.INTERRUPTING, _S.COMPLETING)
TERMINAL: Final = (_S.COMPLETED, _S.FAILED, _S.TIMED_OUT, _S.CANCELLED, _S.INTERRUPTED)

MOVES: Final = {
    (_S.QUEUED, _E.CLAIM): _S.CLAIMED,
    (_S.CLAIMED, _E.START): _S.STARTING,
    (_S.STARTING, _E.START): _S.STARTING,
    (_S.STARTING, _E.ACCEPT): _S.RUNNING,
    (_S.CLAIMED, _E.REQUEUE): _S.QUEUED,
    (_S.STARTING, _E.REQUEUE): _S.QUEUED,
    (_S.HELD, _E.REQUEUE): _S.QUEUED,
    (_S.HELD, _E.ACCEPT): _S.RUNNING,
    (_S.CLAIMED, _E.HOLD): _S.HELD,
    (_S.STARTING, _E.HOLD): _S.HELD,
    (_S.RUNNING, _E.HOLD): _S.HELD,
    (_S.INTERRUPTING, _E.HOLD): _S.HELD,
    (_S.CLAIMED, _E.STOP): _S.INTERRUPTING,
    (_S.STARTING, _E.STOP): _S.INTERRUPTING,
    (_S.RUNNING, _E.STOP): _S.INTERRUPTING,
    (_S.STARTING, _E.FREEZE): _S.COMPLETING,
    (_S.RUNNING, _E.FREEZE): _S.COMPLETING,
    (_S.INTERRUPTING, _E.FREEZE): _S.COMPLETING,
    (_S.HELD, _E.FREEZE): _S.COMPLETING,
    (_S.COMPLETING, _E.COMPLETE): _S.COMPLETED,
    (_S.INTERRUPTING, _E.INTERRUPTED): _S.INTERRUPTED,
    (_S.QUEUED, _E.CANCEL): _S.CANCELLED,
    (_S.HELD, _E.CANCEL): _S.CANCELLED,
    **{(state, _E.FAIL): _S.FAILED for state in LIVE},
    **{(state, _E.TIME_OUT): _S.TIMED_OUT for state in LIVE},
}


@dataclass(frozen=True, slots=True)
class Session:
    """A lasting conversation of one binding and one place. `upstream` is the agent's own session id.

    `next_position` and `queued` count the queue; `epoch` grows with every claim and fences its holder's writes.
    """

    id: SessionId
    place_id: PlaceId
    binding_id: BindingId
    workspace_id: WorkspaceId
    executor: str
    upstream: str
    state: SessionState
    lane: TurnId | None
    epoch: int
    next_position: int
    queued: int
    opened_at: int
    closed_at: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One accepted input. Times are UTC milliseconds; 0 means not yet.

    `attempt` counts dispatches of this Turn and is part of the prompt's key. `intent_at` is set before the prompt may
    go out; with it, what happened upstream is read back, never guessed. `answer` is frozen in `completing`.
    """

    id: TurnId
    session_id: SessionId
    request_id: RequestId | None
    client_turn_id: str
    payload_hash: str
    origin: Origin
    text: str
    position: int
    state: TurnState
    binding_id: BindingId
    binding_revision: int
    attempt: int
    queued_at: int
    claimed_at: int
    intent_at: int
    running_at: int
    held_at: int
    ended_at: int
    stop_at: int
    stopped_by: str
    code: str
    detail: str
    hold_reason: HoldReason
    answer: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Input:
    """What a person, or another source, wants run. `client_turn_id` makes acceptance idempotent."""

    request_id: RequestId
    client_turn_id: str
    origin: Origin
    text: str


class Speaker(StrEnum):
    """Who said a transcript entry."""

    PERSON = "person"
    AGENT = "agent"
    GATEWAY = "gateway"


@dataclass(frozen=True, slots=True)
class Message:
    """A transcript entry. Order is append order (`seq`); equal text is not a duplicate."""

    id: str
    session_id: SessionId
    turn_id: TurnId
    speaker: Speaker
    text: str
    seq: int
    at: int


def advance_turn(state: TurnState, event: TurnEvent, identity: str = "") -> TurnState:
    """Give the next state. Raise IllegalMoveError when the table has no such move: nothing leaves a terminal one."""
    try:
        return MOVES[state, event]
    except KeyError:
        raise IllegalMoveError("turn", identity, state, event) from None


def move_turn(turn: Turn, event: TurnEvent, **values: Value) -> Update:
    """Plan the move of a Turn from the state it was read in, with further columns."""
    state = advance_turn(turn.state, event, turn.id)
    return Update("turns", {"id": turn.id, "state": turn.state.value}, {"state": state.value, **values})


def new_turn(said: Input, session: SessionId, binding: Binding, now: int, number: int = 0) -> Turn:
    """Make the queued Turn of an input, under the binding's present revision; `number` counts earlier ones of it."""
    return Turn(
        id=turn_id(said.request_id, number),
        session_id=session,
        request_id=said.request_id,
        client_turn_id=said.client_turn_id,
        payload_hash=payload_hash(said.text),
        origin=said.origin,
        text=said.text,
        position=0,
        state=TurnState.QUEUED,
        binding_id=binding.id,
        binding_revision=binding.revision,
        attempt=0,
        queued_at=now,
        claimed_at=0,
        intent_at=0,
        running_at=0,
        held_at=0,
        ended_at=0,
        stop_at=0,
        stopped_by="",
        code="",
        detail="",
        hold_reason=HoldReason.NONE,
        answer="",
        epoch=0,
    )


def append_turn(turn: Turn, cap: int) -> tuple[Change, ...]:
    """Plan a Turn's place at the end of its Session's queue, if fewer than `cap` wait there and it is not closed.

    Position and count are relative, so simultaneous inputs line up without a conflict.
    """
    row: Where = {"id": turn.session_id}
    open_session: Where = {**row, "queued": Less(cap), "state": Not(SessionState.CLOSED.value)}
    position = Of("sessions", row, "next_position")
    return (
        Update("sessions", open_session, {"next_position": Add(1), "queued": Add(1)}),
        insert("turns", turn, position=position),
        Require("bindings", {"id": turn.binding_id, "revision": turn.binding_revision, "state": "live"}),
    )


def free_lane(session: Session, turn: Turn) -> tuple[Update, ...]:
    """Plan the release of the lane by the Turn that holds it; a Session that was closed meanwhile stays closed.

    What `/stop` means in the place becomes a Turn that still runs there in an older Session, where there is one.
    """
    still_runs = Of("sessions", {"place_id": session.place_id, "lane": Not(None)}, "lane")
    return (
        Update("sessions", {"id": session.id, "lane": turn.id}, {"lane": None}),
        Update("sessions", {"id": session.id, "state": SessionState.BUSY.value}, {"state": "ready"}, ONE_OR_NONE),
        Update("places", {"id": session.place_id, "running_turn": turn.id}, {"running_turn": still_runs}, ONE_OR_NONE),
    )


def leave_queue(turn: Turn) -> Update:
    """Plan what the Session's count loses when a queued Turn goes."""
    return Update("sessions", {"id": turn.session_id}, {"queued": Add(-1)})


def turn_id(request: str, attempt: int = 0) -> TurnId:
    """Name the Turn of a request; running it again makes another Turn."""
    return TurnId(derive("turn", request, str(attempt)))


def session_id(place: PlaceId, binding: BindingId, generation: int) -> SessionId:
    """Name the n-th Session of a place under a binding."""
    return SessionId(derive("ses", place, binding, str(generation)))


def payload_hash(text: str) -> str:
    """Give the hash that makes `client_turn_id` idempotent: same id and same hash is the same Turn."""
    return digest("turn", text)


def prompt_key(turn: Turn) -> str:
    """Name one dispatch of a Turn towards the agent."""
    return f"{turn.id}.{turn.attempt}"


class WaitHint(StrEnum):
    """The next trigger that was observed for a Turn that is accepted but not running."""

    NONE_KNOWN = "none_known"
    AFTER_THIS_TURN = "after_this_turn"
    AGENT_STARTING = "agent_starting"
    HELD_BEFORE = "held_before"
    HELD = "held"
    RUNNING = "running"
    ENDED = "ended"


_HINTS: Final = {
    _S.CLAIMED: WaitHint.AGENT_STARTING,
    _S.STARTING: WaitHint.AGENT_STARTING,
    _S.RUNNING: WaitHint.RUNNING,
    _S.INTERRUPTING: WaitHint.RUNNING,
    _S.COMPLETING: WaitHint.RUNNING,
    _S.HELD: WaitHint.HELD,
}


def wait_hint(turn: Turn, session: Session, holder: Turn | None) -> WaitHint:
    """Name what a Turn waits for, only from what was observed; `holder` is the Turn in the Session's lane."""
    if turn.state in TERMINAL:
        return WaitHint.ENDED
    if turn.state is not TurnState.QUEUED:
        return _HINTS[turn.state]
    if holder is None or session.lane != holder.id:
        return WaitHint.NONE_KNOWN
    return WaitHint.HELD_BEFORE if holder.state is TurnState.HELD else WaitHint.AFTER_THIS_TURN
