"""Run one Turn: claim the lane, commit the dispatch intent, prompt the agent, and end it exactly once."""

from contextlib import suppress
from dataclasses import dataclass, replace

from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk, RunningTurn, insist
from hongyan.application.end_turn import Ending, cancel_silently, end_turn, finish_turn
from hongyan.application.refresh_source import Source, refresh_source
from hongyan.application.watch_turn import Outcome, watch_turn
from hongyan.application.withdraw_access import withdraw_access
from hongyan.domain.access import Silent
from hongyan.domain.agents import AgentSeat, Lost, Prompt, TurnEnded, TurnEnding
from hongyan.domain.changes import Add, Changes, Columns, OneOf, Require, Update, Where
from hongyan.domain.conversations import Session, SessionState, Turn, TurnEvent, TurnState, move_turn, prompt_key
from hongyan.domain.errors import AgentError, AgentProtocolError, AgentSessionLostError, ConflictError, StoreError
from hongyan.domain.notices import Notice
from hongyan.domain.workspaces import Workspace
from hongyan.ports import queries
from hongyan.ports.agents import Agent

__all__ = ["Claim", "run_turn"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A Turn that holds its Session's lane, and where its agent works."""

    session: Session
    turn: Turn
    workspace: Workspace


async def run_turn(desk: Desk, turn: Turn) -> None:
    """Run the head of a Session's queue to its end; a head that somebody else claimed is left alone.

    Killed before the intent, the Turn goes back to its place; after it, what happened is read back (`recover_turn`).
    """
    try:
        session = await desk.store.one(queries.SESSION, id=turn.session_id)
        claim = await _claim(desk, session, turn) if session is not None else None
        if claim is not None:
            await _run_claimed(desk, claim)
    finally:
        desk.haste.end(turn.id)
        desk.wakeup.wake(OUTBOX)


async def _run_claimed(desk: Desk, claim: Claim) -> None:
    turn = claim.turn
    running = desk.running[turn.id] = RunningTurn(turn.session_id)
    try:
        await _drive(desk, claim, running)
        if running.beginning is not None:
            await running.beginning
    finally:
        del desk.running[turn.id]
        for topic in (LANES, CARDS, OUTBOX):
            desk.wakeup.wake(topic)


async def _claim(desk: Desk, session: Session, turn: Turn) -> Claim | None:
    workspace = await desk.store.one(queries.WORKSPACE, id=session.workspace_id)
    if workspace is None:
        return None
    now, epoch = desk.clock.now(), session.epoch + 1
    state = session.state if session.state is SessionState.CLOSED else SessionState.BUSY
    steps = (
        move_turn(turn, TurnEvent.CLAIM, claimed_at=now, epoch=epoch),
        Update(
            "sessions",
            {"id": session.id, "lane": None, "epoch": session.epoch, "state": session.state.value},
            {"lane": turn.id, "epoch": epoch, "state": state.value, "queued": Add(-1)},
        ),
        Update("places", {"id": session.place_id}, {"running_turn": turn.id}),
        Require("bindings", {"id": turn.binding_id, "revision": turn.binding_revision, "state": "live"}),
    )
    try:
        await desk.store.commit(Changes("claim", steps))
    except ConflictError:
        await _drop_if_revoked(desk, turn)
        return None
    held = replace(session, lane=turn.id, epoch=epoch, state=state, queued=session.queued - 1)
    return Claim(held, replace(turn, state=TurnState.CLAIMED, claimed_at=now, epoch=epoch), workspace)


async def _drop_if_revoked(desk: Desk, turn: Turn) -> None:
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    if binding is None or (binding.revision, binding.state.value) != (turn.binding_revision, "live"):
        await cancel_silently(desk, turn.id, Silent.REVOKED)


async def _drive(desk: Desk, claim: Claim, running: RunningTurn) -> None:
    source = await refresh_source(desk, claim.turn)
    if source is Silent.EDITED:  # a continuation repeats what was said, never what it became
        await end_turn(desk, claim.turn.id, Ending(TurnEvent.FAIL, source.value, Notice.SOURCE_EDITED))
        return
    if isinstance(source, Silent):
        await cancel_silently(desk, claim.turn.id, source)
        return
    try:
        agent = await _seat(desk, claim)
    except AgentError as error:
        await _could_not_start(desk, claim, error)
        return
    running.agent = agent
    turn = await _intend(desk, claim, agent, source)
    if turn is None:
        await withdraw_access(desk)  # a revocation that was published may not have come to this Turn yet
        await end_turn(desk, claim.turn.id, Ending(TurnEvent.INTERRUPTED, "turn.stopped", Notice.STOPPED_BEFORE_START))
        return
    await _prompt(desk, claim, turn, running)


async def _seat(desk: Desk, claim: Claim) -> Agent:
    """Give the live agent; one that has to be started first is shown as starting."""
    if claim.session.id not in desk.agents.alive():
        _let_marks_go(desk, claim.turn)
        begun = Update("turns", {"id": claim.turn.id, "state": TurnState.CLAIMED.value}, {"state": "starting"})
        with suppress(ConflictError, StoreError):  # stopped meanwhile, or not shown: the intent is what counts
            await desk.store.commit(Changes("start_agent", (begun,)))
    seat = AgentSeat(claim.session.id, claim.session.executor, claim.workspace.path, claim.session.upstream)
    return await desk.agents.attach(seat)


async def _could_not_start(desk: Desk, claim: Claim, error: AgentError) -> None:
    if isinstance(error, AgentSessionLostError):
        lost = Update("sessions", {"id": claim.session.id}, {"state": SessionState.RESUME_FAILED.value})
        await insist(desk, lambda: desk.store.commit(Changes("resume_failed", (lost,))))
        notice = Notice.SESSION_LOST
    else:
        notice = Notice.AGENT_PROTOCOL if isinstance(error, AgentProtocolError) else Notice.AGENT_START_FAILED
    await end_turn(desk, claim.turn.id, Ending(TurnEvent.FAIL, error.code, notice, error.message))


async def _intend(desk: Desk, claim: Claim, agent: Agent, source: Source) -> Turn | None:
    """Commit that the prompt is about to go out; None when the Turn was stopped or revoked before."""
    now, turn = desk.clock.now(), claim.turn
    before: Where = {"id": turn.id, "state": OneOf(("claimed", "starting")), "epoch": turn.epoch}
    values: Columns = {"state": "starting", "intent_at": now, "attempt": turn.attempt + 1, "text": source.text}
    steps = (
        Update("turns", before, values),
        Update("sessions", {"id": claim.session.id, "lane": turn.id}, {"upstream": agent.upstream()}),
        Require("bindings", {"id": turn.binding_id, "revision": turn.binding_revision, "state": "live"}),
    )
    try:
        await insist(desk, lambda: desk.store.commit(Changes("intend_prompt", steps)))
    except ConflictError:
        return None
    return replace(turn, state=TurnState.STARTING, intent_at=now, attempt=turn.attempt + 1, text=source.text)


async def _prompt(desk: Desk, claim: Claim, turn: Turn, running: RunningTurn) -> None:
    agent = running.agent
    if agent is None:
        raise AssertionError("a Turn is prompted only with a live agent")
    try:
        events = await agent.prompt(Prompt(prompt_key(turn), turn.text))
        _let_marks_go(desk, turn)
    except AgentError as error:
        outcome = Outcome(Lost(error.code, error.message))
    else:
        cursor = await desk.store.one(queries.LAST_CURSOR, turn_id=turn.id) or 0  # of an earlier attempt
        outcome = await watch_turn(desk, turn, running, events, cursor)
    await _end(desk, claim, outcome)


def _let_marks_go(desk: Desk, turn: Turn) -> None:
    """From here on the agent is what everybody waits for."""
    desk.haste.end(turn.id)
    desk.wakeup.wake(OUTBOX)


async def _end(desk: Desk, claim: Claim, outcome: Outcome) -> None:
    last, turn = outcome.last, claim.turn.id
    if outcome.idle:
        detail = str(desk.options.idle_ms // 1_000)
        await end_turn(desk, turn, Ending(TurnEvent.TIME_OUT, "agent.idle_timed_out", Notice.AGENT_SILENT, detail))
    elif isinstance(last, TurnEnded) and last.ending is TurnEnding.COMPLETED:
        desk.haste.begin(turn)
        await finish_turn(desk, turn, last.answer, outcome.seen)
    elif isinstance(last, TurnEnded):
        code = last.code or f"agent.{last.ending.value}"
        words = last.message or code
        await end_turn(desk, turn, Ending(TurnEvent.FAIL, code, Notice.AGENT_FAILED, words, last.retry_at))
    else:
        notice = Notice.AGENT_PROTOCOL if last.code == "agent.protocol" else Notice.AGENT_LOST
        await end_turn(desk, turn, Ending(TurnEvent.FAIL, last.code or "agent.lost", notice, last.reason))
