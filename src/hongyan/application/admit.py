"""Decide what becomes of a captured message: read it back, then queue, answer, refuse or be silent."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from hongyan.application.carry_out_command import SeenCommand, carry_out_command
from hongyan.application.decide import plan_verdict
from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk, decide_again
from hongyan.application.open_session import find_session
from hongyan.application.pair_owner import try_pairing
from hongyan.application.routes import route_of
from hongyan.domain import access, limits
from hongyan.domain.bindings import Binding, BindingState, Place
from hongyan.domain.changes import ONE_OR_NONE, Add, Change, Changes, Update, Value, Where
from hongyan.domain.conversations import Input, Session, SessionState, Turn, TurnState, append_turn, new_turn
from hongyan.domain.decisions import Decision, Objection, Outcome, Verdict
from hongyan.domain.deliveries import Phase, Words, back_off, mark, say
from hongyan.domain.errors import ChatError, ChatNotFoundError, ConflictError, NotFoundError
from hongyan.domain.messages import PostedMessage, content_hash
from hongyan.domain.notices import Notice, age_in_words, language_of, sentence
from hongyan.domain.pairing import Owner, pairing_is_live
from hongyan.domain.reactions import Mark
from hongyan.domain.requests import ClosedAs, Request, RequestEvent, RequestState, admit_as, close_request, move_request
from hongyan.domain.workspaces import usable
from hongyan.ports import queries

__all__ = ["admit"]


@dataclass(frozen=True, slots=True)
class _Read:
    """What one admission knows: the request, its read-back, and what is configured for its place."""

    request: Request
    posted: PostedMessage | None
    owner: Owner | None
    place: Place | None
    binding: Binding | None


async def admit(desk: Desk, request: Request) -> None:
    """Admit one captured request.

    A platform that cannot be read leaves it captured and due again after a back-off. Killed anywhere before the one
    commit, it is admitted anew from the start; after it, it is not due any more.
    """
    try:
        posted = await _read_back(desk, request)
    except (ChatError, NotFoundError):  # not now, or this gateway does not serve the App any more
        await _later(desk, request)
        return
    try:
        await decide_again(desk, lambda: _decide(desk, request, posted))
    except ConflictError:
        await _later(desk, request)
    for topic in (LANES, CARDS, OUTBOX):
        desk.wakeup.wake(topic)


async def _read_back(desk: Desk, request: Request) -> PostedMessage | None:
    try:
        return await desk.chat(request.app).history.message(request.message_id)
    except ChatNotFoundError:
        return None


async def _later(desk: Desk, request: Request) -> None:
    due = desk.clock.now() + back_off(request.tries + 1)
    where: Where = {"id": request.id, "state": RequestState.CAPTURED.value}
    step = Update("requests", where, {"tries": Add(1), "next_at": due}, ONE_OR_NONE)
    await desk.store.commit(Changes("admit_later", (step,)))


async def _decide(desk: Desk, seen: Request, posted: PostedMessage | None) -> tuple[Changes | None, None]:
    request = await desk.store.one(queries.REQUEST, id=seen.id)
    if request is None or request.state is not RequestState.CAPTURED:
        return None, None
    read = await _gather(desk, request, posted)
    decision = access.decide_access(await _facts(desk, read))
    steps = await _steps(desk, read, decision)
    return (Changes("admit", steps), None) if steps else (None, None)


async def _gather(desk: Desk, request: Request, posted: PostedMessage | None) -> _Read:
    owner, place = await asyncio.gather(
        desk.store.one(queries.OWNER, app=request.app), desk.store.one(queries.PLACE, id=request.place_id)
    )
    binding = await desk.store.one(queries.BINDING, id=place.binding_id) if place else None
    return _Read(request, posted, owner, place, binding)


async def _facts(desk: Desk, read: _Read) -> access.Facts:
    request = read.request
    pairing, twin, workspace = await asyncio.gather(
        desk.store.one(queries.OPEN_PAIRING, app=request.app),
        desk.store.one(queries.TWIN, key=request.secondary_key, id=request.id),
        desk.store.one(queries.WORKSPACE, id=read.binding.workspace_id if read.binding else ""),
    )
    app, asked_here = await asyncio.gather(
        desk.store.one(queries.CHAT_APP, app_id=request.app),
        _asked_here(desk, request),
    )
    return access.Facts(
        request=request,
        posted=read.posted,
        owner=read.owner,
        binding=read.binding,
        pairing_open=pairing is not None and pairing_is_live(pairing, desk.clock.now()),
        workspace_usable=workspace is not None and usable(workspace, desk.folders.look(workspace.path)),
        executor_known=read.binding is not None and read.binding.executor in desk.options.executors,
        bot_name=app.bot_name if app else "",
        twin=bool(twin),
        now=desk.platform_now(request.app),
        owner_said_run=request.code == "owner.run",
        asked_codes=tuple(decision.code for decision in asked_here),
    )


async def _steps(desk: Desk, read: _Read, decision: access.Decision) -> tuple[Change, ...]:
    now, request = desk.clock.now(), read.request
    match decision:
        case access.Silence(code):
            return (close_request(request, ClosedAs.SILENT, now, code=code.value, read_at=now),)
        case access.PairingTry(text):
            closed = close_request(request, ClosedAs.SILENT, now, code=access.Silent.PAIRING_CODE.value, read_at=now)
            return (closed, *await try_pairing(desk, request, text))
        case access.Ask(code):
            return (move_request(request, RequestEvent.ASK, code=code, owed=1, owed_why=code, read_at=now),)
        case access.Refuse(code, detail):
            return _refuse(desk, read, code, detail)
        case access.AnswerDecision() | access.RunCommand():
            return await _carry_out(desk, read, decision)
        case access.Admit(text):
            return await _queue(desk, read, text)
    assert_never(decision)


async def _carry_out(
    desk: Desk, read: _Read, decision: access.AnswerDecision | access.RunCommand
) -> tuple[Change, ...]:
    if read.binding is not None and read.binding.state is not BindingState.LIVE:
        read = replace(read, binding=None)  # the owner is answered as where nothing is bound
    if isinstance(decision, access.AnswerDecision):
        return await _answer(desk, read, decision.code, decision.outcome)
    text = (read.posted.text or "") if read.posted else ""
    seen = SeenCommand(read.request, read.binding, read.place, decision.command, text)
    return await carry_out_command(desk, seen, _seen(desk, read))


async def _answer(desk: Desk, read: _Read, code: str, outcome: Outcome) -> tuple[Change, ...]:
    """Take the owner's typed answer; one that comes second or too late is told so and changes nothing."""
    request, text = read.request, (read.posted.text or "") if read.posted else ""
    become = admit_as(request, RequestEvent.BECOME_COMMAND, **_seen(desk, read), command="decide")
    decision = next((one for one in await _asked_here(desk, request) if one.code == code), None)
    planned: tuple[Change, ...] | Objection = Objection.SETTLED
    if decision is not None:
        planned = await plan_verdict(desk, decision, Verdict(outcome, request.sender, "text", desk.clock.now()))
    steps: tuple[Change, ...] = () if isinstance(planned, Objection) else planned
    notice = Notice(f"approval.{outcome.value}")
    if isinstance(planned, Objection):
        notice = Notice.APPROVAL_REVOKED if planned is Objection.REVOKED else Notice.APPROVAL_SETTLED
    words = Words(Phase.REPLY, sentence(notice, language_of(text)), ClosedAs.ANSWERED)
    return (become, *steps, *say(route_of(request, read.binding), words, desk.stamp()))


async def _asked_here(desk: Desk, request: Request) -> Sequence[Decision]:
    """Give what was asked in this chat lately, open ones first: an answer to one that is over is no prompt."""
    since = desk.clock.now() - limits.APPROVAL_KNOWN_MS
    return await desk.store.all(queries.DECISIONS_OF_CHAT, app=request.app, chat_id=request.chat_id, since=since)


def _refuse(desk: Desk, read: _Read, code: access.Refusal, detail: str) -> tuple[Change, ...]:
    request, stamp = read.request, desk.stamp()
    text = (read.posted.text or "") if read.posted else ""
    words = sentence(Notice(code.value), language_of(text), detail)
    rejected = move_request(request, RequestEvent.REJECT, code=code.value, read_at=stamp.now, text=text)
    return (rejected, *say(route_of(request, read.binding), Words(Phase.NOTICE, words, ClosedAs.TOLD), stamp))


async def _queue(desk: Desk, read: _Read, text: str) -> tuple[Change, ...]:
    if read.place is None or read.binding is None:
        return _refuse(desk, read, access.Refusal.NOT_BOUND, "")
    found = await find_session(desk, read.place, read.binding)
    if found.session.queued >= desk.options.queue_turns:
        return _refuse(desk, read, access.Refusal.QUEUE_FULL, str(desk.options.queue_turns))
    if found.session.state is SessionState.RESUME_FAILED:
        return _refuse(desk, read, access.Refusal.SESSION_LOST, "")
    said = Input(read.request.id, read.request.id, read.request.origin, text)
    turn = new_turn(said, found.session.id, read.binding, desk.clock.now())
    return (
        *found.steps,
        *append_turn(turn, desk.options.queue_turns),
        _become_turn(desk, read, turn),
        *await _first_signs(desk, read, found.session, turn),
    )


def _become_turn(desk: Desk, read: _Read, turn: Turn) -> Update:
    return admit_as(
        read.request,
        RequestEvent.BECOME_TURN,
        **_seen(desk, read),
        binding_id=turn.binding_id,
        session_id=turn.session_id,
        turn_id=turn.id,
    )


def _seen(desk: Desk, read: _Read) -> dict[str, Value]:
    """The columns that the read-back fills."""
    posted = read.posted
    if posted is None:
        return {"read_at": desk.clock.now()}
    return {
        "text": posted.text or "",
        "text_hash": content_hash(posted.kind, posted.text),
        "update_time": posted.update_time,
        "read_at": desk.clock.now(),
    }


async def _first_signs(desk: Desk, read: _Read, session: Session, turn: Turn) -> tuple[Change, ...]:
    """The received mark, the age of a message that arrived late, and the reason when a held Turn shuts the lane."""
    route, stamp = route_of(read.request, read.binding, turn), desk.stamp()
    marks = mark(route, Phase.RECEIVED, Mark.RECEIVED.value, stamp) if desk.options.reactions else ()
    age = desk.platform_now(read.request.app) - read.request.create_time
    if age > limits.LATE_SHOWN_MS:
        language = language_of(turn.text)
        late = sentence(Notice.ARRIVED_LATE, language, age_in_words(age, language))
        marks = (*marks, *say(route, Words(Phase.NOTICE, late, ClosedAs.OPEN, "late"), desk.stamp()))
    holder = await desk.store.one(queries.TURN, id=session.lane) if session.lane else None
    if holder is None or holder.state is not TurnState.HELD:
        return marks
    words = sentence(Notice.WAITS_BEHIND_HELD, language_of(turn.text))
    return (*marks, *say(route, Words(Phase.NOTICE, words, ClosedAs.OPEN, "behind_held"), desk.stamp()))
