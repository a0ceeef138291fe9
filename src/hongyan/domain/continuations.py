"""Continuations: a new Turn for what failed before anything ran, at most so often, and only with proof.

One row for each attempt. It waits until `not_before`, then the agent's own history is read: the proof gives the
request another Turn, everything else leaves it owed. The failed Turn and what was said about it stay.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain import limits
from hongyan.domain.agents import Prompt
from hongyan.domain.changes import Update, Value, Where
from hongyan.domain.conversations import Turn, TurnEvent
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.history import History, PastStatus, all_settled, never_arrived, nothing_ran
from hongyan.domain.identity import RequestId, SessionId, TurnId, derive
from hongyan.domain.requests import Origin

__all__ = [
    "BUDGETS",
    "Block",
    "Cause",
    "Continuation",
    "ContinuationEvent",
    "ContinuationState",
    "Failure",
    "Scene",
    "Wish",
    "adoptable",
    "blocked_by",
    "cause_of",
    "may_follow",
    "move_continuation",
    "plan_continuation",
    "proven",
]


class Cause(StrEnum):
    """Why a Turn may be continued."""

    NOT_DISPATCHED = "not_dispatched"
    TRANSPORT = "transport"
    QUOTA = "quota"
    UNFINISHED = "unfinished"  # declared by the agent's own tool call
    READ_BACK = "read_back"  # no continuation: a late look for an answer that may be there after all


class ContinuationState(StrEnum):
    """Where one attempt stands."""

    WAITING = "waiting"
    RESERVED = "reserved"  # its Turn is in the queue
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    BLOCKED = "blocked"
    ADOPTED = "adopted"


class ContinuationEvent(StrEnum):
    """What may happen to an attempt."""

    RESERVE = "reserve"
    BLOCK = "block"
    ADOPT = "adopt"
    SUCCEED = "succeed"
    FAIL = "fail"


_S, _E = ContinuationState, ContinuationEvent
MOVES: Final = {
    (_S.WAITING, _E.RESERVE): _S.RESERVED,
    (_S.WAITING, _E.BLOCK): _S.BLOCKED,
    (_S.WAITING, _E.ADOPT): _S.ADOPTED,
    (_S.RESERVED, _E.SUCCEED): _S.SUCCEEDED,
    (_S.RESERVED, _E.FAIL): _S.FAILED,
}

BUDGETS: Final = {
    Cause.NOT_DISPATCHED: 3,
    Cause.TRANSPORT: 3,
    Cause.QUOTA: 1,
    Cause.UNFINISHED: 1,
    Cause.READ_BACK: 1,
}
_NEVER_SENT: Final = frozenset({"agent.start_failed", "agent.error"})
_BEGUN: Final = dict.fromkeys(("agent.lost", "agent.protocol", "agent.idle_timed_out"), Cause.READ_BACK)
_UNSEEN: Final = {
    **_BEGUN,
    **dict.fromkeys((*_NEVER_SENT, "agent.lost"), Cause.NOT_DISPATCHED),
    "agent.unavailable": Cause.TRANSPORT,
    "agent.quota": Cause.QUOTA,
}


class Block(StrEnum):
    """Why there is no continuation; the request stays owed."""

    SETTLED = "continuation.settled"
    NEWER_INPUT = "continuation.newer_input"
    STOPPED = "continuation.stopped"
    STEERED = "continuation.steered"
    SEEN = "continuation.something_ran"
    ATTACHMENT = "continuation.attachment"
    GROUP = "continuation.group"
    EDITED = "continuation.edited"
    REVOKED = "continuation.revoked"
    SESSION = "continuation.session_closed"
    UNREADABLE = "continuation.unreadable"
    BACKGROUND = "continuation.background"
    UNPROVEN = "continuation.unproven"


@dataclass(frozen=True, slots=True)
class Continuation:
    """One attempt. Times are UTC milliseconds.

    `turn_id` is the Turn that failed, `reserved_turn` the new one; `evidence` is what was proved, or why not.
    """

    id: str
    request_id: RequestId
    session_id: SessionId
    turn_id: TurnId
    cause: Cause
    n: int
    reserved_turn: TurnId | None
    evidence: str
    not_before: int
    state: ContinuationState
    planned_at: int


@dataclass(frozen=True, slots=True)
class Failure:
    """How a Turn failed. `provable` says that the agent keeps a history that can prove something."""

    event: TurnEvent
    code: str
    provable: bool
    retry_at: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """What a failed Turn may bring: the cause, how many attempts of it were made, the moment, and the quota's reset."""

    cause: Cause
    made: int
    now: int
    retry_at: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """What a continuation has to look at beside the history: each of these facts forbids it."""

    settled: bool = False
    newer_input: bool = False
    stopped: bool = False
    steered: bool = False
    seen: bool = False
    attachment: bool = False
    group: bool = False
    edited: bool = False
    revoked: bool = False
    session_closed: bool = False


def cause_of(turn: Turn, failure: Failure, began: bool) -> Cause | None:
    """Name why a failed Turn may be looked at again; None when it only waits for a person.

    The agent's own structured code counts, its wording never does. `began` says that something of it was seen.
    """
    if failure.event not in {TurnEvent.FAIL, TurnEvent.TIME_OUT}:
        return None
    if turn.intent_at == 0:
        return Cause.NOT_DISPATCHED if failure.code in _NEVER_SENT else None
    if not failure.provable:
        return None
    return (_BEGUN if began else _UNSEEN).get(failure.code)


def plan_continuation(turn: Turn, wish: Wish) -> Continuation | None:
    """Plan the next attempt; None when the budget of its cause is spent."""
    if turn.request_id is None or wish.made >= BUDGETS[wish.cause]:
        return None
    wait = limits.RECOVERY_DELAYS_MS[wish.made]
    return Continuation(
        id=derive("cont", turn.request_id, wish.cause.value, str(wish.made)),
        request_id=turn.request_id,
        session_id=turn.session_id,
        turn_id=turn.id,
        cause=wish.cause,
        n=wish.made,
        reserved_turn=None,
        evidence="",
        not_before=max(wish.now + wait, wish.retry_at),
        state=ContinuationState.WAITING,
        planned_at=wish.now,
    )


def may_follow(turn: Turn, former: Continuation | None, cause: Cause) -> bool:
    """Tell whether a failed Turn may bring this cause: a continuation that fails brings no other than its own."""
    return turn.origin is not Origin.CONTINUATION or (former is not None and former.cause is cause)


def move_continuation(row: Continuation, event: ContinuationEvent, **values: Value) -> Update:
    """Plan the move of an attempt from the state it was read in. Raise IllegalMoveError when there is no such move."""
    try:
        state = MOVES[row.state, event]
    except KeyError:
        raise IllegalMoveError("continuation", row.id, row.state, event) from None
    where: Where = {"id": row.id, "state": row.state.value}
    return Update("continuations", where, {"state": state.value, **values})


def blocked_by(cause: Cause, scene: Scene) -> Block | None:
    """Name what forbids it before any history is read."""
    facts = (
        (scene.settled and cause is not Cause.UNFINISHED, Block.SETTLED),
        (scene.revoked, Block.REVOKED),
        (scene.session_closed, Block.SESSION),
        (scene.stopped, Block.STOPPED),
        (scene.newer_input, Block.NEWER_INPUT),
        (scene.steered, Block.STEERED),
        (scene.group, Block.GROUP),
        (scene.attachment, Block.ATTACHMENT),
        (scene.edited, Block.EDITED),
        (scene.seen and cause not in {Cause.UNFINISHED, Cause.READ_BACK}, Block.SEEN),
    )
    return next((block for is_so, block in facts if is_so), None)


def proven(cause: Cause, turn: Turn, prompt: Prompt, history: History) -> str | Block:
    """Give what proves that this cause may be continued, or why nothing does."""
    if cause is Cause.NOT_DISPATCHED and turn.intent_at == 0:
        return "no_intent"
    doubt = _doubt(history)
    if doubt is not None:
        return doubt
    if cause is Cause.UNFINISHED:
        return "all_settled" if all_settled(history) else Block.UNPROVEN
    if cause is Cause.READ_BACK:
        return Block.UNPROVEN
    if never_arrived(prompt, history):
        return "prompt_absent"
    ran_nothing = cause is not Cause.NOT_DISPATCHED and nothing_ran(prompt, history)
    return "nothing_ran" if ran_nothing else Block.UNPROVEN


def _doubt(history: History) -> Block | None:
    if not history.readable:
        return Block.UNREADABLE
    return Block.BACKGROUND if history.background else None


def adoptable(prompt: Prompt, history: History) -> str:
    """Give the answer that the history proves to be this prompt's own; empty when it proves none."""
    turn = history.turn_of(prompt)
    if turn is None or turn.status is not PastStatus.COMPLETED or not all_settled(history):
        return ""
    return turn.answer.strip()
