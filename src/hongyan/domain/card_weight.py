"""What a card weighs on the platform, known before it is written: its bytes, its elements and its tables.

The weight is an upper bound of what an adapter draws, so that a card that passes here is never refused for its size.
"""

import json
import re
from dataclasses import dataclass
from typing import Final

from hongyan.domain import limits
from hongyan.domain.cards import Button, Buttons, Card, Code, Stream, block_words

__all__ = ["Weight", "preflight", "weigh"]

_CARD_BYTES: Final = 400  # schema, settings, header and body around the words
_BLOCK_BYTES: Final = 160
_BUTTON_BYTES: Final = 320
_HEAD_ELEMENTS: Final = 2
_BUTTON_ELEMENTS: Final = 3  # the column that it stands in, itself, its label


@dataclass(frozen=True, slots=True)
class Weight:
    """How much of each of the platform's limits a card needs."""

    bytes: int
    elements: int
    tables: int


def weigh(card: Card) -> Weight:
    """Add up a card."""
    size, elements, tables = _CARD_BYTES + 2 * _wire_bytes(card.title), _HEAD_ELEMENTS, 0
    for block in card.blocks:
        size += _BLOCK_BYTES
        elements += 2
        if isinstance(block, Buttons):
            size += sum(map(_button_bytes, block.buttons))
            elements += _BUTTON_ELEMENTS * len(block.buttons)
            continue
        words = block_words(block)
        size += _wire_bytes(words)
        tables += 0 if isinstance(block, Code | Stream) else len(_TABLE_RULE.findall(words))
    return Weight(size, elements, tables)


def preflight(card: Card) -> str:
    """Name the limit that a card is over, nothing for none."""
    weight = weigh(card)
    if weight.bytes > limits.CARD_BYTES:
        return "bytes"
    if weight.elements > limits.CARD_ELEMENTS:
        return "elements"
    return "tables" if weight.tables > limits.CARD_TABLES else ""


def _button_bytes(button: Button) -> int:
    return _BUTTON_BYTES + _wire_bytes(button.label) + _wire_bytes(button.value)


def _wire_bytes(words: str) -> int:
    return len(json.dumps(words, ensure_ascii=False).encode("utf-8", "replace"))


_TABLE_RULE: Final = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$", re.MULTILINE)
