"""What becomes of a missing message: run or ignored as the owner says, or closed because it was answered already.

Each way puts the message into the journal under the key that its event would have, so that the event coming late
finds it there.
"""

from dataclasses import replace

from hongyan.application.desk import Desk
from hongyan.domain.access import Silent
from hongyan.domain.changes import Change, Changes, Insert, Of, insert
from hongyan.domain.coverage import Gap, GapEvent, as_message, close_gap
from hongyan.domain.requests import ClosedAs, Request, RequestState, capture

__all__ = ["as_answered", "close_as_answered", "ignore_gap", "run_gap"]


async def run_gap(desk: Desk, gap: Gap, note: Insert) -> None:
    """Accept the message as if its event had come, by the owner's word. Raise ConflictError when it was accepted."""
    await _settle(desk, ("run_gap", GapEvent.RUN), gap, replace(_captured(desk, gap), code="owner.run"), note)


async def ignore_gap(desk: Desk, gap: Gap, note: Insert) -> None:
    """Take the message into the journal without running it. Raise ConflictError when it was accepted."""
    closed = _closed(desk, gap, ClosedAs.SILENT, Silent.IGNORED.value)
    await _settle(desk, ("ignore_gap", GapEvent.IGNORE), gap, closed, note)


async def close_as_answered(desk: Desk, gap: Gap) -> None:
    """Take a message into the journal under which our App's words stand. Raise ConflictError when it was accepted.

    They were written before a backup was put back, or by another gateway: running it would answer twice.
    """
    await _settle(desk, ("close_as_answered", GapEvent.FIND_ANSWERED), gap, as_answered(desk, gap))


def as_answered(desk: Desk, gap: Gap) -> Request:
    """Make the journal row of a message under which our App's words stand."""
    return _closed(desk, gap, ClosedAs.ANSWERED, "source.answered_before")


async def _settle(desk: Desk, move: tuple[str, GapEvent], gap: Gap, request: Request, *notes: Insert) -> None:
    label, event = move
    lane = Of("places", {"id": request.place_id}, "running_turn")
    steps: tuple[Change, ...] = (close_gap(gap, event), insert("requests", request, target_turn=lane), *notes)
    await desk.store.commit(Changes(label, steps))
    desk.gaps.forget(gap.id)


def _captured(desk: Desk, gap: Gap) -> Request:
    now = desk.clock.now()
    return capture(as_message(gap), now, desk.order.next(now))


def _closed(desk: Desk, gap: Gap, closed_as: ClosedAs, code: str) -> Request:
    row = _captured(desk, gap)
    return replace(row, state=RequestState.CLOSED, closed_as=closed_as, closed_at=row.accepted_at, code=code)
