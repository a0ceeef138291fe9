"""What an agent wants to change, line by line: read out of a tool's arguments where they are those of an edit."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

__all__ = ["Diff", "DiffLine", "diff_of"]

_PATHS: Final = ("path", "file_path", "filePath", "abs_path", "filename")
_OLD: Final = ("old_string", "oldString", "old_text", "oldText", "old_str")
_NEW: Final = ("new_string", "newString", "new_text", "newText", "new_str", "content")
_AROUND: Final = 3


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: its sign (`+`, `-`, a space, or `…` for a gap) and its number in the old or the new text."""

    sign: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Diff:
    """A change of one file. Numbers count within the passage that the agent named."""

    path: str
    added: int
    removed: int
    lines: tuple[DiffLine, ...]


def diff_of(arguments: str) -> Diff | None:
    """Read a change out of arguments; None when they are not those of an edit."""
    try:
        read = json.loads(arguments)
    except ValueError:
        return None
    if not isinstance(read, dict):
        return None
    path, old, new = (_first(read, names) for names in (_PATHS, _OLD, _NEW))
    if path is None or new is None:
        return None
    lines = tuple(_lines((old or "").splitlines(), new.splitlines()))
    signs = [line.sign for line in lines]
    return Diff(path, signs.count("+"), signs.count("-"), lines)


def _first(read: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((read[name] for name in names if isinstance(read.get(name), str)), None)


def _lines(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    for number, group in enumerate(SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND)):
        if number:
            yield DiffLine("…", 0, "")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (DiffLine(" ", new_from + n + 1, text) for n, text in enumerate(new[new_from:new_to]))
                continue
            yield from (DiffLine("-", old_from + n + 1, text) for n, text in enumerate(old[old_from:old_to]))
            yield from (DiffLine("+", new_from + n + 1, text) for n, text in enumerate(new[new_from:new_to]))
