"""How the owner is learned: a code sent by the person to the bot, then confirmed on this machine."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain import limits
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.identity import AppId, ChatId, OpenId, UnionId, digest

__all__ = [
    "Owner",
    "OwnerState",
    "Pairing",
    "PairingEvent",
    "PairingState",
    "advance_pairing",
    "code_hash",
    "looks_like_code",
    "pairing_is_live",
]


class PairingState(StrEnum):
    """Where a pairing stands."""

    LIVE = "live"  # the code may be sent
    CLAIMED = "claimed"  # one person sent it; waits for the local confirmation
    CONFIRMED = "confirmed"
    BURNT = "burnt"  # too many wrong tries, a second person, or replaced by a newer code
    EXPIRED = "expired"


class PairingEvent(StrEnum):
    """What may happen to a pairing."""

    CODE_SENT = "code_sent"
    WRONG_TRIES_USED_UP = "wrong_tries_used_up"
    SECOND_PERSON = "second_person"
    REPLACED = "replaced"
    CONFIRMED_LOCALLY = "confirmed_locally"
    TIME_RAN_OUT = "time_ran_out"


MOVES: Final = {
    (PairingState.LIVE, PairingEvent.CODE_SENT): PairingState.CLAIMED,
    (PairingState.LIVE, PairingEvent.WRONG_TRIES_USED_UP): PairingState.BURNT,
    (PairingState.LIVE, PairingEvent.REPLACED): PairingState.BURNT,
    (PairingState.LIVE, PairingEvent.TIME_RAN_OUT): PairingState.EXPIRED,
    (PairingState.CLAIMED, PairingEvent.SECOND_PERSON): PairingState.BURNT,
    (PairingState.CLAIMED, PairingEvent.REPLACED): PairingState.BURNT,
    (PairingState.CLAIMED, PairingEvent.TIME_RAN_OUT): PairingState.EXPIRED,
    (PairingState.CLAIMED, PairingEvent.CONFIRMED_LOCALLY): PairingState.CONFIRMED,
}


@dataclass(frozen=True, slots=True)
class Pairing:
    """One pairing of one App. The code itself is never stored; `tries` counts the wrong ones."""

    id: str
    app: AppId
    code_hash: str
    state: PairingState
    tries: int
    replace_owner: bool
    created_at: int
    expires_at: int
    open_id: OpenId | None
    union_id: UnionId | None
    name: str
    chat_id: ChatId | None


class OwnerState(StrEnum):
    """Whether a paired person still is the owner."""

    ACTIVE = "active"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Owner:
    """The verified owner under one App. `chat_id` is the private chat in which the code was sent."""

    id: str
    app: AppId
    open_id: OpenId
    union_id: UnionId
    name: str
    chat_id: ChatId
    state: OwnerState
    paired_at: int


def advance_pairing(pairing: Pairing, event: PairingEvent) -> PairingState:
    """Give the next state. Raise IllegalMoveError when the table has no such move."""
    try:
        return MOVES[pairing.state, event]
    except KeyError:
        raise IllegalMoveError("pairing", pairing.id, pairing.state, event) from None


def code_hash(pairing_id: str, code: str) -> str:
    """Give what is stored instead of the code; letter case and spaces do not matter."""
    return digest("pairing", pairing_id, _fold(code))


def looks_like_code(text: str) -> bool:
    """Tell whether a text has the shape of a pairing code, so that it counts as a try."""
    folded = _fold(text)
    return len(folded) == limits.PAIRING_CODE_LENGTH and all(c in limits.PAIRING_ALPHABET for c in folded)


def pairing_is_live(pairing: Pairing, now: int) -> bool:
    """Tell whether the code may still be used; a clock that jumped back closes it too."""
    return pairing.state in {PairingState.LIVE, PairingState.CLAIMED} and pairing.created_at <= now < pairing.expires_at


def _fold(text: str) -> str:
    return "".join(text.split()).replace("-", "").upper()
