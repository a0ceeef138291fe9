"""The table of tallies: how many rows are in each class that only grows, kept by the database itself.

Counting a class row by row takes longer with every year, so triggers keep one number for each closed class of
`requests`, for each end of `parts`, and one for each table as a whole. Open classes have few rows and are counted
where they stand. The totals are kept by insert and delete only, never as a sum of classes: that the classes add up to
the total stays a check. A full count beside the tallies, made every night, finds a tally that is wrong.

A trigger is text of one engine and stands here, by dialect, each statement in one line: migrations split their DDL at
the ends of lines. An engine that joins (PostgreSQL: a function and `EXECUTE FUNCTION`, and a row that every commit
locks) adds its text to `_TRIGGERS`; until then its tallies stay 0 and the nightly count says so. SQLite runs no delete
trigger for a row that `INSERT OR REPLACE` takes away; the compiler never writes one.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import MetaData, Table

from hongyan.adapters.store.columns import number, text
from hongyan.domain.ledger import TALLIED_RECEIVED, TALLIED_WRITES

__all__ = ["TALLIES", "add_tallies", "tally_statements"]

TALLIES: Final = (
    "requests",
    *(f"requests.{name}" for name in TALLIED_RECEIVED),
    "parts",
    *(f"parts.{name}" for name in TALLIED_WRITES),
)
"""The name of every row: a table for its total, a table and a class for the class. No class is without a name, so
`requests.` and `parts.planned` are no rows, and what is counted there is counted nowhere."""


def add_tallies(metadata: MetaData) -> None:
    """Add it to the others."""
    Table("tallies", metadata, text("name", key=True), number("amount"))


def tally_statements(dialect: str) -> Sequence[str]:
    """Give what a new database needs beyond the table: its rows, and the triggers of this engine."""
    rows = ", ".join(f"('{name}', 0)" for name in TALLIES)
    return (f"INSERT INTO tallies (name, amount) VALUES {rows}", *_TRIGGERS.get(dialect, ()))


def _sqlite_triggers(table: str, columns: str, name: str) -> Sequence[str]:
    """Give the three triggers of a table; `name` is the SQL of a row's tally, with `@` for OLD or NEW."""
    old, new = name.replace("@", "OLD"), name.replace("@", "NEW")
    more, less = "UPDATE tallies SET amount = amount + 1 WHERE", "UPDATE tallies SET amount = amount - 1 WHERE"
    return (
        f"CREATE TRIGGER {table}_tallied_in AFTER INSERT ON {table} BEGIN {more} name IN ('{table}', {new}); END",
        f"CREATE TRIGGER {table}_tallied_on AFTER UPDATE OF {columns} ON {table} WHEN {old} <> {new} "
        f"BEGIN {less} name = {old}; {more} name = {new}; END",
        f"CREATE TRIGGER {table}_tallied_out AFTER DELETE ON {table} BEGIN {less} name IN ('{table}', {old}); END",
    )


_TRIGGERS: Final[Mapping[str, Sequence[str]]] = {
    "sqlite": (
        *_sqlite_triggers(
            "requests", "state, closed_as", "'requests.' || CASE @.state WHEN 'closed' THEN @.closed_as ELSE '' END"
        ),
        *_sqlite_triggers("parts", "state", "'parts.' || @.state"),
    )
}
