"""What an agent may send us: session updates and requests for permission.

The SDK runs each notification as a task of its own; order holds only because nothing is awaited here before the event
is in its queue.
"""

import json
from typing import Any, Final

from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
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
from hongyan.domain.agents import PermissionAnswer, PermissionAsked, PlanStatus, PlanStep, ToolStatus

__all__ = ["AcpClient"]

_STATUS: Final = {
    "pending": ToolStatus.OPEN,
    "in_progress": ToolStatus.OPEN,
    "completed": ToolStatus.DONE,
    "failed": ToolStatus.FAILED,
}
_PLAN_STATUS: Final = {
    "pending": PlanStatus.WAITING,
    "in_progress": PlanStatus.OPEN,
    "completed": PlanStatus.DONE,
}
_KINDS: Final = {
    PermissionAnswer.ALLOW_ONCE: ("allow_once",),
    PermissionAnswer.ALLOW_SESSION: ("allow_once", "allow_always"),
    PermissionAnswer.REJECT: ("reject_once", "reject_always"),
}
"""In this order, by kind: every agent has ids of its own. The gateway itself remembers a yes for the session, because
an agent's "always" may outlive it."""


class AcpClient:
    """The handlers of one connection. `turn` and `replay` say who listens; without either updates are dropped.

    The protocol has one kind of thought, raw reasoning or a summary of it: `summaries` says which this agent sends.
    """

    def __init__(self, *, summaries: bool = False) -> None:
        self._summaries = summaries
        self.session_id = ""
        self._asked = 0
        self.turn: RunningTurn | None = None
        self.replay: Replay | None = None

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Hand an update to whoever listens."""
        if session_id != self.session_id:
            return
        if self.replay is not None:
            self.replay.take(update)
        elif self.turn is not None:
            _tell(self.turn, update, self._summaries)

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Ask through the turn and answer what was decided; after an interrupt "cancelled", as the protocol asks."""
        turn = self.turn if session_id == self.session_id else None
        answer = PermissionAnswer.CANCEL
        if turn is not None:
            turn.cut()
            self._asked += 1
            answer = await turn.ask(_asked(f"ask-{self._asked}", tool_call, options))
        chosen = _chosen(options, answer)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return RequestPermissionResponse(outcome=outcome)


def _asked(ask_id: str, call: ToolCallUpdate, options: list[PermissionOption]) -> PermissionAsked:
    """What the agent wants to do, as it says it; the input is kept whole."""
    raw = call.raw_input
    arguments = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, indent=2, default=str)
    return PermissionAsked(
        ask_id=ask_id,
        tool_id=call.tool_call_id,
        title=call.title or "",
        kind=call.kind or "other",
        arguments="" if raw is None else arguments,
        locations=tuple(location.path for location in call.locations or ()),
        whole_session=any(option.kind == "allow_always" for option in options),
    )


def _chosen(options: list[PermissionOption], answer: PermissionAnswer) -> PermissionOption | None:
    for kind in _KINDS.get(answer, ()):
        for option in options:
            if option.kind == kind:
                return option
    return None


def _tell(turn: RunningTurn, update: object, summaries: bool) -> None:
    match update:
        case AgentMessageChunk(content=content) if text_of(content):
            turn.text(text_of(content))
        case AgentThoughtChunk(content=content) if text_of(content) and summaries:
            turn.thought(text_of(content))
        case AgentThoughtChunk():
            turn.reasoned()
        case AgentPlanUpdate(entries=entries):
            turn.plan(tuple(PlanStep(entry.content, _PLAN_STATUS[entry.status]) for entry in entries))
        case ToolCallStart() | ToolCallProgress():
            status = _STATUS[update.status] if update.status is not None else None
            turn.tool(update.tool_call_id, update.title, update.kind, status)
        case _:
            pass
