"""The plain reads behind screens and command line: lists and single rows, as they are stored."""

from collections.abc import Sequence
from dataclasses import replace

from hongyan.application.desk import Desk
from hongyan.application.pair_owner import claimed_pairing
from hongyan.domain.bindings import Binding
from hongyan.domain.conversations import TERMINAL, Session, Turn, TurnState
from hongyan.domain.decisions import Decision
from hongyan.domain.errors import NotFoundError
from hongyan.domain.events import TurnEventRow
from hongyan.domain.identity import AppId, ChatApp
from hongyan.domain.ledger import ReceivedClass, classify
from hongyan.domain.pairing import Owner, Pairing, PairingState, pairing_is_live
from hongyan.domain.workspaces import Workspace
from hongyan.ports import queries
from hongyan.ports.queries import DeliveryLine, ReceivedLine

__all__ = [
    "DeliveryLine",
    "events_after",
    "find_binding",
    "find_pairing",
    "list_bindings",
    "list_decisions",
    "list_deliveries",
    "list_observed_apps",
    "list_owners",
    "list_received",
    "list_running",
    "list_sessions",
    "list_workspaces",
    "owner_of",
    "turn_has_ended",
]


async def list_observed_apps(desk: Desk) -> Sequence[ChatApp]:
    """List the Apps as the platform last named them."""
    return await desk.store.all(queries.CHAT_APPS)


async def list_owners(desk: Desk) -> Sequence[Owner]:
    """List the paired owner of each App."""
    return await desk.store.all(queries.OWNERS)


async def owner_of(desk: Desk, app: AppId) -> Owner | None:
    """Give an App's owner, None while nobody is paired."""
    return await desk.store.one(queries.OWNER, app=app)


async def find_pairing(desk: Desk, pairing_id: str) -> Pairing:
    """Give a pairing; one that waits for the local confirmation carries the person's name as the platform knows it.

    Raise NotFoundError.
    """
    pairing = await desk.store.one(queries.PAIRING, id=pairing_id)
    if pairing is None:
        raise NotFoundError("pairing", pairing_id, hint="Begin one with `hongyan owner pair --app NAME`.")
    if pairing_is_live(pairing, desk.clock.now()):
        return await claimed_pairing(desk, pairing_id) if pairing.state is PairingState.CLAIMED else pairing
    over = pairing.state in {PairingState.LIVE, PairingState.CLAIMED}
    return replace(pairing, state=PairingState.EXPIRED) if over else pairing


async def list_workspaces(desk: Desk) -> Sequence[Workspace]:
    """List the workspaces that are authorised now."""
    return await desk.store.all(queries.WORKSPACES)


async def list_bindings(desk: Desk) -> Sequence[Binding]:
    """List all bindings, revoked ones too, oldest first."""
    return await desk.store.all(queries.BINDINGS)


async def find_binding(desk: Desk, binding_id: str) -> Binding:
    """Give a binding. Raise NotFoundError."""
    binding = await desk.store.one(queries.BINDING, id=binding_id)
    if binding is None:
        raise NotFoundError("binding", binding_id, hint="`hongyan binding list` shows them.")
    return binding


async def list_sessions(desk: Desk, binding_id: str | None = None) -> list[Session]:
    """List Sessions, newest first; of one binding only when it is named."""
    sessions = await desk.store.all(queries.ALL_SESSIONS)
    return [session for session in sessions if binding_id is None or session.binding_id == binding_id]


async def list_running(desk: Desk) -> Sequence[Turn]:
    """List the Turns that hold a lane."""
    return await desk.store.all(queries.ACTIVE_TURNS)


async def list_deliveries(desk: Desk, limit: int) -> Sequence[DeliveryLine]:
    """List the newest writes, newest first, at most `limit`."""
    return await desk.store.all(queries.ALL_DELIVERIES, limit=limit)


async def list_decisions(desk: Desk, recent: int = 0) -> Sequence[Decision]:
    """List what waits for a decision, oldest first; with `recent` that many of the newest instead, settled or not."""
    if recent:
        return await desk.store.all(queries.RECENT_DECISIONS, limit=recent)
    return await desk.store.all(queries.OPEN_DECISIONS)


async def list_received(desk: Desk, limit: int) -> list[tuple[ReceivedClass, ReceivedLine]]:
    """List the newest requests, newest first, each with its class in the ledger."""
    lines = await desk.store.all(queries.RECEIVED_LINES, limit=limit)
    turns = [TurnState(line.turn_state) if line.turn_state else None for line in lines]
    return [(classify(line.state, line.closed_as, turn), line) for line, turn in zip(lines, turns, strict=True)]


async def events_after(desk: Desk, turn_id: str, cursor: int) -> Sequence[TurnEventRow]:
    """List what a Turn showed after a cursor, in order."""
    return await desk.store.all(queries.EVENTS_OF_TURN, turn_id=turn_id, after=cursor)


async def turn_has_ended(desk: Desk, turn_id: str) -> bool:
    """Tell whether nothing more can come of a Turn. Raise NotFoundError."""
    turn = await desk.store.one(queries.TURN, id=turn_id)
    if turn is None:
        raise NotFoundError("turn", turn_id)
    return turn.state in TERMINAL
