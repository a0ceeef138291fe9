"""Normal Markdown as a row of smallest pieces, each with what a cut before it would cost and would need.

A cut inside code closes the code and opens it again with the same label; one between a table's rows repeats its head;
one inside a list repeats the marks that the next item hangs on, with dots for their words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from hongyan.domain.markdown.blocks import is_table_rule, leading

__all__ = ["Seam", "Unit", "code_units", "plain_units", "units_of"]


class Seam(IntEnum):
    """How well a text may be cut at a place; the higher the better."""

    NEVER = 0
    LETTER = 1
    WORD = 2
    SENTENCE = 3
    LINE = 4
    ITEM = 5
    BLOCK = 6
    HEADING = 7


@dataclass(frozen=True, slots=True)
class Unit:
    """A line, or a piece of a long one.

    `closer` ends the part before a cut here, `opener` begins the part behind it, `inner` begins one whose cut lies
    further inside the line. `table` numbers the table that it belongs to, 0 for none; `code` is no prose to look into.
    """

    text: str
    seam: Seam
    opener: str = ""
    closer: str = ""
    inner: str = ""
    table: int = 0
    code: bool = False


def plain_units(text: str) -> Iterator[Unit]:
    """Cut plain words into lines."""
    blank = True
    for line in _lines(text):
        yield Unit(line, Seam.BLOCK if blank and line.strip() else Seam.LINE)
        blank = not line.strip()


def code_units(lines: list[str], marks: str, opener: str) -> Iterator[Unit]:
    """Cut the inside of a fence into lines; the last one ends it."""
    for number, line in enumerate(lines):
        edge = number in {0, len(lines) - 1}
        seam = Seam.NEVER if edge else Seam.LINE
        yield Unit(line, seam, opener, marks, opener, code=True)


def units_of(text: str) -> Iterator[Unit]:
    """Cut normal Markdown into lines."""
    yield from _Walker(_lines(text)).walk()


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)  # `splitlines` ends lines at letters that Markdown does not


@dataclass(slots=True)
class _Walker:
    lines: list[str]
    at: int = 0
    tables: int = 0
    blank: bool = True
    hangs_on: list[str] = field(default_factory=list)  # the marks of the open items, outermost first

    def walk(self) -> Iterator[Unit]:
        while self.at < len(self.lines):
            yield from self._next()

    def _next(self) -> Iterator[Unit]:
        line = self.lines[self.at]
        fence = _FENCE.fullmatch(line)
        if fence is not None:
            yield from self._fence(fence["marks"], line)
        elif self._begins_table():
            yield from self._table()
        else:
            self.at += 1
            unit = self._line(line)
            self.blank = not line.strip()
            yield unit

    def _fence(self, marks: str, line: str) -> Iterator[Unit]:
        yield Unit(line, Seam.BLOCK, code=True)
        end = self.at + 1
        while end < len(self.lines) and self.lines[end].rstrip("\n") != marks:
            end += 1
        yield from code_units(self.lines[self.at + 1 : end + 1], marks, line)
        self.at, self.blank = end + 1, True

    def _begins_table(self) -> bool:
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        return self.lines[self.at].startswith("|") and following.startswith("|") and is_table_rule(following)

    def _table(self) -> Iterator[Unit]:
        self.tables += 1
        head = self.lines[self.at : self.at + 2]
        yield Unit(head[0], Seam.BLOCK, table=self.tables)
        yield Unit(head[1], Seam.NEVER, table=self.tables)
        self.at += 2
        first = True
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            seam = Seam.NEVER if first else Seam.LINE
            yield Unit(self.lines[self.at], seam, "".join(head), table=self.tables)
            self.at, first = self.at + 1, False
        self.hangs_on.clear()
        self.blank = True

    def _line(self, line: str) -> Unit:
        if not line.strip():
            return Unit(line, Seam.NEVER, self._ancestors(len(self.hangs_on)))
        item = _ITEM.match(line)
        if item is not None:
            return self._item(item, line)
        if self.hangs_on and leading(line) > 0:
            return Unit(line, Seam.LINE, self._ancestors(len(self.hangs_on)), "", self._inside(len(self.hangs_on)))
        self.hangs_on.clear()
        if line.startswith("#"):
            return Unit(line, Seam.HEADING)
        begins = self.blank or line.startswith("---")
        quoted = _QUOTE.match(line)
        return Unit(line, Seam.BLOCK if begins else Seam.LINE, inner=quoted[0] if quoted else "")

    def _item(self, item: re.Match[str], line: str) -> Unit:
        depth = min(len(item["blanks"]) // 4, len(self.hangs_on))
        del self.hangs_on[depth:]
        ancestors = self._ancestors(depth)
        self.hangs_on.append(f"{item['blanks']}{item['mark']} ")
        seam = Seam.LINE if depth else Seam.BLOCK if self.blank else Seam.ITEM
        return Unit(line, seam, ancestors, "", self._inside(depth + 1))

    def _ancestors(self, depth: int) -> str:
        return "".join(f"{mark}{DOTS}\n" for mark in self.hangs_on[:depth])

    def _inside(self, depth: int) -> str:
        """Begin in the middle of an item's words."""
        return f"{self._ancestors(depth).removesuffix(chr(10))} "


DOTS: Final = "…"
_FENCE: Final = re.compile(r"(?P<marks>`{3,})[^`\n]*\n?")
_ITEM: Final = re.compile(r"(?P<blanks> *)(?P<mark>-|\d{1,9}\.)(?= |$)", re.MULTILINE)
_QUOTE: Final = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
