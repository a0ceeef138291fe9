"""A long text in pieces that the platform takes, by the bytes that it counts."""

import json

from hongyan.domain import limits

__all__ = ["split_text"]


def split_text(text: str, limit: int = limits.TEXT_BYTES) -> tuple[str, ...]:
    """Cut a text into pieces of at most `limit` bytes as JSON spells them, at line ends where possible.

    Joined they are the text. A quote and a line end take two bytes on the way, and the platform counts them there.
    """
    pieces: list[str] = []
    rest = text
    while _spelled_bytes(rest) > limit:
        head = rest[: _room(rest, limit)]
        cut = head.rfind("\n") + 1 or len(head)
        pieces.append(rest[:cut])
        rest = rest[cut:]
    return (*pieces, rest)


def _room(text: str, limit: int) -> int:
    """Give how many letters fit, at least one."""
    least, most = 1, min(len(text), limit)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if _spelled_bytes(text[:middle]) <= limit else (least, middle - 1)
    return least


def _spelled_bytes(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2
