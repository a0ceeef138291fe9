"""Draws answers for a person: quiet tables, aligned facts, plain lines. A pipe gets whole lines, never cut ones."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hongyan.entrypoints.cli.words import say

__all__ = ["facts", "line", "print_json", "table"]

PIPE_COLUMNS: Final = 400


def print_json(value: object) -> None:
    """Print an answer for programs."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def line(text: str = "") -> None:
    """Print a line."""
    print(text)


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values in two columns; a pair without a value is left out."""
    shown = [(Text(name, style="dim"), value) for name, value in pairs if value]
    wide = max((name.cell_len for name, _ in shown), default=0)
    for name, value in shown:
        name.pad_right(wide + 2 - name.cell_len)
        _console().print(name.append(value, style="not dim"), soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their headings, or that there is nothing."""
    drawn = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading in headings:
        drawn.add_column(Text(heading), overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    if drawn.row_count:
        _console().print(drawn)
    else:
        line(say("nothing"))


def _console() -> Console:
    wide = None if sys.stdout.isatty() else PIPE_COLUMNS
    return Console(file=sys.stdout, width=wide, highlight=False, markup=False, emoji=False)
