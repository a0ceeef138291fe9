"""Both languages say everything that a command may say, with the same facts."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Final

import pytest

from hongyan.application.owed import OwedAction
from hongyan.domain.conversations import HoldReason, Speaker, TurnState, WaitHint
from hongyan.domain.coverage import CoverageStatus
from hongyan.domain.decisions import DecisionState, Outcome
from hongyan.domain.steering import WhyQueued
from hongyan.entrypoints import cli
from hongyan.entrypoints.cli.words import CATALOGUE, CHINESE, ENGLISH, language

KINDS: Final = {
    "coverage": CoverageStatus,
    "action": OwedAction,
    "approval": DecisionState,
    "hold": HoldReason,
    "outcome": Outcome,
    "speaker": Speaker,
    "steer": WhyQueued,
    "turn": TurnState,
    "wait": WaitHint,
}


def _facts(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _literals() -> Iterator[str]:
    for path in Path(cli.__path__[0]).rglob("*.py"):
        if path.name != "words.py":
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            yield from (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


@pytest.mark.parametrize("key", CATALOGUE)
def test_both_languages_name_the_same_facts(key: str) -> None:
    english, chinese = CATALOGUE[key]
    assert english
    assert chinese
    assert english.isascii() or "—" in english
    assert _facts(english) == _facts(chinese)


def test_every_text_is_used_somewhere() -> None:
    used = set(_literals())
    spoken = {f"{kind}.{word.value}" for kind, words in KINDS.items() for word in words}
    nouns = {key for key in CATALOGUE if key.startswith("help.") and key.count(".") == 1}
    assert set(CATALOGUE) - used - spoken - nouns == set()


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_of_the_gateway_has_a_text(kind: str) -> None:
    words = {word.value for word in KINDS[kind]} - {""}
    assert {word for word in words if f"{kind}.{word}" not in CATALOGUE} == set()


@pytest.mark.parametrize(
    ("environ", "column"),
    [
        ({"LANG": "zh_CN.UTF-8"}, CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, ENGLISH),
        ({"LC_ALL": "zh_TW"}, CHINESE),
        ({"LANG": "C"}, ENGLISH),
        ({}, ENGLISH),
    ],
)
def test_the_language_is_that_of_the_terminal(environ: dict[str, str], column: int) -> None:
    assert language(environ) == column
