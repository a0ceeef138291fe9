"""Compare what the platform lists of each chat with the journal, in the background and without running anything."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from hongyan.application.coverage_pace import CoveragePace
from hongyan.application.desk import Desk, decide_again
from hongyan.application.settle_gap import close_as_answered
from hongyan.domain import limits
from hongyan.domain.bindings import Binding, BindingState
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Require, Update, Where, insert
from hongyan.domain.coverage import (
    Coverage,
    Gap,
    GapState,
    Side,
    Window,
    advance,
    answered_in,
    begin,
    fail,
    history_window,
    keep,
    live_window,
    reach_back,
    scan_again,
    suspect,
    to_account_for,
)
from hongyan.domain.errors import ChatBlockedError, ChatError, ChatUnknownOutcomeError, ConflictError, HongyanError
from hongyan.domain.identity import AppId, ChatId, RequestId
from hongyan.domain.messages import PostedMessage
from hongyan.ports import queries
from hongyan.ports.chat import ListenerState

__all__ = ["check_coverage", "coverage_loop", "note_gap", "read_piece"]

log = structlog.get_logger(__name__)

_READS = {Side.LIVE: limits.COVERAGE_LIVE_READS, Side.HISTORY: limits.COVERAGE_HISTORY_READS}


@dataclass(frozen=True, slots=True)
class _Scan:
    """One reading of one side of a binding's chat. `reached` is how far it came."""

    before: Coverage
    side: Side
    posted: tuple[PostedMessage, ...]
    reached: int


async def coverage_loop(desk: Desk, app: AppId) -> None:
    """Check an App's chats shortly after the start and once a minute until cancelled; quiet chats less often.

    A live message that was missed may mean a connection that brings nothing any more: it is replaced once.
    """
    await desk.clock.sleep(limits.COVERAGE_FIRST_MS)
    renewed_at: int | None = None
    pace = CoveragePace()
    while True:
        try:
            missed = await check_coverage(desk, app, pace)
            rested = renewed_at is None or desk.clock.boot() - renewed_at >= limits.RENEW_EVERY_MS
            if missed and rested:
                renewed_at = desk.clock.boot()
                log.warning("coverage.renewing", app=app, missed=missed)
                await desk.chat(app).listener.renew()
        except HongyanError as error:
            log.warning("coverage.not_checked", app=app, code=error.code)
        await desk.clock.sleep(limits.COVERAGE_PERIOD_MS)


async def check_coverage(desk: Desk, app: AppId, pace: CoveragePace | None = None) -> int:
    """Read the present and one window of history of each chat; give how many live messages were found missing.

    With a pace, chats that rest are left out.
    """
    chat = desk.chat(app)
    if chat.directory.platform_offset() is None:
        return 0  # the windows are in the platform's time, and nobody has heard it yet
    if chat.listener.state()[0] in {ListenerState.UNKNOWN, ListenerState.STOPPED}:
        return 0  # another process listens, and its journal holds what ours lacks
    pace = pace or CoveragePace()
    missed = 0
    for binding in await desk.store.all(queries.COVERED_BINDINGS):
        if binding.app == app and not pace.rests(binding.id, desk.clock.boot()):
            missed += await _check(desk, binding, pace)
    return missed


async def _check(desk: Desk, binding: Binding, pace: CoveragePace) -> int:
    """Read both sides of a chat, count the reading for its gaps, and note how lively it was."""
    live = await _scan(desk, binding, Side.LIVE)
    if live is None:
        pace.note(binding.id, desk.clock.boot(), stirred=True)  # nothing is known of it: look again soon
        return 0
    history = await _scan(desk, binding, Side.HISTORY)  # what is missing now does not wait for the past
    found = (*live, *(history or ()))
    declared, suspected = await _look_at_gaps(desk, binding, answered_in(binding.app, found))
    more = history_window(await _current(desk, binding)) is not None
    pace.note(binding.id, desk.clock.boot(), stirred=bool(found) or suspected or more)
    return declared


async def _scan(desk: Desk, binding: Binding, side: Side) -> tuple[PostedMessage, ...] | None:
    """Read one side and keep what it says; give what was listed, None when nothing moved."""
    coverage = await _current(desk, binding)
    now = desk.platform_now(binding.app)
    window = live_window(coverage, now) if side is Side.LIVE else history_window(coverage)
    if window is None:
        return ()
    try:
        scan = await _read(desk, coverage, side, window)
    except ChatError as error:
        await _note_failure(desk, coverage, error)
        return None
    kept = await decide_again(desk, lambda: _keep_scan(desk, binding, scan))
    return scan.posted if kept else None  # another reading was kept meanwhile, or the binding is another


async def _current(desk: Desk, binding: Binding) -> Coverage:
    """Give the account of a binding, opened when there is none; what was not read for long becomes history."""
    now = desk.platform_now(binding.app)
    known = await desk.store.one(queries.COVERAGE, binding_id=binding.id)
    if known is None:
        of_chat = {"app": binding.app, "chat_id": binding.chat_id, "owner": binding.owner}
        former = await desk.store.one(queries.FORMER_COVERAGE, **of_chat)
        opened = begin(binding, former, now)
        await desk.store.commit(Changes("open_coverage", (insert("coverage", opened, ONE_OR_NONE),)))
        known = await desk.store.one(queries.COVERAGE, binding_id=binding.id) or opened
    reaching = reach_back(known, now)
    if reaching is known:
        return known
    await desk.store.commit(Changes("reach_back", (keep(known, reaching),)))
    return await desk.store.one(queries.COVERAGE, binding_id=binding.id) or reaching


async def read_piece(desk: Desk, app: AppId, chat: ChatId, start: int, end: int) -> Sequence[PostedMessage]:
    """Read what a stretch begins with, at most COVERAGE_READ_MESSAGES, oldest first.

    Raise ChatError; ChatUnknownOutcomeError when it does not come within COVERAGE_READ_SECONDS.
    """
    try:
        async with asyncio.timeout(limits.COVERAGE_READ_SECONDS):
            return await desk.chat(app).history.between(chat, start, end, limits.COVERAGE_READ_MESSAGES)
    except TimeoutError:
        raise ChatUnknownOutcomeError("the history did not come in time") from None


async def _read(desk: Desk, coverage: Coverage, side: Side, window: Window) -> _Scan:
    """Read a window, in a bounded number of pieces; one that failed leaves nothing behind."""
    found: list[PostedMessage] = []
    start = window.start
    for _ in range(_READS[side]):
        piece = await read_piece(desk, coverage.app, coverage.chat_id, start, window.end)
        found += piece
        if len(piece) < limits.COVERAGE_READ_MESSAGES:
            return _Scan(coverage, side, tuple(found), window.end)
        start = piece[-1].create_time  # the same moment again: more of it may stand behind the limit
    return _Scan(coverage, side, tuple(found), start)


async def _keep_scan(desk: Desk, binding: Binding, scan: _Scan) -> tuple[Changes | None, bool]:
    """Decide on what was read: the cursor moves and the missing messages are noted together, or neither."""
    before = scan.before
    current = await desk.store.one(queries.COVERAGE, binding_id=binding.id)
    now_bound = await desk.store.one(queries.BINDING, id=binding.id)
    if current != before or now_bound is None or now_bound.revision != binding.revision:
        return None, False
    now = desk.platform_now(binding.app)
    gaps = [
        gap
        for message in to_account_for(before, scan.posted)
        if not await _is_known(desk, gap := suspect(before, scan.side, message, now))
    ]
    desk.gaps.add(gap.id for gap in gaps)
    still: Where = {"id": binding.id, "revision": binding.revision, "state": BindingState.LIVE.value}
    moved = keep(before, advance(before, scan.side, scan.reached, now))
    noted = [step for gap in gaps for step in note_gap(gap)]
    return Changes("keep_scan", (Require("bindings", still), moved, *noted)), True


async def _is_known(desk: Desk, gap: Gap) -> bool:
    """Tell whether the journal or the list of gaps holds the message, whatever binding it came under."""
    request = await desk.store.one(queries.REQUEST, id=gap.id)
    return request is not None or await desk.store.one(queries.GAP, id=gap.id) is not None


def note_gap(gap: Gap) -> tuple[Change, ...]:
    """Plan the record of a gap, only while the journal lacks the message; one that is noted already stays as it is."""
    return Require("requests", {"id": gap.id}, frozenset({0})), insert("gaps", gap, ONE_OR_NONE)


async def _note_failure(desk: Desk, coverage: Coverage, error: ChatError) -> None:
    permission = ", ".join(error.permissions) if isinstance(error, ChatBlockedError) else ""
    log.warning("coverage.read_failed", app=coverage.app, code=error.code, permission=permission)
    failed = fail(coverage, error.code, permission)
    if failed != coverage:
        await desk.store.commit(Changes("coverage_failed", (keep(coverage, failed),)))


async def _look_at_gaps(desk: Desk, binding: Binding, replied: frozenset[RequestId]) -> tuple[int, bool]:
    """Count this reading for every gap of the chat.

    Give how many live ones were declared by it, and whether any is still only suspected.
    """
    declared, suspected = 0, False
    for gap in await desk.store.all(queries.GAPS_OF_CHAT, app=binding.app, chat_id=binding.chat_id):
        try:
            if gap.id in replied:
                await close_as_answered(desk, gap)
            elif gap.state is GapState.SUSPECTED:
                suspected = True
                declared += await _count(desk, gap)
        except ConflictError:
            continue  # it was accepted or decided on meanwhile
    return declared, suspected


async def _count(desk: Desk, gap: Gap) -> bool:
    counted = scan_again(gap, desk.platform_now(gap.app))
    where: Where = {"id": gap.id, "version": gap.version}
    values = {"scans": counted.scans, "state": counted.state.value, "version": gap.version + 1}
    await desk.store.commit(Changes("count_scan", (Update("gaps", where, values),)))
    return counted.state is GapState.DECLARED and gap.side is Side.LIVE
