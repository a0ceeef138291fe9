"""What survives the process: the history, its replay, and the turn ledger."""

import asyncio
from pathlib import Path
from typing import Any

import acp
import pytest
from tests.unit.rehearsal_agent.driver import DEADLINE_SECONDS, Rehearsal, rehearsal


def marks(replay: list[Any]) -> list[tuple[str, str, dict[str, str] | None]]:
    return [(update.session_update, update.content.text, update.field_meta) for update in replay]


async def kill_in_the_middle_of_a_turn(agent: Rehearsal, session: str) -> None:
    turn = asyncio.create_task(agent.say(session, "[[say:half]][[hang]]", clientMessageId="cut"))
    await asyncio.wait_for(agent.recorder.arrived.wait(), DEADLINE_SECONDS)
    agent.process.kill()
    with pytest.raises(ConnectionError):
        await turn


async def test_the_ledger_is_announced_unless_the_agent_is_plain(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        assert agent.started.field_meta == {"turnLedger": {"supported": True}, "steering": {"supported": True}}
    async with rehearsal(tmp_path, "--plain") as agent:
        assert agent.started.field_meta is None


async def test_a_replay_carries_ids_and_statuses(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.say(session, "one", clientMessageId="first")
        with pytest.raises(acp.RequestError):
            await agent.say(session, "[[error]]", clientMessageId="second")
    async with rehearsal(tmp_path) as agent:
        replay = await agent.load(session)

    assert marks(replay) == [
        ("user_message_chunk", "one", {"clientMessageId": "first"}),
        ("agent_message_chunk", "echo: one", {"turnStatus": "completed"}),
        ("user_message_chunk", "[[error]]", {"clientMessageId": "second"}),
        ("agent_message_chunk", "", {"turnStatus": "failed"}),
    ]


async def test_a_plain_replay_carries_neither(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, "--plain") as agent:
        session = await agent.open()
        await agent.say(session, "one", clientMessageId="first")
        replay = await agent.load(session)

    assert marks(replay) == [
        ("user_message_chunk", "one", None),
        ("agent_message_chunk", "echo: one", None),
    ]


async def test_a_turn_cut_off_by_a_kill_is_unfinished(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await kill_in_the_middle_of_a_turn(agent, session)
    async with rehearsal(tmp_path) as agent:
        replay = await agent.load(session)

    assert marks(replay) == [
        ("user_message_chunk", "[[say:half]][[hang]]", {"clientMessageId": "cut"}),
        ("agent_message_chunk", "", {"turnStatus": "unfinished"}),
    ]


async def test_a_cancelled_turn_keeps_what_it_had_said(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        turn = asyncio.create_task(agent.say(session, "[[say:half]][[hang]]"))
        await asyncio.wait_for(agent.recorder.arrived.wait(), DEADLINE_SECONDS)
        await agent.connection.cancel(session_id=session)
        await turn
        replay = await agent.load(session)

    assert marks(replay)[-1] == ("agent_message_chunk", "half", {"turnStatus": "interrupted"})


async def test_the_status_stands_on_the_last_text_of_a_turn(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.say(session, "[[say:before]][[open-tool]][[close-tool]][[say:after]]")
        replay = await agent.load(session)

    assert [(update.session_update, update.field_meta) for update in replay[1:]] == [
        ("agent_message_chunk", None),
        ("tool_call", None),
        ("agent_message_chunk", {"turnStatus": "completed"}),
    ]


async def test_a_resumed_session_goes_on_counting(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.say(session, "one")
    async with rehearsal(tmp_path) as agent:
        await agent.connection.resume_session(session_id=session, cwd=str(agent.workspace))
        assert agent.recorder.updates == []
        await agent.say(session, "two [[count]]")

        assert agent.recorder.text == "echo: two (turn 2)"


async def test_a_lost_session_is_not_found(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.say(session, "bye [[lose-session]]")
        assert agent.recorder.text == "echo: bye"
        with pytest.raises(acp.RequestError, match="Resource not found"):
            await agent.load(session)
        with pytest.raises(acp.RequestError, match="Resource not found"):
            await agent.connection.resume_session(session_id=session, cwd=str(agent.workspace))


async def test_sessions_are_listed_by_workspace(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        here = await agent.connection.list_sessions(cwd=str(agent.workspace))
        elsewhere = await agent.connection.list_sessions(cwd="/elsewhere")

        assert [found.session_id for found in here.sessions] == [session]
        assert elsewhere.sessions == []


async def test_a_closed_session_takes_no_prompt_until_it_is_loaded(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.connection.close_session(session_id=session)
        with pytest.raises(acp.RequestError, match="Resource not found"):
            await agent.say(session, "one")
        await agent.load(session)

        assert await agent.say(session, "one") == "end_turn"


async def test_a_torn_last_line_is_no_history(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.say(session, "one")
        file = tmp_path / "state" / "sessions" / f"{session}.jsonl"
        file.write_text(file.read_text() + '{"kind": "user", "tex')
        replay = await agent.load(session)

    assert len(replay) == 2
