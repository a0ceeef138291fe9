"""Bold words that the platform shows with their asterisks, written so that it shows them bold."""

from hongyan.domain.markdown.inline import Atom, Bold, atoms, bold_words
from hongyan.domain.markdown.letters import is_punctuation

__all__ = ["repaired"]

NOTHING: str = "\u200b"  # shows as nothing, and is neither blank nor punctuation


def repaired(text: str) -> str:
    """Move punctuation out of bold words where it keeps them from being bold: `**done.**next` is `**done**.next`.

    Where an atom stands at the edge and cannot move, a letter that shows as nothing is put beside it.
    """
    broken = [pair for pair in bold_words(text) if not (pair.open_counts and pair.close_counts)]
    if not broken:
        return text
    found = atoms(text)
    for pair in reversed(broken):
        inner = text[pair.opens + 2 : pair.closes]
        rest = text[pair.closes + 2 :]
        rewritten = _rewritten(inner, pair, _Edges.of(found, pair))
        picture = rewritten.endswith("!") and rest.startswith("[")  # a link behind it must not become one
        text = text[: pair.opens] + rewritten + (NOTHING if picture else "") + rest
    return text


class _Edges:
    """Whether an atom stands at the beginning or the end of bold words."""

    def __init__(self, begins: bool, ends: bool) -> None:
        self.begins, self.ends = begins, ends

    @classmethod
    def of(cls, found: list[Atom], pair: Bold) -> "_Edges":
        """Look at both edges of a pair."""
        return cls(any(atom.start == pair.opens + 2 for atom in found), any(atom.end == pair.closes for atom in found))


def _rewritten(inner: str, pair: Bold, edges: _Edges) -> str:
    before = after = ""
    if not pair.close_counts:
        inner, after = (inner + NOTHING, "") if edges.ends else _cut_right(inner)
    if not pair.open_counts:
        before, inner = ("", NOTHING + inner) if edges.begins else _cut_left(inner)
    return f"{before}**{inner}**{after}" if inner else before + after


def _movable(letter: str) -> bool:
    return letter.isspace() or (is_punctuation(letter) and letter not in "*_~`[]<>\\")


def _cut_right(inner: str) -> tuple[str, str]:
    at = len(inner)
    while at and _movable(inner[at - 1]):
        at -= 1
    if at == len(inner):  # a mark that stays where it is
        return inner + NOTHING, ""
    return inner[:at], inner[at:]


def _cut_left(inner: str) -> tuple[str, str]:
    at = 0
    while at < len(inner) and _movable(inner[at]):
        at += 1
    if not at and inner:
        return "", NOTHING + inner
    return inner[:at], inner[at:]
