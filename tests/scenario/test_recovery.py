"""After a crash: what the agent's own history proves is finished, what it does not prove waits for a person."""

import asyncio

import pytest
from tests.harness import World
from tests.harness.world import Crash

from hongyan.application.owed import OwedAction, OwedRow, act_on_owed, list_owed
from hongyan.domain import limits
from hongyan.domain.errors import NotFoundError, RefusedError

RUNNING = "SELECT 1 FROM turns WHERE state = 'running'"
HELD = "SELECT 1 FROM turns WHERE state = 'held'"
OF_TURNS = "SELECT t.state, r.closed_as, r.owed FROM turns t JOIN requests r ON r.turn_id = t.id ORDER BY t.position"


async def _only_owed(world: World) -> OwedRow:
    [row] = await list_owed(world.gateway.desk)
    return row


async def _act(world: World, action: OwedAction) -> None:
    row = await _only_owed(world)
    await act_on_owed(world.gateway.desk, row.id, action, row.version)


@pytest.mark.scenario("L177")
async def test_a_session_is_taken_up_again_after_a_restart_with_what_the_agent_knew(world: World) -> None:
    world.say("[[count]] before")
    await world.until_settled()
    sessions = await world.rows("SELECT id, upstream FROM sessions")
    await world.restart()
    said = world.say("[[count]] after")
    await world.until_settled()
    assert world.answers_to(said) == ["echo: after (turn 2)"]
    assert await world.rows("SELECT id, upstream FROM sessions") == sessions
    await world.adds_up()


@pytest.mark.scenario("L177", "P31")
async def test_a_session_that_the_agent_lost_is_told_and_only_new_opens_another(world: World) -> None:
    world.say("[[lose-session]] forget me")
    await world.until_settled()
    lost = await world.rows("SELECT id, upstream FROM sessions")
    await world.restart()
    after = world.say("do you remember?")
    await world.until_settled()
    assert len(world.answers_to(after)) == 1
    assert "could not be resumed. /new opens a new one" in world.answers_to(after)[0]
    assert await world.rows("SELECT id, upstream FROM sessions") == lost
    assert await world.rows("SELECT state FROM sessions") == [("resume_failed",)]
    assert len(world.prompts()) == 1
    assert await world.rows("SELECT closed_as, owed FROM requests WHERE owed = 1") == [("told", 1)]
    await world.adds_up()


@pytest.mark.scenario("P31")
async def test_a_lost_session_takes_nothing_more_in_and_new_opens_one_that_works(world: World) -> None:
    world.say("[[lose-session]] forget me")
    await world.until_settled()
    await world.restart()
    world.say("do you remember?")
    await world.until_settled()
    refused = world.say("and now?")
    await world.until_settled()
    assert "/new opens a new one" in world.answers_to(refused)[0]
    world.say("/new")
    fresh = world.say("[[count]] a new start")
    await world.until_settled()
    assert world.answers_to(fresh) == ["echo: a new start (turn 1)"]
    assert await world.rows("SELECT count(*) FROM sessions") == [(2,)]
    await world.adds_up()


@pytest.mark.scenario("L182")
async def test_an_answer_frozen_at_the_crash_is_handed_over_once_at_the_start(world: World) -> None:
    crash = Crash("completing")
    await world.restart(crash)
    said = world.say("finish me once")
    await world.until(crash.dead.is_set)
    assert await world.rows("SELECT state, answer FROM turns") == [("completing", "echo: finish me once")]
    again = Crash("completed")
    await world.restart(again)
    await world.until(again.dead.is_set)
    await world.restart()
    await world.until_settled()
    assert world.answers_to(said) == ["echo: finish me once"]
    assert world.prompts() == ["finish me once"]
    assert await world.rows("SELECT speaker FROM messages ORDER BY seq") == [("person",), ("agent",)]
    await world.adds_up()


@pytest.mark.scenario("P12")
async def test_a_turn_cut_off_in_the_middle_is_told_and_owed_and_never_replayed(world: World) -> None:
    cut_off = world.say("[[say:begun]][[wait:never]]")
    await world.until_rows(RUNNING)
    await world.restart()
    await world.until_settled()
    assert len(world.answers_to(cut_off)) == 1
    assert "Interrupted by a restart" in world.answers_to(cut_off)[0]
    assert await world.rows("SELECT state, code FROM turns") == [("failed", "turn.interrupted_by_restart")]
    assert await world.rows(OF_TURNS) == [("failed", "told", 1)]
    after = world.say("what now?")
    await world.until_settled()
    assert world.answers_to(after) == ["echo: what now?"]
    assert world.prompts() == ["[[say:begun]][[wait:never]]", "what now?"]
    assert (await _only_owed(world)).actions == (OwedAction.RUN_AGAIN, OwedAction.CLOSE)
    await world.adds_up()


@pytest.mark.scenario("D6")
async def test_without_proof_the_turn_is_held_and_the_next_message_waits_and_is_told(plain_world: World) -> None:
    world = plain_world
    held = world.say("[[say:begun]][[wait:go]] work")
    await world.until_rows(RUNNING)
    await world.restart()
    await world.until_rows(HELD)
    after = world.say("the next one")
    await world.until_settled(but=("queued",))
    assert len(world.answers_to(held)) == len(world.answers_to(after)) == 1
    assert "its outcome is unknown" in world.answers_to(held)[0]
    assert "An earlier message is held" in world.answers_to(after)[0]
    assert len(world.prompts()) == 1
    assert (await world.adds_up()).received.classes["held"] == 1
    assert (await _only_owed(world)).actions == (OwedAction.RUN_AGAIN, OwedAction.DROP)


async def _hold_one_with_one_behind(world: World) -> None:
    world.say("[[say:begun]][[wait:go]] work")
    await world.until_rows(RUNNING)
    await world.restart()
    await world.until_rows(HELD)
    world.say("the next one")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    await world.until_settled(but=("queued",))


@pytest.mark.scenario("D6")
async def test_a_held_turn_that_is_run_again_runs_first_and_the_lane_opens(plain_world: World) -> None:
    world = plain_world
    await _hold_one_with_one_behind(world)
    world.release("go")
    await _act(world, OwedAction.RUN_AGAIN)
    await world.until_settled()
    assert world.answers()[-2:] == ["begun", "echo: the next one"]
    assert len(world.prompts()) == 3
    assert await world.rows(OF_TURNS) == [("completed", "answered", 0), ("completed", "answered", 0)]
    await world.adds_up()


@pytest.mark.scenario("D6")
async def test_a_held_turn_that_is_dropped_never_runs_and_is_owed_no_more(plain_world: World) -> None:
    world = plain_world
    await _hold_one_with_one_behind(world)
    await _act(world, OwedAction.DROP)
    await world.until_settled()
    assert "Dropped by you; it was not run again." in world.answers()
    assert world.answers()[-1] == "echo: the next one"
    assert len(world.prompts()) == 2
    assert await world.rows(OF_TURNS) == [("cancelled", "told", 0), ("completed", "answered", 0)]
    assert await list_owed(world.gateway.desk) == []
    await world.adds_up()


async def test_a_stop_frees_the_lane_of_a_held_turn_and_nothing_is_owed(plain_world: World) -> None:
    world = plain_world
    await _hold_one_with_one_behind(world)
    stop = world.say("/stop")
    await world.until_settled()
    assert world.answers_to(stop) == ["Stopped."]
    assert await world.rows(OF_TURNS) == [("cancelled", "told", 0), ("completed", "answered", 0)]
    assert len(world.prompts()) == 2
    await world.adds_up()


@pytest.mark.scenario("D6")
async def test_a_held_turn_that_nobody_decides_on_fails_as_unknown_after_a_day(plain_world: World) -> None:
    world = plain_world
    held = world.say("[[say:begun]][[wait:never]] work")
    await world.until_rows(RUNNING)
    await world.restart()
    await world.until_rows(HELD)
    await world.until_settled()
    await world.advance(limits.HELD_LIFE_MS + limits.SAFETY_SCAN_MS, leap=True)
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'failed'")
    await world.until_settled()
    assert "whether the agent did this stays unknown" in world.answers_to(held)[-1]
    assert await world.rows(OF_TURNS) == [("failed", "told", 1)]
    assert (await _only_owed(world)).actions == (OwedAction.RUN_AGAIN, OwedAction.CLOSE)
    after = world.say("the lane is open again")
    await world.until_settled()
    assert world.answers_to(after) == ["echo: the lane is open again"]
    await world.adds_up()


async def test_the_first_decision_about_a_held_turn_wins(plain_world: World) -> None:
    world = plain_world
    await _hold_one_with_one_behind(world)
    seen = await _only_owed(world)
    await _act(world, OwedAction.DROP)
    with pytest.raises(NotFoundError):
        await act_on_owed(world.gateway.desk, seen.id, OwedAction.RUN_AGAIN, seen.version)
    await world.until_settled()
    assert len(world.prompts()) == 2
    await world.adds_up()


async def test_of_two_decisions_about_a_held_turn_at_the_same_moment_one_counts(plain_world: World) -> None:
    world = plain_world
    await _hold_one_with_one_behind(world)
    world.release("go")
    row, desk = await _only_owed(world), world.gateway.desk
    decisions = (OwedAction.RUN_AGAIN, OwedAction.DROP, OwedAction.RUN_AGAIN)
    ends = await asyncio.gather(
        *(act_on_owed(desk, row.id, action, row.version) for action in decisions), return_exceptions=True
    )
    refused = [end for end in ends if isinstance(end, RefusedError)]
    assert [end.code for end in refused] == ["owed.changed"] * 2
    await world.until_settled()
    assert len(world.prompts()) == (2 if ends[1] is None else 3)
    assert await list_owed(desk) == []
    await world.adds_up()


@pytest.mark.scenario("P31")
async def test_what_a_lost_session_owes_is_run_again_in_the_one_that_new_opened(world: World) -> None:
    world.say("[[lose-session]] forget me")
    await world.until_settled()
    await world.restart()
    failed = world.say("do this in any case")
    await world.until_settled()
    with pytest.raises(RefusedError) as refused:
        await _act(world, OwedAction.RUN_AGAIN)
    assert (refused.value.code, refused.value.hint) == ("agent.session_lost", "Send /new, then run again.")
    world.say("/new")
    await world.until_settled()
    await _act(world, OwedAction.RUN_AGAIN)
    await world.until_settled()
    assert world.answers_to(failed)[-1] == "echo: do this in any case"
    assert (await world.adds_up()).owed == 0


@pytest.mark.scenario("D6")
async def test_the_day_to_decide_begins_when_the_turn_was_held_not_when_it_began(plain_world: World) -> None:
    world = plain_world
    world.say("[[say:begun]][[wait:never]] work")
    await world.until_rows(RUNNING)
    await world.crash()
    await world.clock.leap(2 * limits.HELD_LIFE_MS)  # the machine was off for two days
    await world.start()
    await world.until_rows(HELD)
    await world.advance(limits.HELD_LIFE_MS - limits.SAFETY_SCAN_MS, leap=True)
    await world.until_settled()
    assert await world.rows("SELECT state FROM turns") == [("held",)]
    await world.advance(2 * limits.SAFETY_SCAN_MS, leap=True)
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'failed'")
    await world.until_settled()
    await world.adds_up()
