"""A card says the same wherever it is kept, and foreign words stay words."""

from dataclasses import replace
from datetime import UTC

import pytest
from tests.unit.domain import given

from hongyan.adapters.lark.cards import card_content
from hongyan.adapters.lark.content import plain_text
from hongyan.domain import limits
from hongyan.domain.approval_card import Line, offered, render_approvals
from hongyan.domain.card_weight import preflight, weigh
from hongyan.domain.cards import (
    Block,
    Button,
    Buttons,
    Card,
    Code,
    Note,
    Text,
    Tone,
    card_text,
    card_words,
    fenced,
    from_json,
    is_clickable,
    to_json,
)
from hongyan.domain.decisions import DecisionState
from hongyan.domain.issued_cards import IssuedButton
from hongyan.domain.messages import MessageKind, same_text
from hongyan.domain.notices import Language

NASTY = "```\n<at id=all></at> **bold** \u202edlrow\x1b[31m"


def line(n: int = 1, arguments: str = "rm -r build") -> Line:
    """Give a request that waits."""
    decision = given.decision(f"dec-{n}", arguments)
    return Line(decision, [IssuedButton(f"{n}-{act}", "card", decision.id, act, "", 0) for act in offered(True)])


@pytest.mark.parametrize("language", Language)
def test_a_card_reads_the_same_from_the_outbox_and_from_the_platform(language: Language) -> None:
    card = render_approvals([line(), line(2, NASTY)], language, UTC)
    assert from_json(to_json(card)) == card
    assert same_text(card_words(card), plain_text(MessageKind.CARD, card_content(card), {}))


def test_foreign_words_end_no_fence_ping_nobody_and_turn_no_line_around() -> None:
    shown = fenced(NASTY)
    assert shown.count("```") == 2
    assert "<at" not in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("letter", ["x", "\n", '"', "字", "\x00"])
def test_eight_long_requests_fit_on_one_card(letter: str) -> None:
    lines = [line(n, letter * 100_000) for n in range(limits.APPROVALS_A_CARD)]
    content = card_content(render_approvals(lines, Language.ENGLISH, UTC))
    assert len(content.encode()) <= 30_000


def test_a_cut_says_how_much_was_left_out() -> None:
    card = render_approvals([line(1, "x" * 5_048)], Language.ENGLISH, UTC)
    assert "3,000 more bytes" in card_words(card)


def test_a_line_that_is_over_has_no_button_and_the_others_keep_theirs() -> None:
    over = line(1)
    lines = [replace(over, decision=replace(over.decision, state=DecisionState.EXPIRED)), line(2)]
    card = render_approvals(lines, Language.ENGLISH, UTC)
    assert is_clickable(card)
    assert [len(block.buttons) for block in card.blocks if isinstance(block, Buttons)] == [3]
    assert not is_clickable(render_approvals(lines[:1], Language.ENGLISH, UTC))


@pytest.mark.parametrize("letter", ["x", "\n", '"', "字", "\x00", "|-|-|\n", "```\n"])
@pytest.mark.parametrize("count", [1, 40, 2_000])
def test_no_card_is_drawn_heavier_than_it_was_weighed(letter: str, count: int) -> None:
    words = letter * count
    buttons = Buttons(tuple(Button(words[:40], str(n), typed="yes") for n in range(5)))
    for card in (
        Card(words[:80], Tone.WORKING, (Text(words), Code(words), Note(words), buttons)),
        Card("", Tone.DONE, ()),
    ):
        assert len(card_content(card).encode()) <= weigh(card).bytes


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


@pytest.mark.parametrize(
    ("blocks", "over"),
    [
        ((Text("x" * 30_000),), "bytes"),
        (tuple(Note("x") for _ in range(100)), "elements"),
        ((Text("\n\n".join([TABLE] * 4)),), "tables"),
        ((Text("\n\n".join([TABLE] * 3)),), ""),
        ((Code("\n\n".join([TABLE] * 9)),), ""),
    ],
)
@pytest.mark.scenario("P30")
def test_what_the_platform_would_refuse_is_known_before_it_is_written(blocks: tuple[Block, ...], over: str) -> None:
    assert preflight(Card("a title", Tone.DONE, blocks)) == over


def test_a_card_said_as_a_text_keeps_its_meaning_and_no_markup() -> None:
    said = card_text(render_approvals([line()], Language.ENGLISH, UTC))
    assert "rm -r build" in said
    assert "yes ABC" in said
    assert "**" not in said
    assert "```" not in said
