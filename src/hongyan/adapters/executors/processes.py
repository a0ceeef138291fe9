"""Starts and ends agent programs, each in a process group of its own.

Several agents start themselves again as a child: ending the pid alone would leave the child running, holding the pipes
and finishing the turn. So the whole group is ended, and it is gone only when the operating system lists none of it.
"""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hongyan.adapters.executors import process_table
from hongyan.adapters.executors.agent_log import AgentLog
from hongyan.adapters.executors.leftovers import RUN_MARK, Leftovers
from hongyan.domain.errors import AgentStartError

__all__ = ["INHERITED_NAMES", "AgentProcess", "Launch"]

INHERITED_NAMES: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
)
"""All that an agent inherits: enough to find programs and read certificates, no secret of the gateway."""

LINE_BYTES: Final = 50 * 1024 * 1024  # one line of the protocol may carry several images
STDERR_BYTES: Final = 64 * 1024
LEAVE_SECONDS: Final = 2.0  # after stdin closed most agents go at once
TERMINATE_SECONDS: Final = 3.0  # some go only on SIGTERM, after two seconds
KILL_SECONDS: Final = 5.0  # the kernel needs a moment to tear a large process down
POLL_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class Launch:
    """How one program is started. `environment` comes on top of the inherited names."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    workspace: Path
    log_file: Path


class AgentProcess:
    """One running agent program. Its error channel goes to its log file as long as it runs."""

    def __init__(self, process: Process, log: AgentLog, leftovers: Leftovers) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AgentStartError("the agent has no pipes")
        self.pid: Final = process.pid
        self.stdin: Final = process.stdin
        self.stdout: Final = process.stdout
        self._process, self._stderr, self._leftovers = process, process.stderr, leftovers
        self._log = log
        self._gone = asyncio.Event()
        self._watching = asyncio.create_task(self._watch(), name=f"agent.process.{process.pid}")

    @classmethod
    async def start(cls, launch: Launch, leftovers: Leftovers) -> "AgentProcess":
        """Start the program and note it down for a later sweep. Raise AgentStartError when it cannot be started."""
        _refuse_missing_workspace(launch.workspace)
        environment = {name: os.environ[name] for name in INHERITED_NAMES if name in os.environ}
        environment |= {**launch.environment, RUN_MARK: leftovers.mark}
        log = _open_log(launch.log_file)
        try:
            process = await asyncio.create_subprocess_exec(
                *launch.argv,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=launch.workspace,
                env=environment,
                start_new_session=True,
                limit=LINE_BYTES,
            )
        except OSError as error:
            log.close()
            raise AgentStartError(f"{launch.argv[0]} cannot be started: {error.strerror or error}") from error
        leftovers.note(process.pid)
        return cls(process, log, leftovers)

    @property
    def alive(self) -> bool:
        """Tell whether the program itself still runs."""
        return self._process.returncode is None

    def ending(self) -> str:
        """Say how the program ended, as the end of a sentence."""
        code = self._process.returncode
        if code is None:
            return "is still running"
        if code < 0:
            return f"was ended by {_signal_name(-code)}"
        return f"ended with exit code {code}"

    def keep(self, line: bytes) -> None:
        """Write a line into the log file, where whoever looks for a fault will find it."""
        self._log.write(line)

    async def wait_gone(self, seconds: float) -> bool:
        """Wait until the program and its whole group are gone; False when that took longer."""
        try:
            async with asyncio.timeout(seconds):  # `wait_for` may swallow a cancellation
                await self._gone.wait()
        except TimeoutError:
            return False
        return True

    async def until_gone(self) -> None:
        """Wait until the program and its group are gone, however long it runs."""
        await self._gone.wait()

    async def end(self) -> bool:
        """End the group: close stdin, then SIGTERM, then SIGKILL, each with its time. Tell whether it is gone."""
        self.stdin.close()
        if not await self.wait_gone(LEAVE_SECONDS):
            self._signal(signal.SIGTERM)
            await self.wait_gone(TERMINATE_SECONDS)
        return await self.kill()

    async def kill(self) -> bool:
        """End the group at once and tell whether it is gone. Safe to repeat."""
        self._signal(signal.SIGKILL)
        self.stdin.close()
        await asyncio.wait({self._watching}, timeout=KILL_SECONDS)
        return self._gone.is_set()

    def _signal(self, number: signal.Signals) -> None:
        if not self._gone.is_set():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    async def _watch(self) -> None:
        """Copy the error channel until the program ends, then end what is left of its group."""
        copying = asyncio.create_task(self._copy_errors(), name=f"agent.stderr.{self.pid}")
        await self._process.wait()
        self._signal(signal.SIGKILL)
        while process_table.members(self.pid):
            self._signal(signal.SIGKILL)
            await asyncio.sleep(POLL_SECONDS)
        self._leftovers.forget(self.pid)
        self._gone.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_SECONDS):
                await copying
        self._log.close()

    async def _copy_errors(self) -> None:
        while piece := await self._stderr.read(STDERR_BYTES):
            self._log.write(piece)


def _refuse_missing_workspace(workspace: Path) -> None:
    if not workspace.is_dir():
        raise AgentStartError(f"the workspace {workspace} is not there", hint="Create it, or choose another one.")


def _open_log(file: Path) -> AgentLog:
    try:
        return AgentLog(file)
    except OSError as error:
        raise AgentStartError(f"the log file {file} cannot be written: {error.strerror}") from error


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
