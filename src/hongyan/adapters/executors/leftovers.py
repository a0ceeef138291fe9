"""Agent processes that a killed gateway left behind, and the notes by which the next one finds them.

A leftover may still take up a prompt from its pipe, so it has to be gone before anyone reads a history back and
decides that the prompt never arrived. Only what is provably ours is ended: the group's leader started at the noted
moment of the noted boot, or, when the leader is gone, a member carries the mark of that run in its environment.
"""

import asyncio
import contextlib
import json
import os
import signal
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from hongyan.adapters.executors import process_table
from hongyan.domain.errors import AgentStartError

__all__ = ["RUN_MARK", "Leftovers"]

RUN_MARK: Final = "HONGYAN_AGENT_RUN"
"""Name of the environment variable that tells whose agent a process is."""

GONE_SECONDS: Final = 5.0
POLL_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class _Note:
    pid: int
    born_ticks: int
    boot: str
    mark: str


class Leftovers:
    """The folder with one note for each running agent process. `mark` tells this run of the gateway from others."""

    def __init__(self, directory: Path, mark: str) -> None:
        self._directory, self.mark = directory, mark

    def note(self, pid: int) -> None:
        """Write down a process that was just started in a group of its own."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        process = process_table.facts(pid)
        born = process.born_ticks if process is not None else 0
        note = _Note(pid, born, process_table.boot_id(), self.mark)
        draft = self._file(pid).with_suffix(".tmp")
        draft.write_text(json.dumps(asdict(note)), encoding="utf-8")
        draft.replace(self._file(pid))

    def forget(self, pid: int) -> None:
        """Drop the note of a process whose group is gone."""
        self._file(pid).unlink(missing_ok=True)

    async def sweep(self) -> int:
        """End what earlier runs left behind and give the number of groups ended. Safe to repeat.

        Raise AgentStartError when a group does not go: no agent may start beside it.
        """
        ended = 0
        for file in self._files():
            note = _read(file)
            if note is not None and note.mark == self.mark:
                continue
            if note is not None and _is_ours(note):
                await _end_group(note.pid)
                ended += 1
            file.unlink(missing_ok=True)
        return ended

    def _files(self) -> list[Path]:
        return sorted(self._directory.glob("*.json")) if self._directory.is_dir() else []

    def _file(self, pid: int) -> Path:
        return self._directory / f"{pid}.json"


def _read(file: Path) -> _Note | None:
    try:
        return _Note(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _is_ours(note: _Note) -> bool:
    if note.boot != process_table.boot_id():
        return False
    leader = process_table.facts(note.pid)
    if leader is not None:
        return leader.group == note.pid and leader.born_ticks == note.born_ticks
    mark = f"{RUN_MARK}={note.mark}"
    return any(process_table.carries(pid, mark) for pid in process_table.members(note.pid))


async def _end_group(group: int) -> None:
    for _ in range(int(GONE_SECONDS / POLL_SECONDS)):
        if not process_table.members(group):
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
        await asyncio.sleep(POLL_SECONDS)
    raise AgentStartError(f"the agent process group {group} of an earlier run does not end")
