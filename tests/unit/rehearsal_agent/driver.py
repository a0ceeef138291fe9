"""Starts the rehearsal agent as a real process and talks to it through the SDK's client side."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import acp
from acp.client.connection import ClientSideConnection
from acp.helpers import ContentBlock
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    DeniedOutcome,
    InitializeResponse,
    PermissionOption,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallUpdate,
)
from tests.harness.agents import quick_agent

DEADLINE_SECONDS: Final = 20.0
SOURCES: Final = Path(__file__).parents[3] / "src"


@dataclass
class Recorder:
    """The client's handlers: keeps all updates, answers permission requests by kind."""

    answer_kind: str = "reject_once"
    updates: list[Any] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Keep the update."""
        self.updates.append(update)
        self.arrived.set()

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Choose the option of the wanted kind, or cancel when there is none."""
        for option in options:
            if option.kind == self.answer_kind:
                chosen = AllowedOutcome(outcome="selected", option_id=option.option_id)
                return RequestPermissionResponse(outcome=chosen)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    @property
    def text(self) -> str:
        """The agent's text of all updates so far."""
        return "".join(
            update.content.text
            for update in self.updates
            if isinstance(update, AgentMessageChunk) and isinstance(update.content, TextContentBlock)
        )

    def kinds(self) -> list[str]:
        """The kinds of the updates so far, in order."""
        return [update.session_update for update in self.updates]


@dataclass
class Rehearsal:
    """One running agent process and one session in it."""

    connection: ClientSideConnection
    process: asyncio.subprocess.Process
    recorder: Recorder
    started: InitializeResponse
    workspace: Path

    async def open(self) -> str:
        """Begin a session."""
        created = await self.connection.new_session(cwd=str(self.workspace))
        return created.session_id

    async def say(self, session_id: str, text: str, **meta: str) -> str:
        """Prompt with one text block and return the stop reason."""
        return await self.send(session_id, [acp.text_block(text)], **meta)

    async def send(self, session_id: str, blocks: list[ContentBlock], **meta: str) -> str:
        """Prompt with these blocks and return the stop reason."""
        self.recorder.updates.clear()
        self.recorder.arrived.clear()
        asking = self.connection.prompt(session_id=session_id, prompt=blocks, **meta)
        answer = await asyncio.wait_for(asking, DEADLINE_SECONDS)
        return answer.stop_reason

    async def load(self, session_id: str) -> list[Any]:
        """Load the session and return its replay."""
        self.recorder.updates.clear()
        loading = self.connection.load_session(cwd=str(self.workspace), session_id=session_id)
        await asyncio.wait_for(loading, DEADLINE_SECONDS)
        await asyncio.sleep(0)
        return list(self.recorder.updates)


async def _start(directory: Path, *options: str) -> asyncio.subprocess.Process:
    workspace = directory / "workspace"
    workspace.mkdir(exist_ok=True)
    return await asyncio.create_subprocess_exec(
        *(*quick_agent(), "--state", str(directory / "state"), *options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PYTHONPATH": str(SOURCES), "HOME": str(directory)},
        cwd=workspace,
    )


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), DEADLINE_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()


@asynccontextmanager
async def rehearsal(directory: Path, *options: str) -> AsyncIterator[Rehearsal]:
    """Run one agent over `directory/state` and `directory/workspace` and end it afterwards."""
    process = await _start(directory, *options)
    recorder = Recorder()
    connection = acp.connect_to_agent(
        recorder,  # type: ignore[arg-type] # the SDK calls only the handlers that exist
        process.stdin,
        process.stdout,
        use_unstable_protocol=True,
    )
    try:
        starting = connection.initialize(acp.PROTOCOL_VERSION)
        started = await asyncio.wait_for(starting, DEADLINE_SECONDS)
        yield Rehearsal(connection, process, recorder, started, directory / "workspace")
    finally:
        await connection.close()
        await _end(process)


@asynccontextmanager
async def raw_rehearsal(directory: Path) -> AsyncIterator[Callable[[dict[str, Any]], Awaitable[bytes]]]:
    """Run one agent without the SDK: send a request, get the next line of its stdout."""
    process = await _start(directory)
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None
    numbers = itertools.count(1)

    async def ask(request: dict[str, Any]) -> bytes:
        line = json.dumps({"jsonrpc": "2.0", "id": next(numbers), **request})
        stdin.write(line.encode() + b"\n")
        return await asyncio.wait_for(stdout.readline(), DEADLINE_SECONDS)

    try:
        yield ask
    finally:
        await _end(process)
