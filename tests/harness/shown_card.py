"""A card as a person sees it in the simulated chat."""

from dataclasses import dataclass
from typing import Any

from feishu_simulator.cardkit.reading import flattened
from feishu_simulator.model import Message
from feishu_simulator.platform import Platform

__all__ = ["CARD", "ShownCard", "see_card"]

CARD = "interactive"


@dataclass(frozen=True, slots=True)
class ShownCard:
    """What is read on a card, the colour of its head, and its buttons by label and value, in the order of the card."""

    message_id: str
    parent_id: str | None
    title: str
    tone: str
    words: str
    buttons: tuple[tuple[str, Any], ...]

    @property
    def labels(self) -> list[str]:
        """The labels of the buttons."""
        return [label for label, _ in self.buttons]

    def press(self, label: str, nth: int = 0) -> dict[str, Any]:
        """Name the nth button of a label for a click."""
        return {"value": [value for name, value in self.buttons if name == label][nth]}


def see_card(platform: Platform, message: Message) -> ShownCard:
    """Read the card of a message."""
    card = platform.card(message.message_id)
    flat, tone = flattened(card), card.get("header", {}).get("template", "")
    words = "\n".join(node.get("text", "") for line in flat["elements"] for node in line if node["tag"] == "text")
    buttons = tuple((button.text, button.value) for button in platform.buttons(message.message_id))
    return ShownCard(message.message_id, message.parent_id, flat["title"], tone, words, buttons)
