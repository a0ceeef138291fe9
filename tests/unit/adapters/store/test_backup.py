"""Copies that are whole, and a restore that loses neither database."""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.adapters.store.databases import NEWER_REVISION, count_rows, make_database, read_meta

from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.adapters.store.backup import Restored, backup, restore
from hongyan.adapters.store.lock import FileLock, read_holder
from hongyan.adapters.store.revision import Condition
from hongyan.domain.changes import Changes, Insert
from hongyan.domain.errors import BusyError, HongyanError, RefusedError, SchemaTooNewError, StoreDamagedError

WAIT_SECONDS = 30.0


def lock_of(folder: Path) -> FileLock:
    return FileLock(folder / "lock")


def journal_mode(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def scramble(path: Path) -> Path:
    """Take away the page on which the rows hang; the tables are still listed."""
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'letter'").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(content)
    return path


async def restored(copy: Path, database: Path) -> Restored:
    lock = lock_of(database.parent)
    return await asyncio.wait_for(restore(copy, database, lock=lock, restored_at=1_700), WAIT_SECONDS)


async def test_a_copy_of_a_database_in_use_holds_what_was_committed_before(tmp_path: Path) -> None:
    store = SqliteStore(make_database(tmp_path / "h.db"), SqliteOptions(queries={}))
    await store.open()
    writing = [Changes("w", (Insert("letter", {"n": n, "body": "y" * 500}),)) for n in range(100, 400)]
    await store.commit(writing.pop())
    others = [asyncio.create_task(store.commit(changes)) for changes in writing]
    await asyncio.wait_for(backup(tmp_path / "h.db", tmp_path / "copy.db"), WAIT_SECONDS)
    await asyncio.wait_for(asyncio.gather(*others), WAIT_SECONDS)
    await store.close()
    assert 4 <= count_rows(tmp_path / "copy.db") <= 303
    assert count_rows(tmp_path / "h.db") == 303


async def test_a_copy_is_one_private_file(tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    await backup(make_database(tmp_path / "h.db"), folder / "copy.db")
    assert os.listdir(folder) == ["copy.db"]
    assert os.stat(folder / "copy.db").st_mode & 0o777 == 0o600
    assert journal_mode(folder / "copy.db") == "delete"


async def test_a_copy_overwrites_nothing_and_makes_no_folder(tmp_path: Path) -> None:
    database = make_database(tmp_path / "h.db")
    (tmp_path / "copy.db").write_text("mine")
    for target, code in ((tmp_path / "copy.db", "exists"), (tmp_path / "no" / "copy.db", "folder_missing")):
        with pytest.raises(RefusedError) as refused:
            await backup(database, target)
        assert refused.value.code == f"backup.{code}"
    assert (tmp_path / "copy.db").read_text() == "mine"


async def test_a_copy_of_a_damaged_database_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "h.db").write_bytes(b"these are words" * 1000)
    with pytest.raises(StoreDamagedError):
        await backup(tmp_path / "h.db", tmp_path / "copy.db")
    assert os.listdir(tmp_path) == ["h.db"]


async def test_a_restore_keeps_the_former_database_and_says_when(tmp_path: Path) -> None:
    database = make_database(tmp_path / "h.db", rows=2)
    await backup(database, tmp_path / "copy.db")
    make_database(tmp_path / "later.db", rows=9).replace(database)
    answer = await restored(tmp_path / "copy.db", database)
    assert answer == Restored(tmp_path / "h.db.before-restore-1", Condition.CURRENT)
    assert answer.kept is not None
    assert (count_rows(database), count_rows(answer.kept)) == (2, 9)
    assert (read_meta(database, "restored_at"), read_meta(answer.kept, "restored_at")) == ("1700", None)
    assert os.stat(database).st_mode & 0o777 == 0o600
    assert read_holder(tmp_path / "lock") is None


async def test_a_second_restore_keeps_both_former_databases(tmp_path: Path) -> None:
    database = make_database(tmp_path / "h.db", rows=2)
    await backup(database, tmp_path / "copy.db")
    await restored(tmp_path / "copy.db", database)
    again = await restored(tmp_path / "copy.db", database)
    assert again.kept == tmp_path / "h.db.before-restore-2"
    assert count_rows(tmp_path / "h.db.before-restore-1") == 2


async def test_a_restore_into_an_empty_home_works(tmp_path: Path) -> None:
    make_database(tmp_path / "copy.db", rows=4)
    assert (await restored(tmp_path / "copy.db", tmp_path / "h.db")).kept is None
    assert count_rows(tmp_path / "h.db") == 4


async def test_a_restore_over_a_damaged_database_keeps_its_bytes_and_its_log(tmp_path: Path) -> None:
    make_database(tmp_path / "copy.db", rows=4)
    database = tmp_path / "h.db"
    database.write_bytes(b"these are words" * 1000)
    (tmp_path / "h.db-wal").write_bytes(b"more words")
    await restored(tmp_path / "copy.db", database)
    assert count_rows(database) == 4
    assert (tmp_path / "h.db.before-restore-1").read_bytes() == b"these are words" * 1000
    assert (tmp_path / "h.db.before-restore-1-wal").read_bytes() == b"more words"


async def test_rows_that_only_the_log_holds_are_kept_with_the_former_database(tmp_path: Path) -> None:
    make_database(tmp_path / "copy.db", rows=4)
    database = make_database(tmp_path / "h.db", rows=1)
    with closing(sqlite3.connect(database)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT 1 FROM letter").fetchall()  # an open read keeps the log from being folded in
        with closing(sqlite3.connect(database)) as writer, writer:
            writer.execute("INSERT INTO letter VALUES (9, 'z')")
        answer = await restored(tmp_path / "copy.db", database)
        assert "h.db-wal" not in os.listdir(tmp_path)
    assert answer.kept is not None
    assert (count_rows(database), count_rows(answer.kept)) == (4, 2)


async def test_a_home_in_use_is_not_restored(tmp_path: Path) -> None:
    database = make_database(tmp_path / "h.db", rows=2)
    make_database(tmp_path / "copy.db", rows=4)
    gateway = lock_of(tmp_path)
    gateway.acquire(started_at=1)
    with pytest.raises(BusyError):
        await restored(tmp_path / "copy.db", database)
    gateway.release()
    assert count_rows(database) == 2


async def test_a_copy_that_cannot_be_used_changes_nothing(tmp_path: Path) -> None:
    database = make_database(tmp_path / "h.db", rows=2)
    (tmp_path / "words.db").write_bytes(b"these are words" * 1000)
    (tmp_path / "zero.db").touch()
    make_database(tmp_path / "newer.db", revision=NEWER_REVISION)
    torn = make_database(tmp_path / "torn.db", rows=400, wal=False)
    os.truncate(torn, os.stat(torn).st_size // 8192 * 4096)
    scramble(make_database(tmp_path / "scrambled.db", rows=400, wal=False))
    refusals: dict[str, type[HongyanError]] = {
        "words.db": StoreDamagedError,
        "zero.db": StoreDamagedError,
        "torn.db": StoreDamagedError,
        "scrambled.db": StoreDamagedError,
        "newer.db": SchemaTooNewError,
        "none.db": RefusedError,
    }
    for name, refusal in refusals.items():
        with pytest.raises(refusal):
            await restored(tmp_path / name, database)
    assert count_rows(database) == 2
    assert "h.db.before-restore-1" not in os.listdir(tmp_path)
