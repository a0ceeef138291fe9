"""What one turn can send to the client, and the record of what was sent."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import acp
from acp.interfaces import Client
from acp.schema import AllowedOutcome, PermissionOption, PlanEntryStatus, ToolCallUpdate

from rehearsal_agent.journal import Entry, EntryKind

ALLOW: Final = PermissionOption(option_id="go-ahead", name="Allow once", kind="allow_once")
ALWAYS: Final = PermissionOption(option_id="go-ahead-always", name="Allow for this session", kind="allow_always")
REJECT: Final = PermissionOption(option_id="rather-not", name="Reject", kind="reject_once")
"""The ids differ from the kinds on purpose: a client has to choose by kind."""

PLAN_SIGNS: Final[dict[str, PlanEntryStatus]] = {"+": "completed", ">": "in_progress"}


@dataclass(slots=True)
class Stage:
    """The client's end of one turn. `entries` is what a later replay shows."""

    client: Client
    session_id: str
    workspace: Path
    turn_number: int
    entries: list[Entry] = field(default_factory=list)
    _open_tools: list[str] = field(default_factory=list)
    _tools: int = 0

    async def say(self, text: str) -> None:
        """Stream a piece of the answer."""
        last = self.entries[-1] if self.entries else None
        if last is not None and last.kind is EntryKind.TEXT:
            self.entries[-1] = Entry(EntryKind.TEXT, last.text + text)
        else:
            self.entries.append(Entry(EntryKind.TEXT, text))
        await self.client.session_update(self.session_id, acp.update_agent_message_text(text))

    async def show_link(self, uri: str) -> None:
        """Answer with a link to a resource."""
        self.entries.append(Entry(EntryKind.LINK, uri))
        await self.client.session_update(self.session_id, acp.update_agent_message(acp.resource_link_block("odd", uri)))

    async def think(self, text: str) -> None:
        """Stream a thought."""
        self.entries.append(Entry(EntryKind.THOUGHT, text))
        await self.client.session_update(self.session_id, acp.update_agent_thought_text(text))

    async def plan(self, steps: str) -> None:
        """Send a plan, its steps parted by bars: `+` before one that is done, `>` before one that is under way."""
        signed = ((step.lstrip("+>"), PLAN_SIGNS.get(step[:1], "pending")) for step in steps.split("|"))
        entries = [acp.plan_entry(text, status=status) for text, status in signed]
        await self.client.session_update(self.session_id, acp.update_plan(entries))

    async def open_tool(self, title: str) -> None:
        """Start a tool call; the title comes with the second update, as real agents do it."""
        self._tools += 1
        tool_id = f"tool-{self.turn_number}-{self._tools}"
        self._open_tools.append(tool_id)
        self.entries.append(Entry(EntryKind.TOOL, title, tool_id))
        start = acp.start_tool_call(tool_id, "tool", kind="execute", status="pending")
        await self.client.session_update(self.session_id, start)
        running = acp.update_tool_call(tool_id, title=title, status="in_progress")
        await self.client.session_update(self.session_id, running)

    async def close_tool(self, output: str, *, failed: bool = False) -> None:
        """End the tool call that was opened last; nothing happens when none is open."""
        if not self._open_tools:
            return
        tool_id = self._open_tools.pop()
        done = acp.update_tool_call(
            tool_id,
            status="failed" if failed else "completed",
            content=[acp.tool_content(acp.text_block(output))],
        )
        await self.client.session_update(self.session_id, done)

    async def ask(self, what: str) -> str:
        """Ask for permission and return `allow_once`, `allow_always`, `reject_once` or `cancelled`."""
        self._tools += 1
        call = ToolCallUpdate(
            tool_call_id=f"ask-{self.turn_number}-{self._tools}",
            title=what,
            kind="execute",
            status="pending",
            raw_input={"command": what},
        )
        options = [ALLOW, ALWAYS, REJECT]
        answer = await self.client.request_permission(self.session_id, call, options)
        if not isinstance(answer.outcome, AllowedOutcome):
            return "cancelled"
        chosen = answer.outcome.option_id
        return next((option.kind for option in options if option.option_id == chosen), "unknown option")
