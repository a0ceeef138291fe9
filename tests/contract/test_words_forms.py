"""Words in each form: taken by the platform at their largest, and read back as the same words."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.contract.chat_town import outbound, town
from tests.unit.domain.markdown.documents import long_answer

from hongyan.adapters.lark.content import plain_text
from hongyan.domain.markdown.forms import compose, next_form, sentences, words_of
from hongyan.domain.markdown.likeness import same_words
from hongyan.domain.messages import MessageKind, Transport

MIXED = (
    "**One.**two\n\n- a\n  - b `c`\n1. d\n\n> quoted\n\n```python\nx = {1: '*'}\n```\n\n"
    "[name](https://example.com) ~~e~~"
)
AS_CARD = f"# Title\n\n{MIXED}\n\n| a | b |\n|---|---|\n| 1 | 2 |"


def _parts(source: str) -> list[tuple[Transport, str]]:
    form, contents = compose(source)
    return [(form, content) for content in contents]


def _as_post(source: str) -> list[tuple[Transport, str]]:
    """Give every part in the form that follows a refused card."""
    return [found for form, content in _parts(source) if (found := next_form(form, content)) is not None]


LARGEST: dict[str, Callable[[], list[tuple[Transport, str]]]] = {
    "text": lambda: [(Transport.TEXT, part) for part in sentences('"雁\n' * 60_000)],
    "post": lambda: _parts("**bold**\n" + '"雁" *\n' * 5_000),
    "card": lambda: _parts(long_answer()),
    "after a card": lambda: _as_post(long_answer()),
}


@pytest.mark.parametrize("largest", LARGEST.values(), ids=LARGEST.keys())
async def test_the_largest_parts_are_taken(largest: Callable[[], list[tuple[Transport, str]]]) -> None:
    async with town() as here:
        for number, (form, content) in enumerate(largest()):
            written = await here.gateway.write(outbound(here, text=content, form=form, key=f"key-{number}"))
            shown = await here.gateway.message(written)
            assert same_words(words_of(form, content), shown.text)
            here.simulator.clock.advance(1_000)


@pytest.mark.parametrize("source", [MIXED, AS_CARD], ids=["post", "card"])
async def test_markdown_that_comes_back_taken_apart_is_the_same(source: str) -> None:
    async with town() as here:
        ((form, content),) = _parts(source)
        written = await here.gateway.write(outbound(here, text=content, form=form))
        shown = await here.gateway.message(written)
        assert shown.kind is (MessageKind.POST if form is Transport.POST else MessageKind.CARD)
        assert same_words(words_of(form, content), shown.text)
        assert not same_words(words_of(form, content).replace("quoted", "quotes"), shown.text)


async def test_a_card_that_comes_back_flattened_is_the_same() -> None:
    async with town() as here:
        ((form, content),) = _parts(AS_CARD)
        written = await here.gateway.write(outbound(here, text=content, form=form))
        flat: dict[str, Any] = json.loads(here.platform.messages.by_id[written].content)
        assert same_words(words_of(form, content), plain_text(MessageKind.CARD, json.dumps(flat), {}))


async def test_a_card_of_words_shows_its_first_words_in_the_list_of_chats() -> None:
    async with town() as here:
        ((form, content),) = _parts("# The **title**\n\nand more")
        written = await here.gateway.write(outbound(here, text=content, form=form))
        assert here.platform.card(written)["config"]["summary"]["content"] == "The title"
