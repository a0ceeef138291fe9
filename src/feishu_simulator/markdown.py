"""The Markdown of a post as the platform draws it, odd corners included; a card's bold words follow the same rules.

A post knows bold, slanted, underlined and struck words, links, mentions and code. Headings, bars of tables, marks of
lists and backticks within a line stay the letters they are; a table shows nothing at all. Bold words that end in
punctuation and touch a word are not bold: their asterisks show.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, Final

Json = dict[str, Any]
Mention = Callable[[str], Json | None]  # an id in an `@` to the node that stands for it

STYLES: Final = {"**": "bold", "~~": "lineThrough", "*": "italic", "~": "underline"}

_FENCE: Final = re.compile(r"(`{3,})([^`]*)")
_TABLE_RULE: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_QUOTE: Final = re.compile(r"(?:>\s?)+")
_AT: Final = re.compile(r'<at\s+user_id\s*=\s*"([^"]*)"\s*>(.*?)</at>', re.DOTALL)
_LINK: Final = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")
_CODE: Final = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARK: Final = re.compile(r"\*+|~+")


def paragraphs(source: str, mention: Mention) -> Iterator[list[Json]]:
    """Turn the text of an md node into the paragraphs that it is read back as."""
    lines = source.split("\n")
    at = 0
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        end = _fence_end(lines, at, fence[1]) if fence else None
        if fence and end is not None:
            text = "\n".join(lines[at + 1 : end])
            yield [{"tag": "code_block", "language": fence[2].strip().upper(), "text": text}]
            at = end + 1
        elif _is_table(lines, at):
            yield [_text("", ())]
            at = _table_end(lines, at)
        else:
            yield line_nodes(_QUOTE.sub("", lines[at], count=1) if lines[at].startswith(">") else lines[at], mention)
            at += 1


def line_nodes(line: str, mention: Mention) -> list[Json]:
    """Turn a line into nodes: words with their styles, links, mentions."""
    return list(_inline(line, (), mention)) or [_text("", ())]


def _fence_end(lines: list[str], at: int, marks: str) -> int | None:
    """Find the line that closes a fence; one that stands further in, or has blanks behind it, does not."""
    return next((end for end in range(at + 1, len(lines)) if lines[end] == marks), None)


def _is_table(lines: list[str], at: int) -> bool:
    under = lines[at + 1] if at + 1 < len(lines) else ""
    return "|" in lines[at] and "|" in under and _TABLE_RULE.fullmatch(under) is not None


def _table_end(lines: list[str], at: int) -> int:
    while at < len(lines) and "|" in lines[at]:
        at += 1
    return at


def _inline(text: str, styles: tuple[str, ...], mention: Mention) -> Iterator[Json]:
    plain, at = "", 0
    while at < len(text):
        nodes, end = _special(text, at, styles, mention)
        if nodes is None:
            plain += text[at:end]
        else:
            if plain:
                yield _text(plain, styles)
            plain = ""
            yield from nodes
        at = end
    if plain:
        yield _text(plain, styles)


def _special(text: str, at: int, styles: tuple[str, ...], mention: Mention) -> tuple[list[Json] | None, int]:
    """Read what begins at a place: its nodes, or None for letters that stay; and where it ends."""
    if text[at] not in "\\`[<*~":
        return None, at + 1
    if (escape := _ESCAPE.match(text, at)) is not None:
        return [_text(escape[1], styles)], escape.end()
    if (code := _CODE.match(text, at)) is not None:
        return None, code.end()
    if (link := _LINK.match(text, at)) is not None:
        return [{"tag": "a", "text": link[1], "href": link[2], "style": list(styles)}], link.end()
    if (found := _AT.match(text, at)) is not None:
        node = mention(found[1])
        return (None, found.end()) if node is None else ([node], found.end())
    mark = _MARK.match(text, at)
    return _styled(text, mark, styles, mention) if mark else (None, at + 1)


def _styled(text: str, mark: re.Match[str], styles: tuple[str, ...], mention: Mention) -> tuple[list[Json] | None, int]:
    style = STYLES.get(mark[0])
    if style is None or not _opens(text, mark.start(), mark.end()):
        return None, mark.end()
    for other in _MARK.finditer(text, mark.end()):
        if other[0] == mark[0] and _closes(text, other.start(), other.end()):
            inner = text[mark.end() : other.start()]
            return list(_inline(inner, (*styles, style), mention)), other.end()
    return None, mark.end()


def _opens(text: str, start: int, end: int) -> bool:
    inner, outer = text[end : end + 1], text[start - 1 : start] if start else ""
    return not _blank(inner) and (not _punctuation(inner) or _blank(outer) or _punctuation(outer))


def _closes(text: str, start: int, end: int) -> bool:
    inner, outer = text[start - 1 : start], text[end : end + 1]
    return not _blank(inner) and (not _punctuation(inner) or _blank(outer) or _punctuation(outer))


def _blank(letter: str) -> bool:
    return not letter or letter.isspace()


def _punctuation(letter: str) -> bool:
    return bool(letter) and unicodedata.category(letter)[0] in "PS"


def _text(words: str, styles: tuple[str, ...]) -> Json:
    return {"tag": "text", "text": words, "style": list(styles)}
