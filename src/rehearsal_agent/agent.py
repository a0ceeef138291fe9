"""The protocol's methods: sessions, prompts, cancel, and the replay of the history."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import acp
from acp.connection import StreamDirection, StreamEvent
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    AgentMessageChunk,
    AudioContentBlock,
    CloseSessionResponse,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResourceContentBlock,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    StopReason,
    TextContentBlock,
    UserMessageChunk,
)

from rehearsal_agent.journal import (
    Entry,
    EntryKind,
    Journal,
    Prompt,
    RecordedSession,
    RecordedTurn,
    TurnStatus,
)
from rehearsal_agent.performance import CRASH_EXIT_CODE, InterruptedTurnError, Performance, Props, RefusedTurnError
from rehearsal_agent.script import Step, Word, read_script
from rehearsal_agent.stage import Stage

TURN_LEDGER: Final = "turnLedger"
"""Capability under `_meta`: a replay carries the client's message ids and the status of each turn."""

STEERING: Final = "steering"
"""Capability under `_meta`: words may be handed to a running turn by `_session/steering`."""

Block = TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock


@dataclass(frozen=True, slots=True)
class Setting:
    """How this process plays: `plain` leaves the turn ledger out, as ordinary agents do."""

    journal: Journal
    print_raw: Callable[[bytes], Awaitable[None]]
    plain: bool = False
    version: str = "1"


class RehearsalAgent:
    """The agent side of the protocol, as the SDK calls it."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._client: Client | None = None
        self._running: dict[str, Performance] = {}
        self._workspaces: dict[str, Path] = {}
        self._exit_after_answer = False

    def on_connect(self, conn: Client) -> None:
        """Keep the way back to the client."""
        self._client = conn

    def observe(self, event: StreamEvent) -> None:
        """End the process once the answer of an `[[exit]]` turn is on its way."""
        answered = event.direction is StreamDirection.OUTGOING and "result" in event.message
        if self._exit_after_answer and answered and "stopReason" in (event.message["result"] or {}):
            os._exit(0)

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Say what this agent can do."""
        capabilities = AgentCapabilities(
            load_session=True,
            prompt_capabilities=PromptCapabilities(image=True),
            session_capabilities=SessionCapabilities(
                list=SessionListCapabilities(),
                resume=SessionResumeCapabilities(),
                close=SessionCloseCapabilities(),
            ),
        )
        answer = InitializeResponse(
            protocol_version=min(protocol_version, acp.PROTOCOL_VERSION),
            agent_capabilities=capabilities,
            agent_info=Implementation(name="rehearsal", title="Rehearsal agent", version=self._setting.version),
        )
        if not self._setting.plain:
            answer.field_meta = {TURN_LEDGER: {"supported": True}, STEERING: {"supported": True}}
        return answer

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        """Begin a session in a workspace."""
        session_id = self._setting.journal.open_session(cwd)
        self._workspaces[session_id] = Path(cwd)
        return NewSessionResponse(session_id=session_id)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> LoadSessionResponse:
        """Replay the history, then answer."""
        session = self._known(session_id)
        self._workspaces[session_id] = Path(cwd)
        if not session.readable:
            raise acp.RequestError.internal_error({"details": "the history cannot be read"})
        for turn in session.turns:
            await self._replay(session_id, turn)
        answer = LoadSessionResponse()
        if not self._setting.plain:
            answer.field_meta = {TURN_LEDGER: {"background": self._still_running(session)}}
        return answer

    def _still_running(self, session: RecordedSession) -> list[str]:
        files = ((name, self._setting.journal.signal_file(name)) for name in session.background)
        return [name for name, file in files if file is not None and not file.exists()]

    async def resume_session(self, session_id: str, cwd: str, **_: Any) -> ResumeSessionResponse:
        """Take a session up again without a replay."""
        self._known(session_id)
        self._workspaces[session_id] = Path(cwd)
        return ResumeSessionResponse()

    async def list_sessions(self, cwd: str | None = None, **_: Any) -> ListSessionsResponse:
        """List the sessions of a workspace, or all of them."""
        found = [
            SessionInfo(session_id=session.session_id, cwd=session.cwd)
            for session in self._setting.journal.sessions()
            if cwd is None or session.cwd == cwd
        ]
        return ListSessionsResponse(sessions=found)

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        """Let go of a session; it can be loaded again."""
        await self.cancel(session_id)
        self._workspaces.pop(session_id, None)
        return CloseSessionResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Ask the running turn to stop."""
        running = self._running.get(session_id)
        if running is not None:
            running.cancelled.set()

    async def prompt(self, prompt: list[Block], session_id: str, **meta: Any) -> PromptResponse:
        """Play one turn. A second prompt while one runs is refused: a client must not send it."""
        workspace = self._workspaces.get(session_id)
        session = self._known(session_id)
        if workspace is None:
            raise acp.RequestError.resource_not_found(session_id)
        if session_id in self._running:
            raise acp.RequestError.invalid_request({"details": "a turn is running in this session"})
        received = _read_prompt(prompt, meta.get("clientMessageId"))
        self._fall_silent(received)
        self._setting.journal.record_prompt(session_id, received)
        stage = Stage(self._connected(), session_id, workspace, turn_number=len(session.turns) + 1)
        performance = Performance(stage, Props(self._setting.journal, received, self._setting.print_raw))
        self._running[session_id] = performance
        try:
            return PromptResponse(stop_reason=await self._play(performance, stage, received))
        finally:
            del self._running[session_id]

    def _fall_silent(self, received: Prompt) -> None:
        """End the process before it heard an `[[unheard]]` prompt."""
        for step in read_script(received.texts[-1] if received.texts else "").steps:
            file = self._setting.journal.signal_file(step.argument) if step.argument else None
            if step.word is Word.UNHEARD and not (file is not None and file.exists()):
                os._exit(CRASH_EXIT_CODE)

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Take more words for a running turn; nothing begins when none runs."""
        if method != "session/steering" or self._setting.plain:
            raise acp.RequestError.method_not_found(f"_{method}")
        session_id = str(params["sessionId"])
        running = self._running.get(session_id)
        if running is None:
            return {"outcome": "promptRequired", "reason": "noRunningTurn"}
        text = " ".join(str(block.get("text", "")) for block in params["prompt"])
        self._setting.journal.record_steer(session_id, text)
        await running.steer(text)
        return {"outcome": "injected"}

    async def _play(self, performance: Performance, stage: Stage, received: Prompt) -> StopReason:
        script = read_script(received.texts[-1] if received.texts else "")
        reason: StopReason = "end_turn"
        status = TurnStatus.COMPLETED
        try:
            await performance.play(script)
        except InterruptedTurnError:
            reason, status = "cancelled", TurnStatus.INTERRUPTED
        except RefusedTurnError:
            reason, status = "refusal", TurnStatus.FAILED
        except acp.RequestError:
            self._setting.journal.record_end(stage.session_id, TurnStatus.FAILED, stage.entries)
            raise
        self._setting.journal.record_end(stage.session_id, status, stage.entries)
        if Step(Word.CRASH, "answered") in script.steps:
            os._exit(CRASH_EXIT_CODE)
        self._exit_after_answer = script.has(Word.EXIT)
        return reason

    async def _replay(self, session_id: str, turn: RecordedTurn) -> None:
        client = self._connected()
        for text in turn.prompt.texts or ("",):
            await client.session_update(session_id, self._user_chunk(text, turn))
        texts = [place for place, entry in enumerate(turn.entries) if entry.kind is EntryKind.TEXT]
        for place, entry in enumerate(turn.entries):
            is_last_text = bool(texts) and place == texts[-1]
            for update in self._entry_updates(entry, turn.status if is_last_text else None):
                await client.session_update(session_id, update)
        if not texts and not self._setting.plain:
            await client.session_update(session_id, self._agent_chunk("", turn.status))

    def _user_chunk(self, text: str, turn: RecordedTurn) -> UserMessageChunk:
        chunk = acp.update_user_message_text(text)
        if turn.prompt.client_message_id is not None and not self._setting.plain:
            chunk.field_meta = {"clientMessageId": turn.prompt.client_message_id}
        return chunk

    def _agent_chunk(self, text: str, status: TurnStatus | None) -> AgentMessageChunk:
        chunk = acp.update_agent_message_text(text)
        if status is not None and not self._setting.plain:
            chunk.field_meta = {"turnStatus": status.value}
        return chunk

    def _entry_updates(self, entry: Entry, status: TurnStatus | None) -> list[Any]:
        match entry.kind:
            case EntryKind.TEXT:
                return [self._agent_chunk(entry.text, status)]
            case EntryKind.LINK:
                return [acp.update_agent_message(acp.resource_link_block("odd", entry.text))]
            case EntryKind.THOUGHT:
                return [acp.update_agent_thought_text(entry.text)]
            case EntryKind.TOOL:
                return [acp.start_tool_call(entry.tool_id, entry.text, kind="execute", status="completed")]

    def _known(self, session_id: str) -> RecordedSession:
        session = self._setting.journal.read(session_id)
        if session is None:
            raise acp.RequestError.resource_not_found(session_id)
        return session

    def _connected(self) -> Client:
        if self._client is None:
            raise acp.RequestError.internal_error({"details": "no client is connected"})
        return self._client


def _read_prompt(blocks: list[Block], client_message_id: object) -> Prompt:
    texts = tuple(block.text for block in blocks if isinstance(block, TextContentBlock))
    images = sum(isinstance(block, ImageContentBlock) for block in blocks)
    return Prompt(texts, images, client_message_id if isinstance(client_message_id, str) else None)


async def serve(journal: Journal, *, plain: bool, start_delay_seconds: float, version: str) -> None:
    """Speak the protocol on stdin and stdout until stdin is closed."""
    reader, writer = await acp.stdio_streams(limit=acp.core.DEFAULT_STDIO_BUFFER_LIMIT_BYTES)
    await asyncio.sleep(start_delay_seconds)

    async def print_raw(line: bytes) -> None:
        writer.write(line)
        await writer.drain()

    agent = RehearsalAgent(Setting(journal, print_raw, plain, version))
    await acp.run_agent(
        agent,  # type: ignore[arg-type] # the SDK calls only the methods that exist
        writer,
        reader,
        use_unstable_protocol=True,
        observers=[agent.observe],
    )
