"""What the agent does in a turn, seen through the SDK's client over a real process."""

import asyncio
import json
import os
from pathlib import Path

import acp
import pytest
from tests.unit.rehearsal_agent.driver import DEADLINE_SECONDS, raw_rehearsal, rehearsal


async def test_plain_text_comes_back(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        reason = await agent.say(await agent.open(), "deploy the site")

        assert (reason, agent.recorder.text) == ("end_turn", "echo: deploy the site")


async def test_only_the_last_text_block_is_the_script(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.send(session, [acp.text_block("You [[crash]] it."), acp.text_block("hello there")])

        assert agent.recorder.text == "echo: hello there"


async def test_the_turn_is_counted_when_asked(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.say(session, "one")
        await agent.say(session, "two [[count]]")

        assert agent.recorder.text == "echo: two (turn 2)"


async def test_a_tool_call_is_told_from_start_to_end(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        (agent.workspace / "plan.md").write_text("x")
        await agent.say(await agent.open(), "[[say:let me look]][[tool:ls]]")

        assert agent.recorder.kinds() == [
            "agent_message_chunk",
            "tool_call",
            "tool_call_update",
            "tool_call_update",
            "agent_message_chunk",
        ]
        assert [update.status for update in agent.recorder.updates[1:4]] == ["pending", "in_progress", "completed"]
        assert "plan.md" in agent.recorder.text


async def test_a_tool_may_fail_and_may_stay_open(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        await agent.say(await agent.open(), "[[tool:fail]][[open-tool:sleep]]")

        assert [update.status for update in agent.recorder.updates] == [
            *("pending", "in_progress", "failed"),
            *("pending", "in_progress"),
        ]


@pytest.mark.parametrize("kind", ["allow_once", "reject_once", "cancelled"])
async def test_the_answer_to_a_permission_request_is_told(tmp_path: Path, kind: str) -> None:
    async with rehearsal(tmp_path) as agent:
        agent.recorder.answer_kind = kind
        await agent.say(await agent.open(), "[[ask:touch a.txt]]")

        assert agent.recorder.text == f"The answer was: {kind}."


async def test_a_big_answer_arrives_whole(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        await agent.say(await agent.open(), "[[big:100]]")

        assert len(agent.recorder.text.encode()) >= 100 * 1024
        assert agent.recorder.text.endswith("sections —")


async def test_images_are_counted(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.send(session, [acp.image_block("aGk=", "image/png"), acp.text_block("[[image]]")])

        assert agent.recorder.text == "I got 1 image."


@pytest.mark.parametrize("word", ["[[hang]]", "[[slow:500:1000]]", "[[wait:never]]"])
async def test_a_turn_can_be_cancelled(tmp_path: Path, word: str) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        turn = asyncio.create_task(agent.say(session, f"[[think:go]]{word}"))
        await asyncio.wait_for(agent.recorder.arrived.wait(), DEADLINE_SECONDS)
        await agent.connection.cancel(session_id=session)

        assert await turn == "cancelled"


async def test_a_deaf_turn_goes_on_after_its_cancel(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        turn = asyncio.create_task(agent.say(session, "[[ignore-cancel:enough]]"))
        await asyncio.wait_for(agent.recorder.arrived.wait(), DEADLINE_SECONDS)
        await agent.connection.cancel(session_id=session)
        agent.recorder.arrived.clear()
        await asyncio.wait_for(agent.recorder.arrived.wait(), DEADLINE_SECONDS)
        (tmp_path / "state" / "enough").touch()

        assert await turn == "end_turn"
        assert agent.recorder.text.endswith("now I am done.")


async def test_a_turn_waits_for_a_file_and_writes_one(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        (tmp_path / "state" / "go").touch()
        await agent.say(await agent.open(), "on [[wait:go]][[touch:reached]]")

        assert (tmp_path / "state" / "reached").exists()
        assert agent.recorder.text == "echo: on"


@pytest.mark.parametrize("name", ["../escape", "prompts.log", "", "a/b"])
async def test_a_file_name_cannot_leave_the_state_directory(tmp_path: Path, name: str) -> None:
    async with rehearsal(tmp_path) as agent:
        with pytest.raises(acp.RequestError) as refusal:
            await agent.say(await agent.open(), f"[[touch:{name}]]")

        assert refusal.value.code == -32602


async def test_a_refusal_is_a_stop_reason(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        assert await agent.say(await agent.open(), "[[refuse]]") == "refusal"


async def test_an_error_carries_its_code_and_its_sentence(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        with pytest.raises(acp.RequestError, match="no credit left") as failure:
            await agent.say(await agent.open(), "[[error:-32042:no credit left]]")

        assert failure.value.code == -32042


async def test_an_overloaded_model_is_told_as_agents_tell_it(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        with pytest.raises(acp.RequestError) as failure:
            await agent.say(await agent.open(), "[[overloaded]]")

        assert failure.value.data == {"status": 529, "retryable": True}


async def test_a_second_prompt_on_a_busy_session_is_refused(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        turn = asyncio.create_task(agent.say(session, "[[think:go]][[wait:go]]"))
        await asyncio.wait_for(agent.recorder.arrived.wait(), DEADLINE_SECONDS)
        with pytest.raises(acp.RequestError) as refusal:
            await agent.connection.prompt(session_id=session, prompt=[acp.text_block("two")])
        (tmp_path / "state" / "go").touch()
        await turn

        assert refusal.value.code == -32600


@pytest.mark.parametrize(("words", "code"), [("[[crash]]", 70), ("[[crash:after]]", 70)])
async def test_a_crash_ends_the_process_without_an_answer(tmp_path: Path, words: str, code: int) -> None:
    async with rehearsal(tmp_path) as agent:
        with pytest.raises(ConnectionError):
            await agent.say(await agent.open(), words)

        assert await asyncio.wait_for(agent.process.wait(), DEADLINE_SECONDS) == code


async def test_an_exit_answers_first(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        reason = await agent.say(await agent.open(), "bye [[exit]]")

        assert (reason, agent.recorder.text) == ("end_turn", "echo: bye")
        assert await asyncio.wait_for(agent.process.wait(), DEADLINE_SECONDS) == 0


def refuses(line: bytes) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return True
    return False


async def test_garbage_is_a_line_that_is_no_json(tmp_path: Path) -> None:
    requests = [
        {"method": "initialize", "params": {"protocolVersion": 1}},
        {"method": "session/new", "params": {"cwd": str(tmp_path), "mcpServers": []}},
    ]
    async with raw_rehearsal(tmp_path) as ask:
        for request in requests:
            answer = json.loads(await ask(request))
        session = answer["result"]["sessionId"]
        prompt = {"sessionId": session, "prompt": [{"type": "text", "text": "[[garbage]]"}]}
        first_line = await ask({"method": "session/prompt", "params": prompt})

    assert refuses(first_line)


async def test_every_prompt_is_witnessed(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        await agent.say(session, "one", clientMessageId="turn-1")
        await agent.say(session, "two")
        log = [json.loads(line) for line in (tmp_path / "state" / "prompts.log").read_text().splitlines()]

        assert [(line["session"], line["client_message_id"], line["text"]) for line in log] == [
            (session, "turn-1", "one"),
            (session, None, "two"),
        ]
        [pid] = {line["pid"] for line in log}
        assert os.readlink(f"/proc/{pid}/cwd") == str(tmp_path / "workspace")


async def test_more_words_come_into_a_running_turn_and_nothing_begins_without_one(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as agent:
        session = await agent.open()
        more = {"sessionId": session, "prompt": [{"type": "text", "text": "and cheese"}]}
        idle = await agent.connection.ext_method("session/steering", more)
        asking = asyncio.create_task(agent.say(session, "[[say:begun ]][[wait:go]]"))
        await asyncio.wait_for(agent.recorder.arrived.wait(), DEADLINE_SECONDS)
        taken = await agent.connection.ext_method("session/steering", more)
        (tmp_path / "state" / "go").touch()

        assert await asyncio.wait_for(asking, DEADLINE_SECONDS) == "end_turn"
        assert (idle["outcome"], taken["outcome"]) == ("promptRequired", "injected")
        assert agent.recorder.text == "begun steered: and cheese "
        assert (agent.started.field_meta or {})["steering"] == {"supported": True}
