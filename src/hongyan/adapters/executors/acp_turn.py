"""One running turn: the events that came so far, and the answer they add up to."""

import asyncio
from typing import Final

from hongyan.domain.agents import (
    AgentEvent,
    Lost,
    PermissionAnswer,
    PermissionAsked,
    PermissionWithdrawn,
    PlanChanged,
    PlanStep,
    Reasoned,
    Steered,
    TextArrived,
    ThoughtArrived,
    ToolChanged,
    ToolStatus,
    TurnEnded,
    TurnEnding,
)

__all__ = ["AnswerText", "RunningTurn", "TurnEvents", "WholeLetters"]


class WholeLetters:
    """Joins letters that an agent cut in two: agents that count in UTF-16 send half of a letter at the end of a piece.

    JSON can spell such a half, no file can hold it. What stays half becomes a replacement mark.
    """

    def __init__(self) -> None:
        self._first_half = ""

    def take(self, piece: str) -> str:
        """Give the whole letters so far; a half at the end waits for the next piece."""
        text, self._first_half = self._first_half + piece, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._first_half = text[:-1], text[-1]
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class AnswerText:
    """Tells the answer from the commentary: what follows the last tool call is the answer.

    When nothing follows it, the last text before it is; a turn without tool calls is all answer.
    """

    def __init__(self) -> None:
        self._blocks: list[str] = [""]
        self._letters = WholeLetters()

    def add(self, text: str) -> str:
        """Take a piece of the agent's text and give its whole letters."""
        whole = self._letters.take(text)
        self._blocks[-1] += whole
        return whole

    def cut(self) -> None:
        """Begin a new block, because a tool call began."""
        if self._blocks[-1].strip():
            self._blocks.append("")

    def answer(self) -> str:
        """Give the last block that says something."""
        return next((block for block in reversed(self._blocks) if block.strip()), "")

    def all(self) -> str:
        """Give all blocks, commentary too, as paragraphs."""
        return "\n\n".join(block.strip("\n") for block in self._blocks if block.strip())


class TurnEvents:
    """The events of one turn, for one reader; the last one is `TurnEnded` or `Lost`."""

    def __init__(self, queue: asyncio.Queue[AgentEvent]) -> None:
        self._queue = queue
        self._is_over = False

    def __aiter__(self) -> "TurnEvents":
        return self

    async def __anext__(self) -> AgentEvent:
        if self._is_over:
            raise StopAsyncIteration
        event = await self._queue.get()
        self._is_over = isinstance(event, TurnEnded | Lost)
        return event


class RunningTurn:
    """Collects what the agent sends between our prompt and its end. It ends once; what comes later is dropped."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[AgentEvent] = asyncio.Queue()
        self._text = AnswerText()
        self._thoughts = WholeLetters()
        self._tools: dict[str, ToolChanged] = {}
        self._asks: dict[str, asyncio.Future[PermissionAnswer]] = {}
        self._is_over = False
        self.is_interrupted = False
        self.events: Final = TurnEvents(self._queue)

    def text(self, text: str) -> None:
        """Take a piece of the agent's text."""
        whole = self._text.add(text)
        if whole:
            self._put(TextArrived(whole))

    def thought(self, text: str) -> None:
        """Take a piece of a thought."""
        whole = self._thoughts.take(text)
        if whole:
            self._put(ThoughtArrived(whole))

    def reasoned(self) -> None:
        """Take that the agent reasons; what it reasons goes no further."""
        self._put(Reasoned())

    def plan(self, steps: tuple[PlanStep, ...]) -> None:
        """Take the whole plan as it is now."""
        self._put(PlanChanged(steps))

    def tool(self, tool_id: str, title: str | None, kind: str | None, status: ToolStatus | None) -> None:
        """Take news of a tool call; None leaves what is known. An update may come before the call itself."""
        known = self._tools.get(tool_id)
        if known is None:
            self.cut()
            known = ToolChanged(tool_id, "", "", ToolStatus.OPEN)
            changed = ToolChanged(tool_id, title or "", kind or "other", status or ToolStatus.OPEN)
        else:
            changed = ToolChanged(tool_id, title or known.title, kind or known.kind, status or known.status)
        self._tools[tool_id] = changed
        if changed != known:
            self._put(changed)

    def steered(self, text: str) -> None:
        """Tell that the agent took more words of the person."""
        self._put(Steered(text))

    def cut(self) -> None:
        """Take what was said so far as commentary of a tool call."""
        self._text.cut()

    async def ask(self, asked: PermissionAsked) -> PermissionAnswer:
        """Tell that the agent asks for leave and wait for the one answer; an interrupt or the end answers "cancel"."""
        if self._is_over or self.is_interrupted:
            return PermissionAnswer.CANCEL
        answer: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self._asks[asked.ask_id] = answer
        self._put(asked)
        try:
            return await answer
        finally:
            if self._asks.pop(asked.ask_id, None) is not None:
                self._put(PermissionWithdrawn(asked.ask_id))  # the agent took it back

    def answer(self, ask_id: str, answer: PermissionAnswer) -> bool:
        """Hand an answer to the agent that waits for it; False when it does not wait any more."""
        waiting = self._asks.pop(ask_id, None)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(answer)
        return True

    def withdraw(self) -> None:
        """Answer every open question with "cancel", as the protocol wants before a turn is interrupted."""
        for ask_id in tuple(self._asks):
            self.answer(ask_id, PermissionAnswer.CANCEL)
            self._put(PermissionWithdrawn(ask_id))

    def end(self, ending: TurnEnding, code: str = "", message: str = "", retry_at: int = 0) -> None:
        """End with the agent's own ending."""
        self.withdraw()
        self._put(TurnEnded(ending, self._text.answer(), code, message, retry_at))
        self._is_over = True

    def lose(self, code: str, reason: str) -> None:
        """End because the process is gone."""
        self.withdraw()
        self._put(Lost(code, reason, self._text.all()))
        self._is_over = True

    def _put(self, event: AgentEvent) -> None:
        if not self._is_over:
            self._queue.put_nowait(event)
