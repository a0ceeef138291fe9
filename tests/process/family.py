"""Who descends from a process, and when all of them are gone."""

from pathlib import Path
from typing import Final

from tests.harness.processes import until

__all__ = ["descendants", "until_gone"]

PROCESSES: Final = Path("/proc")


def descendants(pid: int) -> frozenset[int]:
    """Give the ids of all living processes that a process started, and those that they started."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        children = [child for child, parent in _parents().items() if parent == waiting[-1]]
        waiting.pop()
        waiting.extend(children)
        found.update(children)
    return frozenset(found)


async def until_gone(processes: frozenset[int]) -> None:
    """Wait until none of them lives; one that only waits to be buried is gone."""

    async def are_gone() -> bool:
        return not processes & _parents().keys()

    await until(are_gone)


def _parents() -> dict[int, int]:
    """Give the parent of every living process."""
    parents = {}
    for folder in PROCESSES.iterdir():
        if folder.name.isdigit():
            state, parent = _facts(folder)
            if state not in {"Z", "X", ""}:
                parents[int(folder.name)] = parent
    return parents


def _facts(folder: Path) -> tuple[str, int]:
    try:
        _, _, rest = (folder / "stat").read_text(encoding="utf-8").rpartition(")")
    except OSError:  # it ended meanwhile
        return "", 0
    state, parent, *_ = rest.split()
    return state, int(parent)
