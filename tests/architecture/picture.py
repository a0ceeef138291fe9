"""Read the arrows of the picture in ARCHITECTURE.md."""

from __future__ import annotations

import re
from typing import Final

PICTURE: Final = re.compile(r"^```mermaid\n(?P<lines>.*?)^```", re.MULTILINE | re.DOTALL)
ARROW: Final = re.compile(r"^\s*(?P<tail>\w+)\s*-->\s*(?P<heads>\w+(?:\s*&\s*\w+)*)\s*$", re.MULTILINE)


def drawn_arrows(page: str) -> set[tuple[str, str]]:
    """(room, room) for every `room --> room & room` in the page's Mermaid blocks."""
    return {
        (arrow["tail"], head.strip())
        for block in PICTURE.finditer(page)
        for arrow in ARROW.finditer(block["lines"])
        for head in arrow["heads"].split("&")
    }


def disagreements(drawn: set[tuple[str, str]], measured: set[tuple[str, str]], furnished: set[str]) -> list[str]:
    """Arrows that only one side knows. One without an import counts once both of its rooms hold code."""
    missing = [f"{tail} --> {head} is imported but not drawn" for tail, head in measured - drawn]
    idle = [
        f"{tail} --> {head} is drawn but not imported" for tail, head in drawn - measured if {tail, head} <= furnished
    ]
    return sorted(missing + idle)
