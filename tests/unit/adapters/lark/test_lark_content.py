"""What is left of the platform's content as plain text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hongyan.adapters.lark.content import kind_of, plain_text, text_content
from hongyan.domain.messages import MessageKind


def post(*lines: list[dict[str, Any]], title: str = "") -> str | None:
    content = json.dumps({"title": title, "content": list(lines)})
    return plain_text(MessageKind.POST, content, {"@_user_1": "Lin Yan"})


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_text_comes_back_as_it_was_sent(text: str) -> None:
    assert plain_text(MessageKind.TEXT, text_content(text), {}) == text


@pytest.mark.parametrize("spelled", [r"\ud83e", r"\udda2", r"\udda2\ud83e", r"\u0000"])
def test_half_a_letter_becomes_a_mark_that_can_be_kept(spelled: str) -> None:
    shown = plain_text(MessageKind.TEXT, f'{{"text":"a{spelled}b"}}', {})
    assert shown is not None
    assert shown.encode().decode() == shown
    assert set(shown) == set("a\ufffdb")


def test_a_letter_spelled_in_two_halves_stays_whole() -> None:
    assert plain_text(MessageKind.TEXT, r'{"text":"\ud83e\udda2"}', {}) == "🦢"


def test_a_key_without_a_name_stays() -> None:
    content = text_content("@_user_1 @_user_2 @_all")
    assert plain_text(MessageKind.TEXT, content, {"@_user_1": "Lin Yan"}) == "@Lin Yan @_user_2 @_all"


def test_a_post_keeps_title_lines_links_mentions_and_marks() -> None:
    shown = post(
        [{"tag": "at", "user_id": "@_user_1", "user_name": "Someone"}, {"tag": "text", "text": " see "}],
        [{"tag": "a", "href": "https://example.com", "text": "here"}, {"tag": "emotion", "emoji_type": "OK"}],
        [{"tag": "img", "image_key": "img_1"}],
        [{"tag": "hr"}],
        [{"tag": "media", "file_key": "f"}],
        [{"tag": "a", "href": "https://example.com", "text": "https://example.com"}],
        title="Plan",
    )
    assert shown == "\n".join(
        [
            "Plan",
            "@Lin Yan see ",
            "[here](https://example.com)[OK]",
            "[image]",
            "---",
            "[video]",
            "https://example.com",
        ]
    )


def test_code_in_a_post_is_fenced_longer_than_any_fence_in_it() -> None:
    shown = post([{"tag": "code_block", "language": "GO", "text": "a\n````\nb\n"}])
    assert shown == "`````go\na\n````\nb\n`````"


def test_an_unknown_part_of_a_post_keeps_its_words() -> None:
    assert post([{"tag": "new", "text": "words"}, {"tag": "newer"}, {"text": 5}]) == "words"


def test_a_post_with_a_language_around_it_is_read_too() -> None:
    content = json.dumps({"zh_cn": {"title": "标题", "content": [[{"tag": "text", "text": "正文"}]]}})
    assert plain_text(MessageKind.POST, content, {}) == "标题\n正文"


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (MessageKind.TEXT, "no json"),
        (MessageKind.TEXT, "[1]"),
        (MessageKind.TEXT, '{"text": 5}'),
        (MessageKind.TEXT, "{}"),
        (MessageKind.POST, "{}"),
        (MessageKind.POST, '{"content": 5}'),
        (MessageKind.POST, '{"zh_cn": 5}'),
        (MessageKind.IMAGE, '{"image_key": "img_1"}'),
        (MessageKind.OTHER, '{"text": "a card"}'),
    ],
)
def test_content_without_words_is_none(kind: MessageKind, content: str) -> None:
    assert plain_text(kind, content, {}) is None


def test_kinds_that_are_not_told_apart_are_other() -> None:
    names = ["text", "post", "image", "file", "audio", "interactive", "merge_forward", ""]
    assert [kind_of(name).value for name in names] == ["text", "post", "image", "file", *["other"] * 4]
