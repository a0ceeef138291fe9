"""Turn rows of a query into row types, by one decoder a row type and query.

Fields and columns are matched by name. A decoder is built from type hints at the first row set and knows enums,
booleans, NewTypes and optional fields; anything else a column can hold passes as it is.
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from hongyan.domain.errors import StoreError

__all__ = ["Decoder"]

Row = TypeVar("Row")
Convert = Callable[[Any], Any]

_SCALARS: Final = (int, str, bytes)


class Decoder(Generic[Row]):
    """Decode the rows of one query, whose columns are `columns` in this order."""

    def __init__(self, row: type[Row], columns: Sequence[str]) -> None:
        """Raise StoreError for a column without a field, a field without a column, or an unknown type of field."""
        self._build: Callable[..., Row] = row
        self._scalar = issubclass(row, _SCALARS)
        hints = _scalar_hints(row, columns) if self._scalar else _field_hints(row, columns)
        converters = [_converter(row, name, hints[name]) for name in columns]
        self._converters = [(index, convert) for index, (convert, _) in enumerate(converters) if convert is not None]
        self._required = [index for index, (_, optional) in enumerate(converters) if not optional]
        self._columns = tuple(columns)
        names = list(hints)
        self._order = None if names == list(columns) else [columns.index(name) for name in names]

    def decode(self, values: Sequence[Any]) -> Row:
        """Build one row. Raise StoreError for NULL in a field that is not optional or an unknown enum value."""
        if None in values:
            self._refuse_null(values)
        if self._converters:
            values = list(values)
            for index, convert in self._converters:
                if values[index] is not None:
                    values[index] = self._converted(index, convert, values[index])
        if self._scalar:
            return typing.cast(Row, values[0])
        if self._order is not None:
            values = [values[index] for index in self._order]
        return self._build(*values)

    def _refuse_null(self, values: Sequence[Any]) -> None:
        for index in self._required:
            if values[index] is None:
                raise StoreError(f"column {self._columns[index]} is NULL, which its field does not allow")

    def _converted(self, index: int, convert: Convert, value: object) -> object:
        try:
            return convert(value)
        except (KeyError, ValueError, TypeError) as error:
            raise StoreError(f"column {self._columns[index]} holds an unknown value {value!r}") from error


def _scalar_hints(row: type, columns: Sequence[str]) -> dict[str, Any]:
    if len(columns) != 1:
        raise StoreError(f"a query of {row.__name__} gives one column, not {', '.join(columns)}")
    return {columns[0]: row}


def _field_hints(row: type, columns: Sequence[str]) -> dict[str, Any]:
    if not dataclasses.is_dataclass(row):
        raise StoreError(f"{row.__name__} is not a row type")
    hints = typing.get_type_hints(row)
    fields = {field.name: hints[field.name] for field in dataclasses.fields(row)}
    wrong = set(fields).symmetric_difference(columns)
    if wrong or len(set(columns)) != len(columns):
        raise StoreError(f"fields of {row.__name__} and columns of the query differ: {', '.join(sorted(wrong))}")
    return fields


def _converter(row: type, name: str, hint: Any) -> tuple[Convert | None, bool]:
    """Give what turns a column value into the field's type (None for nothing to do), and whether NULL may stand."""
    hint, optional = _without_none(hint)
    while isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    if hint in _SCALARS:
        return None, optional
    if hint is bool:
        return {0: False, 1: True}.__getitem__, optional
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {member.value: member for member in hint}.__getitem__, optional
    raise StoreError(f"{row.__name__}.{name} has a type that no column holds: {hint!r}")


def _without_none(hint: Any) -> tuple[Any, bool]:
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return hint, False
    members = [member for member in typing.get_args(hint) if member is not type(None)]
    return (members[0], True) if len(members) == 1 else (hint, False)
