"""The three forms in which words travel: what a part keeps of each, and which one follows when one is refused."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from hongyan.domain import limits
from hongyan.domain.markdown.letters import weight
from hongyan.domain.markdown.normal import Dialect, normal, plain
from hongyan.domain.markdown.split import Piece, Room, split
from hongyan.domain.markdown.survey import form_for
from hongyan.domain.markdown.units import plain_units, units_of
from hongyan.domain.messages import Transport

__all__ = ["FORMS", "compose", "elements_of", "next_form", "sentences", "words_of"]

FORMS: Final = (Transport.TEXT, Transport.POST, Transport.WORDS_CARD)
ENVELOPE_BYTES: Final = 800  # a card around its elements, the line for the list of chats included
ELEMENT_BYTES: Final = 80  # an element around its words
NO_TABLES: Final = 0
ANY_TABLES: Final = 1_000_000

_TEXT: Final = Room(limits.TEXT_BYTES, limits.TEXT_BYTES, ANY_TABLES)
_POST: Final = Room(limits.POST_BYTES - ENVELOPE_BYTES, limits.POST_BYTES, NO_TABLES)
_CARD: Final = limits.CARD_BYTES - ENVELOPE_BYTES
_ELEMENT: Final = Room(_CARD - ELEMENT_BYTES, limits.ELEMENT_LETTERS, limits.CARD_TABLES)


def compose(markdown: str) -> tuple[Transport, tuple[str, ...]]:
    """Choose how an agent's answer travels, and give what each of its parts keeps."""
    form = form_for(markdown)
    if form is Transport.TEXT:
        return form, sentences(markdown)
    if form is Transport.POST:
        return form, _shown(split(units_of(normal(markdown, Dialect.POST)), _POST))
    return form, tuple(_cards(split(units_of(normal(markdown, Dialect.CARD)), _ELEMENT)))


def sentences(text: str) -> tuple[str, ...]:
    """Give the parts of words that are no Markdown, as the gateway's own."""
    return _shown(split(plain_units(plain(text)), _TEXT))


def elements_of(content: str) -> tuple[str, ...]:
    """Give the pieces of Markdown that a card of words is made of."""
    return tuple(json.loads(content))


def words_of(form: Transport, content: str) -> str:
    """Give the words that a part keeps."""
    return "\n".join(elements_of(content)) if form is Transport.WORDS_CARD else content


def next_form(form: Transport, content: str) -> tuple[Transport, str] | None:
    """Give the form in which refused words are tried next and what it keeps; None after text, which everybody takes."""
    words = words_of(form, content)
    if form is Transport.WORDS_CARD:
        post = normal(words, Dialect.POST)
        if weight(post) <= _POST.size_bytes:
            return Transport.POST, post
    if form in {Transport.WORDS_CARD, Transport.POST}:
        return Transport.TEXT, plain(words)
    return None


def _shown(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Leave out what would show nothing: the platform refuses it."""
    return tuple(piece.text for piece in pieces if piece.body.strip()) or (pieces[0].text if pieces else "",)


def _cards(pieces: Sequence[Piece]) -> Iterator[str]:
    """Lay the elements into cards, in order and as many as fit."""
    held: list[Piece] = []
    for piece in (piece for piece in pieces if piece.body.strip()):
        if held and not _fit([*held, piece]):
            yield _kept(held)
            held = []
        held.append(piece)
    yield _kept(held)


def _fit(pieces: Sequence[Piece]) -> bool:
    size_bytes = sum(weight(piece.text) + ELEMENT_BYTES for piece in pieces)
    tables = sum(piece.tables for piece in pieces)
    return size_bytes <= _CARD and tables <= limits.CARD_TABLES and len(pieces) <= limits.CARD_PIECES


def _kept(pieces: Sequence[Piece]) -> str:
    return json.dumps([piece.text for piece in pieces], ensure_ascii=False)
