"""CardKit: what an App may do to its card entities, in the order that the sequence commands."""

import copy
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Any, Final

from feishu_simulator.cardkit import edits
from feishu_simulator.cardkit.card_json import CardError, check_entity, config, is_new, parsed
from feishu_simulator.cardkit.cards import Card, Cards
from feishu_simulator.cardkit.edits import Edit
from feishu_simulator.errors import PlatformError
from feishu_simulator.model import App
from feishu_simulator.world import World

OPERATIONS: Final = 10
WINDOW_MS: Final = 1_000
LAST_SEQUENCE: Final = 2**31 - 1
LONGEST_TEXT: Final = 100_000
LONGEST_DATA: Final = 3_000_000
UUID_LENGTH: Final = 64

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Order:
    """Who operates on which card, as number what; `sequence` comes unchecked from the caller's JSON."""

    app: App
    card_id: str
    sequence: object
    uuid: str | None = None


class CardOperations:
    """Creates and changes card entities; a refused operation changes nothing and uses up no sequence."""

    def __init__(self, world: World, cards: Cards) -> None:
        self._world = world
        self._cards = cards
        self._recent: defaultdict[str, deque[int]] = defaultdict(deque)

    def create(self, app: App, raw: str) -> Card:
        """Make an entity of a card's JSON text."""
        if len(raw) > LONGEST_DATA:
            raise PlatformError(10002, "data is longer than 3000000")
        try:
            card = parsed(raw)
            check_entity(card)
        except CardError as fault:
            raise fault.for_cardkit() from None
        return self._cards.add(app, card)

    def stream_text(self, order: Order, element_id: str, content: str) -> Card:
        """Let the words of a text element grow, or replace them when they do not begin as before."""
        if not 1 <= len(content) <= LONGEST_TEXT:
            raise PlatformError(10002, "content has 1 to 100000 characters")
        card = self._admitted(order)
        if not card.streaming:
            died, card.stream_died = card.stream_died, False
            raise PlatformError(200850 if died else 300309)
        spot = edits.find(card.shown.get("body", {}), element_id)
        typed = spot is not None and content.startswith(str(spot.element.get("content", "")))
        return self._change(order, card, "stream_text", [edits.stream_text(element_id, content)], typed=typed)

    def change(self, order: Order, action: str, changes: list[Edit]) -> Card:
        """Make changes, all of them or none."""
        return self._change(order, self._admitted(order), action, changes)

    def card_of(self, app: App, message_id: str) -> Card:
        """Return the card of a message, sent as an entity or whole, so that it can be operated on."""
        card = self._cards.of(message_id)
        if card is None:
            raise PlatformError(200740)
        if card.app_id != app.app_id:
            raise PlatformError(300311)
        if not is_new(card.shown):
            raise PlatformError(300303)
        if config(card.shown).get("update_multi") is False:
            raise PlatformError(300302)
        return card

    def _admitted(self, order: Order) -> Card:
        card = self._cards.by_id.get(order.card_id)
        if card is None:
            raise PlatformError(200740)
        if card.app_id != order.app.app_id:
            raise PlatformError(300311)
        if self._cards.expired(card):
            raise PlatformError(200750)
        self._count(card)
        if card.in_interaction:
            raise PlatformError(200810)
        if order.uuid is not None and len(order.uuid) > UUID_LENGTH:
            raise PlatformError(10002, "uuid is longer than 64")
        if order.uuid in card.uuids:
            raise PlatformError(200770)
        if _number(order.sequence) <= card.sequence:
            raise PlatformError(300317, f"sequence {order.sequence}, the last one was {card.sequence}")
        return card

    def _count(self, card: Card) -> None:
        """Refuse the eleventh operation within a second."""
        now_ms = self._world.clock.now_ms()
        recent = self._recent[card.card_id]
        while recent and recent[0] <= now_ms - WINDOW_MS:
            recent.popleft()
        if len(recent) >= OPERATIONS:
            refusal = PlatformError(99991400)
            refusal.headers["x-ogw-ratelimit-reset"] = "1"
            refusal.headers["x-ogw-ratelimit-limit"] = str(OPERATIONS)
            raise refusal
        recent.append(now_ms)

    def _change(self, order: Order, card: Card, action: str, changes: list[Edit], *, typed: bool = False) -> Card:
        shown = copy.deepcopy(card.shown)
        try:
            for edit in changes:
                edit(shown)
            check_entity(shown)
        except CardError as fault:
            raise fault.for_cardkit() from None
        card.sequence = _number(order.sequence)
        if order.uuid is not None:
            card.uuids.add(order.uuid)
        self._cards.show(card, shown, action, sequence=card.sequence, typed=typed)
        return card


def _number(sequence: object) -> int:
    if not isinstance(sequence, int) or isinstance(sequence, bool) or sequence > LAST_SEQUENCE:
        raise PlatformError(10002, "sequence is a number from 1 to 2147483647")
    return sequence
