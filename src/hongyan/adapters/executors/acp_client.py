"""What an agent may send us: session updates and requests for permission.

The SDK runs each notification as a task of its own; order holds only because nothing is awaited here before the event
is in its queue.
"""

from typing import Any, Final

from acp.schema import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)

from hongyan.adapters.executors.acp_history import Replay, text_of
from hongyan.adapters.executors.acp_turn import RunningTurn
from hongyan.domain.agents import ToolStatus

__all__ = ["AcpClient"]

_STATUS: Final = {
    "pending": ToolStatus.OPEN,
    "in_progress": ToolStatus.OPEN,
    "completed": ToolStatus.DONE,
    "failed": ToolStatus.FAILED,
}
_REJECTING_KINDS: Final = ("reject_once", "reject_always")
"""In this order. Options are chosen by kind: every agent has ids of its own."""


class AcpClient:
    """The handlers of one connection. `turn` and `replay` say who listens; without either updates are dropped."""

    def __init__(self) -> None:
        self.session_id = ""
        self.turn: RunningTurn | None = None
        self.replay: Replay | None = None

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Hand an update to whoever listens."""
        if session_id != self.session_id:
            return
        if self.replay is not None:
            self.replay.take(update)
        elif self.turn is not None:
            _tell(self.turn, update)

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Answer no, and tell the turn; after an interrupt answer "cancelled", as the protocol asks."""
        turn = self.turn if session_id == self.session_id else None
        chosen = None
        if turn is not None and not turn.is_interrupted:
            turn.cut()
            turn.rejected(tool_call.title or "")
            chosen = _rejecting(options)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return RequestPermissionResponse(outcome=outcome)


def _rejecting(options: list[PermissionOption]) -> PermissionOption | None:
    for kind in _REJECTING_KINDS:
        for option in options:
            if option.kind == kind:
                return option
    return None


def _tell(turn: RunningTurn, update: object) -> None:
    match update:
        case AgentMessageChunk(content=content) if text_of(content):
            turn.text(text_of(content))
        case AgentThoughtChunk(content=content) if text_of(content):
            turn.thought(text_of(content))
        case ToolCallStart() | ToolCallProgress():
            status = _STATUS[update.status] if update.status is not None else None
            turn.tool(update.tool_call_id, update.title, update.kind, status)
        case _:
            pass
