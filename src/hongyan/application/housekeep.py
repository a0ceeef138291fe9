"""What time alone brings about: queues that ran out of time, held Turns nobody decided on, pairings that expired."""

import structlog

from hongyan.application.count_calls import keep_calls
from hongyan.application.desk import Desk
from hongyan.application.end_turn import Ending, end_turn
from hongyan.domain import limits
from hongyan.domain.changes import Changes, Update, Where
from hongyan.domain.conversations import TurnEvent
from hongyan.domain.errors import ConflictError, HongyanError
from hongyan.domain.identity import TurnId
from hongyan.domain.notices import Notice
from hongyan.domain.pairing import PairingEvent, advance_pairing
from hongyan.domain.requests import ClosedAs, Request, close_request
from hongyan.ports import queries

__all__ = ["housekeep", "housekeeping_loop", "put_agents_away"]

log = structlog.get_logger(__name__)


async def housekeeping_loop(desk: Desk) -> None:
    """Housekeep once a second until cancelled, and keep the number of calls now and then."""
    kept_at = desk.clock.boot()
    while True:
        try:
            await housekeep(desk)
            if desk.clock.boot() - kept_at >= limits.CALLS_KEPT_EVERY_MS:
                kept_at = desk.clock.boot()
                await keep_calls(desk)
        except HongyanError as error:
            log.warning("housekeeping.failed", code=error.code)
        await desk.clock.sleep(limits.SAFETY_SCAN_MS)


async def put_agents_away(desk: Desk) -> None:
    """End the agents of Sessions that are closed or were idle for long; the next Turn starts them again."""
    alive = desk.agents.alive()
    if not alive:
        return
    idle = await desk.store.all(queries.IDLE_SESSIONS, before=desk.clock.now() - limits.AGENT_PUT_AWAY_MS)
    for session_id in set(idle).intersection(alive):
        if all(running.session_id != session_id for running in desk.running.values()):
            await desk.agents.detach(session_id)


async def housekeep(desk: Desk) -> None:
    """End what waited too long. Safe to repeat."""
    now = desk.clock.now()
    for turn in await desk.store.all(queries.QUEUED_BEFORE, before=now - desk.options.queue_life_ms):
        await end_turn(desk, TurnId(turn), Ending(TurnEvent.TIME_OUT, "queue.timed_out", Notice.QUEUE_TIMED_OUT))
    for turn in await desk.store.all(queries.HELD_BEFORE, before=now - limits.HELD_LIFE_MS):
        await end_turn(desk, TurnId(turn), Ending(TurnEvent.FAIL, "turn.held_expired", Notice.HELD_EXPIRED))
    for request in await desk.store.all(queries.KEPT_BACK_BEFORE, before=now - limits.KEPT_BACK_MS):
        await _withhold(desk, request)
    await put_agents_away(desk)
    for pairing in await desk.store.all(queries.EXPIRED_PAIRINGS, now=now):
        state = advance_pairing(pairing, PairingEvent.TIME_RAN_OUT)
        where: Where = {"id": pairing.id, "state": pairing.state.value}
        try:
            await desk.store.commit(Changes("pairing_expired", (Update("pairings", where, {"state": state.value}),)))
        except ConflictError:
            continue  # it moved meanwhile; the next round sees where


async def _withhold(desk: Desk, request: Request) -> None:
    """Leave an answer to a recalled message unsaid for good: nobody decided about it in time."""
    closed = close_request(request, ClosedAs.SILENT, desk.clock.now(), owed=0, owed_why="")
    try:
        await desk.store.commit(Changes("withhold_kept_back", (closed,)))
    except ConflictError:
        return  # the owner decided meanwhile
