"""Who is asked for leave, in order: one chain of surfaces, and what their replies add up to.

The surfaces are offered a request one after the other. One that decides leaves the later ones unasked; one that shows
the request goes on asking beside those after it, and the first real decision of any of them counts. That a surface
cannot ask is no decision: only when nobody asks is the request decided, as unavailable.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from hongyan.domain.approvals import Rule
from hongyan.domain.decisions import Outcome, Verdict

__all__ = [
    "CARD",
    "CLI",
    "CONSOLE",
    "OWN",
    "OWN_CHAIN",
    "POLICY",
    "SESSION",
    "Asking",
    "Broken",
    "Chain",
    "Decided",
    "Known",
    "Passed",
    "Reply",
    "add_up",
    "is_decision",
    "reply_of",
    "stops_the_chain",
]

POLICY: Final = "policy"  # the binding's rule for the class of the request
SESSION: Final = "session"  # an earlier yes for the whole Session
CARD: Final = "card"  # the card in the chat that the Turn came from
CONSOLE: Final = "console"
CLI: Final = "cli"
OWN: Final = frozenset({POLICY, SESSION, CARD, CONSOLE, CLI})


@dataclass(frozen=True, slots=True)
class Chain:
    """The surfaces by name, outermost first."""

    surfaces: tuple[str, ...]

    def then(self, name: str) -> "Chain":
        """Give a chain that asks one more surface, last."""
        return replace(self, surfaces=(*self._without(name), name))

    def first(self, name: str) -> "Chain":
        """Give a chain that asks a surface before all others."""
        return replace(self, surfaces=(name, *self._without(name)))

    def _without(self, name: str) -> tuple[str, ...]:
        return tuple(known for known in self.surfaces if known != name)


OWN_CHAIN: Final = Chain((POLICY, SESSION, CARD, CONSOLE, CLI))
"""The chain of a gateway without hosts: what asks of it always has somebody to ask."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The surface decided: nobody after it is asked."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Asking:
    """The surface shows the request and waits for its person; those after it are asked beside it."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The surface has nothing to show here: the next one is asked."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The surface broke before it handed the request on: nobody after it is asked, and nothing is allowed for it."""


Reply: TypeAlias = Decided | Asking | Passed | Broken


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a request before anybody sees it: its rule, an earlier yes, and whether a chat shows cards."""

    rule: Rule
    allowed: bool
    in_chat: bool
    now: int


def reply_of(surface: str, known: Known) -> Reply:
    """Give the reply of one of the gateway's own surfaces. Raise KeyError for a host: it has to be asked itself."""
    return _REPLIES[surface](known)


def _by_policy(known: Known) -> Reply:
    if known.rule is Rule.NEVER:
        return Decided(Verdict(Outcome.REJECTED, POLICY, POLICY, known.now))
    if known.rule is Rule.AUTO:
        return Decided(Verdict(Outcome.ALLOWED_ONCE, POLICY, POLICY, known.now))
    return Passed()


def _by_session(known: Known) -> Reply:
    return Decided(Verdict(Outcome.ALLOWED_SESSION, "owner", SESSION, known.now)) if known.allowed else Passed()


def _on_card(known: Known) -> Reply:
    return Asking() if known.in_chat else Passed()


def _on_record(_: Known) -> Reply:
    """Console and command line read the record: whoever opens them sees it."""
    return Asking()


_REPLIES: Final = {
    POLICY: _by_policy,
    SESSION: _by_session,
    CARD: _on_card,
    CONSOLE: _on_record,
    CLI: _on_record,
}


def stops_the_chain(reply: Reply) -> bool:
    """Tell whether nobody after this surface is asked."""
    return isinstance(reply, Decided | Broken)


def is_decision(outcome: Outcome) -> bool:
    """Tell whether an outcome decides; that somebody is unavailable leaves it to the others."""
    return outcome not in {Outcome.OPEN, Outcome.UNAVAILABLE}


def add_up(replies: Iterable[Reply], now: int) -> Verdict | None:
    """Give what the chain decided, or None while somebody asks; with nobody left to ask it is unavailable."""
    heard = tuple(replies)
    for reply in heard:
        if isinstance(reply, Decided):
            return reply.verdict
    if any(isinstance(reply, Asking) for reply in heard):
        return None
    return Verdict(Outcome.UNAVAILABLE, "", "", now)
