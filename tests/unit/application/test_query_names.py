"""The named reads of the application and the SQL of the store are one list, and every row of it can be decoded."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from hongyan.adapters.store.queries import packaged_queries
from hongyan.adapters.store.revision import create
from hongyan.adapters.store.rows import Decoder
from hongyan.ports import queries
from hongyan.ports.store import Query

NAMED: dict[str, Query[Any]] = {
    constant: value for constant, value in vars(queries).items() if isinstance(value, Query)
}


def test_the_application_names_exactly_the_queries_that_the_store_has() -> None:
    assert {query.name for query in NAMED.values()} == set(packaged_queries())


def test_each_name_stands_once_and_says_what_its_constant_says() -> None:
    assert {query.name.upper() for query in NAMED.values()} == set(NAMED)
    assert set(NAMED) <= set(queries.__all__)


def test_every_query_gives_the_columns_of_its_row(tmp_path: Path) -> None:
    create(tmp_path / "store.db")
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        for query in NAMED.values():
            written = packaged_queries()[query.name]
            shown = connection.execute(written.sql, dict.fromkeys(written.parameters, 1)).description
            Decoder(query.row, [column[0] for column in shown])  # raises where fields and columns differ
