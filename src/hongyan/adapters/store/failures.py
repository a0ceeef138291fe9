"""What an error of SQLite, or of the file system under it, means in the gateway's own error tree."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import Final

from hongyan.domain.errors import (
    ConflictError,
    HongyanError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
)

__all__ = ["ENGINE_ERRORS", "PRIMARY", "statement_failure", "translate"]

# The driver raises OverflowError for an integer above 64 bits and UnicodeEncodeError (a ValueError) for half of a
# surrogate pair: both before SQLite sees the statement.
ENGINE_ERRORS: Final = (sqlite3.Error, OverflowError, ValueError)

_CLASSES: Final[dict[int, type[StoreError]]] = {
    sqlite3.SQLITE_FULL: StoreFullError,
    sqlite3.SQLITE_BUSY: StoreBusyError,
    sqlite3.SQLITE_LOCKED: StoreBusyError,
    sqlite3.SQLITE_CORRUPT: StoreDamagedError,
    sqlite3.SQLITE_NOTADB: StoreDamagedError,
}
_TAKEN: Final = frozenset(
    {
        sqlite3.SQLITE_CONSTRAINT_UNIQUE,
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
        sqlite3.SQLITE_CONSTRAINT_ROWID,
        # The row that is pointed at went away, or is still pointed at: another state than decided on.
        sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
    }
)
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
PRIMARY: Final = 0xFF  # the low byte of an extended result code is the primary one
_ROOM_BYTES: Final = 256 * 1024  # a disk with less room than this is full, whatever the failed call reported


def translate(error: Exception, database: Path) -> StoreError:
    """Give the StoreError that says what `error` means for the database at `database`."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & PRIMARY
    found = _CLASSES.get(primary, StoreError) if primary is not None else StoreError
    if primary == sqlite3.SQLITE_IOERR and _is_full(database.parent):
        found = StoreFullError
    if isinstance(error, OSError):
        return (StoreFullError if error.errno in _NO_ROOM else StoreError)(f"{database.parent}: {error.strerror}")
    return found(f"the database answered: {error}")


def statement_failure(error: Exception, database: Path, *, label: str, step: int) -> HongyanError:
    """Give a ConflictError when a statement met a taken key or a missing row, else what `translate` says."""
    if getattr(error, "sqlite_errorcode", None) in _TAKEN:
        return ConflictError(label, step)
    return translate(error, database)


def _is_full(folder: Path) -> bool:
    try:
        room = os.statvfs(folder)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < _ROOM_BYTES
