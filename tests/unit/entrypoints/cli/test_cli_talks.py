"""Sessions and Turns from a terminal: what was accepted, what it waits for, and how it ended."""

from typing import Any

import pytest
from tests.unit.entrypoints.cli.counter import Asked, Counter, Terminal

ACCEPTED = {"session_id": "ses_1", "turn_id": "turn_1", "created": True, "state": "queued", "events_url": "/e"}
TURN = {"turn_id": "turn_1", "session_id": "ses_1", "state": "queued", "waits_for": "after_this_turn", "answer": ""}


def test_a_text_is_accepted_with_a_key_of_its_own_each_time(hongyan: Terminal, counter: Counter) -> None:
    counter.will("POST /sessions/ses_1/turns", ACCEPTED, 202)
    counter.will("GET /turns/turn_1", TURN)
    assert "after the turn before" in hongyan("send", "ses_1", "build it").out
    assert hongyan("send", "ses_1", "build it", "--json").json == ACCEPTED
    keys = {asked.body["client_turn_id"] for asked in counter.asked if asked.method == "POST"}
    assert len(keys) == 2


@pytest.mark.scenario("M41")
@pytest.mark.parametrize("hint", ["after_this_turn", "agent_starting", "held_before", "none_known"])
def test_what_waits_says_in_words_what_for(hint: str, hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /turns/turn_1", {**TURN, "waits_for": hint})
    shown = hongyan("turn", "show", "turn_1").out
    assert hint not in shown
    assert ", " in shown


def test_a_lost_answer_is_unknown_and_names_the_key_to_send_it_again(hongyan: Terminal, counter: Counter) -> None:
    counter.answers["POST /sessions/ses_1/turns"] = (0, None)
    ended = hongyan("send", "ses_1", "build it", "--client-turn-id", "key-7", "--json")
    assert (ended.code, ended.error["code"]) == (6, "gateway.unknown_outcome")
    assert "--client-turn-id key-7" in ended.error["hint"]


def _moves(counter: Counter, *turns: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a Turn move on each time it is looked at, without anybody waiting for real."""
    left = list(turns)

    def look(_: Asked) -> tuple[int, Any]:
        return 200, {**TURN, **(left.pop(0) if len(left) > 1 else left[0])}

    counter.will("POST /sessions/ses_1/turns", ACCEPTED, 202)
    counter.answers["GET /turns/turn_1"] = look
    monkeypatch.setattr("time.sleep", lambda _: None)


def test_a_person_who_waits_reads_the_answer(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    _moves(counter, {"state": "running"}, {"state": "completed", "answer": "it is built"}, monkeypatch=monkeypatch)
    assert hongyan("send", "ses_1", "build it", "--wait").out == "it is built\n"


@pytest.mark.parametrize(
    ("end", "exit_code", "code"),
    [
        ({"state": "failed", "code": "agent.protocol", "detail": "it printed garbage"}, 5, "agent.protocol"),
        ({"state": "interrupted"}, 3, "turn.interrupted"),
        ({"state": "held", "hold_reason": "upstream_unknown"}, 6, "turn.held"),
        ({"state": "held", "hold_reason": "login"}, 5, "agent.held"),
    ],
)
def test_whoever_waits_learns_how_it_ended_otherwise(
    end: dict[str, Any],
    exit_code: int,
    code: str,
    hongyan: Terminal,
    counter: Counter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _moves(counter, {"state": "running"}, end, monkeypatch=monkeypatch)
    ended = hongyan("send", "ses_1", "build it", "--wait", "--json")
    assert (ended.code, ended.error["code"]) == (exit_code, code)


def test_nobody_waits_without_end(hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    _moves(counter, {"state": "running"}, monkeypatch=monkeypatch)
    monkeypatch.setattr("hongyan.entrypoints.cli.commands.talks.WAIT_SECONDS", -1)
    ended = hongyan("send", "ses_1", "build it", "--wait", "--json")
    assert (ended.code, ended.error["code"], ended.error["retryable"]) == (4, "turn.not_ended", True)


def test_a_session_shows_its_transcript_and_what_still_waits(hongyan: Terminal, counter: Counter) -> None:
    messages = [
        {"speaker": "person", "text": "build it", "at": 1_700_000_000_000},
        {"speaker": "agent", "text": "\x1b[2Jbuilt\u202e", "at": 1_700_000_000_000},
    ]
    found = {"session_id": "ses_1", "state": "busy", "messages": messages, "turns": [TURN]}
    counter.will("GET /sessions/ses_1", found)
    shown = hongyan("session", "show", "ses_1", "--limit", "7").out
    assert shown.index("build it") < shown.index("built") < shown.index("turn_1")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert counter.asked[0].query == {"message_limit": "7"}
    assert hongyan("session", "show", "ses_1", "--json").json == found


def test_a_session_is_opened_and_closed(hongyan: Terminal, counter: Counter) -> None:
    counter.will("POST /sessions", {"session_id": "ses_1"}, 201)
    counter.will("DELETE /sessions/ses_1", {"session_id": "ses_1"})
    assert "ses_1" in hongyan("session", "new", "--workspace", "docs", "--executor", "opencode").out
    assert counter.asked[0].body == {"workspace": "docs", "executor": "opencode"}
    assert hongyan("session", "close", "ses_1", "--json").json == {"session_id": "ses_1"}


def test_only_one_bindings_sessions_are_listed(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /sessions", {"sessions": []})
    hongyan("session", "list", "--binding", "bind_1")
    assert counter.asked[0].query == {"binding_id": "bind_1"}


@pytest.mark.scenario("M13")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({"outcome": "steered", "reason": "", "turn_id": "turn_1"}, "the running turn took it"),
        ({"outcome": "queued", "reason": "turn_over", "turn_id": "turn_2"}, "Queued as turn_2: the turn was over"),
    ],
)
def test_words_for_a_running_turn_say_where_they_went(
    said: dict[str, Any], shown: str, hongyan: Terminal, counter: Counter
) -> None:
    counter.will("POST /turns/turn_1/steer", said, 202)
    assert shown in hongyan("turn", "steer", "turn_1", "and cheese", "--client-turn-id", "one").out
    assert counter.asked[0].body == {"message": "and cheese", "client_turn_id": "one"}
    assert hongyan("turn", "steer", "turn_1", "and cheese", "--json").json == said


@pytest.mark.scenario("P8")
def test_a_stop_says_stopping_until_the_agent_confirmed(hongyan: Terminal, counter: Counter) -> None:
    counter.will("POST /turns/turn_1/stop", {"turn_id": "turn_1", "state": "interrupting"}, 202)
    assert "is stopping" in hongyan("turn", "stop", "turn_1").out
    assert hongyan("turn", "stop", "turn_1", "--json").json["state"] == "interrupting"
