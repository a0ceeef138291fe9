"""How `queries.sql` is read."""

import pytest

from hongyan.adapters.store.queries import parse_queries
from hongyan.domain.errors import StoreError


def test_a_file_is_read_by_names() -> None:
    queries = parse_queries(
        "-- a file may begin with words\n-- name: first\n-- What it is for.\nSELECT :a, ':b', x::int -- :c\n"
        "WHERE y = :long_name2 AND z=:a\n\n-- name: second\nSELECT 1\n"
    )
    assert {name: query.parameters for name, query in queries.items()} == {
        "first": {"a", "long_name2"},
        "second": set(),
    }
    assert queries["second"].sql == "SELECT 1"


@pytest.mark.parametrize(
    "text",
    [
        "-- name: a\nSELECT 1\n-- name: a\nSELECT 2",
        "-- name: two words\nSELECT 1",
        "-- name:\nSELECT 1",
        "-- name: a\n-- only words\n-- name: b\nSELECT 1",
    ],
    ids=["repeated", "two words", "no name", "no SQL"],
)
def test_a_file_that_is_not_well_made_is_refused(text: str) -> None:
    with pytest.raises(StoreError):
        parse_queries(text)
