"""Put the parts of a long answer together again, as a reader would who takes them for one text.

Written from what is documented about cuts and about the form in which Markdown is sent, without the code that does it.
"""

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["as_sent_on_a_card", "joined"]

HEAD: Final = re.compile(r"(?:\|.*\|\n)\| :?-{3}:?(?: \| :?-{3}:?)* \|\n")
FENCE: Final = re.compile(r"^(?P<marks>`{3,})(?P<label>[^`\n]*)$", re.MULTILINE)
REPEATED_MARKS: Final = re.compile(r"(?: *(?:-|\d+\.) …[\n ])+")


def joined(pieces: Iterable[str], whole: str) -> str:
    """Undo what a cut puts around itself: the head of a table, the marks of code, of a list and of a quote.

    `whole` is looked at for one thing only: whether a line of code ended at a cut, which the pieces do not tell.
    """
    text = ""
    for piece in pieces:
        text, rest = _code(text, piece, whole)
        if rest == piece:
            rest = _list(_quote(text, _table(text, piece)))
        text += rest
    return text


def as_sent_on_a_card(source: str) -> str:
    """Write a document of the tests as it is documented to be sent; what stands in code stays as it is."""
    lines, coded = [], False
    for line in source.split("\n"):
        edge = line.startswith("```")
        coded ^= edge
        lines.append(line if coded or edge else _line(line))
    return "\n".join(lines)


def _line(line: str) -> str:
    line = re.sub(r"^#{1,2} ", lambda marks: "###" + marks[0], line)
    line = re.sub(r"^( +)(?=-|\d+\.)", r"\1\1", line)  # the documents write two blanks a level
    if re.fullmatch(r"\|(:?-+:?\|)+", line):
        line = f"| {' | '.join(line.strip('|').split('|'))} |"
    line = re.sub(r"\*\*(\w+)([：.])\*\*(?=\w)", r"**\1**\2", line)
    return re.sub(r"(</?)(?=at\b)|(@)(?=_all)", _broken, line)


def _broken(found: re.Match[str]) -> str:
    return {"<": "<\u200b", "</": "<\u200b/", "@": "@\u200b"}[found[0]]


def _code(text: str, piece: str, whole: str) -> tuple[str, str]:
    opening = FENCE.match(piece)
    fences = list(FENCE.finditer(text))
    if opening is None or len(fences) < 2 or fences[-1].end() != len(text) or fences[-2][0] != opening[0]:
        return text, piece
    text = text[: fences[-1].start()]
    return text if whole.startswith(text) else text.removesuffix("\n"), piece[opening.end() + 1 :]


def _table(text: str, piece: str) -> str:
    head = HEAD.match(piece)
    goes_on = head is not None and text.endswith("|\n") and HEAD.findall(text)[-1:] == [head[0]]
    return piece[head.end() :] if head is not None and goes_on else piece


def _quote(text: str, piece: str) -> str:
    in_quote = not text.endswith("\n") and text.rpartition("\n")[2].startswith("> ")
    return piece.removeprefix("> ") if in_quote else piece


def _list(piece: str) -> str:
    return REPEATED_MARKS.sub("", piece, count=1) if REPEATED_MARKS.match(piece) else piece
