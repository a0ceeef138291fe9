"""What failed before anything ran goes on by itself, with proof and within a budget; everything else stays owed."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.harness import World
from tests.harness.world import Crash

from feishu_simulator.people import Speech
from hongyan.application.configure import revoke_binding
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.application.read_ledger import read_ledger
from hongyan.domain.agents import AgentSeat
from hongyan.domain.errors import AgentStartError
from hongyan.ports.agents import Agent, Agents

MINUTE_MS = 60_000
ROWS = "SELECT cause, n, state, evidence FROM continuations ORDER BY planned_at, n"
TURNS = "SELECT origin, state FROM turns ORDER BY position"
OVERLOADED = "[[overloaded:mended]][[say:done]]"
RESERVED_ENDED = "SELECT 1 FROM continuations WHERE state IN ('succeeded', 'failed')"
BLOCKED = "SELECT 1 FROM continuations WHERE state = 'blocked'"


class _Unstartable:
    """Agents of which the first ones do not start."""

    def __init__(self, inner: Agents, failures: list[int]) -> None:
        self._inner, self._failures = inner, failures
        self.detach, self.close, self.alive = inner.detach, inner.close, inner.alive

    async def attach(self, seat: AgentSeat) -> Agent:
        if self._failures[0] > 0:
            self._failures[0] -= 1
            raise AgentStartError("the program is not there")
        return await self._inner.attach(seat)


def _unstartable(times: int) -> Callable[[Agents], Agents]:
    left = [times]
    return lambda agents: _Unstartable(agents, left)


def _rich(text: str) -> dict[str, Any]:
    link = {"tag": "a", "text": "the plan", "href": "https://example.com/plan"}
    return {"title": "Notes", "content": [[{"tag": "text", "text": f"{text} ", "style": ["bold"]}, link]]}


async def _pass(world: World, milliseconds: int = MINUTE_MS) -> None:
    await world.advance(milliseconds, leap=True)


async def _fail(world: World, text: str = OVERLOADED) -> None:
    world.say(text)
    await world.until_settled()


async def _blocked(world: World, milliseconds: int = MINUTE_MS) -> str:
    """Let the moment come and give why there was no continuation."""
    await _pass(world, milliseconds)
    await world.until_rows(BLOCKED)
    await world.until_settled()
    [(evidence,)] = await world.rows("SELECT evidence FROM continuations WHERE state = 'blocked'")
    return str(evidence)


@pytest.mark.scenario("L115")
async def test_an_overloaded_agent_is_told_in_its_own_words_and_the_session_stays(world: World) -> None:
    said = world.say("[[overloaded]]")
    await world.until_settled()
    [told] = world.answers_to(said)
    assert "The model is overloaded (529), try again later (-32603)" in told
    assert await world.rows("SELECT state, code FROM turns") == [("failed", "agent.unavailable")]
    after = world.say("[[count]] still here")
    await world.until_settled()
    assert world.answers_to(after) == ["echo: still here (turn 2)"]
    assert await world.rows("SELECT count(*) FROM sessions") == [(1,)]
    await world.adds_up()


@pytest.mark.scenario("L138")
async def test_without_an_intent_the_turn_goes_on_by_itself_and_the_notice_stays(world: World) -> None:
    world.dress = _unstartable(1)
    await world.restart()
    said = world.say("start when you can")
    await world.until_settled()
    [told] = world.answers_to(said)
    assert "It is tried again at" in told
    await _pass(world)
    await world.until_rows(RESERVED_ENDED)
    await world.until_settled()
    assert world.answers_to(said) == [told, "echo: start when you can"]
    assert await world.rows(ROWS) == [("not_dispatched", 0, "succeeded", "no_intent")]
    assert await world.rows(TURNS) == [("lark", "failed"), ("continuation", "completed")]
    ledger = await world.adds_up()
    assert (ledger.received.classes["answered"], ledger.owed) == (1, 0)


@pytest.mark.scenario("L138")
async def test_a_history_without_the_prompt_lets_the_turn_go_on(world: World) -> None:
    await _fail(world, "a first one")
    await _fail(world, "[[unheard:mended]] now you hear me")
    world.release("mended")
    await _pass(world)
    await world.until_rows(RESERVED_ENDED)
    await world.until_settled()
    assert world.answers()[-1] == "echo: now you hear me"
    assert await world.rows(ROWS) == [("not_dispatched", 0, "succeeded", "prompt_absent")]
    await world.adds_up()


@pytest.mark.scenario("L138")
async def test_an_agent_that_was_lost_after_a_word_is_never_continued(world: World) -> None:
    await _fail(world, "[[say:half]][[crash]]")
    assert await _blocked(world) == "continuation.unproven"
    assert await world.rows(TURNS) == [("lark", "failed")]
    assert len(await list_owed(world.gateway.desk)) == 1
    await world.adds_up()


async def test_an_agent_that_keeps_no_history_is_not_continued(plain_world: World) -> None:
    await _fail(plain_world)
    assert await plain_world.rows(ROWS) == []
    assert len(await list_owed(plain_world.gateway.desk)) == 1
    await plain_world.adds_up()


@pytest.mark.scenario("L139")
async def test_a_continuation_that_a_crash_hit_when_it_was_accepted_runs_once(world: World) -> None:
    crash = Crash("continued")
    await world.restart(crash)
    await _fail(world)
    world.release("mended")
    await _pass(world)
    await crash.dead.wait()
    await world.restart()
    await world.until_rows(RESERVED_ENDED)
    await world.until_settled()
    await _pass(world, 10 * MINUTE_MS)
    await world.until_settled()
    assert world.prompts() == [OVERLOADED, OVERLOADED]
    assert await world.rows(TURNS) == [("lark", "failed"), ("continuation", "completed")]
    assert world.answers()[1:] == ["done"]
    await world.adds_up()


@pytest.mark.scenario("L139")
async def test_a_continuation_that_had_completed_before_the_crash_is_not_run_again(world: World) -> None:
    await _fail(world)
    world.release("mended")
    crash = Crash("completed")
    await world.restart(crash)
    await _pass(world)
    await crash.dead.wait()
    await world.restart()
    await world.until_settled()
    assert len(world.prompts()) == 2
    assert await world.rows(ROWS) == [("transport", 0, "succeeded", "nothing_ran")]
    await world.adds_up()


@pytest.mark.scenario("L140")
@pytest.mark.parametrize("newer", [OVERLOADED.replace("done", "again"), "something else"])
async def test_newer_input_is_answered_and_the_older_one_is_not_continued(world: World, newer: str) -> None:
    await _fail(world)
    world.release("mended")
    await _fail(world, newer)
    assert await _blocked(world) == "continuation.newer_input"
    assert len(world.prompts()) == 2
    [row] = await list_owed(world.gateway.desk)
    assert (row.text, row.follow_up.why if row.follow_up else "") == (OVERLOADED, "continuation.newer_input")
    await world.adds_up()


@pytest.mark.scenario("L141")
async def test_an_item_of_an_unknown_kind_in_the_history_forbids_it(world: World) -> None:
    await _fail(world, "[[odd]]")
    await _fail(world)
    assert await _blocked(world) == "continuation.unproven"
    await world.adds_up()


@pytest.mark.scenario("L141")
async def test_a_command_that_still_runs_forbids_it(world: World) -> None:
    await _fail(world, "[[background:stopped]] started")
    await _fail(world)
    assert await _blocked(world) == "continuation.background"
    await world.adds_up()


@pytest.mark.scenario("L142")
async def test_a_spent_budget_leaves_it_owed_and_a_restart_does_not_refill_it(world: World) -> None:
    await _fail(world)
    for minutes in (1, 2):
        await _pass(world, minutes * MINUTE_MS)
        await world.until_rows("SELECT 1 FROM continuations WHERE state = 'failed' AND n = :n", n=minutes - 1)
        await world.until_settled()
    await world.restart()
    await _pass(world, 4 * MINUTE_MS)
    await world.until_rows("SELECT 1 FROM continuations WHERE state = 'failed' AND n = 2")
    await world.until_settled()
    await _pass(world, 60 * MINUTE_MS)
    await world.until_settled()
    assert [row[:3] for row in await world.rows(ROWS)] == [("transport", n, "failed") for n in range(3)]
    assert len(world.prompts()) == 4
    [row] = await list_owed(world.gateway.desk)
    assert (row.why, OwedAction.RUN_AGAIN in row.actions) == ("agent.unavailable", True)
    assert "tried again" not in world.answers()[-1]
    await world.adds_up()


@pytest.mark.scenario("L142")
async def test_a_continuation_that_fails_otherwise_owes_and_brings_no_other_cause(world: World) -> None:
    await _fail(world, "[[overloaded:mended]][[quota]]")
    world.release("mended")
    await _pass(world)
    await world.until_rows("SELECT 1 FROM continuations WHERE state = 'failed'")
    await world.until_settled()
    assert [row[0] for row in await world.rows(ROWS)] == ["transport"]
    [row] = await list_owed(world.gateway.desk)
    assert row.why == "agent.quota"
    await world.adds_up()


async def test_a_spent_quota_waits_for_its_own_reset(world: World) -> None:
    resets_at = world.clock.now() + 30 * MINUTE_MS
    await _fail(world, f"[[quota:{resets_at}:mended]][[say:done]]")
    world.release("mended")
    await _pass(world, 29 * MINUTE_MS)
    await world.until_settled()
    assert await world.rows(ROWS) == [("quota", 0, "waiting", "")]
    await _pass(world)
    await world.until_rows(RESERVED_ENDED)
    await world.until_settled()
    assert world.answers()[-1] == "done"
    await world.adds_up()


@pytest.mark.scenario("L149")
async def test_a_spent_quota_with_an_unreadable_history_stays_owed(world: World) -> None:
    await _fail(world, "[[unreadable]][[quota]]")
    assert await _blocked(world) == "continuation.unreadable"
    assert len(await list_owed(world.gateway.desk)) == 1
    await world.adds_up()


@pytest.mark.scenario("L149")
async def test_what_was_stopped_is_not_continued_whatever_the_agent_answers_then(world: World) -> None:
    world.say("[[wait:go]][[quota]]")
    await world.until_rows("SELECT 1 FROM turns WHERE intent_at > 0")
    world.say("/stop")
    await world.until_settled()
    assert await world.rows(ROWS) == []
    await world.adds_up()


@pytest.mark.scenario("L143")
async def test_a_message_that_reads_back_equal_may_go_on(world: World) -> None:
    world.say(OVERLOADED)
    await world.until_settled()
    world.release("mended")
    await _pass(world)
    await world.until_rows(RESERVED_ENDED)
    await world.until_settled()
    assert world.answers()[-1] == "done"
    await world.adds_up()


@pytest.mark.scenario("L143")
async def test_rich_text_that_reads_back_equal_may_go_on(world: World) -> None:
    said = world.platform.people.say(world.owner.user_id, world.chat.chat_id, Speech(post=_rich(OVERLOADED)))
    await world.until_settled()
    world.release("mended")
    await _pass(world)
    await world.until_rows(RESERVED_ENDED)
    await world.until_settled()
    assert world.answers_to(said)[-1] == "done"
    assert world.prompts() == [f"Notes\n{OVERLOADED} [the plan](https://example.com/plan)"] * 2
    await world.adds_up()


@pytest.mark.scenario("L143")
async def test_rich_text_that_was_edited_is_not_continued(world: World) -> None:
    said = world.platform.people.say(world.owner.user_id, world.chat.chat_id, Speech(post=_rich(OVERLOADED)))
    await world.until_settled()
    world.platform.people.edit(world.owner.user_id, said.message_id, Speech(post=_rich("something else")))
    assert await _blocked(world) == "continuation.edited"
    assert len(world.prompts()) == 1
    await world.adds_up()


@pytest.mark.scenario("L143")
async def test_a_picture_among_the_words_is_not_passed_over(world: World) -> None:
    post = _rich("what is wrong here?")
    post["content"].append([{"tag": "img", "image_key": "img_v3_x"}])
    said = world.platform.people.say(world.owner.user_id, world.chat.chat_id, Speech(post=post))
    await world.until_settled()
    [word] = world.answers_to(said)
    assert "cannot be read yet (image)" in word
    assert world.prompts() == []
    await world.adds_up()


@pytest.mark.scenario("L143")
async def test_a_message_that_was_edited_meanwhile_is_not_continued(world: World) -> None:
    said = world.say(OVERLOADED)
    await world.until_settled()
    world.platform.people.edit(world.owner.user_id, said.message_id, Speech(text="something quite different"))
    assert await _blocked(world) == "continuation.edited"
    assert len(world.prompts()) == 1
    await world.adds_up()


async def test_a_revoked_binding_is_not_continued(world: World) -> None:
    await _fail(world)
    assert world.binding is not None
    await revoke_binding(world.gateway.desk, world.binding.id, world.binding.revision)
    assert await _blocked(world) == "continuation.revoked"


async def test_the_owner_who_acts_first_is_not_followed_by_a_continuation(world: World) -> None:
    await _fail(world)
    [row] = await list_owed(world.gateway.desk)
    world.release("mended")
    await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    await world.until_settled()
    assert await _blocked(world) == "continuation.settled"
    assert len(world.prompts()) == 2
    await world.adds_up()


@pytest.mark.scenario("L144")
async def test_a_continuation_shows_its_progress_on_a_card_of_its_own(world: World) -> None:
    said = world.say("[[wait:first]][[overloaded:mended]][[tool:list]]")
    await world.until_rows("SELECT 1 FROM turns WHERE intent_at > 0")
    await world.flow_until(lambda: bool(world.cards()))
    world.release("first")
    await world.until_settled(flowing=True)
    [first] = world.cards()
    world.release("mended")
    await _pass(world)
    await world.until_rows(RESERVED_ENDED)
    await world.until_settled(flowing=True)
    assert world.cards()[0] == first
    assert len(world.answers_to(said)) == 2
    subjects = await world.rows(
        "SELECT c.subject = t.id FROM cards c JOIN turns t ON t.id = c.subject ORDER BY t.position"
    )
    assert subjects == [(1,), (1,)]
    await world.adds_up()


async def test_what_waits_is_shown_with_its_moment_and_counted(world: World) -> None:
    await _fail(world)
    [row] = await list_owed(world.gateway.desk)
    assert row.follow_up is not None
    assert (row.follow_up.state, row.follow_up.why) == ("waiting", "transport")
    assert row.follow_up.at == world.clock.now() + MINUTE_MS
    assert (await read_ledger(world.gateway.desk)).waiting == 1


async def test_the_list_in_the_chat_says_when_it_is_looked_at_again_and_why_not_any_more(world: World) -> None:
    await _fail(world)
    world.say("/owed")
    await world.until(lambda: len(world.cards()) == 1)
    assert "Looked at again by itself at" in world.cards()[0].words
    assert "(transport)" in world.cards()[0].words
    world.say("something else")
    await world.until_settled(cards=False)
    await _pass(world)
    await world.until_rows(BLOCKED)
    world.say("/owed")
    await world.until(lambda: len(world.cards()) == 2)
    assert "Not tried again by itself (continuation.newer_input)" in world.cards()[1].words
