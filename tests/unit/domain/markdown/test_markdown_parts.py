"""Cutting: every part stands for itself and fits, and together they are the text that was cut."""

import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.markdown.documents import DOCUMENTS, LONG_DOCUMENTS, SCRAPS, long_answer

from hongyan.domain import limits
from hongyan.domain.markdown.blocks import Fence, Table, blocks_of
from hongyan.domain.markdown.forms import compose, elements_of, next_form, sentences, words_of
from hongyan.domain.markdown.letters import is_seam, last_seam, reach, weight
from hongyan.domain.markdown.normal import Dialect, normal, plain
from hongyan.domain.markdown.split import Piece, Room, split
from hongyan.domain.markdown.units import plain_units, units_of
from hongyan.domain.messages import Transport

ROOMS = st.builds(Room, st.integers(4_000, 9_000), st.integers(2_500, 6_000), st.integers(1, 3))
DIALECTS = st.sampled_from(list(Dialect))
SOURCES = st.one_of(DOCUMENTS, SCRAPS)
WORD = re.compile(r"[a-z]{3,}|雁")
BOUNDED = settings(max_examples=100, deadline=None, derandomize=True)


def _cut(text: str, dialect: Dialect, room: Room) -> list[Piece]:
    return split(units_of(normal(text, dialect)), room)


@BOUNDED
@given(SOURCES, DIALECTS)
def test_a_second_normalisation_changes_nothing(text: str, dialect: Dialect) -> None:
    once = normal(text, dialect)
    assert normal(once, dialect) == once


@BOUNDED
@given(st.one_of(LONG_DOCUMENTS, SCRAPS), DIALECTS, ROOMS)
def test_the_bodies_of_the_parts_join_to_the_normal_text(text: str, dialect: Dialect, room: Room) -> None:
    assert "".join(piece.body for piece in _cut(text, dialect, room)) == normal(text, dialect)


@BOUNDED
@given(LONG_DOCUMENTS, ROOMS)
def test_every_part_is_within_its_limits(text: str, room: Room) -> None:
    for piece in _cut(text, Dialect.CARD, room):
        assert weight(piece.text) <= room.size_bytes
        assert len(piece.text) <= room.letters
        assert sum(isinstance(block, Table) for block in blocks_of(piece.text)) <= room.tables


@BOUNDED
@given(LONG_DOCUMENTS, ROOMS)
def test_every_part_is_normal_markdown_by_itself(text: str, room: Room) -> None:
    """Open code, a table without its head or an item that hangs on nothing would be written otherwise."""
    for piece in _cut(text, Dialect.CARD, room):
        assert normal(piece.text, Dialect.CARD).strip() == piece.text.strip()


@BOUNDED
@given(LONG_DOCUMENTS)
def test_whatever_form_is_chosen_every_word_is_in_its_parts(text: str) -> None:
    form, parts = compose(text)
    sent = Counter(WORD.findall("\n".join(words_of(form, part) for part in parts)))
    assert not Counter(WORD.findall(text)) - sent


@BOUNDED
@given(st.text(st.sampled_from("ab \n雁é🦢"), max_size=400), st.integers(40, 200))
def test_plain_words_join_letter_by_letter(text: str, size_bytes: int) -> None:
    pieces = split(plain_units(text), Room(size_bytes, size_bytes, 0))
    assert "".join(piece.text for piece in pieces) == text
    assert all(weight(piece.text) <= size_bytes for piece in pieces)


def test_plain_words_that_weigh_more_on_the_wire_than_in_memory_still_fit() -> None:
    parts = sentences('"\n' * 60_000)
    assert len(parts) > 1
    assert all(len(json.dumps({"text": part}).encode()) < 150 * 1024 for part in parts)


@pytest.mark.parametrize("letter", ["👩‍💻", "🇨🇳", "e\u0301", "👍🏽", "각", "\u1100\u1161\u11a8", "1️⃣", "नि", "\r\n"])
def test_no_letter_is_cut_apart(letter: str) -> None:
    text = letter * 5
    assert [at for at in range(len(text) + 1) if is_seam(text, at)] == list(range(0, len(text) + 1, len(letter)))
    room = weight(letter) * 2 + 1
    assert last_seam(text, 0, reach(text, 0, room)) == 2 * len(letter)


def test_code_that_is_cut_is_opened_again_with_its_label() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(1_000))
    pieces = _cut(f"before\n\n```python\n{code}\n```\n\nafter", Dialect.CARD, Room(4_000, 4_000, 3))
    assert len(pieces) > 2
    assert all(piece.text.startswith("```python\nline_") for piece in pieces[1:])
    assert all(piece.text.endswith("\n```") for piece in pieces[:-1])
    shown = [block for piece in pieces for block in blocks_of(piece.text) if isinstance(block, Fence)]
    assert "\n".join(line for block in shown for line in block.lines) == code


def test_a_table_that_is_cut_shows_its_head_again() -> None:
    rows = "\n".join(f"| {number} | value {number} |" for number in range(400))
    pieces = _cut(f"| id | name |\n|---|---|\n{rows}", Dialect.CARD, Room(4_000, 4_000, 3))
    tables = [next(block for block in blocks_of(piece.text) if isinstance(block, Table)) for piece in pieces]
    assert {table.head for table in tables} == {("id", "name")}
    assert [row[0] for table in tables for row in table.rows] == [str(number) for number in range(400)]


def test_an_item_at_the_head_of_a_part_hangs_on_the_marks_above_it() -> None:
    inner = "\n".join(f"    - inner {number} {'word ' * 20}" for number in range(60))
    pieces = _cut(f"1. outer\n  - middle\n{inner}", Dialect.CARD, Room(4_000, 4_000, 3))
    assert pieces[1].text.startswith("1. …\n    - …\n        - inner")


def test_links_and_code_within_a_line_are_never_cut() -> None:
    line = "".join(f"[link {number}](https://example.com/{number}) and `code {number}`, " for number in range(400))
    for piece in _cut(line, Dialect.CARD, Room(4_000, 4_000, 3)):
        assert piece.text.count("[") == piece.text.count("](")
        assert piece.text.count("`") % 2 == 0
        assert not re.search(r"\]\([^)]*$", piece.text)


def test_a_long_answer_of_everything_arrives_whole() -> None:
    source = long_answer()
    assert len(source.encode()) > 120_000
    form, parts = compose(source)
    assert form is Transport.WORDS_CARD
    for part in parts:
        elements = elements_of(part)
        assert weight(part) + 100 * len(elements) < limits.CARD_BYTES
        assert all(len(element) <= limits.ELEMENT_LETTERS for element in elements)
        blocks = [block for element in elements for block in blocks_of(element)]
        assert sum(isinstance(block, Table) for block in blocks) <= limits.CARD_TABLES
        assert "<at" not in part
    shown = [block for part in parts for element in elements_of(part) for block in blocks_of(element)]
    assert sum(isinstance(block, Table) for block in shown) == 30
    assert sum(isinstance(block, Fence) and block.info == "python" for block in shown) == 40


@pytest.mark.parametrize("source", ["# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |", "## Only **words**\n\n- a\n- b"])
def test_a_refused_card_becomes_a_post_and_a_refused_post_a_text(source: str) -> None:
    form, [content] = compose(source)
    assert form is Transport.WORDS_CARD
    form, content = _next(form, content)
    assert form is Transport.POST
    assert "| a |" not in re.sub(r"```.*?```", "", content, flags=re.DOTALL)
    form, words = _next(form, content)
    assert (form, words) == (Transport.TEXT, plain(content))
    assert next_form(form, words) is None


def test_words_too_many_for_a_post_go_as_text_at_once() -> None:
    content = json.dumps(["# Title", "\n" * 14_500])
    form, _ = _next(Transport.WORDS_CARD, content)
    assert form is Transport.TEXT


def _next(form: Transport, content: str) -> tuple[Transport, str]:
    found = next_form(form, content)
    assert found is not None
    return found
