"""Cut words into parts that each stand for themselves; the bodies joined are the text that was cut."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from hongyan.domain.markdown.inline import Kind, atoms, bold_words
from hongyan.domain.markdown.letters import is_seam, last_seam, reach, weight
from hongyan.domain.markdown.units import Seam, Unit

__all__ = ["Piece", "Room", "split"]

SHARE: Final = 4  # a line may fill that part of a room; a longer one is cut in itself


@dataclass(frozen=True, slots=True)
class Room:
    """What one piece may hold."""

    size_bytes: int
    letters: int
    tables: int


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece: what of it is of the text, and what is put around so that it stands for itself."""

    opener: str
    body: str
    closer: str
    tables: int = 0

    @property
    def text(self) -> str:
        """Give what is sent."""
        return self.opener + self.body + self.closer


def split(units: Iterable[Unit], room: Room) -> list[Piece]:
    """Fill rooms from the left; each cut is the best one in the second half of what fits."""
    row = [piece for unit in units for piece in _cut_long(unit, room)]
    pieces: list[Piece] = []
    begin = 0
    while begin < len(row):
        end = _end(row, begin, room)
        opener = row[begin].opener if begin else ""
        closer = row[end].closer if end < len(row) else ""
        body = "".join(unit.text for unit in row[begin:end])
        pieces.append(Piece(opener, body, closer, len({unit.table for unit in row[begin:end]} - {0})))
        begin = end
    return pieces


@dataclass(slots=True)
class _Load:
    """What a piece holds while it is filled."""

    size_bytes: int
    letters: int
    tables: set[int] = field(default_factory=set)

    def take(self, unit: Unit) -> None:
        self.size_bytes += weight(unit.text)
        self.letters += len(unit.text)
        self.tables |= {unit.table} - {0}

    def fits(self, room: Room, closer: str = "") -> bool:
        size_bytes, letters = self.size_bytes + weight(closer), self.letters + len(closer)
        return size_bytes <= room.size_bytes and letters <= room.letters and len(self.tables) <= room.tables


def _end(row: Sequence[Unit], begin: int, room: Room) -> int:
    opener = row[begin].opener if begin else ""
    load = _Load(weight(opener), len(opener))
    ways: list[tuple[int, Seam, int]] = []  # bytes before the cut, how good it is, its place
    for end in range(begin + 1, len(row) + 1):
        load.take(row[end - 1])
        if not load.fits(room):
            break
        if end == len(row):
            return end
        if load.fits(room, row[end].closer):
            ways.append((load.size_bytes, row[end].seam, end))
    return _best(ways) if ways else begin + 1


def _best(ways: Sequence[tuple[int, Seam, int]]) -> int:
    """Choose the best cut of the second half; an earlier one before one that belongs nowhere."""
    half = ways[-1][0] // 2
    fitting = [way for way in ways if way[1] is not Seam.NEVER]
    late = [way for way in fitting if way[0] >= half]
    _, end = max((seam, end) for _, seam, end in late or fitting or ways)
    return end


def _cut_long(unit: Unit, room: Room) -> Iterator[Unit]:
    share, letters = room.size_bytes // SHARE, room.letters // SHARE
    if len(unit.text) <= letters and weight(unit.text) <= share:
        yield unit
        return
    places = _Places(unit)
    begin = 0
    while begin < len(unit.text):
        end = min(reach(unit.text, begin, share), begin + letters)
        end = places.best(begin, end)
        yield unit if begin == 0 and end == len(unit.text) else places.piece(begin, end)
        begin = end


class _Places:
    """Where one long line may be cut."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._seams: dict[int, Seam] = {0: unit.seam}
        text = unit.text
        self._code = [] if unit.code else [atom for atom in atoms(text) if atom.kind is Kind.CODE]
        whole = [] if unit.code else [(atom.start, atom.end) for atom in atoms(text)]
        bold = [] if unit.code else [(pair.opens, pair.closes + 2) for pair in bold_words(text)]
        self._whole = _joined([*whole, *bold])
        self._starts = [start for start, _ in self._whole]

    def best(self, begin: int, end: int) -> int:
        """Give the best place in the second half of [begin, end]."""
        text = self._unit.text
        if end == len(text):
            return end
        middle = begin + (end - begin) // 2
        for pattern, seam in _ENDS[self._unit.code :]:
            found = [at.end() for at in pattern.finditer(text, middle, end) if self._free(at.end())]
            if found:
                return self._note(found[-1], seam)
        at = end
        while at > middle and not (is_seam(text, at) and self._free(at)):
            at -= 1
        return self._note(at if at > middle else last_seam(text, begin, end), Seam.LETTER)

    def piece(self, begin: int, end: int) -> Unit:
        """Give the piece of the line between two places."""
        unit, text = self._unit, self._unit.text[begin:end]
        if begin == 0:
            return replace(unit, text=text)
        seam = self._seams[begin]
        if unit.code:
            return replace(unit, text=text, seam=seam, closer=f"\n{unit.closer}")
        marks = next((self._marks(atom.start) for atom in self._code if atom.start < begin < atom.end), "")
        return replace(unit, text=text, seam=seam, opener=unit.inner + marks, closer=marks)

    def _note(self, at: int, seam: Seam) -> int:
        self._seams[at] = seam
        return at

    def _marks(self, at: int) -> str:
        text = self._unit.text
        return text[at : len(text) - len(text[at:].lstrip("`"))]

    def _free(self, at: int) -> bool:
        """Tell whether no atom and no bold words would be cut apart."""
        around = bisect_left(self._starts, at)
        return around == 0 or at >= self._whole[around - 1][1]


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Put spans that overlap together."""
    whole: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if whole and start < whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return whole


_ENDS: Final = (
    (re.compile(r"[.!?](?=\s)\s|[。！？；]"), Seam.SENTENCE),
    (re.compile(r"\s|[，、]"), Seam.WORD),
)
