"""Evidence after a crash: what the agent's own history proves, and what it does not."""

from pathlib import Path
from typing import Any

import acp
import pytest
from tests.unit.executors.stage import ask, begin, staged

from hongyan.adapters.executors.acp_history import Replay
from hongyan.domain.agents import Evidence, Prompt, ReadBack, TextArrived, TurnEnding


def user(text: str, message_id: str | None = None) -> Any:
    chunk = acp.update_user_message_text(text)
    chunk.field_meta = {"clientMessageId": message_id} if message_id else None
    return chunk


def agent(text: str, status: str | None = None) -> Any:
    chunk = acp.update_agent_message_text(text)
    chunk.field_meta = {"turnStatus": status} if status else None
    return chunk


def evidence(prompt: Prompt, *updates: Any) -> ReadBack:
    replay = Replay()
    for update in updates:
        replay.take(update)
    return replay.evidence(prompt)


async def test_an_ended_turn_is_found_with_its_answer(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        first = await stage.attach()
        await ask(first, "[[say:hm]][[tool:ls]][[say:done]]", key="a")
        await ask(first, "two", key="b")
        await stage.agents.detach("s1")
        again = await stage.attach(first.upstream())

        found = await again.read_back(Prompt("a", "whatever"))
        assert (found.evidence, found.ending) == (Evidence.ENDED, TurnEnding.COMPLETED)
        assert found.answer.endswith("done")
        assert not found.answer.startswith("hm")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("[[error]]", ReadBack(Evidence.ENDED, TurnEnding.FAILED)),
        ("[[say:half]][[crash]]", ReadBack(Evidence.UNFINISHED)),
    ],
)
async def test_a_turn_that_did_not_complete_is_told_as_it_was(tmp_path: Path, script: str, expected: ReadBack) -> None:
    async with staged(tmp_path) as stage:
        first = await stage.attach()
        await ask(first, script, key="a")

        again = await stage.attach(first.upstream())
        assert await again.read_back(Prompt("a", script)) == expected


async def test_a_turn_of_a_killed_gateway_is_unfinished(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        first = await stage.attach()
        turn = await begin(first, "[[say:half]][[hang]]", key="a")
        await turn.until(lambda event: isinstance(event, TextArrived))
        await first.kill()

        again = await stage.attach(first.upstream())
        assert await again.read_back(Prompt("a", "x")) == ReadBack(Evidence.UNFINISHED)


async def test_a_prompt_that_never_arrived_is_absent(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        first = await stage.attach()
        await ask(first, "same words", key="a")

        assert await first.read_back(Prompt("b", "same words")) == ReadBack(Evidence.ABSENT)


async def test_reading_back_disturbs_no_later_turn(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        first = await stage.attach()
        await ask(first, "one", key="a")
        await first.read_back(Prompt("a", "one"))
        turn = await begin(first, "two", key="b")
        await turn.end()

        assert turn.seen[0] == TextArrived("echo: two")


async def test_an_ordinary_agent_proves_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        first = await stage.attach(executor="rehearsal-plain")
        await ask(first, "one", key="a")

        assert await first.read_back(Prompt("a", "one")) == ReadBack(Evidence.UNKNOWN)
        assert await first.read_back(Prompt("b", "never sent")) == ReadBack(Evidence.UNKNOWN)


async def test_an_agent_that_does_not_answer_proves_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        first = await stage.attach()
        await first.kill()

        assert await first.read_back(Prompt("a", "one")) == ReadBack(Evidence.UNKNOWN)


def test_the_same_words_without_an_id_leave_it_open() -> None:
    assert evidence(Prompt("a", "hi"), user("hi"), agent("yes", "completed")) == ReadBack(Evidence.UNKNOWN)


def test_a_turn_without_a_known_status_leaves_it_open() -> None:
    assert evidence(Prompt("a", "hi"), user("hi", "a"), agent("yes")) == ReadBack(Evidence.UNKNOWN)
    assert evidence(Prompt("a", "hi"), user("hi", "a"), agent("yes", "odd")) == ReadBack(Evidence.UNKNOWN)


def test_a_message_in_several_chunks_is_one_turn() -> None:
    updates = [user("one ", "a"), user("two", "a"), agent("yes", "completed"), user("more", "b")]

    assert evidence(Prompt("a", "x"), *updates) == ReadBack(Evidence.ENDED, TurnEnding.COMPLETED, "yes")


def test_a_turn_takes_no_status_from_the_next_one() -> None:
    updates = [user("one", "a"), user("two", "b"), agent("yes", "completed")]

    assert evidence(Prompt("a", "one"), *updates) == ReadBack(Evidence.UNKNOWN)


def test_an_update_before_any_message_is_nobodys() -> None:
    assert evidence(Prompt("a", "one"), agent("hello", "completed")) == ReadBack(Evidence.ABSENT)
