"""Names that others chose, as one safe line: nothing of them steers a screen, starts a line or looks like structure."""

import re
import unicodedata
from typing import Final

__all__ = ["one_line"]

LETTERS: Final = 80
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})  # controls, marks of direction, zero-width, no letters
_STRUCTURE: Final = re.compile(r"^[\s#>*`=_|~+\-]+")  # what begins a heading, a quote, a list or a fence


def one_line(name: str, most: int = LETTERS) -> str:
    """Give a name as one line of at most `most` letters; empty when nothing readable is left of it."""
    spaced = "".join(" " if letter.isspace() else letter for letter in name)
    seen = "".join(letter for letter in spaced if unicodedata.category(letter) not in _UNSEEN)
    words = _STRUCTURE.sub("", " ".join(seen.split()))
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"
