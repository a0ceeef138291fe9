"""Where decisions are kept and read: one writer of `Changes`, and named reads.

The engine behind it decides how transactions are grouped; the application never sees a connection. The same
contract holds on SQLite and on PostgreSQL (`tests/contract/test_store.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from hongyan.domain.changes import Changes, Value

__all__ = ["Query", "Reads", "Store"]

Row = TypeVar("Row")
Row_co = TypeVar("Row_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Query(Generic[Row_co]):
    """A named read: its SQL stands in the store's `queries.sql` under `name`; each row becomes one `row`.

    Columns are matched to the fields of `row` by name; a column without a field and a field without a column are
    errors. `row` may also be `int` or `str` for a query of one column.
    """

    name: str
    row: type[Row_co]


class Reads(Protocol):
    """Named reads of what is committed. A read after an awaited commit sees it."""

    async def one(self, query: Query[Row], **arguments: Value) -> Row | None:
        """Give the only row, or None. Raise StoreError when the query gives more than one."""

    async def all(self, query: Query[Row], **arguments: Value) -> Sequence[Row]:
        """Give all rows in the query's own order."""


class Store(Reads, Protocol):
    """The committed state of one gateway."""

    async def commit(self, changes: Changes) -> tuple[int, ...]:
        """Apply every step or none, and return only when it is durable. Give the row count of each step.

        Raise ConflictError when a step's row count is not among the expected ones or a unique key is taken: nothing
        was written, decide again. Raise StoreFullError or another StoreError when the engine failed: nothing was
        written. Cancelling the caller does not undo a commit that is under way.
        """
