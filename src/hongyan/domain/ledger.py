"""The two partitions: everything received and everything written is in exactly one class, and the sums are checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from hongyan.domain.conversations import TERMINAL, TurnState
from hongyan.domain.deliveries import PartState
from hongyan.domain.quota import AppCalls
from hongyan.domain.requests import ClosedAs, RequestState

__all__ = [
    "TALLIED_RECEIVED",
    "TALLIED_WRITES",
    "TOTAL",
    "BookLine",
    "DayCount",
    "Ledger",
    "LedgerDay",
    "Partition",
    "ReceivedClass",
    "classify",
    "compared",
    "days_of",
    "written_classes",
]


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


TOTAL: Final = "total"
"""What the count of a whole table is called beside the counts of its classes."""

TALLIED_RECEIVED: Final = tuple(name.value for name in ClosedAs if name is not ClosedAs.OPEN)
"""The classes that grow for ever: the store keeps a tally of each, and one of the total."""

TALLIED_WRITES: Final = tuple(
    state.value for state in PartState if state not in {PartState.PLANNED, PartState.INTENDED, PartState.WRITTEN}
)
"""The same for writes. One that stays unknown is never looked for again, so these may be many too."""

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
    """One identity: the total counted by itself, and each class counted by its own query.

    `astray` names the tallies that are not what was counted row by row, and by how much they are too high.
    """

    total: int
    classes: Mapping[str, int]
    astray: Mapping[str, int] = field(default_factory=dict)

    @property
    def difference(self) -> int:
        """Give the sum of the classes minus the total; 0 when it adds up."""
        return sum(self.classes.values()) - self.total

    @property
    def balanced(self) -> bool:
        """Tell whether the sum is the total, and each tally what was counted."""
        return self.difference == 0 and not self.astray


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


@dataclass(frozen=True, slots=True)
class DayCount:
    """One class of one partition on one day under one binding; the class `total` counts whatever the class.

    `day` counts days since 1970 by the calendar of this machine.
    """

    side: str
    binding_id: str
    day: int
    name: str
    amount: int


@dataclass(frozen=True, slots=True)
class LedgerDay:
    """Both partitions of one day under one binding; the id is empty for what no binding took."""

    day: str
    binding_id: str
    received: Partition
    writes: Partition


@dataclass(frozen=True, slots=True)
class BookLine:
    """One received message or one write, as it is exported. Times are UTC milliseconds; no words are part of it."""

    kind: str
    id: str
    request_id: str
    app: str
    chat_id: str
    binding_id: str
    session_id: str
    turn_id: str
    message_id: str
    origin: str
    form: str
    state: str
    outcome: str
    code: str
    owed: int
    attempts: int
    began_at: int
    written_at: int
    ended_at: int


def compared(counted: Mapping[str, int], tallies: Mapping[str, int], tallied: Sequence[str]) -> dict[str, int]:
    """Give the tallies that are not what was counted, each with how much too high it is; a lost one counts as 0."""
    found = {name: tallies.get(name, 0) - counted.get(name, 0) for name in (TOTAL, *tallied)}
    return {name: amount for name, amount in found.items() if amount}


def days_of(counts: Sequence[DayCount]) -> list[LedgerDay]:
    """Put counts together, newest day first; a total stands beside its classes and is never their sum."""
    found: dict[tuple[int, str], dict[str, dict[str, int]]] = {}
    for count in counts:
        sides = found.setdefault((count.day, count.binding_id), {"received": {}, "writes": {}})
        sides[count.side][count.name] = count.amount
    return [
        LedgerDay(
            (date(1970, 1, 1) + timedelta(days=day)).isoformat(),
            binding,
            _partition(sides["received"], [name.value for name in ReceivedClass]),
            _partition(sides["writes"], written_classes()),
        )
        for (day, binding), sides in sorted(found.items(), key=lambda item: (-item[0][0], item[0][1]))
    ]


def _partition(amounts: Mapping[str, int], names: Sequence[str]) -> Partition:
    return Partition(amounts.get(TOTAL, 0), {name: amounts.get(name, 0) for name in names})
