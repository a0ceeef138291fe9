"""Who wants to know what was committed: a subscription to durable changes, for screens that follow along."""

from collections.abc import Callable
from typing import TypeAlias

from hongyan.domain.changes import Changes

__all__ = ["Commits", "Watcher"]

Watcher: TypeAlias = Callable[[Changes], None]


class Commits:
    """Passes every durable change on to whoever watches, in the order of the commits.

    A watcher is called in the loop, before the committer goes on: it notes and returns, it neither waits nor raises.
    """

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []

    def subscribe(self, watcher: Watcher) -> Callable[[], None]:
        """Add a watcher and give what takes it away again; taking it away twice does nothing."""
        self._watchers.append(watcher)

        def end() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return end

    def __call__(self, changes: Changes) -> None:
        """Pass one change on."""
        for watcher in tuple(self._watchers):
            watcher(changes)
