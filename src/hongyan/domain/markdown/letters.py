"""Letters as people see them, and what a text weighs on the wire."""

import json
import re
import unicodedata
from typing import Final

__all__ = ["is_punctuation", "is_seam", "last_seam", "reach", "weight"]

JOINER: Final = "\u200d"


def weight(text: str) -> int:
    """Give the UTF-8 bytes of a text inside a JSON string, which is how every content travels."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def reach(text: str, start: int, room: int) -> int:
    """Give the end of the longest piece from `start` that weighs at most `room`."""
    low, high = start, min(len(text), start + room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if weight(text[start:middle]) <= room else (low, middle - 1)
    return low


def last_seam(text: str, start: int, end: int) -> int:
    """Give the last place in (start, end] where no letter is cut apart; `end` when there is none."""
    at = end
    while at > start and not is_seam(text, at):
        at -= 1
    return at if at > start else end


def is_seam(text: str, at: int) -> bool:
    """Tell whether a cut before `at` leaves every letter, emoji and flag whole."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == JOINER or _EXTENDS.match(after) or unicodedata.category(after)[0] == "M":
        return False
    if before == "\r":
        return after != "\n"
    if _FLAG.match(after):
        return (at - _flags_from(text, at)) % 2 == 0
    return not _HANGUL.match(before + after)


def is_punctuation(letter: str) -> bool:
    """Tell whether Markdown takes the letter for punctuation."""
    return unicodedata.category(letter)[0] in "PS"


def _flags_from(text: str, at: int) -> int:
    while at > 0 and _FLAG.match(text[at - 1]):
        at -= 1
    return at


# What continues the letter before it: joiners, the colours of emoji, the tags of regional flags, half-width voicing.
_EXTENDS: Final = re.compile("[\u200c\u200d\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG: Final = re.compile("[\U0001f1e6-\U0001f1ff]")  # two make one flag
_LEADS: Final = "\u1100-\u115f\ua960-\ua97c"
_SYLLABLES: Final = "\uac00-\ud7a3"
_VOWELS: Final = "\u1160-\u11a7\ud7b0-\ud7c6"
_TAILS: Final = "\u11a8-\u11ff\ud7cb-\ud7fb"
_HANGUL: Final = re.compile(
    f"[{_LEADS}][{_LEADS}{_VOWELS}{_SYLLABLES}]|[{_SYLLABLES}{_VOWELS}][{_VOWELS}{_TAILS}]|[{_TAILS}][{_TAILS}]"
)
