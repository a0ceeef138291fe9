"""Compare what was sent with what is shown, after what the platform is known to do to it.

A text comes back as it went. A post and a card come back taken apart: without asterisks, lists with other marks, code
with another label, blanks elsewhere. What must not differ is a letter of the words.
"""

import re
from typing import Final

__all__ = ["bare", "same_words"]


def same_words(sent: str, shown: str | None) -> bool:
    """Tell whether the platform shows every word of the Markdown that was sent, and no other."""
    return shown is not None and bare(sent) == bare(shown)


def bare(text: str) -> str:
    """Give the letters of a text in their order, without marks and blanks."""
    lines = (_LEAD.sub("", line) for line in text.split("\n") if not _LABEL.match(line))
    return _MARKS.sub("", _LINK.sub(_link, "\n".join(lines)))


def _link(found: re.Match[str]) -> str:
    label, target = found[1], found[2]
    return target if label == target else f"{label}{target}"


_LEAD: Final = re.compile(r"^(?:[ \t>]|[-*+•◦▪·](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t]))+")
_LABEL: Final = re.compile(r"[ \t]*`{3,}[^`]*$")
_LINK: Final = re.compile(r"\[([^\[\]\n]*)\]\(([^()\s]*)\)")
_MARKS: Final = re.compile(r"[\s\u200b*_~`|\\\[\]()<>!:#-]+")
