"""What may happen in an example, and how a seed chooses it."""

import random
from dataclasses import dataclass
from typing import Final

from feishu_simulator.faults import Effect

__all__ = ["Act", "acts_of"]

REPLY: Final = "POST /open-apis/im/v1/messages/:message_id/reply"
ENDPOINTS: Final = (
    REPLY,
    REPLY,
    REPLY,
    "POST /open-apis/im/v1/messages",
    "PATCH /open-apis/im/v1/messages/:message_id",
    "PUT /open-apis/cardkit/*",
    "POST /open-apis/cardkit/v1/cards",
    "POST /open-apis/im/v1/messages/:message_id/reactions",
    "DELETE /open-apis/im/v1/messages/:message_id/reactions/:reaction_id",
    "GET /open-apis/im/v1/messages/:message_id",
    "GET /open-apis/im/v1/messages",
)
EFFECTS: Final = (
    Effect(lost_response=True),
    Effect(lost_response=True),
    Effect(http_status=502),
    Effect(refuse_connection=True),
    Effect(error_code=99991400),
    Effect(error_code=230020),
    Effect(stale_token=True),
    Effect(hollow_response=True),
)
EVENT_EFFECTS: Final = (Effect(drop=True), Effect(duplicate=True), Effect(reorder=True))
WORDS: Final = (
    "TOKEN",
    "TOKEN",
    "[[say:**bold** TOKEN]]",
    "[[tool:a]] [[say:TOKEN]]",
    "[[say:TOKEN]] [[wait:TOKEN]]",
    "[[tool:a]] [[wait:TOKEN]] [[tool:b]] [[say:TOKEN]]",
    "[[ask:make]] [[say:TOKEN]]",
    "[[crash]] TOKEN",
)
COMMANDS: Final = ("/stop", "/help", "/owed", "/status")
POINTS: Final = (
    "accepted",
    "admitted",
    "claimed",
    "intent",
    "prompt_sent",
    "completing",
    "completed",
    "part_intended",
    "part_written",
    "receipt_saved",
    "card_intended",
    "entity_created",
    "card_written",
    "look_intended",
    "look_written",
    "verified",
)
HOUR_MS: Final = 3_600_000
LEAPS: Final = (60_000, HOUR_MS // 2, HOUR_MS + 1, HOUR_MS + 1)
SKEWS: Final = (-3 * HOUR_MS, -60_000, 60_000, 3 * HOUR_MS)
KINDS: Final = {
    "say": 30,
    "stranger": 3,
    "command": 5,
    "edit": 4,
    "recall": 5,
    "decide": 5,
    "release": 8,
    "pass": 12,
    "leap": 6,
    "fault": 18,
    "event": 4,
    "crash": 5,
    "restart": 4,
    "repeat": 3,
    "resend": 4,
    "skew": 2,
}


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that happens: its kind and what was drawn for it."""

    kind: str
    number: int
    words: str = ""
    effect: Effect | None = None

    def __str__(self) -> str:
        went_wrong = f" {'+'.join(self.effect.names())}" if self.effect else ""
        return f"{self.kind} {self.number} {self.words}{went_wrong}".strip()


def acts_of(seed: int, length: int = 9) -> list[Act]:
    """Draw the acts of an example."""
    chance = random.Random(seed)
    kinds = chance.choices(list(KINDS), weights=list(KINDS.values()), k=chance.randint(3, length))
    return [_draw(chance, kind) for kind in ["say", *kinds]]


def _draw(chance: random.Random, kind: str) -> Act:
    number = chance.randint(0, 5)
    once_or_twice = 1 + number % 2
    match kind:
        case "say" | "command":
            return Act(kind, number, chance.choice(WORDS if kind == "say" else COMMANDS))
        case "crash":
            return Act(kind, once_or_twice, chance.choice(POINTS))
        case "fault":
            return Act(kind, once_or_twice, chance.choice(ENDPOINTS), chance.choice(EFFECTS))
        case "event":
            return Act(kind, 1, "event:im.message.receive_v1", chance.choice(EVENT_EFFECTS))
        case "leap" | "skew":
            return Act(kind, chance.choice(LEAPS if kind == "leap" else SKEWS))
        case _:
            return Act(kind, number)
