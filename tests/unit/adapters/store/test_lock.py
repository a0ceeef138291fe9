"""Who may hold a home."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hongyan.adapters.store.lock import FileLock, Holder, read_holder
from hongyan.domain.errors import BlockedError, BusyError

ROOT = Path(__file__).parents[4]
HOLD = """
import sys
from pathlib import Path
from hongyan.adapters.store.lock import FileLock
FileLock(Path(sys.argv[1])).acquire(started_at=1700, socket="/s")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that holds the lock; it is gone when the block ends."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", HOLD, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_process_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with another_holder(path) as process:
        with pytest.raises(BusyError) as refused:
            FileLock(path).acquire(started_at=1)
        assert refused.value.code == "home.busy"
        assert str(process.pid) in refused.value.message
        assert read_holder(path) == Holder(process.pid, 1700, "/s")


def test_what_a_dead_process_left_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with another_holder(path) as process:
        process.kill()
        process.wait(20)
    assert path.read_text() != ""
    assert read_holder(path) is None
    lock = FileLock(path)
    lock.acquire(started_at=5, socket="/mine")
    assert read_holder(path) == Holder(os.getpid(), 5, "/mine")
    lock.release()


def test_a_second_lock_in_the_same_process_is_refused_with_its_own_code(tmp_path: Path) -> None:
    path = tmp_path / "cli_a1"
    first, second = FileLock(path, code="app.busy"), FileLock(path, code="app.busy")
    first.acquire(started_at=1)
    with pytest.raises(BusyError) as refused:
        second.acquire(started_at=2)
    assert refused.value.code == "app.busy"
    first.release()
    first.release()
    assert read_holder(path) is None
    second.acquire(started_at=2)
    second.release()


def test_a_holder_that_has_not_said_who_it_is_still_holds(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = FileLock(path)
    lock.acquire(started_at=1)
    path.write_text("{")
    with pytest.raises(BusyError):
        FileLock(path).acquire(started_at=2)
    assert read_holder(path) is None
    lock.release()


def test_the_file_is_private(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.acquire(started_at=1)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    lock.release()


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(BlockedError):
        FileLock(tmp_path / "no such folder" / "lock").acquire(started_at=1)


def test_a_home_without_a_lock_has_no_holder(tmp_path: Path) -> None:
    assert read_holder(tmp_path / "lock") is None
