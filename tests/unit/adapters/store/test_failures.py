"""What an error means."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import NamedTuple

import pytest

from hongyan.adapters.store.failures import translate
from hongyan.domain.errors import StoreBusyError, StoreDamagedError, StoreError, StoreFullError


class Room(NamedTuple):
    f_bavail: int
    f_frsize: int


def coded(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("words that may change")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (coded(sqlite3.SQLITE_FULL), StoreFullError),
        (coded(sqlite3.SQLITE_BUSY_SNAPSHOT), StoreBusyError),
        (coded(sqlite3.SQLITE_CORRUPT_INDEX), StoreDamagedError),
        (coded(sqlite3.SQLITE_NOTADB), StoreDamagedError),
        (coded(sqlite3.SQLITE_IOERR_FSYNC), StoreError),
        (sqlite3.ProgrammingError("a closed connection"), StoreError),
        (OSError(errno.ENOSPC, "no space"), StoreFullError),
        (OSError(errno.EDQUOT, "no quota"), StoreFullError),
        (OSError(errno.EACCES, "not allowed"), StoreError),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else repr(value),
)
def test_an_error_means_what_its_number_says(tmp_path: Path, error: Exception, meaning: type[StoreError]) -> None:
    assert type(translate(error, tmp_path / "h.db")) is meaning


def test_a_failed_write_on_a_disk_without_room_is_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda folder: Room(3, 4096))
    assert type(translate(coded(sqlite3.SQLITE_IOERR_WRITE), tmp_path / "h.db")) is StoreFullError
    monkeypatch.setattr(os, "statvfs", lambda folder: Room(3_000_000, 4096))
    assert type(translate(coded(sqlite3.SQLITE_IOERR_WRITE), tmp_path / "h.db")) is StoreError
