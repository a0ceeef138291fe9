"""A card as the gateway means it: a title, a tone and a few blocks. How a platform draws it is the adapter's.

`to_json` and `from_json` keep a card in the outbox; `card_words` is what of it a person reads, which is what a
read-back is compared with.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from hongyan.domain.messages import escape_mentions

__all__ = [
    "Block",
    "Button",
    "Buttons",
    "Card",
    "Code",
    "Note",
    "Stream",
    "Style",
    "Text",
    "Tone",
    "block_words",
    "card_text",
    "card_words",
    "fenced",
    "from_json",
    "grown",
    "is_clickable",
    "to_json",
]


class Tone(StrEnum):
    """What the card is about, at a glance."""

    ASKING = "asking"
    WORKING = "working"
    DONE = "done"
    REFUSED = "refused"
    OVER = "over"


class Style(StrEnum):
    """How a button looks."""

    PRIMARY = "primary"
    PLAIN = "plain"
    DANGER = "danger"


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown of the gateway's own making; nothing that an agent said belongs here."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Code:
    """Words of somebody else, shown letter by letter."""

    text: str


@dataclass(frozen=True, slots=True)
class Stream:
    """Words of somebody else that are still being said: shown letter by letter, and grown without a new card."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A small line."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Button:
    """One button; `value` is an opaque id that comes back with a click, `typed` what a person may write instead."""

    label: str
    value: str
    style: Style = Style.PLAIN
    typed: str = ""


@dataclass(frozen=True, slots=True)
class Buttons:
    """Buttons in one line."""

    buttons: tuple[Button, ...]


Block: TypeAlias = Text | Code | Stream | Note | Buttons


@dataclass(frozen=True, slots=True)
class Card:
    """One card."""

    title: str
    tone: Tone
    blocks: tuple[Block, ...]


def is_clickable(card: Card) -> bool:
    """Tell whether the card has a button."""
    return any(isinstance(block, Buttons) and block.buttons for block in card.blocks)


def fenced(text: str) -> str:
    """Show foreign words so that none of them is Markdown, ends the fence, pings anybody or hides as a control."""
    unended = _seen(text).replace("```", "`\u200b`\u200b`")
    return f"```\n{unended}\n```"


def _seen(text: str) -> str:
    return escape_mentions(_CONTROL.sub("\ufffd", text.replace("\r\n", "\n")))


def block_words(block: Text | Code | Stream | Note) -> str:
    """Give the Markdown of a block that holds words; that of a stream is no Markdown, and drawn as none."""
    if isinstance(block, Code):
        return fenced(block.text)
    return _seen(block.text) if isinstance(block, Stream) else block.markdown


def grown(before: Card, after: Card) -> str | None:
    """Give the new words of the stream when nothing else of a card changed, None otherwise."""
    if (before.title, before.tone, len(before.blocks)) != (after.title, after.tone, len(after.blocks)):
        return None
    changed = [(one, other) for one, other in zip(before.blocks, after.blocks, strict=True) if one != other]
    match changed:
        case [(Stream(), Stream(text=text))]:
            return _seen(text)
        case _:
            return None


def card_words(card: Card) -> str:
    """Give what a person reads on the card, buttons by their labels, one line a block."""
    lines = [card.title]
    for block in card.blocks:
        if isinstance(block, Buttons):
            lines += [button.label for button in block.buttons]
        else:
            lines.append(block_words(block))
    return "\n".join(lines)


def card_text(card: Card) -> str:
    """Say the card as a plain text: the same words without markup, and what to write where a button would stand."""
    lines = [card.title]
    for block in card.blocks:
        if isinstance(block, Buttons):
            lines += [f"{button.label}: {button.typed}" for button in block.buttons if button.typed]
        elif isinstance(block, Code | Stream):
            lines.append(_seen(block.text))
        else:
            lines.append(block.markdown.replace("**", ""))
    return "\n".join(lines)


def to_json(card: Card) -> str:
    """Write a card for the outbox; equal cards give equal texts."""
    plain = {"title": card.title, "tone": card.tone.value, "blocks": [_block_out(block) for block in card.blocks]}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> Card:
    """Read what `to_json` wrote."""
    plain = json.loads(text)
    return Card(plain["title"], Tone(plain["tone"]), tuple(_block_in(block) for block in plain["blocks"]))


def _block_out(block: Block) -> dict[str, Any]:
    if isinstance(block, Buttons):
        return {"buttons": [[button.label, button.value, button.style.value, button.typed] for button in block.buttons]}
    words = block.text if isinstance(block, Code | Stream) else block.markdown
    return {type(block).__name__.lower(): words}


def _block_in(plain: dict[str, Any]) -> Block:
    ((kind, inside),) = plain.items()
    if kind == "buttons":
        return Buttons(tuple(Button(label, value, Style(style), typed) for label, value, style, typed in inside))
    return _WORDED[kind](inside)


_WORDED: Final[dict[str, type[Text] | type[Code] | type[Stream] | type[Note]]] = {
    "text": Text,
    "code": Code,
    "stream": Stream,
    "note": Note,
}
_CONTROL: Final = re.compile(  # unseen, or turn the line around: what is allowed must be what is read
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
