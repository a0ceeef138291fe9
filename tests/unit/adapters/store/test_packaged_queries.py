"""The packaged queries and the packaged schema belong together."""

import sqlite3
from contextlib import closing
from pathlib import Path

from hongyan.adapters.store.queries import packaged_queries
from hongyan.adapters.store.revision import create


def test_every_packaged_query_runs_on_a_new_database(tmp_path: Path) -> None:
    create(tmp_path / "h.db")
    queries = packaged_queries()
    assert queries
    with closing(sqlite3.connect(tmp_path / "h.db")) as connection:
        for query in queries.values():
            assert connection.execute(query.sql, dict.fromkeys(query.parameters, 1)).description, query.name


def test_no_name_in_double_quotes_can_pass_for_a_text(tmp_path: Path) -> None:
    """SQLite takes an unknown name in double quotes for a text, so that a typing error would never be found."""
    assert not [query.name for query in packaged_queries().values() if '"' in query.sql]
