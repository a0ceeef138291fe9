"""A part reached an end: close its request when that was the last thing it waited for."""

from hongyan.application.desk import CARDS, OUTBOX, Desk, decide_again, insist
from hongyan.domain.changes import Change, Changes
from hongyan.domain.deliveries import Delivery, Part, PartState
from hongyan.domain.messages import Transport
from hongyan.domain.requests import ClosedAs, Request, RequestState, close_request
from hongyan.ports import queries

__all__ = ["settle_part"]


async def settle_part(desk: Desk, part: Part, steps: tuple[Change, ...], reached: PartState) -> None:
    """Commit a part's move together with what it means for the request, in one transaction."""

    async def decide() -> tuple[Changes, None]:
        closing = await _closing(desk, part, reached)
        return Changes(f"settle_{reached.value}", steps + closing), None

    await insist(desk, lambda: decide_again(desk, decide))
    for topic in (OUTBOX, CARDS):  # a card may wait for the fate of an answer
        desk.wakeup.wake(topic)


async def _closing(desk: Desk, part: Part, reached: PartState) -> tuple[Change, ...]:
    delivery = await desk.store.one(queries.DELIVERY, id=part.delivery_id)
    if delivery is None or delivery.closes_as is ClosedAs.OPEN or delivery.request_id is None:
        return ()
    request = await desk.store.one(queries.REQUEST, id=delivery.request_id)
    if request is None or not _waits_for(request, delivery):
        return ()
    siblings = await desk.store.all(queries.PARTS_OF_DELIVERY, delivery_id=delivery.id)
    replaced = {sibling.replaces for sibling in siblings}
    words = [one for one in siblings if one.id not in replaced and one.transport is not Transport.CARD_PATCH]
    states = [reached if word.id == part.id else word.state for word in words]  # a later look of a card says no more
    return _close(desk, request, delivery, states)


def _waits_for(request: Request, delivery: Delivery) -> bool:
    """An earlier Turn's words never close a request that runs again."""
    same_turn = delivery.turn_id is None or delivery.turn_id == request.turn_id
    undelivered = request.state is RequestState.CLOSED and request.closed_as is ClosedAs.UNDELIVERED
    waiting = request.state in {RequestState.TURN, RequestState.REJECTED, RequestState.COMMAND}
    return same_turn and (waiting or undelivered)


def _close(desk: Desk, request: Request, delivery: Delivery, states: list[PartState]) -> tuple[Change, ...]:
    now = desk.clock.now()
    if all(state is PartState.VERIFIED for state in states):
        return (close_request(request, delivery.closes_as, now),)
    if any(state in {PartState.PLANNED, PartState.INTENDED, PartState.WRITTEN} for state in states):
        return ()
    if request.state is RequestState.CLOSED:
        return ()
    if all(state in {PartState.WITHHELD, PartState.VERIFIED} for state in states):
        return (close_request(request, ClosedAs.SILENT, now, code="access.revoked"),)
    return (close_request(request, ClosedAs.UNDELIVERED, now, owed=1, owed_why="delivery.not_verified"),)
