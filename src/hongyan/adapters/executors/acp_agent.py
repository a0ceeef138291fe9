"""One live agent that speaks the Agent Client Protocol, attached to one session of its own."""

import asyncio
import contextlib
from typing import Any, Final

import acp
from acp.schema import PromptResponse
from pydantic import ValidationError

from hongyan.adapters.executors.acp_failures import failure_of
from hongyan.adapters.executors.acp_handshake import agent_words
from hongyan.adapters.executors.acp_history import MESSAGE_ID, Replay, background_of
from hongyan.adapters.executors.acp_link import LAST_WORDS_SECONDS, AcpLink
from hongyan.adapters.executors.acp_steer import steer_session
from hongyan.adapters.executors.acp_turn import RunningTurn, TurnEvents
from hongyan.domain import limits
from hongyan.domain.agents import (
    AgentSeat,
    Capabilities,
    Evidence,
    PermissionAnswer,
    Prompt,
    ReadBack,
    ReadBackKind,
    SteerOutcome,
    TurnEnding,
)
from hongyan.domain.errors import AgentBusyError, AgentError, AgentProtocolError
from hongyan.domain.history import UNREADABLE, History

__all__ = ["AcpAgent"]

WRITE_SECONDS: Final = 30.0  # an agent that does not read its stdin for that long will not read it at all
CANCEL_SECONDS: Final = 5.0
READ_BACK_SECONDS: Final = limits.AGENT_START_MS / 1000

_FAILED_REASONS: Final = {
    "refusal": ("agent.refusal", "the agent declined to answer"),
    "max_tokens": ("agent.max_tokens", "the agent stopped at its token limit"),
    "max_turn_requests": ("agent.max_requests", "the agent stopped at its limit of model requests"),
}


class AcpAgent:
    """Implements the port's `Agent`: one prompt at a time, and each ends once."""

    def __init__(self, link: AcpLink, seat: AgentSeat, capabilities: Capabilities) -> None:
        self._link, self._seat, self._capabilities = link, seat, capabilities
        self._turn: RunningTurn | None = None
        self._driving: asyncio.Task[None] | None = None
        self._written: asyncio.Future[None] | None = None
        self._is_ended_by_us = False
        link.client.session_id = seat.upstream

    @property
    def alive(self) -> bool:
        """Tell whether it can take a prompt."""
        return self._link.process.alive and not self._link.wire.is_garbled and not self._is_ended_by_us

    @property
    def seat(self) -> AgentSeat:
        """Give the seat, with the session id that the agent knows."""
        return self._seat

    def upstream(self) -> str:
        """Give the agent's own session id."""
        return self._seat.upstream

    def capabilities(self) -> Capabilities:
        """Give what the agent said about itself when it started."""
        return self._capabilities

    async def prompt(self, prompt: Prompt) -> TurnEvents:
        """Write one prompt to the agent and give the iterator of its events."""
        if self._turn is not None:
            raise AgentBusyError("the agent still works on an earlier message")
        if not self.alive:
            raise AgentError(f"the agent {self._link.process.ending()}: nothing was sent")
        turn = RunningTurn()
        self._turn = self._link.client.turn = turn
        self._written = written = self._link.wire.written("session/prompt")
        self._driving = asyncio.create_task(self._drive(turn, prompt), name="agent.turn")
        await asyncio.wait({self._driving, written}, timeout=WRITE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not written.done():
            await self.kill()
            raise AgentError("the agent did not take the message")
        return turn.events

    async def interrupt(self) -> None:
        """Ask the agent to stop the running prompt; one that has just ended is left alone."""
        turn, written = self._turn, self._written
        if turn is None or written is None:
            return
        turn.is_interrupted = True
        turn.withdraw()
        await asyncio.wait({written}, timeout=CANCEL_SECONDS)  # a cancel before its prompt would be lost
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(CANCEL_SECONDS):  # `wait_for` may swallow a cancellation of its own
                await self._link.connection.cancel(session_id=self.upstream())

    async def steer(self, text: str) -> SteerOutcome:
        """Hand more words to the running prompt by the extension that agents agreed on."""
        turn = self._turn
        if not self._capabilities.steer:
            return SteerOutcome.REFUSED
        if turn is None or turn.is_interrupted:
            return SteerOutcome.NO_TURN
        outcome = await steer_session(self._link, self.upstream(), text)
        if outcome is SteerOutcome.TAKEN:
            turn.steered(text)
        return outcome

    async def answer(self, ask_id: str, answer: PermissionAnswer) -> bool:
        """Hand an answer to the agent; False when it does not wait for it any more."""
        return self._turn is not None and self._turn.answer(ask_id, answer)

    async def kill(self) -> None:
        """End the process group at once and return when it is gone; a running prompt ends as `Lost`."""
        await self._leave(at_once=True)

    async def close(self) -> None:
        """End the process group in good order, each step within its time."""
        await self._leave(at_once=False)

    async def read_back(self, prompt: Prompt) -> ReadBack:
        """Tell from the agent's own ledger what became of a prompt; unknown where it keeps none."""
        read = await self._replay()
        return read[0].evidence(prompt) if read is not None else ReadBack(Evidence.UNKNOWN)

    async def history(self) -> History:
        """Read the agent's own ledger whole; unreadable where it keeps none."""
        read = await self._replay()
        return read[0].history(read[1]) if read is not None else UNREADABLE

    async def _replay(self) -> tuple[Replay, int] | None:
        if self._capabilities.read_back is not ReadBackKind.LEDGER or self._turn is not None:
            return None
        replay = Replay()
        self._link.client.replay = replay
        loading = self._link.connection.load_session(
            cwd=self._seat.workspace, session_id=self.upstream(), mcp_servers=[]
        )
        try:
            async with asyncio.timeout(READ_BACK_SECONDS):
                answer = await self._link.call(loading)
        except (acp.RequestError, ConnectionError, ValidationError, TimeoutError):
            return None
        finally:
            self._link.client.replay = None
        return replay, background_of(answer)

    async def _drive(self, turn: RunningTurn, prompt: Prompt) -> None:
        """Wait for the end of one turn and tell it; the SDK has handed over all updates before it answers."""
        meta: dict[str, Any] = {}
        if self._capabilities.read_back is ReadBackKind.LEDGER:
            meta[MESSAGE_ID] = prompt.key
        blocks: list[Any] = [acp.text_block(prompt.text)]
        asking = self._link.connection.prompt(session_id=self.upstream(), prompt=blocks, **meta)
        try:
            answer = await self._link.call(asking)
        except acp.RequestError as error:
            _end_with_error(turn, error)
        except ValidationError:
            await self._break(turn, "the agent's answer to a prompt is not of its protocol")
        except ConnectionError:
            await self._lose(turn)
        else:
            _end_with_answer(turn, answer)
        finally:
            self._turn = self._link.client.turn = None

    async def _lose(self, turn: RunningTurn) -> None:
        """Tell why the connection ended; the pipe may close a moment before the process is seen to end."""
        if self._is_ended_by_us:
            await self._end_process(turn, "agent.ended", "the gateway ended the agent")
        elif self._link.wire.is_garbled:
            await self._break(turn, "the agent wrote a line that is not of its protocol")
        elif await self._link.process.wait_gone(LAST_WORDS_SECONDS):
            await self._end_process(turn, "agent.lost", f"the agent {self._link.process.ending()}")
        else:
            await self._end_process(turn, "agent.lost", "the agent closed its pipe")

    async def _break(self, turn: RunningTurn, reason: str) -> None:
        await self._end_process(turn, AgentProtocolError.code, reason)

    async def _end_process(self, turn: RunningTurn, code: str, reason: str) -> None:
        """End the process before the turn: only when it is gone can nobody work on this prompt any more."""
        is_gone = await self._link.process.kill()
        turn.lose(code, reason if is_gone else f"{reason}, and its processes do not end")

    async def _leave(self, *, at_once: bool) -> None:
        self._is_ended_by_us = True
        if self._driving is None or self._driving.done():
            await self._link.close(at_once=at_once)
            return
        await (self._link.process.kill() if at_once else self._link.process.end())
        await asyncio.wait({self._driving}, timeout=CANCEL_SECONDS)
        await self._link.close(at_once=True)


def _end_with_answer(turn: RunningTurn, answer: PromptResponse) -> None:
    """End as the agent says; after our cancel it is interrupted, whatever the agent calls it."""
    if turn.is_interrupted or answer.stop_reason == "cancelled":
        turn.end(TurnEnding.INTERRUPTED)
    elif answer.stop_reason in _FAILED_REASONS:
        turn.end(TurnEnding.FAILED, *_FAILED_REASONS[answer.stop_reason])
    else:
        turn.end(TurnEnding.COMPLETED)


def _end_with_error(turn: RunningTurn, error: acp.RequestError) -> None:
    """End with the agent's own sentence; several agents answer a cancelled prompt with an error."""
    if turn.is_interrupted:
        turn.end(TurnEnding.INTERRUPTED)
    else:
        code, retry_at = failure_of(error)
        turn.end(TurnEnding.FAILED, code, agent_words(error), retry_at)
