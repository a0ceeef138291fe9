"""Evidence from an agent's own history: what became of a prompt that we sent before a crash.

Only an agent that keeps a turn ledger (it announces `_meta.turnLedger` when it starts) gives our message ids and the
status of each turn back. The replay of ordinary agents carries neither: equal text may be another message, a missing
one may have been dropped, and no end is marked. For them everything is unknown.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from acp.schema import AgentMessageChunk, TextContentBlock, ToolCallProgress, ToolCallStart, UserMessageChunk

from hongyan.adapters.executors.acp_turn import AnswerText
from hongyan.domain.agents import Evidence, Prompt, ReadBack, TurnEnding

__all__ = ["MESSAGE_ID", "TURN_LEDGER", "TURN_STATUS", "Replay", "text_of"]

TURN_LEDGER: Final = "turnLedger"
MESSAGE_ID: Final = "clientMessageId"
TURN_STATUS: Final = "turnStatus"

_ENDINGS: Final = {
    "completed": TurnEnding.COMPLETED,
    "interrupted": TurnEnding.INTERRUPTED,
    "failed": TurnEnding.FAILED,
}
_UNFINISHED: Final = "unfinished"


@dataclass(slots=True)
class _Turn:
    message_id: str | None
    user_text: str = ""
    status: str | None = None
    has_answer: bool = False
    answer: AnswerText = field(default_factory=AnswerText)
    tool_ids: set[str] = field(default_factory=set)


class Replay:
    """Folds the updates of one `session/load` into turns."""

    def __init__(self) -> None:
        self._turns: list[_Turn] = []

    def take(self, update: Any) -> None:
        """Take the next update of the replay."""
        match update:
            case UserMessageChunk():
                self._user(text_of(update.content), _meta(update, MESSAGE_ID))
            case AgentMessageChunk() if self._turns:
                turn = self._turns[-1]
                turn.has_answer = True
                turn.answer.add(text_of(update.content))
                turn.status = _meta(update, TURN_STATUS) or turn.status
            case ToolCallStart() | ToolCallProgress() if self._turns:
                self._tool(update.tool_call_id)
            case _:
                pass

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

    def _tool(self, tool_id: str) -> None:
        turn = self._turns[-1]
        turn.has_answer = True
        if tool_id not in turn.tool_ids:
            turn.tool_ids.add(tool_id)
            turn.answer.cut()


def _evidence_of(turn: _Turn) -> ReadBack:
    if turn.status == _UNFINISHED:
        return ReadBack(Evidence.UNFINISHED)
    ending = _ENDINGS.get(turn.status or "")
    if ending is None:
        return ReadBack(Evidence.UNKNOWN)
    return ReadBack(Evidence.ENDED, ending, turn.answer.answer())


def text_of(content: object) -> str:
    """Give the text of a content block, nothing for other kinds."""
    return content.text if isinstance(content, TextContentBlock) else ""


def _meta(update: UserMessageChunk | AgentMessageChunk, name: str) -> str | None:
    value = (update.field_meta or {}).get(name)
    return value if isinstance(value, str) else None
