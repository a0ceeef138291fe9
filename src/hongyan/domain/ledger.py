"""The two partitions: everything received and everything written is in exactly one class, and the sums are checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain.conversations import TERMINAL, TurnState
from hongyan.domain.deliveries import PartState
from hongyan.domain.quota import AppCalls
from hongyan.domain.requests import ClosedAs, RequestState

__all__ = ["Ledger", "Partition", "ReceivedClass", "classify", "written_classes"]


class ReceivedClass(StrEnum):
    """The classes of the received partition: open ones first, then the closed."""

    CAPTURED = "captured"
    ADMITTED = "admitted"
    ASKING = "asking"
    QUEUED = "queued"
    ACTIVE = "active"
    HELD = "held"
    DELIVERING = "delivering"
    ANSWERED = "answered"
    TOLD = "told"
    MERGED = "merged"
    SILENT = "silent"
    UNDELIVERED = "undelivered"


_BY_STATE: Final = {
    RequestState.CAPTURED: ReceivedClass.CAPTURED,
    RequestState.ADMITTED: ReceivedClass.ADMITTED,
    RequestState.ASKING: ReceivedClass.ASKING,
    RequestState.REJECTED: ReceivedClass.DELIVERING,
    RequestState.COMMAND: ReceivedClass.DELIVERING,
}


def classify(state: RequestState, closed_as: ClosedAs, turn: TurnState | None) -> ReceivedClass:
    """Name the one class of a request. Raise ValueError for a combination that must not exist."""
    if state is RequestState.CLOSED:
        return ReceivedClass(closed_as.value)
    if state is not RequestState.TURN:
        return _BY_STATE[state]
    if turn is None:
        raise ValueError("a request that became a turn names it")
    if turn is TurnState.QUEUED:
        return ReceivedClass.QUEUED
    if turn is TurnState.HELD:
        return ReceivedClass.HELD
    return ReceivedClass.DELIVERING if turn in TERMINAL else ReceivedClass.ACTIVE


def written_classes() -> tuple[str, ...]:
    """Give the names of the classes of the writes partition, in the order of a part's life."""
    return tuple(state.value for state in PartState)


@dataclass(frozen=True, slots=True)
class Partition:
    """One identity: the total counted by itself, and each class counted by its own query."""

    total: int
    classes: Mapping[str, int]

    @property
    def difference(self) -> int:
        """Give the sum of the classes minus the total; 0 when it adds up."""
        return sum(self.classes.values()) - self.total

    @property
    def balanced(self) -> bool:
        """Tell whether the sum is the total."""
        return self.difference == 0


@dataclass(frozen=True, slots=True)
class Ledger:
    """Both partitions read in one snapshot, how many requests are owed, and what each App called.

    `waiting` counts the attempts to go on by itself whose moment has not come.
    """

    received: Partition
    writes: Partition
    owed: int
    calls: tuple[AppCalls, ...] = ()
    waiting: int = 0
