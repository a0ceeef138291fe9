"""Fault rules: which calls, events and connections go wrong, and how.

A rule matches a subject: a call as `METHOD /path/template`, an event as `event:TYPE`, a handshake as `ws`, a ping as
`ping`. `*` stands for every REST call; `endpoint` and `token` name the two calls every client makes first.
"""

import functools
import math
import random
import re
from collections import deque
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final

from feishu_simulator.world import World

ALIASES: Final = {
    "endpoint": "POST /callback/ws/endpoint",
    "token": "POST /open-apis/auth/v3/tenant_access_token/internal",
}


@dataclass(frozen=True, slots=True)
class Match:
    """What a rule looks for: the subject's pattern, one App, only the nth hit, at most `times` uses, by chance."""

    endpoint: str
    app_id: str | None = None
    nth: int | None = None
    times: int | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `limit` calls per App in a window of the platform's clock."""

    limit: int
    window_ms: int


@dataclass(frozen=True, slots=True)
class Effect:
    """What goes wrong; several may hold at once.

    delay_ms is real time. error_code answers with the platform's envelope, http_status alone with an empty gateway
    answer, swallow with success although nothing happens. refuse_connection cuts the connection before anything
    happened, lost_response after it was stored; hollow_response then says success and nothing else, not even an id.
    drop keeps one transmission of an event (or a pong) back, no_redelivery ends its ladder, duplicate sends it once
    more under a new event_id, reorder holds it until the App's next event. close ends the connection with that code
    (1006: without a close frame), half_dead lets it answer pings and never carry an event again. stale_token makes
    the presented tenant token unknown. unlisted_ms lets a list of messages lack the ones written less than that long
    ago, as a store that is searched before it caught up. fragments splits events into that many frames.
    """

    delay_ms: int = 0
    error_code: int | None = None
    error_message: str | None = None
    http_status: int | None = None
    rate_limit: RateLimit | None = None
    lost_response: bool = False
    swallow: bool = False
    hollow_response: bool = False
    refuse_connection: bool = False
    drop: bool = False
    duplicate: bool = False
    reorder: bool = False
    close: int | None = None
    half_dead: bool = False
    no_redelivery: bool = False
    stale_token: bool = False
    unlisted_ms: int = 0
    fragments: int | None = None
    fragments_shuffled: bool = False

    def names(self) -> list[str]:
        """Return what it does, by field name."""
        return [item.name for item in fields(self) if getattr(self, item.name) != item.default]

    def also(self, other: "Effect") -> "Effect":
        """Return both effects together: delays add up, elsewhere the first one wins."""
        ours = self.names()
        changes: dict[str, Any] = {name: getattr(other, name) for name in other.names() if name not in ours}
        return replace(self, **changes | {"delay_ms": self.delay_ms + other.delay_ms})


NO_EFFECT: Final = Effect()


@dataclass(frozen=True, slots=True)
class Strike:
    """What one call or event suffers, and from which rules."""

    effect: Effect = NO_EFFECT
    rules: tuple[str, ...] = ()
    retry_after_seconds: int | None = None

    @property
    def label(self) -> str | None:
        """Name the faults for the logs; None when there were none."""
        return "+".join(self.effect.names()) if self.rules else None


CLEAR: Final = Strike()


@dataclass(slots=True)
class Rule:
    """One active rule with its counters."""

    rule_id: str
    match: Match
    effect: Effect
    pattern: re.Pattern[str]
    chance: random.Random
    seen: int = 0
    used: int = 0
    window: deque[int] = field(default_factory=deque)

    def hits(self, subject: str, app_id: str | None) -> bool:
        """Count a matching subject and say whether the rule strikes now."""
        match = self.match
        if match.app_id not in (None, app_id) or not self.pattern.fullmatch(subject):
            return False
        self.seen += 1
        if match.nth is not None and self.seen != match.nth:
            return False
        if match.times is not None and self.used >= match.times:
            return False
        return match.probability is None or self.chance.random() < match.probability

    def over_rate(self, now_ms: int) -> int | None:
        """Count a call against the rule's rate; return the seconds to wait when it is over."""
        rate = self.effect.rate_limit
        if rate is None:
            return None
        while self.window and self.window[0] <= now_ms - rate.window_ms:
            self.window.popleft()
        if len(self.window) >= rate.limit:
            oldest_ms = self.window[0] if self.window else now_ms  # a limit of 0 lets none through
            return max(1, math.ceil((oldest_ms + rate.window_ms - now_ms) / 1000))
        self.window.append(now_ms)
        return None


class FaultRules:
    """Keeps the rules and says what a subject suffers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._count = 0
        self.rules: dict[str, Rule] = {}

    def add(self, match: Match, effect: Effect) -> Rule:
        """Put a rule into force."""
        self._count += 1
        rule_id = f"fault-{self._count}"
        rule = Rule(rule_id, match, effect, _pattern(match.endpoint), self._world.ids.stream(rule_id))
        self.rules[rule_id] = rule
        self._world.journal.record("fault", {"action": "added", **rule_view(rule)})
        return rule

    def remove(self, rule_id: str) -> None:
        """Lift a rule; KeyError when there is none."""
        rule = self.rules.pop(rule_id)
        self._world.journal.record("fault", {"action": "removed", **rule_view(rule)})

    def consult(self, subject: str, app_id: str | None) -> Strike:
        """Count the subject against every rule and return what it suffers now."""
        strike = CLEAR
        for rule in tuple(self.rules.values()):
            if not rule.hits(subject, app_id):
                continue
            wait_seconds = rule.over_rate(self._world.clock.now_ms())
            if rule.effect.rate_limit is not None and wait_seconds is None:
                continue
            rule.used += 1
            wait_seconds = wait_seconds or strike.retry_after_seconds
            strike = Strike(strike.effect.also(rule.effect), (*strike.rules, rule.rule_id), wait_seconds)
            self._world.journal.record("fault", {"action": "used", "subject": subject, **rule_view(rule)})
        return strike


def matches(endpoint: str, subject: str) -> bool:
    """Say whether a rule for `endpoint` would look at the subject."""
    return _pattern(endpoint).fullmatch(subject) is not None


def rule_view(rule: Rule) -> dict[str, Any]:
    """Return a rule as the control API shows it."""
    effect = {name: value for name, value in asdict(rule.effect).items() if name in rule.effect.names()}
    match = {name: value for name, value in asdict(rule.match).items() if value is not None}
    return {"fault_id": rule.rule_id, "match": match, "effect": effect, "seen": rule.seen, "used": rule.used}


@functools.cache
def _pattern(endpoint: str) -> re.Pattern[str]:
    """Compile an endpoint pattern: `:name` is one path segment, `*` anything."""
    if endpoint == "*":
        return re.compile(r"[A-Z]+ /.*")
    pieces = re.split(r"(:[a-z_]+(?=/|$)|\*)", ALIASES.get(endpoint, endpoint))
    pattern = "".join(
        ".*" if piece == "*" else "[^/]+" if piece.startswith(":") and len(piece) > 1 else re.escape(piece)
        for piece in pieces
    )
    return re.compile(pattern)
