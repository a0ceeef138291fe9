"""The words of a prompt and what they become."""

import pytest

from rehearsal_agent import phrases
from rehearsal_agent.script import PHRASES, Script, Step, Word, read_script


def test_ordinary_text_is_only_echoed() -> None:
    assert read_script("deploy the site") == Script((), "deploy the site")


def test_words_keep_their_order_and_their_arguments() -> None:
    script = read_script("do it [[think:a: b]][[slow:3:10]] please [[touch:done]]")

    assert script.steps == (Step(Word.THINK, "a: b"), Step(Word.SLOW, "3:10"), Step(Word.TOUCH, "done"))


def test_a_word_that_speaks_replaces_the_echo() -> None:
    assert read_script("do it [[say:yes]]").echo is None


def test_a_word_that_does_not_speak_leaves_the_echo() -> None:
    assert read_script("do it [[count]]").echo == "do it"


def test_an_unknown_word_is_ordinary_text() -> None:
    assert read_script("see [[notes]] and [[Say:x]]") == Script((), "see [[notes]] and [[Say:x]]")


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Hello!", Step(Word.GREET, "en")),
        ("你好。", Step(Word.GREET, "zh")),
        ("慢慢说", Step(Word.SLOW, "zh")),
        ("Help", Step(Word.HELP, "en")),
        ("帮助？", Step(Word.HELP, "zh")),
    ],
)
def test_a_newcomer_needs_no_brackets(text: str, step: Step) -> None:
    assert read_script(text) == Script((step,), None)


def test_a_phrase_inside_of_a_sentence_means_nothing() -> None:
    assert read_script("hello world").echo == "hello world"


def test_help_has_two_lines_in_each_language() -> None:
    assert {len(text.splitlines()) for text in phrases.HELP.values()} == {2}


def test_every_phrase_has_its_language() -> None:
    assert all(step.argument in phrases.GREETING for step in PHRASES.values())


@pytest.mark.parametrize("kibibytes", [1, 100])
def test_the_big_document_has_its_size_and_closes_what_it_opens(kibibytes: int) -> None:
    document = "".join(phrases.big_document(kibibytes))

    assert kibibytes * 1024 <= len(document.encode()) < (kibibytes + 1) * 1024
    assert document.count("```") % 2 == 0
    assert document == "".join(phrases.big_document(kibibytes))
