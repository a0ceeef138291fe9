"""Markdown as the platform renders it: what it misrenders is written in another way, and nothing is left out.

What changes, and nothing else does:

- bold words: punctuation at an edge that touches a word moves out of them;
- headings: at most of the fourth size on a card, where larger ones shout; bold lines in a post, which has none;
- lists: four blanks a level, `-` for every bullet, `1.` for every number, boxes drawn as ☐ and ☑;
- tables: at the margin between blank lines, every row as wide as the widest; in a post, or too wide, as code;
- code: at the margin, between backticks, closed;
- pictures: as links; links to anything but the web: as words with the target behind them; addresses without brackets;
- rules: `---` between blank lines;
- tags that the platform would obey, mentions first: broken by a letter that shows as nothing.

A second time changes nothing.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import singledispatch
from typing import Final

from hongyan.domain import limits
from hongyan.domain.markdown.blocks import Block, Fence, Heading, Item, More, Paragraph, Quote, Rule, Table, blocks_of
from hongyan.domain.markdown.emphasis import repaired
from hongyan.domain.markdown.inline import Atom, Kind, rewrite
from hongyan.domain.markdown.letters import weight
from hongyan.domain.messages import escape_mentions

__all__ = ["Dialect", "normal", "plain"]

PASSES: Final = 8  # odd Markdown may need a second look at what the first one wrote


class Dialect(StrEnum):
    """Whose Markdown is written: a card's or a post's."""

    CARD = "card"
    POST = "post"


def plain(text: str) -> str:
    """Write words for a text message, which has no Markdown but obeys a few tags."""
    return _TEXT_TAG.sub("<\u200b\\1", _clean(text))


def normal(text: str, dialect: Dialect) -> str:
    """Write Markdown in the form that the dialect renders; see above for what that changes."""
    written = _clean(text)
    for _ in range(PASSES):
        again = "\n".join(_lines(blocks_of(written), dialect))
        if again == written:
            break
        written = again
    return written


def _clean(text: str) -> str:
    return escape_mentions(_CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")))


def _lines(blocks: Iterator[Block], dialect: Dialect) -> Iterator[str]:
    """Write blocks line by line, with a blank line around what needs one."""
    last, apart = "", False
    for block in blocks:
        lines = _written(block, dialect)
        alone = isinstance(block, Rule | Table) and not lines[0].startswith("`")
        if (alone or apart) and last.strip() and lines[0].strip():
            yield ""
        yield from lines
        last, apart = lines[-1], alone


@singledispatch
def _written(block: Block, dialect: Dialect) -> list[str]:
    raise AssertionError(f"{type(block).__name__} in {dialect} has no writer")


@_written.register
def _heading(block: Heading, dialect: Dialect) -> list[str]:
    words = _words(block.text)
    if dialect is Dialect.POST:
        bare = words.replace("**", "").strip()
        return [repaired(f"**{bare}**")] if bare else [""]
    return [f"{'#' * _DEPTHS[block.depth]} {words}".rstrip()]


@_written.register
def _paragraph(block: Paragraph, dialect: Dialect) -> list[str]:
    return _words("\n".join(block.lines)).split("\n")


@_written.register
def _fence(block: Fence, _: Dialect) -> list[str]:
    return _fenced(block.info, block.lines)


def _fenced(info: str, lines: tuple[str, ...]) -> list[str]:
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    marks = "`" * max(3, longest + 1)
    fits = len(info) <= limits.CODE_LABEL_LETTERS and "`" not in info
    return [marks + info, *lines, marks] if fits else [marks, info, *lines, marks]


@_written.register
def _table(block: Table, dialect: Dialect) -> list[str]:
    width = max(len(row) for row in (block.head, block.sides, *block.rows))
    head, *rows = (_row([_words(cell) for cell in row], width, "") for row in (block.head, *block.rows))
    lines = (head, _row([_side(side) for side in block.sides], width, "---"), *rows)
    too_wide = width > limits.TABLE_COLUMNS or any(weight(line) > limits.TABLE_ROW_BYTES for line in lines)
    return _fenced("", lines) if too_wide or dialect is Dialect.POST else list(lines)


def _row(cells: list[str], width: int, fill: str) -> str:
    return f"| {' | '.join([*cells, *[fill] * (width - len(cells))])} |"


def _side(side: str) -> str:
    return f"{':' if side.startswith(':') else ''}---{':' if side.endswith(':') else ''}"


@_written.register
def _item(block: Item, dialect: Dialect) -> list[str]:
    words = _words(block.text)
    box = _BOX.match(words)
    if box is not None:
        words = ("☐" if box[1] == " " else "☑") + words[box.end() :]
    return [f"{' ' * 4 * _level(block.depth)}{_mark(block.mark)} {words}".rstrip()]


@_written.register
def _more(block: More, dialect: Dialect) -> list[str]:
    inner = 4 * _level(block.depth) + len(_mark(block.mark)) + 1 + block.beyond
    return [f"{' ' * inner}{_words(block.text)}"]


def _level(depth: int) -> int:
    return min(depth, limits.LIST_DEPTH - 1)


def _mark(mark: str) -> str:
    return "-" if mark in {"*", "+"} else mark.replace(")", ".")


@_written.register
def _quote(block: Quote, dialect: Dialect) -> list[str]:
    coded = False
    lines: list[str] = []
    for line in block.lines:
        marks = _QUOTE_MARKS.match(line)
        at = marks.end() if marks else 0
        edge = line[at:].lstrip().startswith("```")
        coded ^= edge
        lines.append(line if coded or edge else line[:at] + _words(line[at:]))
    return lines


@_written.register
def _rule(_: Rule, __: Dialect) -> list[str]:
    return ["---"]


def _words(text: str) -> str:
    return repaired(rewrite(text, _atom))


def _atom(source: str, atom: Atom) -> str:
    on_web = atom.target.startswith(("http://", "https://"))
    if atom.kind is Kind.TAG:
        return _OBEYED.sub("<\u200b\\1", source)
    if atom.kind is Kind.ADDRESS:
        return atom.target.removeprefix("mailto:")
    if atom.kind is Kind.IMAGE:
        return f"[{atom.label or atom.target}]({atom.target})" if on_web else _named(atom)
    if atom.kind is Kind.LINK and not on_web:
        return _named(atom)
    return source


def _named(atom: Atom) -> str:
    same = atom.label in {"", atom.target} or atom.target == f"mailto:{atom.label}"
    return (atom.label or atom.target) if same else f"{atom.label} ({atom.target})"


_DEPTHS: Final = {1: 4, 2: 5, 3: 5, 4: 4, 5: 5, 6: 6}  # larger ones shout on a card
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # nobody sees them; some readers stop at one
_TICKS: Final = re.compile(r"`{3,}")
_BOX: Final = re.compile(r"\[([ xX])\](?=\s|$)")
_QUOTE_MARKS: Final = re.compile(r"[ \t]*(?:>[ \t]?)+")
_TEXT_TAG: Final = re.compile(r"<(/?[bius]>)", re.IGNORECASE)
_OBEYED: Final = re.compile(
    r"<(/?(?:a|font|text_tag|number_tag|local_datetime|link|record|audio|card)\b)", re.IGNORECASE
)
