"""Which stretch of a chat's history was compared with the journal, and which messages are missing from the journal.

A binding has two cursors. The live one follows the present. Whatever was not read for a while becomes history: a
stretch with a fixed end, through which the history cursor moves window by window. A cursor moves only over what was
read whole; nothing that was not read counts as checked. All times are the platform's, in UTC milliseconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hongyan.domain import limits
from hongyan.domain.bindings import Binding
from hongyan.domain.changes import Delete, Update, Where
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import AppId, BindingId, ChatId, MessageId, OpenId, RequestId, request_id
from hongyan.domain.messages import ChatKind, InboundMessage, MessageKind, PostedMessage, SenderKind
from hongyan.domain.notices import says_why_not

__all__ = [
    "Coverage",
    "CoverageStatus",
    "Gap",
    "GapEvent",
    "GapState",
    "Side",
    "Window",
    "advance",
    "advance_gap",
    "answered_in",
    "as_message",
    "begin",
    "close_gap",
    "fail",
    "history_window",
    "keep",
    "live_window",
    "may_run",
    "reach_back",
    "scan_again",
    "since_backup",
    "status_of",
    "suspect",
    "to_account_for",
]


class CoverageStatus(StrEnum):
    """What can be said of a binding's messages."""

    UNCHECKED = "unchecked"
    CHECKED = "checked"
    GAPS = "gaps"
    UNAVAILABLE = "unavailable"


class Side(StrEnum):
    """Which of the two readings saw a message first."""

    LIVE = "live"
    HISTORY = "history"


class GapState(StrEnum):
    """Where a missing message stands: it may still be on its way, or somebody has to decide."""

    SUSPECTED = "suspected"
    DECLARED = "declared"


class GapEvent(StrEnum):
    """What may happen to a missing message."""

    CONFIRM = "confirm"
    RECEIVE = "receive"
    RUN = "run"
    IGNORE = "ignore"
    FIND_ANSWERED = "find_answered"


_S, _E = GapState, GapEvent
CLOSED: Final = None  # the message stands in the journal, and the gap is no more

MOVES: Final[dict[tuple[GapState, GapEvent], GapState | None]] = {
    (_S.SUSPECTED, _E.CONFIRM): _S.DECLARED,
    (_S.SUSPECTED, _E.RECEIVE): CLOSED,
    (_S.SUSPECTED, _E.FIND_ANSWERED): CLOSED,
    (_S.DECLARED, _E.RECEIVE): CLOSED,
    (_S.DECLARED, _E.RUN): CLOSED,
    (_S.DECLARED, _E.IGNORE): CLOSED,
    (_S.DECLARED, _E.FIND_ANSWERED): CLOSED,
}


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time that is read at once, both ends included."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a binding's chat was compared with the journal.

    Nothing before `began` is ours. `problem` is the code of what ended the last reading, empty after a good one;
    `permission` names what the App lacks. `read_at` is when the last reading came back, 0 for never.
    """

    binding_id: BindingId
    app: AppId
    chat_id: ChatId
    owner: OpenId
    began: int
    live_cursor: int
    history_cursor: int
    history_until: int
    read_at: int
    problem: str
    permission: str
    version: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A message that the platform lists and the journal lacks; its id is the one that its request would have.

    `scans` counts the readings since it was met.
    """

    id: RequestId
    app: AppId
    binding_id: BindingId
    chat_id: ChatId
    message_id: MessageId
    sender: OpenId
    kind: MessageKind
    text: str
    thread_root: str
    create_time: int
    side: Side
    state: GapState
    first_seen: int
    scans: int
    version: int


def begin(binding: Binding, former: Coverage | None, now: int) -> Coverage:
    """Start the account of a binding: from its making, or from where an earlier one of the same chat had come to."""
    start = min(binding.created_at if former is None else _open_from(former), now)
    return Coverage(
        binding_id=binding.id,
        app=binding.app,
        chat_id=binding.chat_id,
        owner=binding.owner,
        began=start if former is None else min(former.began, start),
        live_cursor=start,
        history_cursor=start,
        history_until=start,
        read_at=0,
        problem="",
        permission="",
        version=0,
    )


def reach_back(coverage: Coverage, now: int) -> Coverage:
    """Make history, ending now, of what was not read for long; the present is followed from now on."""
    if now - coverage.live_cursor <= limits.COVERAGE_LIVE_MS:
        return coverage
    return replace(coverage, history_cursor=_open_from(coverage), history_until=now, live_cursor=now)


def live_window(coverage: Coverage, now: int) -> Window:
    """Give what is to be read of the present."""
    start = min(coverage.live_cursor, now) - limits.COVERAGE_OVERLAP_MS
    return Window(min(max(coverage.began, start), now), now)


def history_window(coverage: Coverage) -> Window | None:
    """Give what is to be read of history next, at most one day; None when its end was reached."""
    if coverage.history_cursor >= coverage.history_until:
        return None
    start = max(coverage.began, coverage.history_cursor - limits.COVERAGE_OVERLAP_MS)
    return Window(start, min(start + limits.COVERAGE_WINDOW_MS, coverage.history_until))


def advance(coverage: Coverage, side: Side, reached: int, now: int) -> Coverage:
    """Move a cursor over what was read; it never moves back."""
    good = replace(coverage, read_at=now, problem="", permission="")
    if side is Side.LIVE:
        return replace(good, live_cursor=max(coverage.live_cursor, reached))
    return replace(good, history_cursor=min(max(coverage.history_cursor, reached), coverage.history_until))


def fail(coverage: Coverage, problem: str, permission: str) -> Coverage:
    """Note what ended a reading; nothing else moves."""
    return replace(coverage, problem=problem, permission=permission)


def keep(before: Coverage, after: Coverage) -> Update:
    """Plan the new state; whoever read the same state comes too late."""
    where: Where = {"binding_id": before.binding_id, "version": before.version}
    return Update(
        "coverage",
        where,
        {
            "live_cursor": after.live_cursor,
            "history_cursor": after.history_cursor,
            "history_until": after.history_until,
            "read_at": after.read_at,
            "problem": after.problem,
            "permission": after.permission,
            "version": before.version + 1,
        },
    )


def status_of(coverage: Coverage | None, gaps: int, now: int) -> CoverageStatus:
    """Say what can be said: checked only after the present and all history were read, with nothing missing."""
    if coverage is None:
        return CoverageStatus.UNCHECKED
    if coverage.permission:
        return CoverageStatus.UNAVAILABLE
    behind = coverage.history_cursor < coverage.history_until or now - coverage.live_cursor > limits.COVERAGE_LIVE_MS
    if behind or coverage.read_at == 0:
        return CoverageStatus.UNCHECKED
    return CoverageStatus.GAPS if gaps else CoverageStatus.CHECKED


def to_account_for(coverage: Coverage, posted: Sequence[PostedMessage]) -> list[PostedMessage]:
    """Choose the messages that the journal must hold: the owner's own, not recalled, since the account began."""
    return [
        message
        for message in posted
        if message.sender_kind is SenderKind.USER
        and message.sender == coverage.owner
        and not message.recalled
        and message.create_time >= coverage.began
    ]


def answered_in(app: AppId, posted: Sequence[PostedMessage]) -> frozenset[RequestId]:
    """Name the messages under which our App's own words stand: an answer, not a card about it or why there is none."""
    ours = (message for message in posted if message.sender_kind is SenderKind.APP and message.sender == app)
    return frozenset(
        request_id(app, MessageId(message.parent)) for message in ours if message.parent and _is_answer(message)
    )


def _is_answer(message: PostedMessage) -> bool:
    text = message.text or ""
    titled = message.kind is MessageKind.CARD and not text.startswith("\n")  # words on a card have no title
    return not (message.recalled or titled or says_why_not(text))


def since_backup(coverage: Coverage) -> int:
    """Give the moment from which on a restored account knows nothing for certain."""
    return max(coverage.began, _open_from(coverage) - limits.COVERAGE_OVERLAP_MS)


def suspect(coverage: Coverage, side: Side, message: PostedMessage, now: int) -> Gap:
    """Make the record of a message that the journal lacks."""
    return Gap(
        id=request_id(coverage.app, message.message_id),
        app=coverage.app,
        binding_id=coverage.binding_id,
        chat_id=coverage.chat_id,
        message_id=message.message_id,
        sender=OpenId(message.sender),
        kind=message.kind,
        text=message.text or "",
        thread_root=(message.root or message.message_id) if message.thread_id else "",
        create_time=message.create_time,
        side=side,
        state=GapState.SUSPECTED,
        first_seen=now,
        scans=1,
        version=0,
    )


def advance_gap(gap: Gap, event: GapEvent) -> GapState | None:
    """Give the next state, None for closed. Raise IllegalMoveError when the table has no such move."""
    try:
        return MOVES[gap.state, event]
    except KeyError:
        raise IllegalMoveError("gap", gap.id, gap.state, event) from None


def scan_again(gap: Gap, now: int) -> Gap:
    """Count one more reading after which the message is still missing; declare it when that is enough.

    Whether that reading listed the message again says nothing: a gap ends with the message in the journal only.
    """
    counted = replace(gap, scans=gap.scans + 1)
    waited = now - gap.first_seen >= limits.GAP_DECLARED_MS
    if gap.state is not GapState.SUSPECTED or not waited or counted.scans < limits.GAP_SCANS:
        return counted
    return replace(counted, state=advance_gap(gap, GapEvent.CONFIRM) or gap.state)


def close_gap(gap: Gap, event: GapEvent) -> Delete:
    """Plan the end of a gap that nobody else touched meanwhile."""
    if advance_gap(gap, event) is not CLOSED:
        raise IllegalMoveError("gap", gap.id, gap.state, event)
    return Delete("gaps", {"id": gap.id, "version": gap.version})


def may_run(gap: Gap, now: int) -> bool:
    """Tell whether the message is young enough to be run when the owner says so."""
    return now - gap.create_time <= limits.GAP_RUNS_MS


def as_message(gap: Gap) -> InboundMessage:
    """Give the message as its event would have told of it; nothing but its address is believed later."""
    return InboundMessage(
        app=gap.app,
        event_id="",
        message_id=gap.message_id,
        chat_id=gap.chat_id,
        chat_kind=ChatKind.PRIVATE,
        sender=gap.sender,
        sender_kind=SenderKind.USER,
        kind=gap.kind,
        text=gap.text,
        create_time=gap.create_time,
        thread_root=gap.thread_root,
    )


def _open_from(coverage: Coverage) -> int:
    """Give the moment up to which everything was read."""
    unread = coverage.history_cursor < coverage.history_until
    return coverage.history_cursor if unread else coverage.live_cursor
