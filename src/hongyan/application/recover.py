"""Put in order what a crash cut off, before and while new work flows."""

from dataclasses import dataclass
from functools import partial

from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk, RunningTurn, insist
from hongyan.application.end_turn import Ending, complete_turn, end_turn, finish_turn, hold_turn, requeue_turn
from hongyan.application.steer_turn import settle_steers
from hongyan.application.withdraw_access import withdraw_access
from hongyan.domain.access import Silent
from hongyan.domain.agents import AgentSeat, Prompt
from hongyan.domain.bindings import holds
from hongyan.domain.changes import Change, Changes
from hongyan.domain.conversations import ACTIVE, HoldReason, Session, Turn, TurnEvent, TurnState, prompt_key
from hongyan.domain.deliveries import PartEvent, move_part
from hongyan.domain.errors import AgentError
from hongyan.domain.identity import TurnId
from hongyan.domain.issued_cards import Carrier, lost_card
from hongyan.domain.notices import Notice
from hongyan.domain.recovery import AfterCrash, needs_read_back, resolve
from hongyan.ports import queries

__all__ = ["Settled", "open_intents", "recover_turn", "salvage_turn", "unfinished_turns"]


@dataclass(frozen=True, slots=True)
class Settled:
    """One thing that was put in order, for the one line that says so."""

    kind: str
    identity: str
    way: str


async def open_intents(desk: Desk) -> list[Settled]:
    """Mark every write that was under way as unknown and due, or as never made where that is proved.

    Words on their way into a Turn are owed. Call it once before anything runs.
    """
    settled = []
    for part in await desk.store.all(queries.INTENDED_PARTS):
        card = await desk.store.one(queries.CARD_OF_PART, part_id=part.id)
        if card is not None and card.carrier is Carrier.STREAM and not card.entity:
            # An entity is named before it is sent: without a name nothing of this card can be on the platform.
            steps: tuple[Change, ...] = (move_part(part, PartEvent.DEFER, next_at=desk.clock.now()),)
            way = "planned"
        else:
            lost = move_part(part, PartEvent.LOSE, next_at=desk.clock.now(), code="delivery.cut_off")
            steps, way = (lost, *lost_card(part)), "unknown"
        await insist(desk, partial(desk.store.commit, Changes("cut_off_part", steps)))
        settled.append(Settled("part", part.id, way))
    return [*settled, *(Settled("steer", request, "owed") for request in await settle_steers(desk))]


async def unfinished_turns(desk: Desk) -> list[Turn]:
    """List the Turns that somebody drove when the process ended; call it once before the lanes start."""
    return list(await desk.store.all(queries.ACTIVE_TURNS))


async def recover_turn(desk: Desk, turn: Turn) -> Settled:
    """Bring one cut-off Turn to where the evidence says it is. Safe to repeat after another crash."""
    way = await _recover(desk, turn)
    for topic in (LANES, CARDS, OUTBOX):
        desk.wakeup.wake(topic)
    return Settled("turn", turn.id, way)


async def salvage_turn(desk: Desk, turn_id: TurnId) -> None:
    """Bring a Turn whose driver broke off in an unexpected way to an end that is true; its lane must not stay shut.

    One whose prompt may have gone out is read back like after a crash; one that was never dispatched fails.
    """
    turn = await desk.store.one(queries.TURN, id=turn_id)
    if turn is None or turn.state not in ACTIVE:
        return
    if needs_read_back(turn) or not await _may_go_on(desk, turn) or turn.state is TurnState.COMPLETING:
        await recover_turn(desk, turn)
    else:
        await end_turn(desk, turn.id, Ending(TurnEvent.FAIL, "internal.error", Notice.AGENT_START_FAILED))


async def _recover(desk: Desk, turn: Turn) -> str:
    if turn.state is TurnState.COMPLETING:
        await complete_turn(desk, turn.id)
        return "completed"
    if not await _may_go_on(desk, turn):  # nothing of it may be shown: no agent is started to ask for it
        await withdraw_access(desk)
        await end_turn(desk, turn.id, Ending(TurnEvent.INTERRUPTED, Silent.REVOKED.value, Notice.STOPPED_REVOKED))
        return "revoked"
    if not needs_read_back(turn):
        return await _never_dispatched(desk, turn)
    session = await desk.store.one(queries.SESSION, id=turn.session_id)
    if session is None:
        raise AssertionError("a Turn and its Session are never deleted")
    return await _read_back(desk, session, turn)


async def _may_go_on(desk: Desk, turn: Turn) -> bool:
    return holds(await desk.store.one(queries.BINDING, id=turn.binding_id), turn.binding_revision)


async def _never_dispatched(desk: Desk, turn: Turn) -> str:
    if turn.state is TurnState.INTERRUPTING:
        await end_turn(desk, turn.id, Ending(TurnEvent.INTERRUPTED, "turn.stopped", Notice.STOPPED_BEFORE_START))
        return "stopped"
    await requeue_turn(desk, turn.id)
    return "queued"


async def _read_back(desk: Desk, session: Session, turn: Turn) -> str:
    workspace = await desk.store.one(queries.WORKSPACE, id=session.workspace_id)
    seat = AgentSeat(session.id, session.executor, workspace.path if workspace else "", session.upstream)
    desk.running[turn.id] = RunningTurn(turn.session_id)
    try:
        agent = await desk.agents.attach(seat)
        resolution = resolve(await agent.read_back(Prompt(prompt_key(turn), turn.text)))
    except AgentError:
        await hold_turn(desk, turn.id, HoldReason.UPSTREAM_UNKNOWN)
        return "held"
    finally:
        del desk.running[turn.id]
    return await _follow(desk, turn, resolution.way, resolution.answer)


async def _follow(desk: Desk, turn: Turn, way: AfterCrash, answer: str) -> str:
    if way is AfterCrash.FINISH:
        await finish_turn(desk, turn.id, answer)
    elif way is AfterCrash.HOLD or (way is AfterCrash.REQUEUE and turn.state is TurnState.RUNNING):
        # a history without a prompt whose work was seen proves nothing
        await hold_turn(desk, turn.id, HoldReason.UPSTREAM_UNKNOWN)
        return AfterCrash.HOLD.value
    elif way is AfterCrash.REQUEUE and turn.state is TurnState.STARTING:
        await requeue_turn(desk, turn.id)
    else:
        code = "turn.interrupted_by_restart"
        await end_turn(desk, turn.id, Ending(TurnEvent.FAIL, code, Notice.INTERRUPTED_BY_RESTART))
    return way.value
