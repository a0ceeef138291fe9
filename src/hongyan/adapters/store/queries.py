"""The named reads of `queries.sql`: one file of portable SQL with `:name` parameters.

A query begins with a line `-- name: turn_by_id`; comment lines below it describe it; the SQL runs to the next name.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hongyan.domain.errors import StoreError

__all__ = ["NamedQuery", "packaged_queries", "parse_queries"]

_HEADER: Final = re.compile(r"^-- name:\s*(.*?)\s*$", re.MULTILINE)
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_NOT_SQL: Final = re.compile(r"'(?:[^']|'')*'|--[^\n]*")
_PARAMETER: Final = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """One read: its SQL, and the names that a caller must give, no more and no fewer."""

    name: str
    sql: str
    parameters: frozenset[str]


def parse_queries(text: str) -> Mapping[str, NamedQuery]:
    """Give the queries of a file by name. Raise StoreError for a bad or repeated name, or a name without SQL."""
    parts = _HEADER.split(text)[1:]
    queries: dict[str, NamedQuery] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        sql = body.strip()
        if not _NAME.fullmatch(name) or name in queries:
            raise StoreError(f"queries.sql: {name!r} is not a new name of a query")
        code = _NOT_SQL.sub("", sql)
        if not code.strip():
            raise StoreError(f"queries.sql: {name} has no SQL")
        queries[name] = NamedQuery(name, sql, frozenset(_PARAMETER.findall(code)))
    return queries


@functools.cache
def packaged_queries() -> Mapping[str, NamedQuery]:
    """Give the queries that ship with the gateway."""
    return parse_queries((Path(__file__).parent / "queries.sql").read_text(encoding="utf-8"))
