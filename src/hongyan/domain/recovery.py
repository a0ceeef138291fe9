"""What becomes of a Turn that a crash cut off: decided from evidence, never guessed."""

from dataclasses import dataclass
from enum import StrEnum

from hongyan.domain.agents import Evidence, ReadBack, TurnEnding
from hongyan.domain.conversations import Turn, TurnState

__all__ = ["AfterCrash", "Resolution", "needs_read_back", "resolve"]


class AfterCrash(StrEnum):
    """The ways on."""

    REQUEUE = "requeue"  # nothing was dispatched, or provably never taken up
    FINISH = "finish"  # the answer is there
    FAIL = "fail"  # begun, not ended, and nothing runs any more
    HOLD = "hold"  # nothing is proved: the owner decides


@dataclass(frozen=True, slots=True)
class Resolution:
    """The way on, with the answer where there is one."""

    way: AfterCrash
    answer: str = ""


def needs_read_back(turn: Turn) -> bool:
    """Tell whether the prompt may have gone out, so that only the agent's own history can say what happened."""
    live = {TurnState.CLAIMED, TurnState.STARTING, TurnState.RUNNING, TurnState.INTERRUPTING}
    return turn.state in live and turn.intent_at > 0


def resolve(read_back: ReadBack) -> Resolution:
    """Choose the way on from the evidence."""
    if read_back.evidence is Evidence.ABSENT:
        return Resolution(AfterCrash.REQUEUE)
    if read_back.evidence is Evidence.ENDED and read_back.ending is TurnEnding.COMPLETED:
        return Resolution(AfterCrash.FINISH, read_back.answer)
    if read_back.evidence in {Evidence.ENDED, Evidence.UNFINISHED}:
        return Resolution(AfterCrash.FAIL)
    return Resolution(AfterCrash.HOLD)
