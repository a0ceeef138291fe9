"""The sentences that the gateway says: both languages, one gap, a plain tone, and a stable code."""

import re

import pytest

from hongyan.domain.access import Refusal
from hongyan.domain.notices import CATALOGUE, Language, Notice, language_of, sentence

HALF_WIDTH = re.compile(r"[\u4e00-\u9fff」）][,.;:?!(]|[,;:?!)][\u4e00-\u9fff]")
DASH_AS_PAUSE = re.compile(r"\s[-\u2013\u2014]\s|\u2014")


def test_every_notice_has_a_sentence_in_both_languages() -> None:
    assert set(CATALOGUE) == set(Notice)
    assert all(text.strip() for texts in CATALOGUE.values() for text in texts)


@pytest.mark.parametrize("notice", Notice)
def test_a_sentence_has_one_gap_at_most_and_the_same_in_both_languages(notice: Notice) -> None:
    english, chinese = CATALOGUE[notice]
    assert re.findall(r"{(.*?)}", english) == re.findall(r"{(.*?)}", chinese)
    assert re.findall(r"{(.*?)}", english) in ([], ["detail"])


@pytest.mark.parametrize("notice", Notice)
def test_a_sentence_neither_shouts_nor_pauses_with_a_dash(notice: Notice) -> None:
    for text in CATALOGUE[notice]:
        assert "!" not in text
        assert "\uff01" not in text
        assert not DASH_AS_PAUSE.search(text)


@pytest.mark.parametrize("notice", Notice)
def test_chinese_uses_its_own_punctuation_and_english_none_of_it(notice: Notice) -> None:
    english, chinese = CATALOGUE[notice]
    assert not HALF_WIDTH.search(chinese)
    assert not re.search(r"[\u3000-\u303f\uff00-\uffef\u4e00-\u9fff]", english)
    assert notice is Notice.STATUS or re.search(r"[\u4e00-\u9fff]", chinese)


@pytest.mark.parametrize("notice", Notice)
def test_a_detail_with_braces_and_letters_of_any_script_comes_through_whole(notice: Notice) -> None:
    detail = "{0} {name} 雁 %s \\n"
    for language in Language:
        said = sentence(notice, language, detail)
        assert (detail in said) is ("{detail}" in CATALOGUE[notice][0])
        assert "{detail}" not in said


def test_every_refusal_has_its_sentence() -> None:
    assert {refusal.value for refusal in Refusal} <= {notice.value for notice in Notice}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", Language.ENGLISH),
        ("hello", Language.ENGLISH),
        ("/status", Language.ENGLISH),
        ("/状态", Language.CHINESE),
        ("please 帮我", Language.CHINESE),
        ("一", Language.CHINESE),
        ("\u4e00\u9fff", Language.CHINESE),
        ("，。！", Language.ENGLISH),
        ("bonjour é", Language.ENGLISH),
        ("🦢", Language.ENGLISH),
    ],
)
def test_the_language_follows_the_message_that_is_answered(text: str, language: Language) -> None:
    assert language_of(text) is language
