"""Go on with what failed before anything ran, or hand over an answer that was there after all; only with proof.

The proof is read from the agent's own history when the attempt's moment has come. Without it the request stays owed,
and the attempt keeps why.
"""

from dataclasses import dataclass

import structlog

from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk
from hongyan.application.refresh_source import is_unchanged
from hongyan.application.routes import route_of
from hongyan.domain import limits
from hongyan.domain.agents import AgentSeat, Prompt
from hongyan.domain.bindings import Audience, Binding, BindingState
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Require, Update, Value, Where, insert
from hongyan.domain.continuations import (
    Block,
    Cause,
    Continuation,
    ContinuationEvent,
    ContinuationState,
    Scene,
    adoptable,
    blocked_by,
    move_continuation,
    proven,
)
from hongyan.domain.conversations import (
    Input,
    Message,
    Session,
    SessionState,
    Speaker,
    Turn,
    append_turn,
    new_turn,
    prompt_key,
)
from hongyan.domain.deliveries import Phase, Words, say
from hongyan.domain.errors import AgentError, ChatError, ChatNotFoundError
from hongyan.domain.history import UNREADABLE, History
from hongyan.domain.identity import derive
from hongyan.domain.messages import WRITTEN, PostedMessage
from hongyan.domain.requests import ClosedAs, Origin, Request, RequestEvent, RequestState, close_request, move_request
from hongyan.ports import queries

__all__ = ["continue_turn"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Case:
    """One attempt with everything that it depends on, read in one go. `posted` is None for a local request."""

    row: Continuation
    request: Request
    turn: Turn
    session: Session
    binding: Binding | None
    newer: int
    steered: bool
    posted: PostedMessage | None
    gone: bool


async def continue_turn(desk: Desk, row: Continuation) -> None:
    """Bring one due attempt on. The lane of its Session must be free and stay so meanwhile.

    Safe to repeat: the new Turn and the attempt's move are one transaction, so a crash finds both or neither.
    """
    try:
        case = await _read(desk, row)
    except ChatError:
        await _look_later(desk, row)
        return
    if case.request.state is not RequestState.CLOSED and case.request.turn_id == row.turn_id:
        await _look_later(desk, row)  # the failure is not told yet
        return
    block = blocked_by(row.cause, _scene(case))
    if block is not None:
        await _block(desk, row, block)
        return
    await _decide(desk, case, await _history(desk, case))
    for topic in (LANES, CARDS, OUTBOX):
        desk.wakeup.wake(topic)


async def _read(desk: Desk, row: Continuation) -> _Case:
    request = await desk.store.one(queries.REQUEST, id=row.request_id)
    turn = await desk.store.one(queries.TURN, id=row.turn_id)
    session = await desk.store.one(queries.SESSION, id=row.session_id)
    if request is None or turn is None or session is None:
        raise AssertionError("an attempt names rows that are never deleted")
    newer = await desk.store.one(queries.NEWER_INPUT, place_id=request.place_id, seq=request.seq) or 0
    at = turn.position
    steered = bool(await desk.store.all(queries.STEERS_OF_TURNS, session_id=session.id, first=at, last=at))
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    posted, gone = await _posted(desk, request)
    return _Case(row, request, turn, session, binding, newer, steered, posted, gone)


async def _posted(desk: Desk, request: Request) -> tuple[PostedMessage | None, bool]:
    """Read the message once more, as the platform shows it now; the flag says that it is gone."""
    if request.origin is not Origin.LARK:
        return None, False
    try:
        return await desk.chat(request.app).history.message(request.message_id), False
    except ChatNotFoundError:
        return None, True


def _scene(case: _Case) -> Scene:
    binding, turn, request, posted = case.binding, case.turn, case.request, case.posted
    live = binding is not None and binding.state is BindingState.LIVE and binding.revision == turn.binding_revision
    return Scene(
        settled=request.turn_id != turn.id or not request.owed,
        newer_input=case.newer > 0,
        stopped=turn.stop_at > 0,
        steered=case.steered,
        seen=turn.running_at > 0,
        attachment=posted is not None and (posted.kind not in WRITTEN or posted.has_attachment),
        group=binding is not None and binding.audience is Audience.GROUP_TOPIC,
        edited=case.gone or (posted is not None and not is_unchanged(request, posted)),
        revoked=not live,
        session_closed=case.session.state in {SessionState.CLOSED, SessionState.RESUME_FAILED},
    )


async def _history(desk: Desk, case: _Case) -> History:
    """Read the agent's history; it is started for that where it does not run. No intent needs none."""
    if case.turn.intent_at == 0:
        return UNREADABLE
    workspace = await desk.store.one(queries.WORKSPACE, id=case.session.workspace_id)
    path = workspace.path if workspace else ""
    seat = AgentSeat(case.session.id, case.session.executor, path, case.session.upstream)
    try:
        agent = await desk.agents.attach(seat)
        return await agent.history()
    except AgentError:
        return UNREADABLE


async def _decide(desk: Desk, case: _Case, history: History) -> None:
    prompt = Prompt(prompt_key(case.turn), case.turn.text)
    answer = adoptable(prompt, history) if case.turn.intent_at and case.row.cause is not Cause.UNFINISHED else ""
    if answer:
        await desk.store.commit(Changes("adopt_answer", _adopt(desk, case, answer)))
        log.info("recovery.settled", kind="turn", id=case.turn.id, way="adopted")
        return
    evidence = proven(case.row.cause, case.turn, prompt, history)
    if isinstance(evidence, Block):
        await _block(desk, case.row, evidence)
        return
    await desk.store.commit(Changes("continue_turn", await _reserve(desk, case, evidence)))
    log.info("recovery.settled", kind="turn", id=case.turn.id, way="continued", evidence=evidence)


async def _reserve(desk: Desk, case: _Case, evidence: str) -> tuple[Change, ...]:
    """Plan the new Turn at the end of the original Session's queue, if nobody wrote there meanwhile."""
    request, session, binding, now = case.request, case.session, case.binding, desk.clock.now()
    if binding is None:
        raise AssertionError("an attempt without a binding is blocked")
    number = await desk.store.one(queries.TURNS_OF_REQUEST, request_id=request.id) or 1
    said = Input(request.id, f"{request.id}.{number}", Origin.CONTINUATION, case.turn.text)
    turn = new_turn(said, session.id, binding, now, number)
    fresh: dict[str, Value] = {"turn_id": turn.id, "session_id": session.id, "closed_as": "", "closed_at": 0}
    return (
        Require("sessions", {"id": session.id, "next_position": session.next_position}),
        *append_turn(turn, desk.options.queue_turns),
        move_request(request, RequestEvent.RUN_AGAIN, read_at=now, **fresh),
        move_continuation(case.row, ContinuationEvent.RESERVE, reserved_turn=turn.id, evidence=evidence),
    )


def _adopt(desk: Desk, case: _Case, answer: str) -> tuple[Change, ...]:
    """Plan the answer's one place in the transcript and its delivery; the failed Turn and its notice stay."""
    stamp, turn, request = desk.stamp(), case.turn, case.request
    identity = derive("msg", turn.id, Phase.RECOVERED.value)
    kept = Message(identity, turn.session_id, turn.id, Speaker.AGENT, answer, stamp.seq, stamp.now)
    adopted = move_continuation(case.row, ContinuationEvent.ADOPT, evidence="answer_found")
    if request.origin is Origin.LARK:
        words = Words(Phase.RECOVERED, answer, ClosedAs.ANSWERED)
        told: tuple[Change, ...] = say(route_of(request, case.binding, turn), words, stamp)
    else:
        told = (close_request(request, ClosedAs.ANSWERED, stamp.now),)
    return (adopted, insert("messages", kept, ONE_OR_NONE), *told)


async def _block(desk: Desk, row: Continuation, why: Block) -> None:
    blocked = move_continuation(row, ContinuationEvent.BLOCK, evidence=why.value)
    await desk.store.commit(Changes("block_continuation", (blocked,)))
    desk.wakeup.wake(CARDS)
    log.info("recovery.settled", kind="turn", id=row.turn_id, way=why.value)


async def _look_later(desk: Desk, row: Continuation) -> None:
    where: Where = {"id": row.id, "state": ContinuationState.WAITING.value}
    later = Update("continuations", where, {"not_before": desk.clock.now() + limits.RECOVERY_DELAYS_MS[0]})
    await desk.store.commit(Changes("postpone_continuation", (later,)))
