"""Lines of Markdown sorted into blocks: enough to cut between them and to write them in another way."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

__all__ = [
    "Block",
    "Fence",
    "Heading",
    "Item",
    "More",
    "Paragraph",
    "Quote",
    "Rule",
    "Table",
    "blocks_of",
    "cells_of",
    "is_table_rule",
    "leading",
]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and its depth from 1."""

    depth: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines of words that follow one another; an empty one stands for blank lines."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fence:
    """Code, without the marks around it."""

    info: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its head, its sides (`---`, `:-:`, …) and its rows."""

    head: tuple[str, ...]
    sides: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Item:
    """The first line of a list's item. `depth` counts from 0; `mark` is `-` or a number with its sign."""

    depth: int
    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class More:
    """A further line of an item, `beyond` blanks further in than the item's words."""

    depth: int
    mark: str
    beyond: int
    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Lines that are quoted, each with its marks."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the page."""


Block: TypeAlias = Heading | Paragraph | Fence | Table | Item | More | Quote | Rule


def blocks_of(text: str) -> Iterator[Block]:
    """Sort a text with plain line ends into blocks, in order."""
    yield from _Reader(text.split("\n")).read()


def leading(line: str) -> int:
    """Count the blanks before the words; a tab goes to the next fourth column."""
    width = 0
    for letter in line:
        if letter == "\t":
            width += 4 - width % 4
        elif letter == " ":
            width += 1
        else:
            break
    return width


def cells_of(line: str) -> tuple[str, ...]:
    """Split a table's line at its bars."""
    inner = line.strip()
    inner = inner[1:] if inner.startswith("|") else inner
    inner = inner[:-1] if _ENDS_IN_BAR.search(inner) else inner
    return tuple(cell.strip() for cell in _BAR.split(inner))


def is_table_rule(line: str) -> bool:
    """Tell whether the line is the one below a table's head."""
    return "|" in line and _TABLE_RULE.fullmatch(line.strip()) is not None


@dataclass(slots=True)
class _Reader:
    lines: list[str]
    at: int = 0
    open_items: list[tuple[int, int, str]] = field(default_factory=list)  # column of the mark, of the words, the mark

    def read(self) -> Iterator[Block]:
        while self.at < len(self.lines):
            yield self._next()

    def _next(self) -> Block:
        line = self.lines[self.at]
        for read in (self._blank, self._fence, self._rule, self._item, self._table, self._more, self._indented):
            block = read(line)
            if block is not None:
                return block
        return self._flush(line)

    def _blank(self, line: str) -> Paragraph | None:
        if line.strip():
            return None
        self.at += 1
        return Paragraph(("",))

    def _rule(self, line: str) -> Rule | None:
        if leading(line) >= 4 or not _RULE.fullmatch(line):
            return None
        self.open_items.clear()
        self.at += 1
        return Rule()

    def _flush(self, line: str) -> Block:
        """Read what begins at the margin, which ends every list."""
        self.open_items.clear()
        if (heading := _HEADING.match(line)) is not None:
            self.at += 1
            return Heading(len(heading["depth"]), _heading_words(line[heading.end() :]))
        if _QUOTE.match(line):
            return Quote(tuple(self._while(lambda text: _QUOTE.match(text) is not None)))
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        if _UNDERLINE.fullmatch(following):
            self.at += 2
            return Heading(1, line.strip())
        return Paragraph(tuple(self._words()))

    def _while(self, belongs: Callable[[str], bool]) -> Iterator[str]:
        while self.at < len(self.lines) and belongs(self.lines[self.at]):
            self.at += 1
            yield self.lines[self.at - 1]

    def _words(self) -> Iterator[str]:
        yield self.lines[self.at]
        self.at += 1
        while self.at < len(self.lines) and self._goes_on(self.lines[self.at]):
            yield self.lines[self.at]
            self.at += 1

    def _goes_on(self, line: str) -> bool:
        opens = any(pattern.match(line) for pattern in (_FENCE, _RULE_LINE, _ITEM, _HEADING, _QUOTE))
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        return bool(line.strip()) and not opens and not self._is_table() and not _UNDERLINE.fullmatch(following)

    def _fence(self, line: str) -> Fence | None:
        opening = _FENCE.match(line)
        if opening is None:
            return None
        inner, marks = leading(opening["blanks"]), opening["marks"]
        closing = re.compile(rf"[ \t]*{re.escape(marks[0])}{{{len(marks)},}}[ \t]*")
        self.at += 1
        body = [_outdented(text, inner) for text in self._while(lambda text: not closing.fullmatch(text))]
        self.at += 1
        if not inner:
            self.open_items.clear()
        return Fence(opening["info"].strip(), tuple(body))

    def _is_table(self) -> bool:
        if self.at + 1 >= len(self.lines) or "|" not in self.lines[self.at]:
            return False
        return is_table_rule(self.lines[self.at + 1]) and not is_table_rule(self.lines[self.at])

    def _table(self, line: str) -> Table | None:
        if not self._is_table():
            return None
        self.open_items.clear()
        sides = cells_of(self.lines[self.at + 1])
        self.at += 2
        rows = tuple(cells_of(text) for text in self._while(lambda text: "|" in text and bool(text.strip())))
        return Table(cells_of(line), sides, rows)

    def _item(self, line: str) -> Item | None:
        """Read an item: it stands near the margin, or further in than an open one."""
        found = _ITEM.fullmatch(line)
        column = leading(line)
        if found is None or not (column < 4 or self.open_items):
            return None
        while self.open_items and not self.open_items[-1][0] + 1 < column:
            self.open_items.pop()
        words = column + len(found["mark"]) + 1
        self.open_items.append((column, words, found["mark"]))
        text = found["text"] or ""
        if _FENCE.match(text):  # code that begins beside the mark begins below it
            self.lines[self.at] = " " * words + text
            text = ""
        else:
            self.at += 1
        return Item(len(self.open_items) - 1, found["mark"], text)

    def _more(self, line: str) -> More | None:
        column = leading(line)
        inside = [number for number, (mark, _, _) in enumerate(self.open_items) if mark < column]
        if not inside:
            return None
        self.at += 1
        _, words, mark = self.open_items[inside[-1]]
        return More(inside[-1], mark, max(column - words, 0), line.strip())

    def _indented(self, line: str) -> Fence | None:
        """Read code that is marked by four blanks."""
        if leading(line) < 4:
            return None
        body = list(self._while(lambda text: not text.strip() or leading(text) >= 4))
        while not body[-1].strip():
            body.pop()
            self.at -= 1
        return Fence("", tuple(_outdented(text, 4) for text in body))


def _heading_words(rest: str) -> str:
    words = rest.strip()
    open_end = words.rstrip("#")
    return open_end.rstrip() if open_end != words and (not open_end or open_end[-1].isspace()) else words


def _outdented(line: str, blanks: int) -> str:
    """Take up to so many columns of blanks away from the left."""
    taken = 0
    while taken < blanks and line[:1] in {" ", "\t"}:
        taken += 1 if line[0] == " " else 4
        line = line[1:]
    return line


_FENCE: Final = re.compile(r"(?P<blanks>[ \t]*)(?P<marks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")
_RULE: Final = re.compile(r"[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}")
_RULE_LINE: Final = re.compile(rf"{_RULE.pattern}$")
_HEADING: Final = re.compile(r"[ \t]{0,3}(?P<depth>#{1,6})(?=[ \t]|$)")
_UNDERLINE: Final = re.compile(r"[ \t]{0,3}={3,}[ \t]*")
_QUOTE: Final = re.compile(r"[ \t]{0,3}>")
_ITEM: Final = re.compile(r"(?P<blanks>[ \t]*)(?P<mark>[-*+]|\d{1,9}[.)])(?:[ \t]+(?P<text>.*))?")
_TABLE_RULE: Final = re.compile(r"\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?")
_BAR: Final = re.compile(r"(?<!\\)\|")
_ENDS_IN_BAR: Final = re.compile(r"(?<!\\)\|$")
