"""A disk that fills up and gets room again, in front of the real store."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from hongyan.domain.changes import Changes, Value
from hongyan.domain.errors import StoreFullError
from hongyan.ports.store import Query, Store

__all__ = ["Disk"]

Row = TypeVar("Row")


class Disk:
    """Refuses commits as a full disk makes the engine do; what it refused stays listed by label.

    `busy` counts what the engine works on now.
    """

    def __init__(self) -> None:
        self.refused: list[str] = []
        self.busy = 0
        self._full_for: frozenset[str] | None = frozenset()

    def fill(self, *labels: str) -> None:
        """Leave no room for commits with these labels; without one, for none at all."""
        self._full_for = frozenset(labels) or None

    def free(self) -> None:
        """Make room again."""
        self._full_for = frozenset()

    @property
    def is_full(self) -> bool:
        """Tell whether some commits find no room."""
        return self._full_for is None or bool(self._full_for)

    def under(self, store: Store) -> Store:
        """Give the store as it is with this disk below it."""
        return _Stored(store, self)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count a piece of work for as long as it takes."""
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1

    def take(self, changes: Changes) -> None:
        """Raise StoreFullError when there is no room for these changes."""
        if self._full_for is None or changes.label in self._full_for:
            self.refused.append(changes.label)
            raise StoreFullError("database or disk is full")


class _Stored:
    def __init__(self, inner: Store, disk: Disk) -> None:
        self._inner, self._disk = inner, disk

    async def commit(self, changes: Changes) -> tuple[int, ...]:
        self._disk.take(changes)
        with self._disk.working():
            return await self._inner.commit(changes)

    async def one(self, query: Query[Row], **arguments: Value) -> Row | None:
        with self._disk.working():
            return await self._inner.one(query, **arguments)

    async def all(self, query: Query[Row], **arguments: Value) -> Sequence[Row]:
        with self._disk.working():
            return await self._inner.all(query, **arguments)
