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
    assert "rm -r build…" in shown
    assert "waits for you" in shown
    assert hongyan("approval", "list", "--json").json == [OPEN]


def test_a_person_at_a_terminal_sees_all_of_it_and_decides(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    counter.will("GET /approvals", {"approvals": [{**OPEN, "arguments": "the last word", "reason": "it is old"}]})
    counter.will("POST /approvals/dec_1/decide", {**OPEN, "state": "decided", "outcome": "allowed_once"})
    shown = hongyan("approval", "decide", "dec_1", "once").out
    for words in ("and more", "the last word", "it is old", "allowed once"):
        assert words in shown
    assert [asked.body for asked in counter.asked if asked.method == "POST"] == [{"outcome": "allowed_once"}]


def test_a_person_who_does_not_say_yes_allows_nothing(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    counter.will("GET /approvals", {"approvals": [OPEN]})
    ended = hongyan("approval", "decide", "dec_1", "session")
    assert "Nothing was changed" in ended.err
    assert [asked.method for asked in counter.asked] == ["GET"]


def test_a_refusal_and_a_yes_on_the_command_line_ask_nothing_more(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    counter.will("POST /approvals/dec_1/decide", {**OPEN, "state": "decided", "outcome": "rejected"})
    hongyan("approval", "decide", "dec_1", "reject")
    hongyan("approval", "decide", "dec_1", "once", "--yes")
    assert [asked.body["outcome"] for asked in counter.asked] == ["rejected", "allowed_once"]


def test_a_program_is_refused_before_anything_is_sent(hongyan: Terminal, counter: Counter) -> None:
    ended = hongyan("approval", "decide", "dec_1", "once", "--json")
    assert (ended.code, ended.error["code"]) == (3, "approval.no_terminal")
    assert counter.asked == []


BINDING = {
    "binding_id": "bind_1",
    "revision": 3,
    "workspace": "docs",
    "executor": "opencode",
    "approve": "reads=auto,writes=ask",
    "state": "live",
}


def test_the_rules_of_every_live_binding_are_shown(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /bindings", {"bindings": [BINDING, {**BINDING, "binding_id": "bind_0", "state": "revoked"}]})
    shown = hongyan("approval", "policy").out
    assert "reads=auto,writes=ask" in shown
    assert "bind_0" not in shown


def test_a_person_changes_rules_and_a_program_does_not(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter.will("PATCH /bindings/bind_1", {**BINDING, "approve": "reads=auto,writes=auto"})
    words = ("approval", "policy", "bind_1", "writes=auto", "--expect-revision", "3", "--json")
    ended = hongyan(*words)
    assert (ended.code, ended.error["code"], counter.asked) == (3, "approval.no_terminal", [])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert hongyan(*words).json[0]["approve"] == "reads=auto,writes=auto"
    assert [asked.body for asked in counter.asked] == [{"approve": "writes=auto", "revision": 3}]


def test_a_late_answer_says_who_was_first(hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    counter.refuse("POST /approvals/dec_1/decide", 409, "decision.settled")
    assert hongyan("approval", "decide", "dec_1", "reject", "--json").error["code"] == "decision.settled"
