"""The lines of the books as a file: JSON Lines, or CSV with one header."""

import csv
import dataclasses
import io
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from enum import StrEnum
from typing import Final

from hongyan.domain.ledger import BookLine

__all__ = ["MEDIA_TYPES", "BookForm", "write_books"]


class BookForm(StrEnum):
    """How a line is written."""

    JSONL = "jsonl"
    CSV = "csv"


MEDIA_TYPES: Final = {BookForm.JSONL: "application/jsonl; charset=utf-8", BookForm.CSV: "text/csv; charset=utf-8"}
_NAMES: Final = tuple(field.name for field in dataclasses.fields(BookLine))


async def write_books(pieces: AsyncIterator[Sequence[BookLine]], form: BookForm) -> AsyncGenerator[str, None]:
    """Write piece by piece, so that no more than one is held."""
    if form is BookForm.CSV:
        yield ",".join(_NAMES) + "\r\n"
    async for piece in pieces:
        yield _rows(piece) if form is BookForm.CSV else "".join(_line(one) for one in piece)


def _line(one: BookLine) -> str:
    return json.dumps(dataclasses.asdict(one), ensure_ascii=False, separators=(",", ":")) + "\n"


def _rows(piece: Sequence[BookLine]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(tuple(_harmless(value) for value in dataclasses.astuple(one)) for one in piece)
    return out.getvalue()


def _harmless(value: object) -> object:
    """Keep a spreadsheet from taking a value for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@"} else value
