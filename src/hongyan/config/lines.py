"""Finds the line of a key in a TOML text; the parser of the standard library does not keep it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Lines", "Location"]

Location = tuple[str | int, ...]

NAME: Final = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
DOTTED: Final = rf"{NAME}(?:\s*\.\s*{NAME})*"
HEADER: Final = re.compile(rf"\s*(?P<open>\[\[?)\s*(?P<name>{DOTTED})\s*\]")
KEY: Final = re.compile(rf"\s*(?P<name>{DOTTED})\s*=")
LONG_QUOTE: Final = re.compile(r"\"\"\"|'''")


@dataclass(slots=True)
class Lines:
    """The lines of one text that is valid TOML. A key inside an inline table has the line of its outer key."""

    text: str
    _known: dict[Location, int] = field(init=False, default_factory=dict)
    _counts: dict[Location, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        table: Location = ()
        for number, line in _outside_long_strings(self.text):
            if header := HEADER.match(line):
                table = self._open(_parts(header["name"]), header["open"] == "[[")
                self._known.setdefault(table, number)
            elif key := KEY.match(line):
                self._note((*table, *_parts(key["name"])), number)

    def of(self, location: Sequence[str | int]) -> int | None:
        """Give the line of a location, or of the nearest thing around it; None when nothing of it is in the text."""
        for length in range(len(location), 0, -1):
            if (line := self._known.get(tuple(location[:length]))) is not None:
                return line
        return None

    def _open(self, parts: Sequence[str], repeated: bool) -> Location:
        """Name a table: each part that is a list so far means its last element, a repeated header the next one."""
        table: Location = ()
        for index, part in enumerate(parts):
            table = (*table, part)
            if repeated and index == len(parts) - 1:
                self._counts[table] = self._counts.get(table, 0) + 1
            if table in self._counts:
                table = (*table, self._counts[table] - 1)
        return table

    def _note(self, location: Location, line: int) -> None:
        for length in range(1, len(location) + 1):
            self._known.setdefault(location[:length], line)


def _outside_long_strings(text: str) -> Iterator[tuple[int, str]]:
    """Give the numbered lines that do not begin inside a string of several lines."""
    inside = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not inside:
            yield number, line
        for quote in LONG_QUOTE.findall(line):
            inside = "" if inside == quote else inside or quote


def _parts(name: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(NAME, name)]
