"""What a start finds out about its database file."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.adapters.store.databases import NEWER_REVISION, make_database

from hongyan.adapters.store.revision import Condition, create, ensure_current
from hongyan.domain.errors import SchemaTooNewError, StoreDamagedError, StoreError

DIE_WITH_A_WAL = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("INSERT INTO letter VALUES (77, 'x')")
connection.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_file_of_this_version_is_current(tmp_path: Path) -> None:
    assert ensure_current(make_database(tmp_path / "h.db")) is Condition.CURRENT


def test_a_file_that_a_killed_process_left_is_current(tmp_path: Path) -> None:
    path = make_database(tmp_path / "h.db")
    killed = subprocess.run([sys.executable, "-c", DIE_WITH_A_WAL, str(path)], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / "h.db-wal").stat().st_size > 0
    assert ensure_current(path) is Condition.CURRENT


def test_no_file_an_empty_file_and_a_database_without_tables_are_empty(tmp_path: Path) -> None:
    assert ensure_current(tmp_path / "none.db") is Condition.EMPTY
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "zero.db").touch()
    assert ensure_current(tmp_path / "zero.db") is Condition.EMPTY
    with closing(sqlite3.connect(tmp_path / "bare.db")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert ensure_current(tmp_path / "bare.db") is Condition.EMPTY


def test_a_known_revision_that_is_not_the_last_is_older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hongyan.adapters.store.revision.REVISIONS", ("0000", "0001"))
    monkeypatch.setattr("hongyan.adapters.store.revision.CURRENT_REVISION", "0001")
    assert ensure_current(make_database(tmp_path / "h.db", revision="0000")) is Condition.OLDER


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaTooNewError) as refused:
        ensure_current(make_database(tmp_path / "h.db", revision=NEWER_REVISION))
    assert refused.value.code == "store.schema_too_new"


def test_a_file_that_is_no_database_of_ours_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_bytes(b"these are words" * 1000)
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    unstamped = make_database(tmp_path / "unstamped.db")
    with closing(sqlite3.connect(unstamped)) as connection, connection:
        connection.execute("DELETE FROM alembic_version")
    for path in (tmp_path / "text.db", tmp_path / "other.db", unstamped):
        with pytest.raises(StoreDamagedError):
            ensure_current(path)


def test_a_new_file_is_current_and_private(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    create(path)
    assert ensure_current(path) is Condition.CURRENT
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_second_creation_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = make_database(tmp_path / "h.db", wal=False)
    before = path.read_bytes()
    with pytest.raises(StoreError):
        create(path)
    assert path.read_bytes() == before


def test_a_new_and_a_current_file_are_opened_without_the_migration_libraries(tmp_path: Path) -> None:
    program = """
import asyncio, sys
from pathlib import Path
from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.adapters.store.revision import Condition, create, ensure_current
import hongyan.adapters.store.backup, hongyan.adapters.store.lock
path = Path(sys.argv[1])
assert ensure_current(path) is Condition.EMPTY
create(path)
assert ensure_current(path) is Condition.CURRENT
async def main():
    store = SqliteStore(path, SqliteOptions(queries={}))
    await store.open()
    await store.close()
asyncio.run(main())
print(*sorted({name.split(".")[0] for name in sys.modules} & {"alembic", "sqlalchemy", "psycopg", "mako"}))
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, str(tmp_path / "h.db")]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert (result.stdout, result.returncode) == ("\n", 0), result.stderr
