"""Turn one step of a transaction into a statement that SQLite and PostgreSQL both understand.

The text depends only on the step's shape (verb, table, columns, kinds of guards), never on values, so it is rendered
once and found again afterwards. A guard with a value compiles to `=`, which a NULL column never satisfies, and a
guard of None to `IS NULL`: NULL-safe, and both engines can use an index for it, which they cannot for
`IS NOT DISTINCT FROM`.

No statement raises for a taken unique key on insert: the row count says it, because an error would abort a
PostgreSQL pipeline.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from hongyan.domain.changes import (
    Add,
    AtLeast,
    AtMost,
    Change,
    Guard,
    Insert,
    Less,
    Not,
    Of,
    OneOf,
    Require,
    Update,
    Value,
    Written,
    plain,
)

__all__ = ["Compiler", "Statement"]

Statement: TypeAlias = tuple[str, tuple[Value, ...]]
Parameters: TypeAlias = list[Value]
Shape: TypeAlias = tuple[object, ...]

# In a template `@` stands for the column and `?` for a parameter; neither can occur in an identifier.
_EQUALS: Final = "@ = ?"
_IS_NULL: Final = "@ IS NULL"
_IS_NOT_NULL: Final = "@ IS NOT NULL"
_DIFFERS: Final = "(@ <> ? OR @ IS NULL)"
_LIMITS: Final[dict[type, str]] = {Less: "@ < ?", AtMost: "@ <= ?", AtLeast: "@ >= ?"}
_NEVER: Final = "1 = 0"
_VALUE: Final = "?"
_ADD: Final = "@ + ?"

_PLAIN: Final = frozenset({int, str, bytes})
_IDENTIFIER: Final = re.compile(r"[a-z_][a-z0-9_]*")


class Compiler:
    """Compile steps for one engine; `placeholder` is how its driver writes a parameter (`?` or `%s`)."""

    def __init__(self, placeholder: str = "?") -> None:
        self._placeholder = placeholder
        self._texts: dict[Shape, str] = {}

    def compile(self, change: Change) -> Statement:
        """Give the statement and its parameters in order.

        Raise ValueError for a name that is no identifier or for a step without guards or values, TypeError for a
        value that no column can hold: both are mistakes in the program, not states of the database.
        """
        parameters: Parameters = []
        shape = _shape(change, parameters)
        text = self._texts.get(shape)
        if text is None:
            text = self._texts[shape] = _render(change, shape).replace("?", self._placeholder)
        return text, tuple(parameters)


def _shape(change: Change, parameters: Parameters) -> Shape:
    """Collect the parameters in the order of the text and name everything the text depends on."""
    if isinstance(change, Insert):
        return (Insert, change.table, _written(change.values, parameters))
    if isinstance(change, Update):
        values = _written(change.values, parameters)
        return (Update, change.table, _guards(change.where, parameters), values)
    return (type(change), change.table, _guards(change.where, parameters))


def _guards(where: Mapping[str, Guard], parameters: Parameters) -> Shape:
    shape: list[object] = []
    for column, guard in where.items():
        shape.append(column)
        if type(guard) in _PLAIN:
            parameters.append(guard)  # type: ignore[arg-type]  # mypy does not narrow by membership of a type
            shape.append(_EQUALS)
        else:
            shape.append(_guard(guard, parameters))
    return tuple(shape)


def _guard(guard: Guard, parameters: Parameters) -> str:
    if guard is None:
        return _IS_NULL
    if isinstance(guard, Less | AtMost | AtLeast):
        parameters.append(guard.limit)
        return _LIMITS[type(guard)]
    if isinstance(guard, OneOf):
        parameters.extend(plain(value) for value in guard.values)
        return f"@ IN ({', '.join('?' * len(guard.values))})" if guard.values else _NEVER
    if isinstance(guard, Not) and guard.value is None:
        return _IS_NOT_NULL
    parameters.append(plain(guard.value if isinstance(guard, Not) else guard))
    return _DIFFERS if isinstance(guard, Not) else _EQUALS


def _written(values: Mapping[str, Value | Of] | Mapping[str, Written], parameters: Parameters) -> Shape:
    shape: list[object] = []
    for column, value in values.items():
        shape.append(column)
        if value is None or type(value) in _PLAIN:
            parameters.append(value)  # type: ignore[arg-type]  # mypy does not narrow by membership of a type
            shape.append(_VALUE)
        elif isinstance(value, Add):
            parameters.append(value.amount)
            shape.append(_ADD)
        elif isinstance(value, Of):
            shape.append((value.table, value.column, _guards(value.where, parameters)))
        else:
            parameters.append(plain(value))
            shape.append(_VALUE)
    return tuple(shape)


def _render(change: Change, shape: Shape) -> str:
    table = _identifier(change.table)
    if isinstance(change, Insert):
        pairs = _pairs(shape[2])
        columns = ", ".join(_identifier(column) for column, _ in pairs)
        values = ", ".join(_value(column, template) for column, template in pairs)
        return f"INSERT INTO {table} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING"
    where = _where(shape[2])
    if isinstance(change, Update):
        settings = ", ".join(
            f"{_identifier(column)} = {_value(column, template)}" for column, template in _pairs(shape[3])
        )
        return f"UPDATE {table} SET {settings} WHERE {where}"
    if shape[0] is not Require:
        return f"DELETE FROM {table} WHERE {where}"
    column = _identifier(next(iter(change.where)))
    return f"UPDATE {table} SET {column} = {column} WHERE {where}"


def _where(shape: object) -> str:
    return " AND ".join(str(template).replace("@", _identifier(column)) for column, template in _pairs(shape))


def _value(column: str, template: object) -> str:
    if isinstance(template, str):
        return template.replace("@", _identifier(column))
    if not isinstance(template, tuple):
        raise TypeError(f"{template!r} is not the shape of a value")
    table, read, where = template
    # LIMIT keeps both engines alike: PostgreSQL would raise for a second row and abort the whole batch.
    return f"(SELECT {_identifier(read)} FROM {_identifier(table)} WHERE {_where(where)} LIMIT 1)"


def _pairs(shape: object) -> list[tuple[str, object]]:
    """Take a flat shape apart into columns and templates."""
    if not isinstance(shape, tuple) or not shape:
        raise ValueError("a step needs at least one guard and, to write, at least one value")
    return list(zip(shape[::2], shape[1::2], strict=True))


def _identifier(name: str) -> str:
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a table or column")
    return name
