"""What needs somebody: the actions that a request allows, and the fact that one of them was taken.

The rule is one for chat, console and command line: whoever acts names the version that was seen; the first one wins.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain.changes import Insert
from hongyan.domain.continuations import Continuation, ContinuationState
from hongyan.domain.conversations import TERMINAL, Turn, TurnState
from hongyan.domain.identity import derive
from hongyan.domain.pairing import Owner
from hongyan.domain.requests import STEER, ClosedAs, Request, RequestState

__all__ = [
    "ACT",
    "ActRow",
    "FollowUp",
    "OwedAction",
    "OwedRow",
    "note_act",
    "owed_actions",
    "see_owed",
    "serve_one_person",
]

ACT: Final = "act."  # what the fact of an action begins with
TEXT_LETTERS: Final = 200


class OwedAction(StrEnum):
    """What somebody may do about an owed request."""

    RUN_AGAIN = "run_again"
    DROP = "drop"
    CLOSE = "close"
    RUN = "run"
    IGNORE = "ignore"
    SEND_AGAIN = "send_again"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What happens by itself about an owed thing: it waits for a moment (UTC milliseconds), runs, or is blocked.

    `why` is the cause while it waits or runs, and what forbids it once it is blocked.
    """

    state: ContinuationState
    why: str
    at: int


@dataclass(frozen=True, slots=True)
class OwedRow:
    """One thing that needs someone: why, since when (UTC milliseconds), and what can be done. Act with `version`."""

    id: str
    version: int
    why: str
    text: str
    since: int
    session_id: str
    turn_state: str
    actions: tuple[OwedAction, ...]
    follow_up: FollowUp | None = None


@dataclass(frozen=True, slots=True)
class ActRow:
    """The fact that somebody acted on a request. `at` is UTC milliseconds, `facts` JSON."""

    subject: str
    fact: str
    at: int
    facts: str

    @property
    def action(self) -> OwedAction:
        """Give what was done."""
        return OwedAction(self.fact.removeprefix(ACT))

    @property
    def where(self) -> str:
        """Give the surface that it was done on."""
        return str(json.loads(self.facts)["where"])


def see_owed(request: Request, turn: Turn | None, attempt: Continuation | None = None) -> OwedRow:
    """Give an owed request as it is listed; `turn` is its newest one, `attempt` the newest try to go on with it."""
    return OwedRow(
        id=request.id,
        version=request.version,
        why=request.owed_why,
        text=request.text[:TEXT_LETTERS],
        since=request.accepted_at,
        session_id=request.session_id or "",
        turn_state=turn.state.value if turn else "",
        actions=owed_actions(request, turn),
        follow_up=_follow_up(attempt, turn),
    )


def _follow_up(attempt: Continuation | None, turn: Turn | None) -> FollowUp | None:
    """Tell only of an attempt at the newest Turn, or of the one that runs now."""
    states = {ContinuationState.WAITING, ContinuationState.RESERVED, ContinuationState.BLOCKED}
    if attempt is None or turn is None or attempt.state not in states:
        return None
    if turn.id not in {attempt.turn_id, attempt.reserved_turn}:
        return None
    why = attempt.evidence if attempt.state is ContinuationState.BLOCKED else attempt.cause.value
    return FollowUp(attempt.state, why, attempt.not_before)


def owed_actions(request: Request, turn: Turn | None) -> tuple[OwedAction, ...]:
    """Give what can be done about a request now."""
    if request.state is RequestState.ASKING:
        return (OwedAction.RUN, OwedAction.IGNORE)
    if request.command == STEER:  # the Turn is another message's
        return (OwedAction.RUN_AGAIN, OwedAction.CLOSE)
    if turn is not None and turn.state is TurnState.HELD:
        return (OwedAction.RUN_AGAIN, OwedAction.DROP)
    if request.closed_as is ClosedAs.UNDELIVERED:
        return (OwedAction.SEND_AGAIN, OwedAction.CLOSE)
    if turn is not None and turn.state in TERMINAL and request.state is RequestState.CLOSED:
        return (OwedAction.RUN_AGAIN, OwedAction.CLOSE)
    return (OwedAction.CLOSE,) if request.state is RequestState.CLOSED else ()


def note_act(seen: tuple[str, int], action: OwedAction, where: str, at: int) -> Insert:
    """Plan the fact of an action on what was seen by id and version: a second one on the same version meets it."""
    subject, version = seen
    row = {"id": derive("act", subject, str(version)), "subject": subject, "fact": f"{ACT}{action}"}
    return Insert("audit", {**row, "at": at, "facts": json.dumps({"where": where})})


def serve_one_person(owners: Sequence[Owner]) -> bool:
    """Tell whether all Apps have the same owner: what belongs to this machine alone is theirs then."""
    named = {owner.union_id for owner in owners}
    return len(owners) == 1 or (len(named) == 1 and "" not in named)
