"""Say something to a Turn that runs: it goes into exactly that Turn, or into the queue behind it, and which is told.

The intent is committed before the agent is asked. What became of words that were on their way when the gateway or the
agent was lost is not guessed: they are owed, and the owner says whether they run.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from hongyan.application.desk import LANES, Desk, decide_again, insist
from hongyan.application.send_text import accepted_text, queue_text
from hongyan.domain.agents import SteerOutcome
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Require, insert
from hongyan.domain.conversations import Input, Message, Speaker, Turn, TurnState, append_turn, new_turn
from hongyan.domain.errors import ConflictError, NotFoundError, RefusedError
from hongyan.domain.identity import RequestId, TurnId, derive
from hongyan.domain.requests import (
    STEER,
    ClosedAs,
    LocalSource,
    Origin,
    Request,
    RequestEvent,
    RequestState,
    capture_local,
    close_request,
    move_request,
)
from hongyan.domain.steering import SteerFacts, WhyQueued, objection_to_steer, why_queued
from hongyan.domain.workspaces import usable
from hongyan.ports import queries

__all__ = ["SteeredText", "can_steer", "settle_steers", "steer_turn"]

_CODE: Final = "steer."  # what the code of a request begins with that was meant for a Turn and waits
_KEPT: Final = frozenset(why.value for why in WhyQueued if why)


@dataclass(frozen=True, slots=True)
class SteeredText:
    """The Turn that has the words: the running one, or a queued one and why. `created` unless they were known."""

    turn: Turn
    why: WhyQueued
    created: bool


def can_steer(desk: Desk, turn_id: str) -> bool:
    """Tell whether the live agent of a Turn takes words while it works; False when no agent of ours runs it."""
    running = desk.running.get(TurnId(turn_id))
    if running is None or running.agent is None or running.stop_asked:
        return False
    return running.agent.capabilities().steer


async def steer_turn(desk: Desk, turn_id: str, text: str, client_turn_id: str) -> SteeredText:
    """Hand a text to a Turn, or queue it behind that Turn. Safe to repeat with the same id and text.

    Raise NotFoundError, BlockedError, or RefusedError: what `send_text` raises, and `steer.unknown` when the agent gave
    no usable answer.
    """
    if not text.strip():
        raise RefusedError("turn.empty", "there is no text to send")
    turn = await _turn(desk, turn_id)
    request_id = RequestId(derive("req", turn.session_id, client_turn_id))
    known = await accepted_text(desk, request_id, text)
    if known is not None:
        return await _known(desk, known)
    wish = _Wish(turn, request_id, client_turn_id, text)
    request = await decide_again(desk, lambda: _intend(desk, wish))
    if isinstance(request, WhyQueued):
        return await _queue(desk, wish, request)
    return await _carry(desk, wish, request)


@dataclass(frozen=True, slots=True)
class _Wish:
    """The words, and the Turn that they are meant for as it was when they came."""

    turn: Turn
    request_id: RequestId
    client_turn_id: str
    text: str


async def _turn(desk: Desk, turn_id: str) -> Turn:
    turn = await desk.store.one(queries.TURN, id=turn_id)
    if turn is None:
        raise NotFoundError("turn", turn_id)
    return turn


async def _known(desk: Desk, request: Request) -> SteeredText:
    """Give what became of the same words before."""
    if request.turn_id is None or (request.command == STEER and request.closed_as is not ClosedAs.MERGED):
        raise _unknown()
    why = WhyQueued.NOT_QUEUED
    if request.command != STEER:
        kept = request.code.removeprefix(_CODE)
        why = WhyQueued(kept) if kept in _KEPT else WhyQueued.TURN_NOT_RUNNING
    return SteeredText(await _turn(desk, request.turn_id), why, created=False)


async def _intend(desk: Desk, wish: _Wish) -> tuple[Changes | None, Request | WhyQueued]:
    """Check anew what may be said where, and commit that the words are about to go into the Turn."""
    facts = await _facts(desk, wish)
    objection = objection_to_steer(facts)
    if objection is not None or facts.binding is None:
        raise objection or AssertionError("without a binding there is an objection")
    why = why_queued(facts)
    if why is not WhyQueued.NOT_QUEUED:
        return None, why
    stamp, turn, binding = desk.stamp(), facts.turn, facts.binding
    source = LocalSource(wish.request_id, binding.app, facts.place_id, wish.text, binding.id, turn.session_id, turn.id)
    captured = capture_local(source, stamp.now, stamp.seq)
    request = replace(captured, state=RequestState.ADMITTED, command=STEER)
    steps = (
        insert("requests", request),
        Require("turns", {"id": turn.id, "state": TurnState.RUNNING.value}),
        Require("bindings", {"id": binding.id, "revision": turn.binding_revision, "state": "live"}),
    )
    return Changes("intend_steer", steps), request


async def _facts(desk: Desk, wish: _Wish) -> SteerFacts:
    turn = await _turn(desk, wish.turn.id)
    session = await desk.store.one(queries.SESSION, id=turn.session_id)
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    if session is None:
        raise AssertionError("a Turn names its Session")
    workspace = await desk.store.one(queries.WORKSPACE, id=session.workspace_id)
    return SteerFacts(
        turn=turn,
        place_id=session.place_id,
        session_state=session.state,
        binding=binding,
        workspace_usable=workspace is not None and usable(workspace, desk.folders.look(workspace.path)),
        executor_known=binding is not None and binding.executor in desk.options.executors,
        agent_steers=can_steer(desk, turn.id),
    )


async def _queue(desk: Desk, wish: _Wish, why: WhyQueued) -> SteeredText:
    queued = await queue_text(desk, wish.turn.session_id, wish.text, wish.client_turn_id, f"{_CODE}{why}")
    return SteeredText(queued.turn, why, queued.created)


async def _carry(desk: Desk, wish: _Wish, request: Request) -> SteeredText:
    """Ask the agent, and keep what it said of the words."""
    running = desk.running.get(wish.turn.id)
    outcome = SteerOutcome.NO_TURN
    if running is not None and running.agent is not None:
        outcome = await running.agent.steer(wish.text)
    if outcome is SteerOutcome.TAKEN:
        await insist(desk, lambda: desk.store.commit(Changes("merge_steer", _merged(desk, wish, request))))
        return SteeredText(await _turn(desk, wish.turn.id), WhyQueued.NOT_QUEUED, created=True)
    if outcome is SteerOutcome.UNKNOWN:
        await insist(desk, lambda: desk.store.commit(Changes("lose_steer", (_lost(desk, request),))))
        raise _unknown()
    why = WhyQueued.TURN_OVER if outcome is SteerOutcome.NO_TURN else WhyQueued.NOT_TAKEN
    return SteeredText(await _queue_behind(desk, wish, request, why), why, created=True)


async def _queue_behind(desk: Desk, wish: _Wish, request: Request, why: WhyQueued) -> Turn:
    """Let words that the agent did not take wait behind the Turn; where they cannot, they are owed."""
    try:
        queued = await insist(desk, lambda: decide_again(desk, lambda: _behind(desk, wish, request, why)))
    except ConflictError:
        await insist(desk, lambda: desk.store.commit(Changes("lose_steer", (_lost(desk, request),))))
        raise RefusedError("queue.full", "the turn took no more words, and none can wait behind it") from None
    desk.wakeup.wake(LANES)
    return queued


def _merged(desk: Desk, wish: _Wish, request: Request) -> tuple[Change, ...]:
    """Close the request into the Turn; the transcript gets its words after those that the Turn began with."""
    stamp, turn, who = desk.stamp(), wish.turn, Speaker.PERSON
    first = Message(derive("msg", turn.id, who.value), turn.session_id, turn.id, who, turn.text, stamp.seq, stamp.now)
    seq = desk.order.next(stamp.now)
    more = replace(first, id=derive("msg", request.id, who.value), text=wish.text, seq=seq)
    closed = close_request(request, ClosedAs.MERGED, stamp.now)
    return closed, insert("messages", first, ONE_OR_NONE), insert("messages", more, ONE_OR_NONE)


def _lost(desk: Desk, request: Request) -> Change:
    return close_request(request, ClosedAs.TOLD, desk.clock.now(), owed=1, owed_why="steer.unknown")


async def _behind(desk: Desk, wish: _Wish, request: Request, why: WhyQueued) -> tuple[Changes, Turn]:
    """Plan that words which the agent did not take wait behind the Turn; they are owed when there is no room."""
    binding = await desk.store.one(queries.BINDING, id=wish.turn.binding_id)
    if binding is None:
        raise AssertionError("a Turn names its binding")
    said = Input(wish.request_id, wish.client_turn_id, Origin.CONSOLE, wish.text)
    queued = new_turn(said, wish.turn.session_id, binding, desk.clock.now())
    become = move_request(request, RequestEvent.BECOME_TURN, turn_id=queued.id, command="", code=f"{_CODE}{why}")
    return Changes("queue_steer", (become, *append_turn(queued, desk.options.queue_turns))), queued


def _unknown() -> RefusedError:
    return RefusedError(
        "steer.unknown",
        "whether the running turn took these words is not known",
        hint="Look at its answer, then run them again or close them: `hongyan owed list`.",
    )


async def settle_steers(desk: Desk) -> list[str]:
    """Let words that were on their way into a Turn when the gateway ended be owed.

    Call it once before anything runs.
    """
    waiting = await desk.store.all(queries.STEERS_ON_THEIR_WAY)
    for request in waiting:
        await insist(desk, partial(desk.store.commit, Changes("lose_steer", (_lost(desk, request),))))
    desk.wakeup.wake(LANES)
    return [request.id for request in waiting]
