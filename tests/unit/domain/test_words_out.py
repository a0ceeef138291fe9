"""What leaves as text: whole, in pieces that fit, and without a mention that pings."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain import given as example

from hongyan.adapters.lark.content import text_content
from hongyan.domain import limits
from hongyan.domain.deliveries import Phase, Route, Stamp, Words, back_off, say
from hongyan.domain.identity import MessageId
from hongyan.domain.messages import escape_mentions, same_text
from hongyan.domain.requests import ClosedAs

WORDS = st.text(st.sampled_from('ab \n"\\雁é🦢'), max_size=200)
MENTIONS = st.text(st.sampled_from('<>/atA "=_.u'), max_size=60)


ROUTE = Route(
    app=example.APP,
    chat_id=example.CHAT,
    reply_to=MessageId("om_1"),
    in_thread=False,
    request_id=example.request().id,
    turn_id=example.turn().id,
    session_id=example.session().id,
    binding_id=example.binding().id,
    binding_revision=1,
)


@pytest.mark.scenario("P30")
@pytest.mark.parametrize("letter", ['"', "\n", "\\", "x", "雁"])
def test_no_piece_is_over_the_limit_that_the_platform_measures(letter: str) -> None:
    words = Words(Phase.FINAL, letter * 300_000, ClosedAs.ANSWERED)
    pieces = [step.values for step in say(ROUTE, words, Stamp(1, 1)) if step.table == "parts"]
    assert pieces
    for piece in pieces:
        assert len(text_content(str(piece["content"])).encode()) <= 150_000


@pytest.mark.parametrize(
    "text",
    [
        '<at user_id="all"></at>',
        '<at id="ou_1">Lin Yan</at>',
        "<AT user_id='all'/>",
        '<at\nuser_id="all">',
        '</at><at user_id="all">',
    ],
)
def test_a_mention_loses_its_meaning_and_keeps_its_letters(text: str) -> None:
    escaped = escape_mentions(text)
    assert not re.search(r"</?at\b", escaped, re.IGNORECASE)
    assert escaped.replace("\u200b", "") == text


@pytest.mark.parametrize("text", ["<attribute>", "a < at b", "<atom/>", "at", "5 <6"])
def test_what_is_no_mention_is_left_alone(text: str) -> None:
    assert escape_mentions(text) == text


@given(MENTIONS)
def test_no_text_has_a_mention_after_the_escape_and_a_second_escape_changes_nothing(text: str) -> None:
    escaped = escape_mentions(text)
    assert not re.search(r"</?at\b", escaped, re.IGNORECASE)
    assert escape_mentions(escaped) == escaped


@given(WORDS)
def test_the_white_space_that_the_platform_trims_makes_no_difference(text: str) -> None:
    trimmed = "\r\n".join(line.rstrip() for line in text.strip().split("\n"))
    assert same_text(text, trimmed)
    assert not same_text(text, f"{trimmed}.")
    assert not same_text(text, None)


def _parts(text: str, now: int) -> list[tuple[object, ...]]:
    words = Words(Phase.FINAL, text, ClosedAs.ANSWERED)
    steps = [step for step in say(ROUTE, words, Stamp(now, now)) if step.table == "parts"]
    return [(step.values["id"], step.values["key"], step.values["ordinal"], step.values["target"]) for step in steps]


@given(st.integers(0, 300_000), st.integers(0, 10))
def test_planning_the_same_words_again_gives_the_same_keys(length: int, later: int) -> None:
    first, again = _parts("x" * length, 1), _parts("x" * length, 1 + later)
    assert first == again
    assert len({key for _, key, _, _ in first}) == len(first)
    assert [ordinal for _, _, ordinal, _ in first] == list(range(len(first)))


def test_every_key_is_short_enough_for_the_platform() -> None:
    assert all(len(str(key)) <= limits.KEY_LENGTH for _, key, _, _ in _parts("x" * 300_000, 1))


def test_what_is_planned_pings_nobody() -> None:
    _, part = say(ROUTE, Words(Phase.FINAL, "<at>", ClosedAs.ANSWERED), Stamp(1, 1))
    assert part.values["content"] == "<\u200bat>"


@given(st.integers(0, 10_000))
def test_the_wait_between_attempts_grows_to_its_limit(attempts: int) -> None:
    assert limits.BACK_OFF_MS <= back_off(attempts) <= limits.BACK_OFF_MOST_MS
    assert back_off(attempts) <= back_off(attempts + 1)
