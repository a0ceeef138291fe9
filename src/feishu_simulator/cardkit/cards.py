"""Every card that exists: what it shows now, what it showed before, whether it streams, and where it stands."""

import copy
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from feishu_simulator.cardkit.card_json import is_streaming
from feishu_simulator.clock import Timer
from feishu_simulator.model import App
from feishu_simulator.world import World

STREAM_MS: Final = 600_000
CARD_LIFE_MS: Final = 14 * 24 * 3_600_000
KEPT_UPDATES: Final = 1_000

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CardUpdate:
    """One look that a card had: since when and through which act; `typed` says that text ran on letter by letter."""

    at_ms: int
    action: str
    sequence: int | None
    card: Json
    typed: bool = False


@dataclass(slots=True)
class Card:
    """One card, of CardKit or sent whole. `stream_died` is set when the ten minutes ran out and nobody was told yet."""

    card_id: str
    app_id: str
    shown: Json
    created_ms: int
    message_id: str | None = None
    sequence: int = 0
    in_interaction: int = 0
    stream_died: bool = False
    uuids: set[str] = field(default_factory=set)
    updates: deque[CardUpdate] = field(default_factory=lambda: deque(maxlen=KEPT_UPDATES))
    stream_timer: Timer | None = None

    @property
    def streaming(self) -> bool:
        """Say whether text can be streamed into it."""
        return is_streaming(self.shown)


class Cards:
    """Keeps cards by their id and by the message that carries them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._by_message: dict[str, Card] = {}
        self._watchers: list[Callable[[Card], None]] = []
        self.by_id: dict[str, Card] = {}

    def watch(self, watcher: Callable[[Card], None]) -> None:
        """Call back after every change of a card that stands in a message."""
        self._watchers.append(watcher)

    def add(self, app: App, shown: Json) -> Card:
        """Make a card; its ten minutes begin when it streams from the start."""
        card = Card(self._world.ids.card_id(), app.app_id, {}, self._world.clock.now_ms())
        self.by_id[card.card_id] = card
        self.show(card, shown, "created")
        return card

    def attach(self, card: Card, message_id: str) -> None:
        """Put a card into its message."""
        card.message_id = message_id
        self._by_message[message_id] = card

    def of(self, message_id: str) -> Card | None:
        """Return the card of a message; None when it carries none."""
        return self._by_message.get(message_id)

    def expired(self, card: Card) -> bool:
        """Say whether a card is older than an entity may be."""
        return self._world.clock.now_ms() - card.created_ms > CARD_LIFE_MS

    def show(self, card: Card, shown: Json, action: str, *, sequence: int | None = None, typed: bool = False) -> None:
        """Give a card its new look and tell whoever watches."""
        was_streaming, card.shown = card.streaming, shown
        if card.streaming != was_streaming:
            self._switch_stream(card)
        card.updates.append(CardUpdate(self._world.clock.now_ms(), action, sequence, shown, typed))
        if card.message_id is not None:
            for watcher in self._watchers:
                watcher(card)

    def _switch_stream(self, card: Card) -> None:
        if card.stream_timer is not None:
            card.stream_timer.cancel()
            card.stream_timer = None
        card.stream_died = False
        if card.streaming:
            card.stream_timer = self._world.clock.call_after(STREAM_MS, lambda: self._end_stream(card))

    def _end_stream(self, card: Card) -> None:
        """Close a stream that was open for ten minutes, whatever still runs."""
        shown = copy.deepcopy(card.shown)
        shown["config"]["streaming_mode"] = False
        card.stream_timer = None
        self.show(card, shown, "stream_timed_out")
        card.stream_died = True
