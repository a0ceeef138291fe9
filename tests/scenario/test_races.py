"""Two ends that meet: whichever is committed first stays, and the other one says so."""

import pytest
from tests.harness import World
from tests.harness.world import Pause

from hongyan.application.end_turn import Ending, end_turn, finish_turn
from hongyan.domain.conversations import TurnEvent
from hongyan.domain.identity import TurnId
from hongyan.domain.notices import Notice

END = "SELECT state, code, answer FROM turns"


async def _turn(world: World) -> TurnId:
    return TurnId((await world.rows("SELECT id FROM turns"))[0][0])


@pytest.mark.scenario("L181")
async def test_a_stop_that_comes_after_the_answer_was_frozen_changes_nothing(world: World) -> None:
    pause = Pause("completing")
    await world.restart(pause)
    said = world.say("just in time")
    await pause.reached.wait()
    stop = world.say("/stop")
    await world.until(lambda: bool(world.answers_to(stop)))
    assert world.answers_to(stop) == ["Finished before the stop."]
    pause.may_go_on.set()
    await world.until_settled()
    assert world.answers_to(said) == ["echo: just in time"]
    assert await world.rows(END) == [("completed", "", "echo: just in time")]
    await world.adds_up()


@pytest.mark.scenario("L181")
async def test_an_agent_that_ended_before_the_stop_reached_it_has_finished_first(world: World) -> None:
    pause = Pause("first_event")
    await world.restart(pause)
    said = world.say("[[silent]]")  # its end is its first event: it stands before the gateway when the stop comes
    await pause.reached.wait()
    stop = world.say("/stop")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'interrupting'")
    assert world.answers_to(stop) == []
    pause.may_go_on.set()
    await world.until_settled()
    assert world.answers_to(said) == ["The agent ended without a word."]
    assert world.answers_to(stop) == ["Finished before the stop."]
    assert await world.rows(END) == [("completed", "", "")]
    await world.adds_up()


@pytest.mark.scenario("L181")
async def test_an_answer_that_comes_after_the_stop_was_confirmed_is_not_said(world: World) -> None:
    said = world.say("[[say:begun]][[wait:never]]")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    world.say("/stop")
    await world.until_settled()
    await finish_turn(world.gateway.desk, await _turn(world), "too late")
    await world.until_settled()
    assert world.answers_to(said) == ["Stopped by you after 0 s."]
    assert await world.rows(END) == [("interrupted", "turn.stopped", "")]
    await world.adds_up()


@pytest.mark.scenario("L181")
@pytest.mark.parametrize("event", [TurnEvent.FAIL, TurnEvent.TIME_OUT, TurnEvent.INTERRUPTED, TurnEvent.CANCEL])
async def test_no_later_end_takes_the_place_of_an_answer(world: World, event: TurnEvent) -> None:
    said = world.say("the first end")
    await world.until_settled()
    await end_turn(world.gateway.desk, await _turn(world), Ending(event, "turn.late", Notice.AGENT_LOST))
    await world.until_settled()
    assert world.answers_to(said) == ["echo: the first end"]
    assert await world.rows(END) == [("completed", "", "echo: the first end")]
    assert (await world.adds_up()).owed == 0


@pytest.mark.scenario("L181")
async def test_two_stops_of_one_turn_are_both_answered_and_stop_it_once(world: World) -> None:
    said = world.say("[[say:begun]][[wait:never]]")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    stops = [world.say("/stop"), world.say("/停止")]
    await world.until_settled()
    assert [world.answers_to(stop) for stop in stops] == [["Stopped."], ["已停止。"]]
    assert world.answers_to(said) == ["Stopped by you after 0 s."]
    await world.adds_up()
