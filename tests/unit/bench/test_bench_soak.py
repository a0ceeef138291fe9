"""The soak's verdict: it must see what is lost, doubled, only claimed, and what grows."""

from typing import Any

import pytest
from bench.soak import Sample, judge

BALANCED: dict[str, Any] = {
    "received": {"balanced": True, "classes": {}},
    "writes": {"balanced": True, "classes": {"verified": 1}},
}
LEVEL = [Sample(80.0, 40, 1.0, 2.0)] * 6
HOLDS = {
    "both books add up",
    "no message was answered twice",
    "every message is in the journal or listed as missing",
    "what the books call answered stands in the chat",
    "memory is level",
    "handles are level",
}


def answer(parent: str, text: str, msg_type: str = "text") -> dict[str, Any]:
    return {"parent_id": parent, "msg_type": msg_type, "content": text}


def broken(
    *answers: dict[str, Any],
    known: dict[str, str] | None = None,
    ledger: dict[str, Any] = BALANCED,
    samples: list[Sample] = LEVEL,
) -> set[str]:
    """Give the promises that do not hold, for one message with the word w1."""
    known = {"m1": "answered"} if known is None else known
    found = judge({"m1": "w1"}, {"c1": list(answers)}, known, ledger, samples)
    assert set(found["promises"]) == HOLDS
    return {name for name, holds in found["promises"].items() if not holds}


def test_an_answer_that_stands_there_once_breaks_nothing() -> None:
    assert broken(answer("m1", "echo: w1")) == set()
    assert broken(answer("m1", "echo: w1"), answer("m1", '{"header": "w1"}', "interactive")) == set()


def test_what_was_missed_and_is_listed_breaks_nothing() -> None:
    assert broken(known={"m1": "gap"}) == set()


@pytest.mark.parametrize(
    ("answers", "known", "what"),
    [
        ((answer("m1", "w1"), answer("m1", "w1")), {"m1": "answered"}, "no message was answered twice"),
        ((), {}, "every message is in the journal or listed as missing"),
        ((answer("m2", "w1"),), {"m1": "answered"}, "what the books call answered stands in the chat"),
    ],
)
def test_a_message_that_is_doubled_lost_or_only_claimed_is_seen(
    answers: tuple[dict[str, Any], ...], known: dict[str, str], what: str
) -> None:
    assert broken(*answers, known=known) == {what}


def test_books_that_do_not_add_up_are_seen() -> None:
    ledger = {**BALANCED, "writes": {"balanced": False, "classes": {}}}
    assert broken(answer("m1", "w1"), ledger=ledger) == {"both books add up"}


def test_what_grows_is_seen() -> None:
    growing = [Sample(80.0 + 10 * number, 40 + 10 * number, 1.0, 2.0) for number in range(6)]
    assert broken(answer("m1", "w1"), samples=growing) == {"memory is level", "handles are level"}
