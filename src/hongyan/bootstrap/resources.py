"""What a gateway is made with and what it has to give back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hongyan.adapters.lark import LarkApp
from hongyan.adapters.store import SqliteStore
from hongyan.adapters.store.lock import FileLock
from hongyan.application.commits import Commits
from hongyan.application.desk import Desk
from hongyan.ports.chat import ChatEvent
from hongyan.ports.surroundings import Clock, Entropy

__all__ = ["DATABASE", "Resources", "Wiring"]

DATABASE: Final = "hongyan.db"


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a test hands in instead of the machine's own. `wrap` sees every port once, before anything runs."""

    clock: Clock | None = None
    entropy: Entropy | None = None
    wrap: Callable[[Desk], Desk] = lambda desk: desk
    acknowledged: Callable[[ChatEvent], None] = lambda _: None


@dataclass(slots=True)
class Resources:
    """What has to be given back at the end, and which Apps could not be wired."""

    store: SqliteStore
    apps: list[LarkApp]
    locks: list[FileLock]
    problems: dict[str, str]
    commits: Commits

    def release(self) -> None:
        """Let go of every lock."""
        for lock in self.locks:
            lock.release()
        self.locks.clear()
