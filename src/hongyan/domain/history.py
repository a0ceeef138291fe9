"""An agent's own history of one session, and the two questions that a continuation asks of it.

Both answers are proofs: whatever cannot be read, is not known or still runs makes them "no".
"""

from dataclasses import dataclass
from enum import StrEnum

from hongyan.domain.agents import Prompt

__all__ = [
    "UNREADABLE",
    "History",
    "Item",
    "ItemKind",
    "PastStatus",
    "PastTurn",
    "all_settled",
    "never_arrived",
    "nothing_ran",
]


class ItemKind(StrEnum):
    """What one piece of an agent's work is."""

    TEXT = "text"
    THOUGHT = "thought"
    TOOL = "tool"
    UNKNOWN = "unknown"  # a kind that we do not know: nothing can be said about it


class PastStatus(StrEnum):
    """How a turn ended, as the agent recorded it."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of an agent's work; `settled` when nothing more can come of it."""

    kind: ItemKind
    settled: bool = True


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One turn of a history. `key` is the gateway's id of the dispatch, empty when the agent gives none back."""

    key: str
    text: str
    status: PastStatus
    items: tuple[Item, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """What an agent shows of its own past. `background` counts commands that still run beside any turn."""

    readable: bool
    turns: tuple[PastTurn, ...] = ()
    background: int = 0

    def turn_of(self, prompt: Prompt) -> PastTurn | None:
        """Give the newest turn of this very dispatch."""
        return next((turn for turn in reversed(self.turns) if turn.key == prompt.key), None)


UNREADABLE = History(readable=False)


def never_arrived(prompt: Prompt, history: History) -> bool:
    """Tell whether the history proves that the prompt was never taken up."""
    if not _is_clear(history) or history.turn_of(prompt) is not None:
        return False
    return not any(not turn.key and turn.text == prompt.text for turn in history.turns)  # it may be ours


def nothing_ran(intent: Prompt, history: History) -> bool:
    """Tell whether the history proves that a prompt caused nothing: it is absent, or ended failed without an item."""
    turn = history.turn_of(intent)
    if turn is None:
        return never_arrived(intent, history)
    return _is_clear(history) and turn.status is PastStatus.FAILED and not turn.items


def all_settled(history: History) -> bool:
    """Tell whether the history proves that nothing is under way: every turn ended, and every item of it too."""
    open_ends = {PastStatus.UNFINISHED, PastStatus.UNKNOWN}
    return _is_clear(history) and not any(
        turn.status in open_ends or not all(item.settled for item in turn.items) for turn in history.turns
    )


def _is_clear(history: History) -> bool:
    unknown = any(item.kind is ItemKind.UNKNOWN for turn in history.turns for item in turn.items)
    return history.readable and not unknown and history.background == 0
