"""What is left of transactions after a kill, a full disk or a close: all that was answered, and no halves."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.contract.store_child import pair
from tests.contract.store_engines import JOB_COUNT, QUERIES, make_sqlite_file

from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.domain.changes import Changes, Delete
from hongyan.domain.errors import StoreDamagedError, StoreError, StoreFullError

WAIT_SECONDS = 60.0
ROOT = Path(__file__).parents[2]


@contextmanager
def child(role: str, database: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that commits; it is gone when the block ends."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.contract.store_child", role, str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def kept_pairs(database: Path) -> set[int]:
    """Give the numbers of all rows, after checking that none of them is half of a pair."""
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        lanes = {int(key) for (key,) in connection.execute("SELECT key FROM lane")}
        jobs = {int(name) for (name,) in connection.execute("SELECT id FROM job")}
    assert lanes == jobs
    return lanes


@pytest.mark.parametrize("answers", [1, 200, 1500])
def test_every_answered_commit_survives_a_kill_and_none_is_there_by_half(tmp_path: Path, answers: int) -> None:
    database = make_sqlite_file(tmp_path / "store.db")
    with child("endless", database) as process:
        assert process.stdout is not None
        answered = [int(process.stdout.readline()) for _ in range(answers)]
        process.kill()
        answered += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    kept = kept_pairs(database)
    assert set(answered) <= kept
    assert len(kept) <= len(answered) + 8  # at most what each producer had under way


def test_a_write_that_the_disk_refuses_is_not_answered_and_work_goes_on_when_there_is_room(tmp_path: Path) -> None:
    database = make_sqlite_file(tmp_path / "store.db")
    with child("no-room", database) as process:
        lines = process.communicate(timeout=WAIT_SECONDS)[0].split("\n")[:-1]
    assert process.returncode == 0
    *before, refusal, after = lines
    word, code, number = refusal.split()
    assert (word, code.split(".")[0]) == ("refused", "store")
    assert len(before) > 10
    assert int(number) == int(after) == len(before)
    assert kept_pairs(database) == set(range(len(before) + 1))


@pytest.mark.scenario("D13")
async def test_a_full_database_refuses_without_loss_and_takes_work_again_when_there_is_room(tmp_path: Path) -> None:
    database = make_sqlite_file(tmp_path / "store.db")
    store = SqliteStore(database, SqliteOptions(queries=QUERIES, max_pages=60))
    await store.open()
    number = 0
    with pytest.raises(StoreFullError) as full:
        while True:
            await store.commit(Changes("pair", pair(number, b"x" * 4096)))
            number += 1
    assert full.value.retryable
    assert await store.one(JOB_COUNT) == number > 10
    for gone in map(str, range(4)):
        await store.commit(Changes("free", (Delete("job", {"id": gone}), Delete("lane", {"key": gone}))))
    await store.commit(Changes("pair", pair(number, b"x" * 4096)))
    await store.close()
    assert kept_pairs(database) == set(range(4, number + 1))


async def test_a_full_database_answers_every_unit_of_a_batch(tmp_path: Path) -> None:
    database = make_sqlite_file(tmp_path / "store.db")
    store = SqliteStore(database, SqliteOptions(queries=QUERIES, max_pages=60))
    await store.open()
    units = (store.commit(Changes("pair", pair(n, b"x" * 4096))) for n in range(200))
    answers = await asyncio.wait_for(asyncio.gather(*units, return_exceptions=True), WAIT_SECONDS)
    await store.close()
    kept = {n for n, answer in enumerate(answers) if answer == (1, 1)}
    assert all(isinstance(answer, StoreFullError) for n, answer in enumerate(answers) if n not in kept)
    assert kept_pairs(database) == kept


async def test_closing_commits_and_answers_what_is_queued(tmp_path: Path) -> None:
    database = make_sqlite_file(tmp_path / "store.db")
    store = SqliteStore(database, SqliteOptions(queries=QUERIES, batch_limit=4))
    await store.open()
    tasks = [asyncio.create_task(store.commit(Changes("pair", pair(n)))) for n in range(50)]
    await asyncio.sleep(0)
    await asyncio.wait_for(store.close(), WAIT_SECONDS)
    assert await asyncio.wait_for(asyncio.gather(*tasks), WAIT_SECONDS) == [(1, 1)] * 50
    assert kept_pairs(database) == set(range(50))
    assert os.listdir(tmp_path) == ["store.db"]
    with pytest.raises(StoreError):
        await store.commit(Changes("late", pair(99)))
    with pytest.raises(StoreError):
        await store.one(JOB_COUNT)
    await store.close()


async def test_abandoning_leaves_what_a_crash_leaves(tmp_path: Path) -> None:
    database = make_sqlite_file(tmp_path / "store.db")
    store = SqliteStore(database, SqliteOptions(queries=QUERIES, batch_limit=4))
    await store.open()
    await store.commit(Changes("pair", pair(0)))
    tasks = [asyncio.create_task(store.commit(Changes("pair", pair(n)))) for n in range(1, 200)]
    await asyncio.sleep(0)
    store.abandon()
    answered = {0} | {n for n, task in enumerate(tasks, 1) if task.done()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert answered <= kept_pairs(database)


async def test_a_damaged_file_is_told_apart(tmp_path: Path) -> None:
    database = tmp_path / "store.db"
    database.write_bytes(b"no database at all" * 400)
    store = SqliteStore(database, SqliteOptions(queries=QUERIES))
    with pytest.raises(StoreDamagedError):
        await store.open()


async def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db", SqliteOptions(queries=QUERIES))
    with pytest.raises(StoreError):
        await store.open()
    assert not (tmp_path / "store.db").exists()
