"""Copies of the database: made while the gateway runs, put back while it does not."""

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hongyan.adapters.store.failures import translate
from hongyan.adapters.store.lock import FileLock
from hongyan.adapters.store.revision import Condition, ensure_current
from hongyan.domain.errors import RefusedError, StoreDamagedError

__all__ = ["Restored", "backup", "copy_database", "restore"]

_BUSY_SECONDS: Final = 5.0
_MARK: Final = (
    "INSERT INTO meta (key, value) VALUES ('restored_at', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: `kept` is the former database, None when there was none; `condition` of the new one."""

    kept: Path | None
    condition: Condition


async def backup(database: Path, target: Path) -> None:
    """Write a consistent copy of a database in use to `target`, which only its owner can read.

    The copy appears under its name when it is complete and on disk. Raise RefusedError when `target` exists or its
    folder does not, StoreFullError when there is no room.
    """
    await asyncio.to_thread(copy_database, database, target)


async def restore(copy: Path, database: Path, *, lock: FileLock, restored_at: int) -> Restored:
    """Put `copy` in the place of `database` and note the time in its `meta` table under `restored_at`.

    The former database stays beside it under another name. The copy is checked first: StoreDamagedError when it is
    not a whole database of ours, SchemaTooNewError when a newer version made it. Raise BusyError when a gateway holds
    `lock`. A crash at any point leaves either the former or the restored database in place.
    """
    return await asyncio.to_thread(_restore, copy, database, lock, restored_at)


def copy_database(database: Path, target: Path) -> None:
    """Do what `backup` does, in the caller's thread."""
    try:
        missing, taken = not target.parent.is_dir(), target.exists()
    except OSError as error:
        raise RefusedError("backup.not_written", f"{target} cannot be written: {error.strerror}") from error
    if missing:
        raise RefusedError("backup.folder_missing", f"the folder {target.parent} does not exist")
    if taken:
        raise RefusedError("backup.exists", f"{target} exists and is not overwritten")
    with _translated(target), _unfinished(target) as part:
        _copy(database, part)
        _sync(part)
        try:
            os.link(part, target)
        except FileExistsError as error:
            raise RefusedError("backup.exists", f"{target} exists and is not overwritten") from error
        _sync(target.parent)


def _restore(copy: Path, database: Path, lock: FileLock, restored_at: int) -> Restored:
    lock.acquire(started_at=restored_at)
    try:
        condition = _check(copy)
        with _translated(database), _unfinished(database) as part:
            _copy(copy, part)
            _mark(part, restored_at)
            _sync(part)
            kept = _set_aside(database)
            part.replace(database)
            _sync(database.parent)
    finally:
        lock.release()
    return Restored(kept, condition)


def _check(copy: Path) -> Condition:
    if not copy.is_file():
        raise RefusedError("restore.missing", f"{copy} is not a file")
    condition = ensure_current(copy)
    if condition is Condition.EMPTY:
        raise StoreDamagedError(f"{copy} holds no tables")
    with _translated(copy), closing(_open(copy, "ro")) as connection:
        (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise StoreDamagedError(f"{copy} is damaged: {verdict}")
    return condition


def _copy(source: Path, target: Path) -> None:
    """Copy in one step, so that a gateway that goes on writing cannot make the copy start over."""
    with closing(_open(source, "ro")) as reading, closing(_open(target, "rw")) as writing:
        reading.backup(writing, pages=-1)
        writing.execute("PRAGMA journal_mode = DELETE")  # one file, without a WAL beside it


def _mark(database: Path, restored_at: int) -> None:
    with closing(_open(database, "rw")) as connection:
        connection.execute(_MARK, (str(restored_at),))


def _set_aside(database: Path) -> Path | None:
    """Give the former database a second name, and take away what could be replayed into the new file.

    The log gets its second name before SQLite sees the file: opening a damaged one may delete it.
    """
    if not database.exists():
        return None
    kept = _free_name(database)
    os.link(database, kept)
    logs = {_beside(database, suffix): _beside(kept, suffix) for suffix in ("-wal", "-journal")}
    logs = {log: kept_log for log, kept_log in logs.items() if log.exists()}
    for log, kept_log in logs.items():
        os.link(log, kept_log)
    _sync(database.parent)
    if _fold_in(database):
        for kept_log in logs.values():
            kept_log.unlink()
    for path in (*logs, _beside(database, "-shm")):
        path.unlink(missing_ok=True)
    _sync(database.parent)
    return kept


def _fold_in(database: Path) -> bool:
    """Bring what the log holds into the file; False when the file is too damaged or in use."""
    try:
        with closing(_open(database, "rw", busy_seconds=0)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # replays a journal
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return not busy


def _beside(database: Path, suffix: str) -> Path:
    return database.with_name(database.name + suffix)


def _free_name(database: Path) -> Path:
    number = 1
    while (kept := database.with_name(f"{database.name}.before-restore-{number}")).exists():
        number += 1
    return kept


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Give a fresh private file beside `target`, and remove it in the end, whatever happened."""
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)  # left by a crash
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _translated(database: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise translate(error, database) from error


def _open(path: Path, mode: str, busy_seconds: float = _BUSY_SECONDS) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
