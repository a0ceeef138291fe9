"""Approvals from a terminal: listed for anybody, decided by a person only."""

import pytest
from tests.unit.entrypoints.cli.counter import Counter, Terminal

OPEN = {
    "id": "dec_1",
    "state": "asked",
    "outcome": "",
    "risk": "commands",
    "subject": "rm -r build\nand more",
    "session_id": "ses_1",
    "asked_at": 1_750_000_000_000,
}


def test_the_open_requests_are_listed(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /approvals", {"approvals": [OPEN]})
    shown = hongyan("approval", "list").out
    assert "rm -r build" in shown
    assert "waits for you" in shown
    assert hongyan("approval", "list", "--json").json == [OPEN]


def test_a_person_at_a_terminal_decides(hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    counter.will("POST /approvals/dec_1/decide", {**OPEN, "state": "decided", "outcome": "allowed_once"})
    assert "allowed once" in hongyan("approval", "decide", "dec_1", "once").out
    assert [asked.body for asked in counter.asked] == [{"outcome": "allowed_once"}]


def test_a_program_is_refused_before_anything_is_sent(hongyan: Terminal, counter: Counter) -> None:
    ended = hongyan("approval", "decide", "dec_1", "once", "--json")
    assert (ended.code, ended.error["code"]) == (3, "approval.no_terminal")
    assert counter.asked == []


def test_a_late_answer_says_who_was_first(hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    counter.refuse("POST /approvals/dec_1/decide", 409, "decision.settled")
    assert hongyan("approval", "decide", "dec_1", "reject", "--json").error["code"] == "decision.settled"
