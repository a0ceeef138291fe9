"""What the console's places show: facts and keys of words, read in one go a place. The page itself writes the words."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hongyan.application.browse import list_bindings, list_owners, list_received, list_workspaces
from hongyan.application.owed import FollowUp, OwedRow, list_owed
from hongyan.application.read_ledger import read_ledger
from hongyan.application.sessions import view_turn
from hongyan.application.steer_turn import can_steer
from hongyan.application.transcripts import SessionLine, list_open_decisions, list_session_lines, read_transcript
from hongyan.domain.bindings import Audience, Binding, BindingState, Role
from hongyan.domain.conversations import HoldReason, SessionState, TurnState
from hongyan.domain.ledger import Partition
from hongyan.domain.quota import AppCalls
from hongyan.entrypoints.web.gateway import Gateway, name_of
from hongyan.entrypoints.web.turns_shown import ApprovalShown, TurnShown, approval_shown, turns_shown

__all__ = [
    "ConversationShown",
    "LedgerShown",
    "NeedsShown",
    "Overview",
    "show_conversation",
    "show_ledger",
    "show_needs",
    "show_overview",
]

TURNS_A_PAGE: Final = 30
LINES_READ: Final = 2_000
LINES_SHOWN: Final = 200
_HELD: Final = HoldReason.UPSTREAM_UNKNOWN
_FAILED: Final = frozenset({TurnState.FAILED, TurnState.TIMED_OUT})


@dataclass(frozen=True, slots=True)
class SessionShown:
    """A Session in the list. `state` is a key of words; `since` is the start of what it counts.

    `refusal` says why nothing can be written here: `closed`, `group`, `revoked` or `executor`; empty for nothing.
    """

    id: str
    group: str
    title: str
    app: str
    executor: str
    grant: str
    scope: str
    state: str
    tone: str
    n: int
    since: int | None
    last_text: str
    last_at: int
    running_turn: str
    refusal: str
    can_steer: bool
    closed: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where a Session of this machine can be opened."""

    workspaces: tuple[str, ...]
    executors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """What every place shows beside itself. `off_by` are the differences of both sums."""

    now: int
    sessions: tuple[SessionShown, ...]
    running: int
    needs: int
    off_by: tuple[int, int]
    place: Place


@dataclass(frozen=True, slots=True)
class ConversationShown:
    """One open conversation: a page of Turns, oldest first."""

    now: int
    session: SessionShown
    turns: tuple[TurnShown, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Need:
    """An owed request in the list of what needs somebody."""

    id: str
    version: int
    why: str
    text: str
    since: int
    session_id: str
    turn_state: str
    actions: tuple[str, ...]
    follow_up: FollowUp | None


@dataclass(frozen=True, slots=True)
class NeedsShown:
    """What needs somebody, and the Sessions that it comes from by their id."""

    now: int
    approvals: tuple[ApprovalShown, ...]
    owed: tuple[Need, ...]
    sessions: Mapping[str, SessionShown]
    running: int


@dataclass(frozen=True, slots=True)
class Sum:
    """One identity as numbers."""

    total: int
    classes: Mapping[str, int]
    difference: int


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One request behind a number."""

    id: str
    at: int
    speaker: str
    origin: str
    text: str
    kind: str
    why: str
    owed: bool
    session_id: str


@dataclass(frozen=True, slots=True)
class LedgerShown:
    """Both identities and the newest lines of what was received; `whole` when no older ones were left out.

    `calls` is how often each App called the platform today and in this month.
    """

    now: int
    received: Sum
    writes: Sum
    owed: tuple[Need, ...]
    lines: tuple[LedgerLine, ...]
    whole: bool
    calls: tuple[AppCalls, ...]


async def show_overview(gateway: Gateway) -> Overview:
    """Read what every place shows beside itself."""
    desk = gateway.desk
    sessions = await _sessions(gateway)
    ledger = await read_ledger(desk)
    asked = await list_open_decisions(desk)
    return Overview(
        now=desk.clock.now(),
        sessions=sessions,
        running=_running(sessions),
        needs=len(asked) + ledger.owed,
        off_by=(ledger.received.difference, ledger.writes.difference),
        place=Place(
            tuple(workspace.name for workspace in await list_workspaces(desk)),
            tuple(executor.name for executor in gateway.settings.executors),
        ),
    )


async def show_conversation(gateway: Gateway, session_id: str, cursor: str | None) -> ConversationShown:
    """Read a page of one conversation. Raise NotFoundError or RefusedError as `read_transcript` does."""
    page = await read_transcript(gateway.desk, session_id, TURNS_A_PAGE, cursor)
    shown = await _sessions(gateway)
    session = next(one for one in shown if one.id == session_id)
    turns = await asyncio.to_thread(turns_shown, page, await _people(gateway))
    return ConversationShown(gateway.desk.clock.now(), session, turns, page.cursor)


async def show_needs(gateway: Gateway) -> NeedsShown:
    """Read what needs somebody, oldest first."""
    desk = gateway.desk
    approvals = await _approvals(gateway)
    owed = tuple(_need(row) for row in await list_owed(desk))
    sessions = await _sessions(gateway)
    named = {one.session_id for one in approvals} | {one.session_id for one in owed}
    return NeedsShown(
        now=desk.clock.now(),
        approvals=approvals,
        owed=owed,
        sessions={one.id: one for one in sessions if one.id in named},
        running=_running(sessions),
    )


async def _approvals(gateway: Gateway) -> tuple[ApprovalShown, ...]:
    shown, people = [], await _people(gateway)
    for decision in await list_open_decisions(gateway.desk):
        turn = (await view_turn(gateway.desk, decision.turn_id)).turn
        shown.append(approval_shown(decision, turn.origin, people))
    return tuple(shown)


async def show_ledger(gateway: Gateway, kind: str) -> LedgerShown:
    """Read both identities, and the newest lines of one class of what was received (of all, for an empty one)."""
    desk = gateway.desk
    ledger = await read_ledger(desk)
    people = await _people(gateway)
    lines = [
        LedgerLine(
            id=line.id,
            at=line.accepted_at,
            speaker=people.get(line.sender, ""),
            origin=line.origin,
            text=line.text[:400],
            kind=named,
            why=line.owed_why or line.turn_code or line.code,
            owed=bool(line.owed),
            session_id=line.session_id,
        )
        for named, line in await list_received(desk, LINES_READ)
        if kind in {"", named}
    ]
    return LedgerShown(
        now=desk.clock.now(),
        received=_sum(ledger.received),
        writes=_sum(ledger.writes),
        owed=tuple(_need(row) for row in await list_owed(desk)),
        lines=tuple(lines[:LINES_SHOWN]),
        whole=len(lines) <= LINES_SHOWN and ledger.received.total <= LINES_READ,
        calls=ledger.calls,
    )


async def _people(gateway: Gateway) -> Mapping[str, str]:
    return {owner.open_id: owner.name or owner.open_id for owner in await list_owners(gateway.desk)}


async def _sessions(gateway: Gateway) -> tuple[SessionShown, ...]:
    desk = gateway.desk
    lines = await list_session_lines(desk)  # first: what they name is never deleted, so it is found after them
    bindings: dict[str, Binding] = {binding.id: binding for binding in await list_bindings(desk)}
    workspaces: dict[str, str] = {workspace.id: workspace.name for workspace in await list_workspaces(desk)}
    titles = {line.id: workspaces.get(line.workspace_id, line.workspace_id) for line in lines}
    return tuple(_session(gateway, line, bindings[line.binding_id], titles[line.id]) for line in lines)


def _session(gateway: Gateway, line: SessionLine, binding: Binding, title: str) -> SessionShown:
    state, tone, count, since = _state(line)
    local = binding.audience is Audience.LOCAL
    return SessionShown(
        id=line.id,
        group="manager" if binding.role is Role.MANAGER else binding.audience.value,
        title=title,
        app="" if local else name_of(gateway, binding.app),
        executor=line.executor,
        grant=binding.grant_kind,
        scope=binding.scope,
        state=state,
        tone=tone,
        n=count,
        since=since,
        last_text=" ".join(line.last_text.split()),
        last_at=line.last_at,
        running_turn=line.running_turn,
        refusal=_refusal(gateway, line, binding),
        can_steer=can_steer(gateway.desk, line.running_turn),
        closed=line.state is SessionState.CLOSED,
    )


def _refusal(gateway: Gateway, line: SessionLine, binding: Binding) -> str:
    if line.state is SessionState.CLOSED:
        return "closed"
    if binding.audience is Audience.GROUP_TOPIC:
        return "group"
    if binding.state is not BindingState.LIVE:
        return "revoked"
    return "" if any(one.name == line.executor for one in gateway.settings.executors) else "executor"


def _state(line: SessionLine) -> tuple[str, str, int, int | None]:
    """Give the one state of a Session that matters most: its key, tone, number, and start."""
    failed = line.last_state in _FAILED
    ranked: tuple[tuple[object, str, str, int, int | None], ...] = (
        (line.asked, "list.needs_you", "waits", line.asked, None),
        (line.running_state == TurnState.HELD, f"hold.{line.hold_reason or _HELD}", "waits", 0, None),
        (line.running_state, f"turn.{line.running_state}", "running", 0, line.running_at or None),
        (line.state is SessionState.RESUME_FAILED, f"session.{line.state}", "failed", 0, None),
        (line.state is SessionState.CLOSED, f"session.{line.state}", "quiet", 0, None),
        (line.queued, "queued_count", "quiet", line.queued, None),
        (line.owed and failed, f"turn.{line.last_state}", "failed", 0, None),
        (line.owed, "list.needs_you", "waits", line.owed, None),
    )
    for holds, key, tone, count, since in ranked:
        if holds:
            return key, tone, count, since
    return f"session.{line.state}", "quiet", 0, None


def _running(sessions: Sequence[SessionShown]) -> int:
    return sum(1 for one in sessions if one.running_turn and not one.state.startswith("hold."))


def _need(row: OwedRow) -> Need:
    actions = tuple(action.value for action in row.actions)
    return Need(
        row.id, row.version, row.why, row.text, row.since, row.session_id, row.turn_state, actions, row.follow_up
    )


def _sum(partition: Partition) -> Sum:
    return Sum(partition.total, dict(partition.classes), partition.difference)
