"""What the operating system knows about running processes, read from /proc.

Where there is no /proc every question is answered with "not known", and callers then leave a process alone.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["ProcessFacts", "boot_id", "carries", "facts", "members"]

_PROC: Final = Path("/proc")
_ZOMBIE: Final = ("Z", "X")


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """One running process: its group and the moment it started, in clock ticks since boot."""

    pid: int
    group: int
    born_ticks: int


def facts(pid: int) -> ProcessFacts | None:
    """Give the facts of a process; None when it does not run any more or nothing can be known."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold spaces and brackets
    if fields[0] in _ZOMBIE:
        return None
    return ProcessFacts(pid, group=int(fields[2]), born_ticks=int(fields[19]))


def members(group: int) -> tuple[int, ...]:
    """Give the pids that run in a process group."""
    found = (facts(int(entry.name)) for entry in _entries())
    return tuple(process.pid for process in found if process is not None and process.group == group)


def carries(pid: int, mark: str) -> bool:
    """Tell whether a process was started with this `NAME=value` in its environment."""
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return mark.encode() in environment.split(b"\0")


def boot_id() -> str:
    """Name this boot of the machine; empty when it cannot be known."""
    try:
        return (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _entries() -> list[Path]:
    if not _PROC.is_dir():
        return []
    return [entry for entry in _PROC.iterdir() if entry.name.isdigit()]
