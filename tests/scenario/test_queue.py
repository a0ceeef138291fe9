"""The queue of a Session: first in, first out, across restarts, and honest about what it does not take."""

import pytest
from tests.harness import World

from hongyan.application.open_session import close_session
from hongyan.application.sessions import view_session
from hongyan.domain import limits
from hongyan.domain.changes import Changes
from hongyan.domain.conversations import WaitHint
from hongyan.ports import queries

QUEUED = "SELECT 1 FROM turns WHERE state = 'queued'"


async def _occupy(world: World) -> None:
    """Start a Turn that runs until `go` is released."""
    world.say("[[open-tool:build]][[wait:go]][[close-tool]] first")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")


@pytest.mark.scenario("P1", "P6")
async def test_quick_messages_are_all_answered_in_order(world: World) -> None:
    said = [world.say(f"number {n}") for n in range(4)]
    await world.until_settled()
    assert world.answers() == [f"echo: number {n}" for n in range(4)]
    assert [world.answers_to(message) for message in said] == [[f"echo: number {n}"] for n in range(4)]
    await world.adds_up()


@pytest.mark.scenario("L31", "P4")
async def test_a_full_queue_says_that_the_message_was_not_accepted(world: World) -> None:
    await _occupy(world)
    waiting = [world.say(f"waits {n}") for n in range(limits.QUEUE_TURNS)]
    one_too_many = world.say("one too many")
    await world.until(lambda: bool(world.answers_to(one_too_many)))
    assert "Not accepted" in world.answers_to(one_too_many)[0]
    assert "queued" not in world.answers_to(one_too_many)[0].lower()
    world.release("go")
    await world.until_settled(flowing=True)
    sent_again = world.say("one too many")
    await world.until_settled()
    assert world.answers_to(sent_again) == ["echo: one too many"]
    assert len(world.answers_to(one_too_many)) == 1
    assert all(len(world.answers_to(message)) == 1 for message in waiting)
    await world.adds_up()


@pytest.mark.scenario("L32")
async def test_a_turn_that_waited_longer_than_the_limit_times_out_and_the_next_runs(world: World) -> None:
    await _occupy(world)
    late = world.say("too late by then")
    await world.until_rows(QUEUED)
    await world.advance(limits.QUEUE_LIFE_MS + limits.SAFETY_SCAN_MS, leap=True)
    await world.until(lambda: bool(world.answers_to(late)))
    assert "Timed out" in world.answers_to(late)[0]
    fresh = world.say("still fresh")
    await world.until_rows(QUEUED)
    world.release("go")
    await world.until_settled()
    assert "too late by then" not in world.prompts()
    assert world.answers_to(fresh) == ["echo: still fresh"]
    await world.adds_up()


@pytest.mark.scenario("L33", "M41")
async def test_a_waiting_message_is_described_only_by_what_was_observed(world: World) -> None:
    await _occupy(world)
    world.say("second")
    await world.until_rows(QUEUED)
    session = (await world.rows("SELECT id FROM sessions"))[0][0]
    view = await view_session(world.gateway.desk, session)
    assert [turn.hint for turn in view.turns] == [WaitHint.RUNNING, WaitHint.AFTER_THIS_TURN]
    world.release("go")
    await world.until_settled()
    assert (await view_session(world.gateway.desk, session)).turns == ()
    await world.adds_up()


@pytest.mark.scenario("L35")
async def test_queued_turns_run_in_their_order_on_the_same_upstream_session_after_a_restart(world: World) -> None:
    world.say("open the session")
    await world.until_settled()
    await _occupy_second(world)
    for n in range(3):
        world.say(f"queued {n}")
    await world.until_rows("SELECT 1 FROM sessions WHERE queued = 3")
    upstream = await world.rows("SELECT id, upstream FROM sessions")
    await world.restart()
    await world.until_settled()
    assert world.prompts()[2:] == ["queued 0", "queued 1", "queued 2"]
    assert await world.rows("SELECT id, upstream FROM sessions") == upstream
    await world.adds_up()


async def _occupy_second(world: World) -> None:
    world.say("[[wait:go]] blocked")
    await world.until(lambda: len(world.prompts()) == 2)


@pytest.mark.scenario("L36")
async def test_a_replay_after_the_session_was_closed_finds_the_original_turn(world: World) -> None:
    said = world.say("before the end")
    await world.until_settled()
    event = world.platform.events("im.message.receive_v1")[-1]
    desk = world.gateway.desk
    session = (await desk.store.all(queries.ALL_SESSIONS))[0]
    await desk.store.commit(Changes("close", close_session(session, desk.clock.now())))
    world.platform.delivery.repeat(event)
    await world.until_settled()
    assert await world.rows("SELECT count(*) FROM sessions") == [(1,)]
    assert world.answers_to(said) == ["echo: before the end"]
    await world.adds_up()


@pytest.mark.scenario("P5", "P28")
async def test_an_agent_that_dies_frees_the_lane(world: World) -> None:
    broken = world.say("[[crash]]")
    after = world.say("still there?")
    await world.until_settled()
    assert len(world.answers_to(broken)) == 1
    assert "process ended" in world.answers_to(broken)[0]
    assert world.answers_to(after) == ["echo: still there?"]
    await world.adds_up()


@pytest.mark.scenario("L114")
async def test_a_silent_agent_times_out_with_a_notice_and_stays_owed(world: World) -> None:
    said = world.say("[[hang]]")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'starting'")
    await world.until(lambda: len(world.prompts()) == 1)
    await world.advance(limits.AGENT_IDLE_MS + limits.SAFETY_SCAN_MS)
    await world.until(lambda: bool(world.answers_to(said)))
    assert "180 s without a sign" in world.answers_to(said)[0]
    await world.until_settled()
    assert await world.rows("SELECT state FROM turns") == [("timed_out",)]
    assert await world.rows("SELECT closed_as, owed FROM requests WHERE turn_id IS NOT NULL") == [("told", 1)]
    await world.adds_up()


@pytest.mark.scenario("M1")
async def test_a_failed_turn_is_told_once_verified_and_owed_until_it_is_answered(world: World) -> None:
    from_person = world.say("[[error:-32603]]")
    await world.until_settled()
    owed = await world.rows("SELECT id, closed_as, owed FROM requests WHERE turn_id IS NOT NULL")
    assert [(row[1], row[2]) for row in owed] == [("told", 1)]
    assert len(world.answers_to(from_person)) == 1
    await world.adds_up()


async def test_an_agent_is_put_away_when_it_was_idle_for_long_and_comes_back_with_its_session(world: World) -> None:
    world.say("first")
    await world.until_settled()
    upstream = await world.rows("SELECT id, upstream FROM sessions")
    assert world.gateway.desk.agents.alive() == (upstream[0][0],)
    await world.advance(limits.AGENT_PUT_AWAY_MS + limits.SAFETY_SCAN_MS, leap=True)
    await world.until(lambda: world.gateway.desk.agents.alive() == ())
    said = world.say("and again [[count]]")
    await world.until_settled()
    assert world.answers_to(said) == ["echo: and again (turn 2)"]
    assert await world.rows("SELECT id, upstream FROM sessions") == upstream
    await world.adds_up()
