"""Learn the owner: a code from this machine, sent by the person to the bot, confirmed on this machine."""

from dataclasses import dataclass, replace
from typing import NoReturn

from hongyan.application.desk import Desk, decide_again
from hongyan.domain import limits
from hongyan.domain.bindings import revoke
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Update, Value, Where, insert
from hongyan.domain.errors import ChatError, NotFoundError, RefusedError
from hongyan.domain.identity import AppId, UnionId, derive
from hongyan.domain.labels import one_line
from hongyan.domain.pairing import (
    Owner,
    OwnerState,
    Pairing,
    PairingEvent,
    PairingState,
    advance_pairing,
    code_hash,
    pairing_is_live,
)
from hongyan.domain.requests import Request
from hongyan.ports import queries
from hongyan.ports.chat import Person

__all__ = ["NewPairing", "begin_pairing", "confirm_pairing", "try_pairing"]


@dataclass(frozen=True, slots=True)
class NewPairing:
    """A pairing that just began; the code is shown once and never stored."""

    pairing_id: str
    code: str
    expires_at: int


async def begin_pairing(desk: Desk, app: AppId, replace_owner: bool) -> NewPairing:
    """Make a fresh code for an App; an older code of it is burnt. Raise RefusedError when an owner is paired."""
    identity = derive("pair", desk.entropy.token())
    code = desk.entropy.code(limits.PAIRING_ALPHABET, limits.PAIRING_CODE_LENGTH)

    async def decide() -> tuple[Changes, NewPairing]:
        if await desk.store.one(queries.OWNER, app=app) and not replace_owner:
            raise RefusedError("owner.already_paired", "this App already has an owner", hint="Use --replace.")
        now = desk.clock.now()
        pairing = Pairing(
            id=identity,
            app=app,
            code_hash=code_hash(identity, code),
            state=PairingState.LIVE,
            tries=0,
            replace_owner=replace_owner,
            created_at=now,
            expires_at=now + limits.PAIRING_LIFE_MS,
            open_id=None,
            union_id=None,
            name="",
            chat_id=None,
        )
        older = await desk.store.one(queries.OPEN_PAIRING, app=app)
        burn = (_move(older, PairingEvent.REPLACED),) if older else ()
        return Changes("pair_begin", (*burn, insert("pairings", pairing))), NewPairing(
            identity, code, pairing.expires_at
        )

    return await decide_again(desk, decide)


async def try_pairing(desk: Desk, request: Request, text: str) -> tuple[Change, ...]:
    """Plan what a text with the shape of a code does to the open pairing; nobody is answered."""
    pairing = await desk.store.one(queries.OPEN_PAIRING, app=request.app)
    if pairing is None or not pairing_is_live(pairing, desk.clock.now()):
        return ()
    if code_hash(pairing.id, text) != pairing.code_hash:
        return _wrong_try(pairing)
    if pairing.state is PairingState.CLAIMED:
        same = pairing.open_id == request.sender
        return () if same else (_move(pairing, PairingEvent.SECOND_PERSON),)
    return (_move(pairing, PairingEvent.CODE_SENT, open_id=request.sender, chat_id=request.chat_id),)


async def confirm_pairing(desk: Desk, pairing_id: str) -> Owner:
    """Make the person who sent the code the owner, after this machine's user saw name and id.

    Raise NotFoundError, or RefusedError with `pairing.not_claimed`, `pairing.expired` or `pairing.burnt`.
    """

    async def decide() -> tuple[Changes, Owner]:
        pairing = await claimed_pairing(desk, pairing_id)
        owner = Owner(
            id=derive("owner", pairing.app, pairing.open_id or ""),
            app=pairing.app,
            open_id=pairing.open_id or _never(),
            union_id=pairing.union_id or UnionId(""),
            name=pairing.name,
            chat_id=pairing.chat_id or _never(),
            state=OwnerState.ACTIVE,
            paired_at=desk.clock.now(),
        )
        return Changes("pair_confirm", await _install(desk, pairing, owner)), owner

    return await decide_again(desk, decide)


async def claimed_pairing(desk: Desk, pairing_id: str) -> Pairing:
    """Give a pairing that waits for the local confirmation, with the person's name read from the platform."""
    pairing = await desk.store.one(queries.PAIRING, id=pairing_id)
    if pairing is None:
        raise NotFoundError("pairing", pairing_id, hint="Begin one with `hongyan owner pair --app NAME`.")
    if pairing.state is PairingState.LIVE and pairing_is_live(pairing, desk.clock.now()):
        raise RefusedError("pairing.not_claimed", "nobody has sent the code yet", hint="Send it to the bot, privately.")
    if pairing.state is not PairingState.CLAIMED or not pairing_is_live(pairing, desk.clock.now()):
        raise RefusedError("pairing.over", f"this pairing is {pairing.state}", hint="Begin a new one.")
    person = await _person(desk, pairing)
    return replace(pairing, name=one_line(person.name), union_id=person.union_id) if person else pairing


async def _person(desk: Desk, pairing: Pairing) -> Person | None:
    try:
        return await desk.chat(pairing.app).directory.person(pairing.open_id or _never())
    except ChatError:
        return None  # the name is a courtesy; the id is the fact


async def _install(desk: Desk, pairing: Pairing, owner: Owner) -> tuple[Change, ...]:
    former = await desk.store.one(queries.OWNER, app=pairing.app)
    steps: list[Change] = [_move(pairing, PairingEvent.CONFIRMED_LOCALLY)]
    if former is not None and former.id != owner.id:
        steps.append(Update("owners", {"id": former.id, "state": "active"}, {"state": OwnerState.REPLACED.value}))
        bound = await desk.store.all(queries.BINDINGS_OF_OWNER, app=pairing.app, owner=former.open_id)
        steps.extend(revoke(binding, desk.clock.now()) for binding in bound)
    known = Update(
        "owners",
        {"id": owner.id},
        {"state": "active", "chat_id": owner.chat_id, "name": owner.name, "paired_at": owner.paired_at},
        ONE_OR_NONE,
    )
    return (*steps, insert("owners", owner, ONE_OR_NONE), known)


def _wrong_try(pairing: Pairing) -> tuple[Change, ...]:
    if pairing.state is not PairingState.LIVE:
        return ()
    tries = pairing.tries + 1
    if tries >= limits.PAIRING_TRIES:
        return (_move(pairing, PairingEvent.WRONG_TRIES_USED_UP, tries=tries),)
    return (Update("pairings", {"id": pairing.id, "tries": pairing.tries}, {"tries": tries}),)


def _move(pairing: Pairing, event: PairingEvent, **values: Value) -> Update:
    state = advance_pairing(pairing, event)
    where: Where = {"id": pairing.id, "state": pairing.state.value, "tries": pairing.tries}
    return Update("pairings", where, {"state": state.value, **values})


def _never() -> NoReturn:
    raise AssertionError("a claimed pairing names who and where")
