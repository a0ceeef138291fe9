"""A part reached an end: close its request when that was the last thing it waited for."""

from collections.abc import Sequence
from typing import Final

from hongyan.application.desk import CARDS, OUTBOX, Desk, decide_again, insist
from hongyan.domain.changes import Change, Changes, OneOf, Require
from hongyan.domain.deliveries import Delivery, Part, PartState, Phase
from hongyan.domain.messages import CARD_LOOKS, CARD_POSTS
from hongyan.domain.requests import ClosedAs, Request, RequestState, close_request, owe
from hongyan.ports import queries

__all__ = ["closing_steps", "settle_part"]

_OPEN: Final = frozenset({PartState.PLANNED, PartState.INTENDED, PartState.WRITTEN})


async def settle_part(desk: Desk, part: Part, steps: tuple[Change, ...], reached: PartState) -> None:
    """Commit a part's move together with what it means for the request, in one transaction."""

    async def decide() -> tuple[Changes, None]:
        closing = await closing_steps(desk, part, reached)
        return Changes(f"settle_{reached.value}", steps + closing), None

    await insist(desk, lambda: decide_again(desk, decide))
    for topic in (OUTBOX, CARDS):  # a card may wait for the fate of an answer
        desk.wakeup.wake(topic)


async def closing_steps(desk: Desk, part: Part, reached: PartState) -> tuple[Change, ...]:
    """Plan what a part's end means for its request; nothing while it waits for others, or for no part of this kind."""
    delivery = await desk.store.one(queries.DELIVERY, id=part.delivery_id)
    if delivery is None or delivery.closes_as is ClosedAs.OPEN or delivery.request_id is None:
        return ()
    request = await desk.store.one(queries.REQUEST, id=delivery.request_id)
    if request is None or not _waits_for(request, delivery):
        return ()
    siblings = await desk.store.all(queries.PARTS_OF_DELIVERY, delivery_id=delivery.id)
    said = _words(siblings)
    still_open = next((word for word in said if word.id != part.id and word.state in _OPEN), None)
    if still_open is not None:
        return (_leave_it_to(still_open),)
    states = [reached if word.id == part.id else word.state for word in said]
    is_repeat, now = bool(part.replaces), desk.clock.now()
    return _close(request, delivery.closes_as, states, is_repeat=is_repeat, now=now)


def _leave_it_to(sibling: Part) -> Require:
    """Demand that another part is still on its way, so that its end decides.

    Two parts may end at one moment, each having read the other as open: then neither would close the request.
    """
    return Require("parts", {"id": sibling.id, "state": OneOf(tuple(sorted(state.value for state in _OPEN)))})


def _words(siblings: Sequence[Part]) -> list[Part]:
    """Give the parts that say it: none that another one replaced, and of a card its last message but no later look."""
    replaced = {sibling.replaces for sibling in siblings}
    said = [one for one in siblings if one.id not in replaced and one.transport not in CARD_LOOKS]
    posts = [one for one in said if one.transport in CARD_POSTS]
    return [max(posts, key=lambda post: post.ordinal)] if posts else said


def _waits_for(request: Request, delivery: Delivery) -> bool:
    """An earlier Turn's words never close a request that runs again; a recovered answer closes one that was told."""
    same_turn = delivery.turn_id is None or delivery.turn_id == request.turn_id
    undelivered = request.state is RequestState.CLOSED and request.closed_as is ClosedAs.UNDELIVERED
    waiting = request.state in {RequestState.TURN, RequestState.REJECTED, RequestState.COMMAND}
    recovered = delivery.phase is Phase.RECOVERED and request.closed_as is ClosedAs.TOLD
    return same_turn and (waiting or undelivered or recovered)


def _close(
    request: Request, closes_as: ClosedAs, states: list[PartState], *, is_repeat: bool, now: int
) -> tuple[Change, ...]:
    if all(state is PartState.VERIFIED for state in states):
        return (close_request(request, closes_as, now),)
    if request.state is RequestState.CLOSED:  # sent again and not delivered again: it still waits for somebody
        return () if request.owed or not is_repeat else (owe(request, "delivery.not_verified"),)
    if all(state in {PartState.WITHHELD, PartState.VERIFIED} for state in states):
        return (close_request(request, ClosedAs.SILENT, now, code="access.revoked"),)
    return (close_request(request, ClosedAs.UNDELIVERED, now, owed=1, owed_why="delivery.not_verified"),)
