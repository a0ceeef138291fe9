"""Pages of a transcript, approvals, and what the console's places read."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entrypoints.web.served import ORIGIN, Served, a_session, an_owed_request, served

from hongyan.application.end_turn import finish_turn
from hongyan.application.send_text import send_text
from hongyan.application.sessions import close_local_session, open_local_session
from hongyan.domain.changes import Changes, Update, Value
from hongyan.domain.decisions import Applied, Decision, DecisionKind, DecisionState, Outcome, ask_steps
from hongyan.domain.identity import AppId, ChatId, SessionId, TurnId
from hongyan.entrypoints.web.diffs import diff_of
from hongyan.entrypoints.web.markdown import render
from hongyan.ports import queries


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        yield house


async def said(house: Served, session: str, *texts: str) -> list[TurnId]:
    """Say texts that are answered at once."""
    desk, turns = house.gateway.desk, []
    for text in texts:
        turn = (await send_text(desk, session, text, text)).turn
        await desk.store.commit(Changes("run", (Update("turns", {"id": turn.id}, {"state": "running"}),)))
        lane: dict[str, Value] = {"lane": turn.id, "state": "busy", "queued": 0}
        await desk.store.commit(Changes("lane", (Update("sessions", {"id": session}, lane),)))
        await finish_turn(desk, turn.id, f"echo: {text}")
        turns.append(turn.id)
    return turns


async def an_approval(house: Served, arguments: str = "{}") -> str:
    """Let something be asked in a fresh Session."""
    desk, session = house.gateway.desk, await a_session(house)
    turn = (await send_text(desk, session, "work", "one")).turn
    stamp = desk.stamp()
    decision = Decision(
        id="dec_1",
        kind=DecisionKind.APPROVAL,
        state=DecisionState.ASKED,
        outcome=Outcome.OPEN,
        applied=Applied.OPEN,
        applied_reason="",
        app=AppId("local"),
        chat_id=ChatId(""),
        session_id=SessionId(session),
        turn_id=turn.id,
        subject="rm -r build",
        risk="commands",
        reason="",
        arguments=arguments,
        digest="",
        call_id="call",
        asked_at=stamp.now,
        expires_at=stamp.now + 60_000,
        decided_at=0,
        decided_by="",
        decided_where="",
        code="K7QM",
        version=0,
        seq=stamp.seq,
    )
    await desk.store.commit(Changes("ask", ask_steps(decision)))
    return decision.id


async def read(house: Served, path: str, **params: Any) -> Any:
    answer = await house.program().get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.scenario("L128")
async def test_earlier_pages_stay_while_messages_are_appended_and_belong_to_their_session(house: Served) -> None:
    session = await a_session(house)
    await said(house, session, "one", "two", "three")
    path = f"/api/v1/sessions/{session}"
    newest = await read(house, path, message_limit=2)
    await said(house, session, "four")
    earlier = await read(house, path, message_limit=2, cursor=newest["cursor"])
    first = await read(house, path, message_limit=2, cursor=earlier["cursor"])
    pages = [[message["text"] for message in page["messages"]] for page in (first, earlier, newest)]
    assert pages == [["one", "echo: one"], ["two", "echo: two"], ["three", "echo: three"]]
    assert first["cursor"] is None
    await close_local_session(house.gateway.desk, session)
    other = (await open_local_session(house.gateway.desk, "docs", "rehearsal")).id
    refused = await house.program().get(f"/api/v1/sessions/{other}", params={"cursor": newest["cursor"]})
    assert other != session
    assert (refused.status_code, refused.json()["code"]) == (409, "cursor.foreign")


@pytest.mark.scenario("L124")
async def test_the_list_holds_one_line_a_session_and_no_transcript(house: Served) -> None:
    session = await a_session(house)
    await said(house, session, "one", "a much longer second text")
    [line] = (await read(house, "/console/overview"))["sessions"]
    assert (line["id"], line["last_text"], line["state"]) == (
        session,
        "echo: a much longer second text",
        "session.ready",
    )
    assert "turns" not in line
    assert "messages" not in line


@pytest.mark.scenario("M13")
async def test_a_group_topic_is_read_only_here(house: Served) -> None:
    session = await a_session(house)
    await house.gateway.desk.store.commit(
        Changes("x", (Update("bindings", {"state": "live"}, {"audience": "group_topic"}),))
    )
    refused = await house.program().post(
        f"/api/v1/sessions/{session}/turns", json={"message": "psst", "client_turn_id": "one"}
    )
    [line] = (await read(house, "/console/overview"))["sessions"]
    assert (refused.status_code, refused.json()["code"]) == (409, "session.group")
    assert (line["group"], line["refusal"]) == ("group_topic", "group")


@pytest.mark.scenario("L129")
async def test_the_same_time_is_told_apart_by_the_order_of_appending_and_by_the_session(house: Served) -> None:
    desk, sessions = house.gateway.desk, []
    for number in range(3):
        sessions.append(await a_session(house))
        await said(house, sessions[-1], "one", "two", "three")
        if number < 2:
            await close_local_session(desk, sessions[-1])
    same = {"queued_at": 5, "running_at": 5, "ended_at": 5}
    turns = [row.id for one in sessions for row in await desk.store.all(queries.TURNS_OF_SESSION, session_id=one)]
    await desk.store.commit(Changes("same", tuple(Update("turns", {"id": turn}, dict(same)) for turn in turns)))
    shown = [one["id"] for one in (await read(house, "/console/overview"))["sessions"]]
    assert shown == sorted(sessions)
    told = (await read(house, f"/console/sessions/{sessions[0]}"))["turns"]
    assert [turn["text"] for turn in told] == ["one", "two", "three"]
    assert [turn["position"] for turn in told] == [1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"state": "interrupted", "stopped_by": "owner"}, [("way.stopped_by_you", 14, "")]),
        ({"state": "interrupted", "stopped_by": "ou_1"}, [("way.stopped_by", 14, "ou_1")]),
        ({"state": "completed", "stopped_by": "owner"}, [("way.finished_before_the_stop", 0, "")]),
        ({"state": "interrupted", "stopped_by": ""}, [("turn.interrupted", 0, "")]),
    ],
)
async def test_a_stop_is_told_by_whom_after_how_long_or_that_it_came_too_late(
    house: Served, changes: dict[str, Value], facts: list[tuple[str, int, str]]
) -> None:
    session = await a_session(house)
    [turn] = await said(house, session, "one")
    times: dict[str, Value] = {"running_at": 1_000, "stop_at": 14_000, "ended_at": 15_900}
    await house.gateway.desk.store.commit(Changes("stop", (Update("turns", {"id": turn}, times | changes),)))
    [shown] = (await read(house, f"/console/sessions/{session}"))["turns"]
    assert [(fact["key"], fact["n"], fact["who"]) for fact in shown["way"][2:]] == facts


async def test_a_turn_shows_only_what_was_observed_of_it(house: Served) -> None:
    session = await a_session(house)
    await said(house, session, "one")
    await send_text(house.gateway.desk, session, "two", "two")
    seen = await read(house, f"/console/sessions/{session}")
    ways = [[fact["key"] for fact in turn["way"]] for turn in seen["turns"]]
    assert ways == [["way.received", "turn.completed"], ["way.received", "turn.queued"]]
    assert seen["turns"][0]["answer"] == "<p>echo: one</p>\n"


async def test_a_failed_turn_keeps_its_request_and_names_the_next_step(house: Served) -> None:
    owed = await an_owed_request(house)
    session = (await read(house, "/console/overview"))["sessions"][0]["id"]
    [turn] = (await read(house, f"/console/sessions/{session}"))["turns"]
    assert (turn["text"], turn["failure"], turn["owed_id"]) == ("water the plants", "agent.lost", owed)
    needs = await read(house, "/console/needs")
    assert [one["actions"] for one in needs["owed"]] == [["run_again", "close"]]
    ledger = await read(house, "/console/ledger", kind="told")
    assert [(line["kind"], line["owed"]) for line in ledger["lines"]] == [("told", True)]
    assert (await read(house, "/console/ledger", kind="answered"))["lines"] == []


async def test_an_approval_is_decided_once_and_the_second_is_told_who_was_first(house: Served) -> None:
    identity = await an_approval(house)
    path = f"/api/v1/approvals/{identity}/decide"
    [listed] = (await read(house, "/api/v1/approvals"))["approvals"]
    browser = await house.browser(origin=ORIGIN, **{"sec-fetch-site": "same-origin"})
    first = await browser.post(path, json={"outcome": "allowed_once", "expected_version": listed["version"]})
    second = await house.neighbour().post(path, json={"outcome": "rejected"})
    assert (first.json()["outcome"], first.json()["decided_where"]) == ("allowed_once", "console")
    assert (second.status_code, second.json()["code"]) == (409, "decision.settled")
    assert (await read(house, "/api/v1/approvals"))["approvals"] == []
    assert [one["id"] for one in (await read(house, "/api/v1/approvals", recent=5))["approvals"]] == [identity]


async def test_this_machines_own_door_decides_as_the_command_line(house: Served) -> None:
    identity = await an_approval(house)
    answer = await house.neighbour().post(f"/api/v1/approvals/{identity}/decide", json={"outcome": "rejected"})
    assert answer.json()["decided_where"] == "cli"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"outcome": "allowed_once", "expected_version": 7}, 409, "decision.changed"),
        ({"outcome": "cancelled"}, 422, "request.invalid"),
        ({"outcome": "rejected", "by": "somebody"}, 422, "request.invalid"),
    ],
)
async def test_a_decision_that_is_not_one_is_refused(house: Served, body: Any, status: int, code: str) -> None:
    identity = await an_approval(house)
    answer = await house.neighbour().post(f"/api/v1/approvals/{identity}/decide", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert len((await read(house, "/api/v1/approvals"))["approvals"]) == 1


async def test_an_edit_is_shown_as_a_change_and_the_arguments_whole(house: Served) -> None:
    edit = json.dumps({"file_path": "a.py", "old_string": "x = 1\ny = 2", "new_string": "x = 1\ny = 3\nz = 4"})
    await an_approval(house, edit)
    [shown] = (await read(house, "/console/needs"))["approvals"]
    signs = [(line["sign"], line["number"], line["text"]) for line in shown["diff"]["lines"]]
    assert signs == [(" ", 1, "x = 1"), ("-", 2, "y = 2"), ("+", 2, "y = 3"), ("+", 3, "z = 4")]
    assert (shown["diff"]["added"], shown["diff"]["removed"], shown["arguments"]) == (2, 1, edit)


@pytest.mark.parametrize(
    "arguments", ["", "[]", "not json", '{"command": "ls"}', '{"path": "a"}', '{"path": 1, "content": "x"}']
)
def test_arguments_that_are_no_edit_have_no_change(arguments: str) -> None:
    assert diff_of(arguments) is None


@pytest.mark.scenario("M60")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>x()</script>", "&lt;script&gt;"),
        ("<button>pay</button>", "&lt;button&gt;"),
        ("[a](javascript:x())", "[a](javascript:x())"),
        (
            "[a](https://example.com/b)",
            'rel="noopener noreferrer nofollow">a</a> <span class="host">(example.com)</span>',
        ),
        ("![a](https://example.com/b.png)", '>a</a> <span class="host">(example.com)</span>'),
        ("# a", "<h3>a</h3>"),
        ("|a|\n|-|\n|b|", '<div class="table" tabindex="0"><table>'),
        ("```py\nx<1\n```", '<div class="code" data-language="py"><pre tabindex="0"><code>x&lt;1\n</code></pre></div>'),
    ],
)
def test_markdown_becomes_a_fragment_in_which_nothing_executes(text: str, shown: str) -> None:
    html = render(text)
    assert shown in html
    for bad in ("<script", "<img", "<button", 'href="javascript', "style="):
        assert bad not in html
