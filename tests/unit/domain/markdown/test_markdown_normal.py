"""What the platform misrenders is written otherwise; what it renders is left alone."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hongyan.domain.markdown.emphasis import repaired
from hongyan.domain.markdown.inline import bold_words
from hongyan.domain.markdown.likeness import same_words
from hongyan.domain.markdown.normal import Dialect, normal, plain
from hongyan.domain.markdown.survey import form_for
from hongyan.domain.messages import Transport

BOUNDED = settings(max_examples=200, deadline=None, derandomize=True)


@pytest.mark.scenario("L101")
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**done.**next", "**done**.next"),
        ("**标题：**正文", "**标题**：正文"),
        ("正文**“引号”**正文", "正文“**引号**”正文"),
        ("a**(b)**c", "a(**b**)c"),
        ("**done.** next", "**done.** next"),
        ("**plain**next", "**plain**next"),
        ("x**...**y", "x...y"),
        ("x**!**[a](https://e.com)", "x!\u200b[a](https://e.com)"),
        ("**`code`**next", "**`code`\u200b**next"),
        ("`**done.**next`", "`**done.**next`"),
        ("[**done.**next](https://example.com)", "[**done.**next](https://example.com)"),
        ("\\**done.**next", "\\**done.**next"),
    ],
)
def test_bold_words_are_bold_where_they_touch_others(written: str, shown: str) -> None:
    assert normal(written, Dialect.CARD) == shown


@BOUNDED
@given(
    st.lists(st.sampled_from(["**", "a", "雁", "。", ".", "(", ")", " ", "`c`", "“", "\n"]), max_size=16).map("".join)
)
def test_after_the_repair_every_bold_pair_counts(text: str) -> None:
    once = repaired(text)
    assert all(pair.open_counts and pair.close_counts for pair in bold_words(once))
    assert repaired(once) == once
    assert re.sub(r"[*\u200b]", "", once) == re.sub(r"[*\u200b]", "", text)


@BOUNDED
@given(st.lists(st.sampled_from(["a", "雁", "。", "!", "(", ")", "“", "”"]), min_size=1, max_size=6).map("".join))
def test_another_reader_of_markdown_sees_the_bold_words_too(inner: str) -> None:
    html = MarkdownIt().render(repaired(f"before**{inner}**after"))
    assert "*" not in html
    assert ("<strong>" in html) is any(letter in "a雁" for letter in inner)


@pytest.mark.parametrize(
    ("written", "card", "post"),
    [
        ("# One", "#### One", "**One**"),
        ("## Two **big**", "##### Two **big**", "**Two big**"),
        ("One\n===", "#### One", "**One**"),
        ("#### Four ####", "#### Four", "**Four**"),
        ("* a\n  + b\n3) c", "- a\n    - b\n3. c", "- a\n    - b\n3. c"),
        ("- [ ] a\n- [x] b", "- ☐ a\n- ☑ b", "- ☐ a\n- ☑ b"),
        ("1. a\n   more\n   - b", "1. a\n   more\n    - b", "1. a\n   more\n    - b"),
        ("- ```py\n  x\n  ```", "-\n```py\nx\n```", "-\n```py\nx\n```"),
        ("~~~py\nx\n~~~", "```py\nx\n```", "```py\nx\n```"),
        ("```py\nx", "```py\nx\n```", "```py\nx\n```"),
        ("a\n***\nb", "a\n\n---\n\nb", "a\n\n---\n\nb"),
        ("![p](https://e.com/p)", "[p](https://e.com/p)", "[p](https://e.com/p)"),
        ("[f](src/a.py:3)", "f (src/a.py:3)", "f (src/a.py:3)"),
        ("<https://e.com>", "https://e.com", "https://e.com"),
        ("<font color='red'>x</font>", "<\u200bfont color='red'>x<\u200b/font>", None),
        ("a\n| x |\n|--|\n| 1 | 2 |\nb", "a\n\n| x |  |\n| --- | --- |\n| 1 | 2 |\n\nb", None),
        ("| x |\n|:-:|", "| x |\n| :---: |", "```\n| x |\n| :---: |\n```"),
    ],
)
def test_each_thing_is_written_as_the_platform_renders_it(written: str, card: str, post: str | None) -> None:
    assert normal(written, Dialect.CARD) == card
    assert post is None or normal(written, Dialect.POST) == post


def test_a_table_that_is_too_wide_to_look_at_goes_as_code() -> None:
    wide = f"| {'x' * 3_000} |\n|---|"
    assert normal(wide, Dialect.CARD).startswith("```\n| xxx")


@pytest.mark.scenario("L102")
@pytest.mark.parametrize(
    "form", [plain, lambda text: normal(text, Dialect.CARD), lambda text: normal(text, Dialect.POST)]
)
def test_nothing_pings_and_nothing_is_lost(form: object) -> None:
    words = 'a literal \\n, <at user_id="all"> broken, </at>, @_all, @_user_1, @Lin Yan, <person id="x">'
    assert callable(form)
    shown = form(words)
    assert not re.search(r"</?(at|person)\b|@_all|@_user_\d", shown)
    assert shown.replace("\u200b", "") == words
    assert "@Lin Yan" in shown


def test_a_text_message_obeys_no_tag_of_an_agents() -> None:
    assert plain("<b>bold</b> <i>x</i> <br>") == "<\u200bb>bold<\u200b/b> <\u200bi>x<\u200b/i> <br>"


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("plain words, 2 * 3 * 4 and a_b_c", Transport.TEXT),
        ("run `make test` first", Transport.TEXT),
        ("about ~5 or ~6", Transport.TEXT),
        ("**bold**", Transport.POST),
        ("- a\n- b", Transport.POST),
        ("[link](https://e.com)", Transport.POST),
        ("> quote", Transport.POST),
        ("```\nshort\n```", Transport.POST),
        ("**bold** and ~5~", Transport.WORDS_CARD),
        ("```\n" + "long\n" * 7 + "```", Transport.WORDS_CARD),
        ("# Title", Transport.WORDS_CARD),
        ("| a |\n|---|", Transport.WORDS_CARD),
    ],
)
def test_the_lightest_form_that_shows_everything_is_chosen(words: str, form: Transport) -> None:
    assert form_for(words) is form


def test_the_same_words_taken_apart_are_the_same_and_others_are_not() -> None:
    sent = "#### Title\n\n- **one**\n    - two\n\n```py\nx = 1\n```\n\n[a](https://e.com)"
    shown = "Title\n• one\n◦ two\n```PYTHON\nx = 1\n```\n[a](https://e.com)"
    assert same_words(sent, shown)
    assert not same_words(sent, shown.replace("two", "too"))
    assert not same_words(sent, shown[:-20])
    assert not same_words(sent, None)
