"""Turn one step of a transaction into a statement that SQLite and PostgreSQL both understand.

The text depends only on the step's shape (verb, table, columns, kinds of guards), never on values, so it is rendered
once and found again afterwards. A guard with a value compiles to `=`, which a NULL column never satisfies, and a
guard of None to `IS NULL`: NULL-safe, and both engines can use an index for it, which PostgreSQL cannot for
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
    Delete,
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
Shape: TypeAlias = tuple[object, ...]


class _Template(str):
    """How a guard or a value is written: `@` stands for the column, `?` for a parameter."""

    __slots__ = ()


# A shape is flat: the verb, the table, the columns that are written, `None`, the columns of the guards. A column with
# a plain value stands alone; any other is followed by its template, which for `Of` is a tuple of table, column and the
# shape of its guards.
_EQUALS: Final = _Template("@ = ?")
_IS_NULL: Final = _Template("@ IS NULL")
_IS_NOT_NULL: Final = _Template("@ IS NOT NULL")
_DIFFERS: Final = _Template("(@ <> ? OR @ IS NULL)")
_LIMITS: Final = {Less: _Template("@ < ?"), AtMost: _Template("@ <= ?"), AtLeast: _Template("@ >= ?")}
_NEVER: Final = _Template("1 = 0")
_ADD: Final = _Template("@ + ?")
_VALUE: Final = _Template("?")

_PLAIN_GUARDS: Final = frozenset({int, str, bytes})
_PLAIN_VALUES: Final = frozenset({int, str, bytes, type(None)})
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
        shape: list[object] = [type(change), change.table]
        parameters: list[Value] = []
        if isinstance(change, (Insert, Update)):
            _shape_values(change.values, shape, parameters)
        shape.append(None)
        if not isinstance(change, Insert):
            _shape_guards(change.where, shape, parameters)
        key = tuple(shape)
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = _render(change, key).replace("?", self._placeholder)
        return text, tuple(parameters)


def _shape_values(values: Mapping[str, Written], shape: list[object], parameters: list[Value]) -> None:
    """Collect the parameters in the order of the text and name what the text depends on."""
    for column, value in values.items():
        shape.append(column)
        kind = type(value)
        if kind in _PLAIN_VALUES:
            parameters.append(value)  # type: ignore[arg-type]  # the line above tells its type
        elif kind is Add:
            parameters.append(value.amount)  # type: ignore[union-attr]  # mypy does not follow `kind`
            shape.append(_ADD)
        elif isinstance(value, Of):
            guards: list[object] = []
            _shape_guards(value.where, guards, parameters)
            shape.append((value.table, value.column, tuple(guards)))
        else:
            parameters.append(plain(value))


def _shape_guards(where: Mapping[str, Guard], shape: list[object], parameters: list[Value]) -> None:
    for column, guard in where.items():
        shape.append(column)
        if type(guard) in _PLAIN_GUARDS:
            parameters.append(guard)  # type: ignore[arg-type]  # the line above tells its type
        elif guard is None:
            shape.append(_IS_NULL)
        else:
            shape.append(_guard(guard, parameters))


def _guard(guard: Guard, parameters: list[Value]) -> _Template:
    if isinstance(guard, Less | AtMost | AtLeast):
        parameters.append(guard.limit)
        return _LIMITS[type(guard)]
    if isinstance(guard, OneOf):
        parameters.extend(plain(value) for value in guard.values)
        return _Template(f"@ IN ({', '.join('?' * len(guard.values))})") if guard.values else _NEVER
    if isinstance(guard, Not) and guard.value is None:
        return _IS_NOT_NULL
    parameters.append(plain(guard.value if isinstance(guard, Not) else guard))
    return _DIFFERS if isinstance(guard, Not) else _EQUALS


def _render(change: Change, shape: Shape) -> str:
    table = _identifier(change.table)
    middle = shape.index(None)
    where = shape[middle + 1 :]
    if isinstance(change, Delete):
        return f"DELETE FROM {table} WHERE {_where(where)}"
    if isinstance(change, Require):
        column = _identifier(next(iter(change.where), ""))
        return f"UPDATE {table} SET {column} = {column} WHERE {_where(where)}"
    values = _pairs(shape[2:middle], _VALUE)
    if isinstance(change, Insert):
        columns = ", ".join(_identifier(column) for column, _ in values)
        written = ", ".join(_value(column, template) for column, template in values)
        return f"INSERT INTO {table} ({columns}) VALUES ({written}) ON CONFLICT DO NOTHING"
    settings = ", ".join(f"{_identifier(column)} = {_value(column, template)}" for column, template in values)
    return f"UPDATE {table} SET {settings} WHERE {_where(where)}"


def _where(shape: Shape) -> str:
    return " AND ".join(_value(column, template) for column, template in _pairs(shape, _EQUALS))


def _value(column: str, template: _Template | Shape) -> str:
    if isinstance(template, _Template):
        return template.replace("@", _identifier(column))
    table, read, where = template
    if not isinstance(where, tuple):
        raise TypeError(f"{template!r} is not the shape of a value")
    # LIMIT keeps both engines alike: PostgreSQL would raise for a second row and abort the whole batch.
    return f"(SELECT {_identifier(read)} FROM {_identifier(table)} WHERE {_where(where)} LIMIT 1)"


def _pairs(shape: Shape, usual: _Template) -> list[tuple[str, _Template | Shape]]:
    """Take a flat shape apart into columns and templates, `usual` where a column stands alone."""
    if not shape:
        raise ValueError("a step needs at least one guard and, to write, at least one value")
    pairs: list[tuple[str, _Template | Shape]] = []
    for part in shape:
        if isinstance(part, _Template | tuple):
            pairs[-1] = (pairs[-1][0], part)
        else:
            pairs.append((str(part), usual))
    return pairs


def _identifier(name: object) -> str:
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a table or column")
    return name
