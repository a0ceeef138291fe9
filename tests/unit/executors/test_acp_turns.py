"""One turn over the ACP executor, with the rehearsal agent as a real process."""

import asyncio
from pathlib import Path

import pytest
from tests.unit.executors.stage import ask, begin, staged

from hongyan.domain.agents import (
    Lost,
    PermissionAnswer,
    PermissionAsked,
    PermissionWithdrawn,
    PlanChanged,
    PlanStatus,
    PlanStep,
    Prompt,
    Reasoned,
    Steered,
    SteerOutcome,
    TextArrived,
    ThoughtArrived,
    ToolChanged,
    ToolStatus,
    TurnEnded,
    TurnEnding,
)
from hongyan.domain.errors import AgentBusyError, AgentError


async def test_a_prompt_is_answered_once_with_its_text(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(), "deploy the site")

        assert await turn.end() == TurnEnded(TurnEnding.COMPLETED, "echo: deploy the site")
        assert turn.seen[:-1] == [TextArrived("echo: deploy the site")]


async def test_the_agent_gets_our_own_id_of_the_dispatch(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await ask(await stage.attach(), "one", key="turn-1/1")

        assert [(line["text"], line["client_message_id"]) for line in stage.prompts()] == [("one", "turn-1/1")]


async def test_an_agent_without_a_ledger_is_told_no_id(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await ask(await stage.attach(executor="rehearsal-plain"), "one")

        assert [line["client_message_id"] for line in stage.prompts()] == [None]


async def test_thoughts_are_no_part_of_the_answer(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(), "[[think:hm]][[say:done]]")

        assert await turn.end() == TurnEnded(TurnEnding.COMPLETED, "done")
        assert turn.seen[0] == ThoughtArrived("hm")


@pytest.mark.scenario("M101")
async def test_reasoning_of_an_agent_that_sums_nothing_up_goes_no_further(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(executor="rehearsal-reticent"), "[[think:hm]][[say:done]]")

        assert await turn.end() == TurnEnded(TurnEnding.COMPLETED, "done")
        assert turn.seen[0] == Reasoned()


async def test_a_plan_comes_whole_with_the_state_of_each_step(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(), "[[plan:+one|>two|three]][[say:done]]")

        await turn.end()
        states = (("one", PlanStatus.DONE), ("two", PlanStatus.OPEN), ("three", PlanStatus.WAITING))
        assert turn.seen[0] == PlanChanged(tuple(PlanStep(text, status) for text, status in states))


@pytest.mark.scenario("L179")
@pytest.mark.parametrize(
    ("script", "answer"),
    [
        ("[[say:let me look]][[open-tool]][[close-tool]][[say:it ]][[think:hm]][[say:works]]", "it works"),
        ("[[say:first]][[open-tool]][[close-tool]][[say:second]][[open-tool]][[close-tool]]", "second"),
        ("[[open-tool]][[say:while it runs]][[close-tool]]", "while it runs"),
        ("[[say:may I?]][[ask:touch x]]", "The answer was: reject_once."),
        ("[[silent]][[open-tool]][[close-tool]]", ""),
    ],
)
async def test_only_what_follows_the_last_tool_call_is_the_answer(tmp_path: Path, script: str, answer: str) -> None:
    async with staged(tmp_path) as stage:
        assert await ask(await stage.attach(), script) == TurnEnded(TurnEnding.COMPLETED, answer)


async def test_a_tool_call_is_told_from_open_to_done(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(), "[[open-tool:ls]][[close-tool]][[tool:fail]]")
        await turn.end()

        tools = [event for event in turn.seen if isinstance(event, ToolChanged)]
        assert [(tool.title, tool.status) for tool in tools] == [
            *(("tool", ToolStatus.OPEN), ("ls", ToolStatus.OPEN), ("ls", ToolStatus.DONE)),
            *(("tool", ToolStatus.OPEN), ("fail", ToolStatus.OPEN), ("fail", ToolStatus.FAILED)),
        ]


async def test_updates_of_a_tool_call_are_taken_in_any_order(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(executor="late-title"), "go")
        await turn.end()

        assert [event for event in turn.seen if isinstance(event, ToolChanged)] == [
            ToolChanged("t", "", "other", ToolStatus.OPEN),
            ToolChanged("t", "bash", "execute", ToolStatus.OPEN),
            ToolChanged("t", "ls", "execute", ToolStatus.OPEN),
            ToolChanged("t", "ls", "execute", ToolStatus.DONE),
        ]


async def test_what_belongs_to_another_session_or_to_editors_is_not_told(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(executor="plain"), "go")
        await turn.end()

        assert [type(event) for event in turn.seen] == [TextArrived, TurnEnded]


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        (PermissionAnswer.ALLOW_ONCE, "allow_once"),
        (PermissionAnswer.ALLOW_SESSION, "allow_once"),
        (PermissionAnswer.REJECT, "reject_once"),
        (PermissionAnswer.CANCEL, "cancelled"),
    ],
)
async def test_a_request_for_leave_is_told_and_takes_one_answer(
    tmp_path: Path, answer: PermissionAnswer, chosen: str
) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(), "[[ask:rm -r build]]")
        turn.answer = answer
        end = await turn.end()

        asked = turn.seen[0]
        assert isinstance(asked, PermissionAsked)
        assert asked.title == "rm -r build"
        assert end == TurnEnded(TurnEnding.COMPLETED, f"The answer was: {chosen}.")


async def test_an_interrupt_takes_an_open_request_back(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        events = await agent.prompt(Prompt("k1", "[[ask:rm -r build]]"))
        asked = await anext(events)
        assert isinstance(asked, PermissionAsked)
        await agent.interrupt()
        seen = [event async for event in events]

        assert seen[0] == PermissionWithdrawn(asked.ask_id)
        assert isinstance(seen[-1], TurnEnded)
        assert seen[-1].ending is TurnEnding.INTERRUPTED
        assert not await agent.answer(asked.ask_id, PermissionAnswer.ALLOW_ONCE)


async def test_a_hundred_kilobytes_arrive_whole(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        end = await ask(await stage.attach(), "[[big:100]]")

        assert isinstance(end, TurnEnded)
        assert len(end.answer.encode()) > 100 * 1024
        assert end.answer.endswith("sections —")


async def test_a_second_prompt_is_not_sent_while_one_runs(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        turn = await begin(agent, "one [[wait:go]]")
        with pytest.raises(AgentBusyError):
            await begin(agent, "two")
        stage.touch("go")
        await turn.end()

        assert [line["text"] for line in stage.prompts()] == ["one [[wait:go]]"]


async def test_an_interrupted_turn_ends_as_interrupted(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        turn = await begin(agent, "[[say:half]][[hang]]")
        await turn.until(lambda event: isinstance(event, TextArrived))
        await agent.interrupt()

        assert await turn.end() == TurnEnded(TurnEnding.INTERRUPTED, "half")
        assert await ask(agent, "next") == TurnEnded(TurnEnding.COMPLETED, "echo: next")


async def test_an_interrupt_does_not_overtake_its_prompt(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        prompting = asyncio.create_task(begin(agent, "[[hang]]"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await agent.interrupt()

        assert await (await prompting).end() == TurnEnded(TurnEnding.INTERRUPTED, "")


async def test_a_cancel_is_interrupted_whatever_the_agent_calls_it(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        turn = await begin(agent, "[[ignore-cancel:enough]]")
        await turn.until(lambda event: isinstance(event, TextArrived))
        await agent.interrupt()
        stage.touch("enough")
        end = await turn.end()

        assert isinstance(end, TurnEnded)
        assert end.ending is TurnEnding.INTERRUPTED


@pytest.mark.scenario("L181")
async def test_an_interrupt_after_the_end_changes_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        first = await ask(agent, "one")
        await agent.interrupt()

        assert first == TurnEnded(TurnEnding.COMPLETED, "echo: one")
        assert await ask(agent, "two") == TurnEnded(TurnEnding.COMPLETED, "echo: two")


async def test_an_agent_that_ignores_its_cancel_can_be_killed(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        turn = await begin(agent, "[[ignore-cancel:never]]")
        await turn.until(lambda event: isinstance(event, TextArrived))
        await agent.interrupt()
        await turn.until(lambda event: isinstance(event, TextArrived))
        await agent.kill()
        end = await turn.end()

        assert isinstance(end, Lost)
        assert end.code == "agent.ended"
        assert stage.agents.alive() == ()


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("[[error:-32042:no credit left]]", "agent.refused", "no credit left (-32042)"),
        ("[[overloaded]]", "agent.unavailable", "The model is overloaded (529), try again later (-32603)"),
        ("[[error:-32000:log in]]", "agent.login_required", "log in (-32000)"),
        ("[[refuse]]", "agent.refusal", "the agent declined to answer"),
    ],
)
async def test_a_failure_keeps_the_words_of_the_agent(tmp_path: Path, script: str, code: str, words: str) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        end = await ask(agent, script)

        assert isinstance(end, TurnEnded)
        assert (end.ending, end.code, end.message) == (TurnEnding.FAILED, code, words)
        assert await ask(agent, "next") == TurnEnded(TurnEnding.COMPLETED, "echo: next")


async def test_a_crash_is_told_as_lost_with_what_was_said(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()

        assert await ask(agent, "[[crash:after]]") == Lost(
            "agent.lost", "the agent ended with exit code 70", "This sentence will never be"
        )
        assert stage.agents.alive() == ()
        with pytest.raises(AgentError):
            await begin(agent, "next")


async def test_a_line_that_is_no_message_fails_the_turn(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        end = await ask(agent, "[[say:half]][[garbage]][[hang]]")

        assert isinstance(end, Lost)
        assert (end.code, end.partial) == ("agent.protocol", "half")
        assert stage.agents.alive() == ()
        log = stage.agents.log_file(stage.seat()).read_text()
        assert "not a message of the protocol: Traceback" in log


async def test_an_answer_before_the_exit_counts(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        assert await ask(await stage.attach(), "bye [[exit]]") == TurnEnded(TurnEnding.COMPLETED, "echo: bye")


async def test_letters_cut_in_two_are_joined_and_what_stays_half_can_be_kept(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        turn = await begin(await stage.attach(executor="half-letters"), "swans")

        end = await turn.end()
        assert isinstance(end, TurnEnded)
        assert end.answer == "a 🦢 and \ufffd b"
        assert "broke \ufffd off" in end.message
        texts = [event.text for event in turn.seen if isinstance(event, TextArrived)]
        assert texts == ["a ", "🦢 and ", "\ufffd b"]
        assert [event.text for event in turn.seen if isinstance(event, ThoughtArrived)] == texts
        assert [event.title for event in turn.seen if isinstance(event, ToolChanged)] == ["cut \ufffd"]


@pytest.mark.scenario("M13")
async def test_words_go_into_the_running_prompt_and_are_told_where_they_went(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        assert await agent.steer("too early") is SteerOutcome.NO_TURN
        turn = await begin(agent, "[[say:begun ]][[wait:go]]")
        await turn.until(lambda event: isinstance(event, TextArrived))

        assert await agent.steer("and cheese") is SteerOutcome.TAKEN
        await turn.until(lambda event: event == Steered("and cheese"))
        stage.touch("go")
        assert await turn.end() == TurnEnded(TurnEnding.COMPLETED, "begun steered: and cheese ")
        assert await agent.steer("too late") is SteerOutcome.NO_TURN


@pytest.mark.parametrize(("executor", "words"), [("rehearsal-plain", ""), ("rehearsal", "[[steering:refuse]]")])
async def test_an_agent_that_takes_no_words_says_so(tmp_path: Path, executor: str, words: str) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach(executor=executor)
        turn = await begin(agent, f"{words}[[say:begun]][[wait:go]]")
        await turn.until(lambda event: isinstance(event, TextArrived))

        assert await agent.steer("and cheese") is SteerOutcome.REFUSED
        stage.touch("go")
        assert await turn.end() == TurnEnded(TurnEnding.COMPLETED, "begun")


async def test_an_agent_that_ends_before_it_answers_leaves_it_unknown(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        turn = await begin(agent, "[[steering:hang]][[say:begun]][[wait:go]]")
        await turn.until(lambda event: isinstance(event, TextArrived))
        steering = asyncio.create_task(agent.steer("and cheese"))
        log = tmp_path / "state" / "steers.log"
        while not log.exists():  # noqa: ASYNC110 - another process sets no event of ours
            await asyncio.sleep(0.01)
        await agent.kill()

        assert await steering is SteerOutcome.UNKNOWN
        assert isinstance(await turn.end(), Lost)
