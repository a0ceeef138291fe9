"""How far a chat was compared, and what is missing: nothing is skipped, lost, or said too early."""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hongyan.domain import limits
from hongyan.domain.bindings import Audience, Binding, BindingState, Role, Scope
from hongyan.domain.changes import Delete
from hongyan.domain.coverage import (
    MOVES,
    Coverage,
    CoverageStatus,
    Gap,
    GapEvent,
    GapState,
    Side,
    advance,
    advance_gap,
    answered_in,
    as_message,
    begin,
    close_gap,
    fail,
    history_window,
    live_window,
    may_run,
    reach_back,
    scan_again,
    status_of,
    suspect,
    to_account_for,
)
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import AppId, BindingId, ChatId, MessageId, OpenId, WorkspaceId, request_id
from hongyan.domain.messages import MessageKind, PostedMessage, SenderKind
from hongyan.domain.workspaces import Grant

T0: Final = 1_750_000_000_000
APP = AppId("cli_a")
OWNER = OpenId("ou_owner")
BINDING = Binding(
    id=BindingId("bind_1"),
    app=APP,
    audience=Audience.OWNER_PRIVATE,
    chat_id=ChatId("oc_1"),
    owner=OWNER,
    role=Role.PROJECT,
    workspace_id=WorkspaceId("work"),
    executor="rehearsal",
    grant_kind=Grant.WRITE,
    scope=Scope.HOST_DEFAULT,
    state=BindingState.LIVE,
    revision=1,
    created_at=T0,
)
spans = st.integers(0, 10 * limits.COVERAGE_WINDOW_MS)


def posted(at: int, **changes: object) -> PostedMessage:
    """Make a message of the owner."""
    message = PostedMessage(
        message_id=MessageId("om_1"),
        chat_id=ChatId("oc_1"),
        sender=OWNER,
        sender_kind=SenderKind.USER,
        kind=MessageKind.TEXT,
        text="hello",
        create_time=at,
        update_time=0,
        updated=False,
        recalled=False,
        parent="",
        root="",
        thread_id="",
    )
    return replace(message, **changes)  # type: ignore[arg-type]  # the names are those of the fields


def missing(at: int = T0) -> Gap:
    """Make a gap met at that moment."""
    return suspect(begin(BINDING, None, T0), Side.LIVE, posted(at), at)


@given(start=spans, length=spans, stops=st.lists(st.integers(1, limits.COVERAGE_WINDOW_MS), max_size=30))
def test_history_is_read_to_its_end_in_windows_of_a_day_that_leave_no_moment_out(
    start: int, length: int, stops: list[int]
) -> None:
    coverage = replace(begin(BINDING, None, T0), history_cursor=T0 + start, history_until=T0 + start + length)
    covered = coverage.history_cursor
    for n in range(200):
        window = history_window(coverage)
        if window is None:
            break
        assert window.end - window.start <= limits.COVERAGE_WINDOW_MS
        assert window.start <= covered
        reached = min(window.end, covered + stops[n]) if n < len(stops) else window.end  # a piece, or all of it
        coverage = advance(coverage, Side.HISTORY, reached, T0)
        covered = max(covered, reached)
        assert coverage.history_cursor == covered
    assert coverage.history_cursor == coverage.history_until == T0 + start + length


@given(steps=st.lists(st.tuples(st.integers(-3 * 3_600_000, 3 * 3_600_000), st.booleans(), st.booleans()), max_size=40))
def test_whatever_the_clock_does_everything_below_the_open_stretches_was_read(
    steps: list[tuple[int, bool, bool]],
) -> None:
    now, coverage = T0, begin(BINDING, None, T0)
    read: list[tuple[int, int]] = []
    for step, live_works, history_works in steps:
        now += step
        coverage = reach_back(coverage, now)
        if live_works:
            window = live_window(coverage, now)
            read.append((min(window.start, window.end), window.end))
            coverage = advance(coverage, Side.LIVE, window.end, now)
        if history_works and (past := history_window(coverage)) is not None:
            read.append((past.start, past.end))
            coverage = advance(coverage, Side.HISTORY, past.end, now)
        assert coverage.history_cursor <= max(coverage.history_until, T0)
        assert _unread(read, T0, coverage) == []


def _unread(read: list[tuple[int, int]], start: int, coverage: Coverage) -> list[tuple[int, int]]:
    """Give the stretches that count as read and were not."""
    holes, at = [], start
    claimed = [(start, coverage.history_cursor), (coverage.history_until, coverage.live_cursor)]
    for low, high in sorted(read):
        holes += [(at, low)] if low > at else []
        at = max(at, high)
    holes.append((at, max(at, coverage.live_cursor)))
    return [(max(low, a), min(high, b)) for a, b in claimed for low, high in holes if min(high, b) - max(low, a) > 0]


@given(reached=st.integers(T0 - 10_000, T0 + 10_000))
def test_a_cursor_never_moves_back(reached: int) -> None:
    coverage = replace(begin(BINDING, None, T0), history_until=T0 + 5_000)
    for side in Side:
        moved = advance(coverage, side, reached, T0)
        assert moved.live_cursor >= coverage.live_cursor
        assert coverage.history_cursor <= moved.history_cursor <= coverage.history_until


def test_a_failure_moves_nothing_and_the_next_good_reading_clears_it() -> None:
    coverage = begin(BINDING, None, T0)
    failed = fail(coverage, "chat.blocked", "im:message.group_msg")
    assert replace(failed, problem="", permission="") == coverage
    assert status_of(failed, 0, T0) is CoverageStatus.UNAVAILABLE
    good = advance(failed, Side.LIVE, T0 + 1, T0 + 1)
    assert (good.problem, good.permission) == ("", "")


def test_nothing_is_checked_before_all_of_it_was_read() -> None:
    fresh = begin(BINDING, None, T0)
    assert status_of(None, 0, T0) is CoverageStatus.UNCHECKED
    assert status_of(fresh, 0, T0) is CoverageStatus.UNCHECKED
    read = advance(fresh, Side.LIVE, T0 + 1, T0 + 1)
    assert status_of(read, 0, T0 + 1) is CoverageStatus.CHECKED
    assert status_of(read, 1, T0 + 1) is CoverageStatus.GAPS
    assert status_of(replace(read, history_until=T0 + 2), 0, T0 + 1) is CoverageStatus.UNCHECKED
    assert status_of(read, 0, T0 + 2 + limits.COVERAGE_LIVE_MS) is CoverageStatus.UNCHECKED


def test_the_account_of_a_chat_goes_on_under_its_next_binding() -> None:
    former = replace(begin(BINDING, None, T0), live_cursor=T0 + 500)
    later = replace(BINDING, id=BindingId("bind_2"), created_at=T0 + 9_000)
    assert begin(later, former, T0 + 9_000).live_cursor == T0 + 500
    unread = replace(former, history_cursor=T0 + 100, history_until=T0 + 200)
    assert begin(later, unread, T0 + 9_000).live_cursor == T0 + 100
    assert begin(later, None, T0 + 9_000).began == T0 + 9_000


@pytest.mark.parametrize(
    "other",
    [
        posted(T0, sender="ou_other"),
        posted(T0, sender=APP, sender_kind=SenderKind.APP),
        posted(T0, recalled=True),
        posted(T0 - 1),
    ],
)
def test_only_the_owners_own_words_since_the_beginning_are_accounted_for(other: PostedMessage) -> None:
    mine = posted(T0)
    assert to_account_for(begin(BINDING, None, T0), [mine, other]) == [mine]


def test_only_our_own_apps_words_count_as_an_answer() -> None:
    ours = posted(T0, sender=APP, sender_kind=SenderKind.APP, parent="om_1")
    theirs = posted(T0, sender="cli_b", sender_kind=SenderKind.APP, parent="om_2")
    assert answered_in(APP, [ours, theirs, posted(T0, parent="om_3")]) == {request_id(APP, MessageId("om_1"))}


@given(waits=st.lists(st.integers(0, 60_000), min_size=1, max_size=6))
def test_a_gap_is_declared_after_two_readings_and_forty_five_seconds_and_stays(waits: list[int]) -> None:
    gap, now = missing(), T0
    for scans, wait in enumerate(waits, start=2):
        now += wait
        before, gap = gap, scan_again(gap, now)
        late = now - T0 >= limits.GAP_DECLARED_MS and scans >= limits.GAP_SCANS
        declared = late or before.state is GapState.DECLARED
        assert gap.state is (GapState.DECLARED if declared else GapState.SUSPECTED)


def test_a_reading_alone_never_declares() -> None:
    assert missing().state is GapState.SUSPECTED
    assert scan_again(missing(), T0 + limits.GAP_DECLARED_MS - 1).state is GapState.SUSPECTED


@pytest.mark.parametrize("state", GapState)
@pytest.mark.parametrize("event", GapEvent)
def test_every_move_of_a_gap_is_in_the_table_or_refused(state: GapState, event: GapEvent) -> None:
    gap = replace(missing(), state=state)
    if (state, event) not in MOVES:
        with pytest.raises(IllegalMoveError):
            advance_gap(gap, event)
    elif MOVES[state, event] is None:
        assert close_gap(gap, event) == Delete("gaps", {"id": gap.id, "version": gap.version})
    else:
        with pytest.raises(IllegalMoveError):
            close_gap(gap, event)


def test_nobody_runs_or_ignores_what_may_still_be_on_its_way() -> None:
    for event in (GapEvent.RUN, GapEvent.IGNORE):
        with pytest.raises(IllegalMoveError):
            advance_gap(missing(), event)


def test_a_gap_is_run_for_a_day_and_under_the_key_of_its_message() -> None:
    gap = missing()
    assert may_run(gap, T0 + limits.GAP_RUNS_MS)
    assert not may_run(gap, T0 + limits.GAP_RUNS_MS + 1)
    message = as_message(gap)
    assert gap.id == request_id(message.app, message.message_id)
    assert (message.sender, message.create_time, message.text) == (OWNER, T0, "hello")


def test_a_message_of_a_topic_keeps_its_topic() -> None:
    coverage = begin(BINDING, None, T0)
    opens = suspect(coverage, Side.LIVE, posted(T0, thread_id="omt_1"), T0)
    inside = suspect(coverage, Side.LIVE, posted(T0, thread_id="omt_1", root="om_0"), T0)
    assert (opens.thread_root, inside.thread_root, missing().thread_root) == ("om_1", "om_0", "")
