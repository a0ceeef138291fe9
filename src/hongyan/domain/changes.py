"""A transaction as data: what must hold, what is written, and how many rows each step must touch.

A use case reads a snapshot, the domain decides, and the decision leaves as one `Changes` value. The store applies
all of it or nothing. Guards are NULL-safe: `None` matches NULL and only NULL.
"""

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar, Final, Protocol, TypeAlias

__all__ = [
    "EXACTLY_ONE",
    "ONE_OR_NONE",
    "Add",
    "AtLeast",
    "AtMost",
    "Change",
    "Changes",
    "Columns",
    "Delete",
    "Guard",
    "Insert",
    "Less",
    "Not",
    "Of",
    "OneOf",
    "Require",
    "RowType",
    "Update",
    "Value",
    "Where",
    "Written",
    "insert",
    "plain",
]

Value: TypeAlias = int | str | bytes | None

EXACTLY_ONE: Final = frozenset({1})
ONE_OR_NONE: Final = frozenset({0, 1})


@dataclasses.dataclass(frozen=True, slots=True)
class Less:
    """The column is smaller than `limit`."""

    limit: int


@dataclasses.dataclass(frozen=True, slots=True)
class AtMost:
    """The column is `limit` or smaller."""

    limit: int


@dataclasses.dataclass(frozen=True, slots=True)
class AtLeast:
    """The column is `limit` or larger."""

    limit: int


@dataclasses.dataclass(frozen=True, slots=True)
class OneOf:
    """The column is one of `values`, none of which is None."""

    values: tuple[int | str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Not:
    """The column differs from `value`; NULL differs from every value but None."""

    value: Value


Guard: TypeAlias = Value | Less | AtMost | AtLeast | OneOf | Not
Where: TypeAlias = Mapping[str, Guard]


@dataclasses.dataclass(frozen=True, slots=True)
class Add:
    """The column's own value plus `amount`."""

    amount: int


@dataclasses.dataclass(frozen=True, slots=True)
class Of:
    """The value of `column` in the one row of `table` where `where` holds, read inside the same transaction.

    None when there is no such row.
    """

    table: str
    where: Mapping[str, Guard]
    column: str


Written: TypeAlias = Value | Add | Of
Columns: TypeAlias = Mapping[str, Written]


@dataclasses.dataclass(frozen=True, slots=True)
class Insert:
    """Add one row. With `expect=ONE_OR_NONE` a row with the same unique key is left as it is and counts 0."""

    table: str
    values: Mapping[str, Value | Of]
    expect: frozenset[int] = EXACTLY_ONE


@dataclasses.dataclass(frozen=True, slots=True)
class Update:
    """Set columns of the rows where every guard holds."""

    table: str
    where: Mapping[str, Guard]
    values: Mapping[str, Written]
    expect: frozenset[int] = EXACTLY_ONE


@dataclasses.dataclass(frozen=True, slots=True)
class Delete:
    """Remove the rows where every guard holds."""

    table: str
    where: Mapping[str, Guard]
    expect: frozenset[int] = EXACTLY_ONE


@dataclasses.dataclass(frozen=True, slots=True)
class Require:
    """Demand a row with these values and keep it so until the transaction ends; nothing is written."""

    table: str
    where: Mapping[str, Guard]
    expect: frozenset[int] = EXACTLY_ONE


Change: TypeAlias = Insert | Update | Delete | Require


@dataclasses.dataclass(frozen=True, slots=True)
class Changes:
    """Steps applied in order, all or none. `label` names the decision in logs, metrics and kill points."""

    label: str
    steps: tuple[Change, ...]

    def __add__(self, other: tuple[Change, ...]) -> "Changes":
        return Changes(self.label, self.steps + other)


def plain(value: object) -> Value:
    """Turn a field of a row type into a column value: enums to their value, booleans to 0 and 1."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, int | str | bytes):
        return value
    raise TypeError(f"{type(value).__name__} is not a column value")


class RowType(Protocol):
    """A dataclass whose field names are the column names of its table."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


def insert(table: str, row: RowType, expect: frozenset[int] = EXACTLY_ONE, **relative: Of) -> Insert:
    """Build the insert of a row type whose field names are the column names; `relative` overrides fields."""
    values: dict[str, Value | Of] = {f.name: plain(getattr(row, f.name)) for f in dataclasses.fields(row)}
    values.update(relative)
    return Insert(table, values, expect)
