"""One holder at a time across processes: a lock file that names its holder.

The kernel holds the lock (`flock`) and drops it when the process dies, so a file that a dead process left behind is
simply taken over. The text inside only tells people and the CLI who holds it.
"""

import fcntl
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from hongyan.domain.errors import BlockedError, BusyError

__all__ = ["FileLock", "Holder", "read_holder"]

_HINT: Final = "Stop the other process, or use its console and command line."


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: process id, its start in UTC milliseconds, and where it listens (empty for nowhere)."""

    pid: int
    started_at: int
    socket: str = ""


class FileLock:
    """The lock at `path`. `code` is what a refused second holder is told, for example `home.busy`."""

    def __init__(self, path: Path, *, code: str = "home.busy") -> None:
        self._path = path
        self._code = code
        self._descriptor: int | None = None

    def acquire(self, *, started_at: int, socket: str = "") -> None:
        """Take the lock for this process.

        Raise BusyError naming the holder's pid when another holder lives, BlockedError when the file cannot be made.
        """
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BlockedError("lock.unwritable", f"{self._path}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _parse(descriptor)
            os.close(descriptor)
            by = f"process {holder.pid}" if holder else "another process"
            raise BusyError(self._code, f"{self._path} is held by {by}", hint=_HINT) from error
        self._descriptor = descriptor
        _write(descriptor, json.dumps(asdict(Holder(os.getpid(), started_at, socket))))

    def release(self) -> None:
        """Give the lock back; safe to repeat. The file stays: removing it could take a third process's lock away."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                _write(descriptor, "")
            os.close(descriptor)


def read_holder(path: Path) -> Holder | None:
    """Give the living holder of the lock at `path`, or None when nobody holds it or it has not said who it is."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _parse(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def _write(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


def _parse(descriptor: int) -> Holder | None:
    try:
        facts = json.loads(os.pread(descriptor, 4096, 0))
        return Holder(int(facts["pid"]), int(facts["started_at"]), str(facts["socket"]))
    except (ValueError, KeyError, TypeError):
        return None
