"""The numbered record of everything that changed, for subscribers in process and for the event stream."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

KEPT_CHANGES = 20_000  # a page that was away longer than this reloads the state

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that happened: `kind` names the noun, `facts` is its view after the change."""

    number: int
    at_ms: int
    kind: str
    facts: Json


class Journal:
    """Numbers changes and tells subscribers at once."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._changes: deque[Change] = deque(maxlen=KEPT_CHANGES)
        self._latest: dict[str, Change] = {}
        self._subscribers: list[Callable[[], None]] = []
        self.last_number = 0

    def record(self, kind: str, facts: Json, *, subject: str | None = None) -> None:
        """Append a change and call every subscriber before returning.

        With a `subject` the change before it on the same subject is emptied: a card that streams for minutes would
        otherwise be kept in each of its looks.
        """
        self.last_number += 1
        change = Change(self.last_number, self._now_ms(), kind, facts)
        self._changes.append(change)
        if subject is not None:
            earlier, self._latest[subject] = self._latest.get(subject), change
            if earlier is not None:
                earlier.facts.clear()
                earlier.facts["action"] = "superseded"
        for callback in tuple(self._subscribers):
            callback()

    def since(self, number: int) -> list[Change]:
        """Return the kept changes after the given number, oldest first."""
        missed = self.last_number - number
        if missed <= 0:
            return []
        return list(islice(reversed(self._changes), missed))[::-1]

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back after every change; the returned function ends it and is safe to repeat."""
        self._subscribers.append(callback)

        def unsubscribe() -> None:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

        return unsubscribe
