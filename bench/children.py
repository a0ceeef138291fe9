"""Other processes of a run: started with their output at hand, and gone when the run is."""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

__all__ = ["LINE_SECONDS", "line_of", "processor_seconds", "running"]

LINE_SECONDS: Final = 60.0
_LEAVE_SECONDS: Final = 15.0
_LINE_BYTES: Final = 2**24  # a line may hold the times of thousands of events


@contextlib.asynccontextmanager
async def running(
    arguments: list[str], *, log: Path | None = None, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Process]:
    """Run this Python with `arguments`; at the end ask it to stop, and kill it when it does not."""
    told = open(log, "ab") if log is not None else None  # noqa: ASYNC230, SIM115 - a file on this disk, closed below
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=told,
            limit=_LINE_BYTES,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **(environment or {})},
        )
    finally:
        if told is not None:
            told.close()
    try:
        yield process
    finally:
        await _end(process)


async def line_of(process: Process) -> str:
    """Wait for the next line of its output. Raise RuntimeError when it ended instead."""
    if process.stdout is None:
        raise AssertionError("its output is piped")
    raw = await asyncio.wait_for(process.stdout.readline(), LINE_SECONDS)
    if not raw:
        raise RuntimeError("a process of the benchmark ended before it said anything")
    return raw.decode().strip()


def processor_seconds(pid: int) -> float | None:
    """Give the processor time of a process so far, where the kernel shows it; waiting for a core is not in it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _LEAVE_SECONDS)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
