"""Small databases that pass for ours: a revision, a `meta` table, and rows to recognise."""

import sqlite3
from contextlib import closing
from pathlib import Path

from hongyan.adapters.store.revision import CURRENT_REVISION

NEWER_REVISION = "9999"


def make_database(path: Path, *, rows: int = 3, revision: str = CURRENT_REVISION, wal: bool = True) -> Path:
    """Give a database with that many rows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        connection.executescript(
            "CREATE TABLE alembic_version (version_num TEXT NOT NULL);"
            "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
            "CREATE TABLE letter (n INTEGER PRIMARY KEY, body TEXT);"
        )
        connection.execute("INSERT INTO alembic_version VALUES (?)", (revision,))
        connection.executemany("INSERT INTO letter VALUES (?, ?)", ((n, "x" * 500) for n in range(rows)))
        connection.commit()
    return path


def count_rows(path: Path) -> int:
    """Give how many rows there are, after an integrity check."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(connection.execute("SELECT count(*) FROM letter").fetchone()[0])


def read_meta(path: Path, key: str) -> str | None:
    """Give the value of a key of the `meta` table."""
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])
