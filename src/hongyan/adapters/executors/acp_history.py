"""Evidence from an agent's own history: what became of a prompt that we sent before a crash.

Only an agent that keeps a turn ledger (it announces `_meta.turnLedger` when it starts) gives our message ids and the
status of each turn back. The replay of ordinary agents carries neither: equal text may be another message, a missing
one may have been dropped, and no end is marked. For them everything is unknown.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    LoadSessionResponse,
    SessionInfoUpdate,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    UsageUpdate,
    UserMessageChunk,
)

from hongyan.adapters.executors.acp_turn import AnswerText
from hongyan.domain.agents import Evidence, Prompt, ReadBack, TurnEnding
from hongyan.domain.history import History, Item, ItemKind, PastStatus, PastTurn

__all__ = ["MESSAGE_ID", "TURN_LEDGER", "TURN_STATUS", "Replay", "background_of", "text_of"]

TURN_LEDGER: Final = "turnLedger"
MESSAGE_ID: Final = "clientMessageId"
TURN_STATUS: Final = "turnStatus"

_ENDINGS: Final = {
    "completed": TurnEnding.COMPLETED,
    "interrupted": TurnEnding.INTERRUPTED,
    "failed": TurnEnding.FAILED,
}
_UNFINISHED: Final = "unfinished"
_NO_WORK: Final = (
    AgentPlanUpdate,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    SessionInfoUpdate,
    UsageUpdate,
)
_SETTLED_TOOL: Final = frozenset({"completed", "failed"})


@dataclass(slots=True)
class _Turn:
    message_id: str | None
    user_text: str = ""
    status: str | None = None
    has_answer: bool = False
    answer: AnswerText = field(default_factory=AnswerText)
    items: list[Item] = field(default_factory=list)
    tools: dict[str, bool] = field(default_factory=dict)

    def past(self) -> PastTurn:
        status = PastStatus(self.status) if self.status in set(PastStatus) else PastStatus.UNKNOWN
        items = (*self.items, *(Item(ItemKind.TOOL, settled) for settled in self.tools.values()))
        return PastTurn(self.message_id or "", self.user_text, status, items, self.answer.answer())


class Replay:
    """Folds the updates of one `session/load` into turns."""

    def __init__(self) -> None:
        self._turns: list[_Turn] = []

    def take(self, update: Any) -> None:
        """Take the next update of the replay."""
        match update:
            case UserMessageChunk():
                self._user(text_of(update.content), _meta(update, MESSAGE_ID))
            case AgentMessageChunk():
                self._said(update)
            case ToolCallStart() | ToolCallProgress():
                self._tool(update.tool_call_id, update.status in _SETTLED_TOOL)
            case AgentThoughtChunk():
                self._last().items.append(Item(ItemKind.THOUGHT))
            case _ if not isinstance(update, _NO_WORK):
                self._last().items.append(Item(ItemKind.UNKNOWN))
            case _:
                pass

    def history(self, background: int) -> History:
        """Give the whole history, with the number of commands that still run beside it."""
        return History(readable=True, turns=tuple(turn.past() for turn in self._turns), background=background)

    def evidence(self, prompt: Prompt) -> ReadBack:
        """Tell what this history proves about a prompt."""
        turn = next((turn for turn in reversed(self._turns) if turn.message_id == prompt.key), None)
        if turn is not None:
            return _evidence_of(turn)
        if any(turn.message_id is None and turn.user_text == prompt.text for turn in self._turns):
            return ReadBack(Evidence.UNKNOWN)  # the same words without an id: it may be ours
        return ReadBack(Evidence.ABSENT)

    def _user(self, text: str, message_id: str | None) -> None:
        last = self._turns[-1] if self._turns else None
        if last is not None and not last.has_answer and last.message_id == message_id:
            last.user_text += text  # one message may come in several chunks
        else:
            self._turns.append(_Turn(message_id, text))

    def _said(self, update: AgentMessageChunk) -> None:
        turn, text = self._last(), text_of(update.content)
        turn.has_answer = True
        turn.answer.add(text)
        turn.status = _meta(update, TURN_STATUS) or turn.status
        if text:
            turn.items.append(Item(ItemKind.TEXT))
        elif not isinstance(update.content, TextContentBlock):
            turn.items.append(Item(ItemKind.UNKNOWN))

    def _tool(self, tool_id: str, settled: bool) -> None:
        turn = self._last()
        turn.has_answer = True
        if tool_id not in turn.tools:
            turn.answer.cut()
        turn.tools[tool_id] = settled or turn.tools.get(tool_id, False)

    def _last(self) -> _Turn:
        """Give the turn that work belongs to; work before any prompt is nobody's that we know."""
        if not self._turns:
            self._turns.append(_Turn(None))
        return self._turns[-1]


def _evidence_of(turn: _Turn) -> ReadBack:
    if turn.status == _UNFINISHED:
        return ReadBack(Evidence.UNFINISHED)
    ending = _ENDINGS.get(turn.status or "")
    if ending is None:
        return ReadBack(Evidence.UNKNOWN)
    return ReadBack(Evidence.ENDED, ending, turn.answer.answer())


def background_of(answer: LoadSessionResponse) -> int:
    """Count the commands that the agent says still run beside any turn."""
    told = (answer.field_meta or {}).get(TURN_LEDGER)
    running = told.get("background") if isinstance(told, dict) else None
    return len(running) if isinstance(running, list) else 0


def text_of(content: object) -> str:
    """Give the text of a content block, nothing for other kinds."""
    return content.text if isinstance(content, TextContentBlock) else ""


def _meta(update: UserMessageChunk | AgentMessageChunk, name: str) -> str | None:
    value = (update.field_meta or {}).get(name)
    return value if isinstance(value, str) else None
