"""What an answer needs in order to be shown as it was meant: plain text, a post, or a card."""

import re
from typing import Final

from hongyan.domain import limits
from hongyan.domain.markdown.blocks import Block, Fence, Heading, Item, Paragraph, Quote, Rule, Table, blocks_of
from hongyan.domain.markdown.inline import Kind, atoms, bold_words, without_atoms
from hongyan.domain.messages import Transport

__all__ = ["form_for"]


def form_for(text: str) -> Transport:
    """Choose the lightest form that shows everything in the text: text, then post, then card.

    Words in backticks read well as they are and decide nothing.
    """
    if not _ANY.search(text):
        return Transport.TEXT
    blocks = list(blocks_of(text.replace("\r\n", "\n")))
    if any(_needs_card(block) for block in blocks):
        return Transport.WORDS_CARD
    prose = "\n".join(line for block in blocks for line in _prose(block))
    marked = any(isinstance(block, Fence | Item | Quote | Rule) for block in blocks) or _is_marked(prose)
    if not marked:
        return Transport.TEXT
    return Transport.WORDS_CARD if _UNDERLINED.search(without_atoms(prose)) else Transport.POST


def _needs_card(block: Block) -> bool:
    long_code = isinstance(block, Fence) and len(block.lines) > limits.POST_CODE_LINES
    return long_code or isinstance(block, Heading | Table)


def _prose(block: Block) -> tuple[str, ...]:
    if isinstance(block, Paragraph | Quote):
        return block.lines
    return () if isinstance(block, Fence | Rule | Table) else (block.text,)


def _is_marked(prose: str) -> bool:
    named = any(atom.kind in {Kind.LINK, Kind.IMAGE} for atom in atoms(prose))
    return named or bool(bold_words(prose)) or _STYLED.search(without_atoms(prose)) is not None


_ANY: Final = re.compile(r"[*_~#>|\[]|^[ \t]*(?:```|~~~|[-+]|\d{1,9}[.)]|={3})|^(?: {4}|\t)", re.MULTILINE)
_STYLED: Final = re.compile(r"(?<![\w*])\*(?![\s*])[^*\n]*(?<!\s)\*(?![\w*])|~~(?=\S)[^~\n]+~~")
_UNDERLINED: Final = re.compile(r"(?<!~)~(?![~\s])[^~\n]*(?<!\s)~(?!~)")  # a post underlines what stands between two
