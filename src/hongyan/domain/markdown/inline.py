"""What stands within a line: code, links, pictures, tags, addresses, escapes, and marks for bold words.

An atom is read as a whole and never cut or changed inside; everything between atoms is words.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain.markdown.letters import is_punctuation

__all__ = ["Atom", "Bold", "Kind", "atoms", "bold_words", "rewrite", "without_atoms"]


class Kind(StrEnum):
    """What an atom is."""

    ESCAPE = "escape"
    CODE = "code"
    IMAGE = "image"
    LINK = "link"
    ADDRESS = "address"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class Atom:
    """One atom with its place. `label` and `target` are of links, pictures and addresses."""

    kind: Kind
    start: int
    end: int
    label: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Bold:
    """A pair of `**` with the places of both, and whether each is one by the rules of Markdown."""

    opens: int
    closes: int
    open_counts: bool
    close_counts: bool


def atoms(text: str) -> list[Atom]:
    """Find the atoms of a text, in order."""
    return list(_walk(text))


def rewrite(text: str, write: Callable[[str, Atom], str]) -> str:
    """Replace every atom by what `write` makes of its source; the words between stay."""
    pieces: list[str] = []
    at = 0
    for atom in _walk(text):
        pieces += [text[at : atom.start], write(text[atom.start : atom.end], atom)]
        at = atom.end
    return "".join((*pieces, text[at:]))


def without_atoms(text: str) -> str:
    """Give the words of a text with a neutral letter in the place of every letter of an atom."""
    return rewrite(text, lambda source, _: "x" * len(source))


def bold_words(text: str) -> list[Bold]:
    """Pair the `**` of each line as their writer meant them, also where the rules of Markdown say otherwise."""
    words = without_atoms(text)
    found: list[Bold] = []
    begun = -1
    for run in _RUNS.finditer(words):
        at, line = run.start(), words.rfind("\n", 0, run.start()) + 1
        if begun < line:
            begun = -1
        closes = begun >= 0 and at > begun + 2 and not words[at - 1].isspace()
        if closes:
            found.append(Bold(begun, at, _opens(text, begun), _closes(text, at)))
            begun = -1
        elif not _letter(words, at + 2).isspace():
            begun = at
    return found


def _letter(text: str, at: int) -> str:
    return text[at] if 0 <= at < len(text) else "\n"


def _apart(letter: str) -> bool:
    return letter.isspace() or is_punctuation(letter)


def _opens(text: str, at: int) -> bool:
    inner = _letter(text, at + 2)
    return not inner.isspace() and (not is_punctuation(inner) or _apart(_letter(text, at - 1)))


def _closes(text: str, at: int) -> bool:
    inner = _letter(text, at - 1)
    return not inner.isspace() and (not is_punctuation(inner) or _apart(_letter(text, at + 2)))


def _walk(text: str) -> Iterator[Atom]:
    at = 0
    while (found := _SPECIAL.search(text, at)) is not None:
        at = found.start()
        atom = _READERS[text[at]](text, at)
        if atom is None:
            at += len(found[0])
        else:
            yield atom
            at = atom.end


def _escape(text: str, at: int) -> Atom | None:
    return Atom(Kind.ESCAPE, at, at + 2) if _ESCAPED.match(text, at) else None


def _code(text: str, at: int) -> Atom | None:
    ticks = _TICKS.match(text, at)
    if ticks is None:
        return None
    for other in _TICKS.finditer(text, ticks.end()):
        if len(other[0]) == len(ticks[0]):
            return Atom(Kind.CODE, at, other.end())
    return None


def _image(text: str, at: int) -> Atom | None:
    return _named(text, at, Kind.IMAGE, at + 1)


def _link(text: str, at: int) -> Atom | None:
    return _named(text, at, Kind.LINK, at)


def _named(text: str, at: int, kind: Kind, bracket: int) -> Atom | None:
    found = _LINK.match(text, bracket)
    if found is None:
        return None
    target = found["target"]
    inside = target[1:-1] if target.startswith("<") else target
    return Atom(kind, at, found.end(), found["label"], inside)


def _tag(text: str, at: int) -> Atom | None:
    if (address := _BRACKETED.match(text, at)) is not None:
        return Atom(Kind.ADDRESS, at, address.end(), "", address[1])
    tag = _TAG.match(text, at)
    return Atom(Kind.TAG, at, tag.end()) if tag else None


def _address(text: str, at: int) -> Atom | None:
    found = _BARE.match(text, at)
    return Atom(Kind.ADDRESS, at, found.end(), "", found[0]) if found else None


_READERS: Final[dict[str, Callable[[str, int], Atom | None]]] = {
    "\\": _escape,
    "`": _code,
    "!": _image,
    "[": _link,
    "<": _tag,
    "h": _address,
}
_SPECIAL: Final = re.compile(r"\\|`+|!(?=\[)|\[|<|https?(?=://)")
_ESCAPED: Final = re.compile(r"\\[!-/:-@\[-`{-~]")
_TICKS: Final = re.compile(r"`+")
_RUNS: Final = re.compile(r"(?<!\*)\*\*(?!\*)")
_LABEL: Final = r"(?:[^\[\]\\\n]|\\.|\[[^\[\]\n]{0,200}\])"
_TARGET: Final = r"<[^<>\n]*>|(?:[^\s()\\<]|\\.|\([^\s()\\]*\))(?:[^\s()\\]|\\.|\([^\s()\\]*\))*"
_TITLE: Final = r"""(?:"[^"\n]*"|'[^'\n]*')"""
_LINK: Final = re.compile(rf"\[(?P<label>{_LABEL}{{0,2000}})\]\([ \t]*(?P<target>{_TARGET})(?:[ \t]+{_TITLE})?[ \t]*\)")
_BRACKETED: Final = re.compile(r"<((?:https?://|mailto:)[^\s<>]*)>")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]{0,500}>")
_BARE: Final = re.compile(r"https?://[^\s<>\u3000-\u303f\uff00-\uffef*`\"]+")
