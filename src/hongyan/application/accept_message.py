"""Keep an inbound event before it is acknowledged to the platform."""

from functools import partial

from hongyan.application.click_card import click_card
from hongyan.application.desk import ADMISSION, LANES, Desk, decide_again
from hongyan.domain.access import Silent
from hongyan.domain.changes import ONE_OR_NONE, Changes, Of, insert
from hongyan.domain.conversations import ACTIVE, TurnEvent, TurnState, leave_queue, move_turn
from hongyan.domain.errors import ConflictError
from hongyan.domain.identity import RequestId, request_id
from hongyan.domain.messages import CardClicked, InboundMessage, MessageRecalled, Toast
from hongyan.domain.requests import ClosedAs, RequestState, capture, close_request, mark_recalled
from hongyan.ports import queries
from hongyan.ports.chat import ChatEvent

__all__ = ["accept_event", "accept_message", "accept_recall"]


async def accept_event(desk: Desk, event: ChatEvent) -> Toast | None:
    """Keep an event of any kind; a click is carried out at once, and its toast given.

    Raise StoreError when it could not be made durable: it must not be acknowledged.
    """
    if isinstance(event, CardClicked):
        return await click_card(desk, event)
    if isinstance(event, InboundMessage):
        await accept_message(desk, event)
    else:
        await accept_recall(desk, event)
    return None


async def accept_message(desk: Desk, message: InboundMessage) -> RequestId:
    """Write the journal row of a message, once however often it is delivered, and wake the admission.

    The Turn that holds the place's lane is frozen into the row in the same transaction: it is what `/stop` means. A
    message that was noted as missed is missed no longer from the same moment on.
    """
    now = desk.clock.now()
    row = capture(message, now, desk.order.next(now))
    lane = Of("places", {"id": row.place_id}, "running_turn")
    kept = insert("requests", row, ONE_OR_NONE, target_turn=lane)
    await desk.store.commit(Changes("accept", (kept, *desk.gaps.closing(row.id))))
    desk.gaps.forget(row.id)
    desk.wakeup.wake(ADMISSION)
    return row.id


async def accept_recall(desk: Desk, recall: MessageRecalled) -> None:
    """Cancel the queued Turn of a recalled message without a word; of one that started, the answer is kept back.

    Either way nothing that is shown later holds the recalled words.
    """
    request = await desk.store.one(queries.REQUEST, id=request_id(recall.app, recall.message_id))
    if request is None or request.turn_id is None or request.state is not RequestState.TURN:
        return
    turn = await desk.store.one(queries.TURN, id=request.turn_id)
    if turn is not None and turn.state in (*ACTIVE, TurnState.HELD):
        await decide_again(desk, partial(_mark_recalled, desk, request.id))
    if turn is None or turn.state is not TurnState.QUEUED:
        return
    now, why = desk.clock.now(), Silent.RECALLED.value
    steps = (
        move_turn(turn, TurnEvent.CANCEL, ended_at=now, code=why),
        leave_queue(turn),
        close_request(request, ClosedAs.SILENT, now, code=why),
    )
    try:
        await desk.store.commit(Changes("recall", steps))
    except ConflictError:
        return  # it was claimed meanwhile: the read-back before dispatch sees the recall
    desk.wakeup.wake(LANES)


async def _mark_recalled(desk: Desk, request: RequestId) -> tuple[Changes | None, None]:
    """Note that a message was recalled while it ran; its end, which may come at the same moment, sees it or is over."""
    current = await desk.store.one(queries.REQUEST, id=request)
    if current is None or current.state is not RequestState.TURN:
        return None, None
    return Changes("recall_running", (mark_recalled(current),)), None
