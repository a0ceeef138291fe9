"""Chat commands: they mean what held at their acceptance, and claim nothing that was not seen."""

import pytest
from tests.harness import World

from hongyan.domain import limits

RUNNING = "SELECT 1 FROM turns WHERE state = 'running'"


async def _run(world: World, text: str = "[[say:begun]][[wait:go]]") -> None:
    world.say(text)
    await world.until_rows(RUNNING)


@pytest.mark.scenario("M40")
async def test_help_and_status_open_no_session_and_call_no_model(world: World) -> None:
    helped, asked = world.say("/help"), world.say("/状态")
    await world.until_settled()
    assert "/stop" in world.answers_to(helped)[0]
    assert "工作区" in world.answers_to(asked)[0]
    assert await world.rows("SELECT count(*) FROM sessions") == [(0,)]
    assert world.prompts() == []
    await world.adds_up()


@pytest.mark.scenario("L49")
async def test_a_repeated_status_is_answered_with_the_first_snapshot(world: World) -> None:
    asked = world.say("/status")
    await world.until_settled()
    first = world.answers_to(asked)
    event = world.platform.events("im.message.receive_v1")[-1]
    world.say("open a session now")
    await world.until_settled()
    world.platform.delivery.repeat(event)
    await world.until_settled()
    assert "none open" in first[0]
    assert world.answers_to(asked) == first
    await world.adds_up()


@pytest.mark.scenario("L50")
async def test_status_after_a_session_was_closed_reports_that_one(world: World) -> None:
    world.say("hello there")
    await world.until_settled()
    world.say("/new")
    await world.until_settled()
    asked = world.say("/status")
    await world.until_settled()
    assert "Session: closed" in world.answers_to(asked)[0]
    await world.adds_up()


@pytest.mark.scenario("L51")
async def test_status_of_a_running_turn_without_a_seen_process_is_undeterminable(world: World) -> None:
    await _run(world)
    world.gateway.desk.agents.alive = lambda: ()  # type: ignore[method-assign]  # the process is not seen
    asked = world.say("/status")
    await world.until(lambda: bool(world.answers_to(asked)))
    assert "undeterminable" in world.answers_to(asked)[0]
    world.release("go")
    await world.until_settled()
    await world.adds_up()


@pytest.mark.scenario("L52")
async def test_a_stop_whose_target_ended_meanwhile_leaves_the_next_turn_alone(world: World) -> None:
    await _run(world)
    world.say("[[wait:later]] the next")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    world.fault_read_once()
    stop = world.say("/stop")
    await world.until_rows("SELECT 1 FROM requests WHERE target_turn IS NOT NULL AND tries = 1")
    world.release("go")
    await world.until(lambda: len(world.prompts()) == 2)
    await world.advance(limits.BACK_OFF_MS * 2)
    await world.until(lambda: bool(world.answers_to(stop)))
    assert world.answers_to(stop) == ["Finished before the stop."]
    assert await world.rows("SELECT state FROM turns ORDER BY position DESC LIMIT 1") != [("interrupted",)]
    world.release("later")
    await world.until_settled()
    assert world.answers()[-1] == "echo: the next"
    await world.adds_up()


@pytest.mark.scenario("L53", "P10")
async def test_a_repeated_stop_stops_its_first_target_only_and_keeps_the_session(world: World) -> None:
    await _run(world)
    stop = world.say("/stop")
    await world.until_settled()
    assert world.answers_to(stop) == ["Stopped."]
    event = world.platform.events("im.message.receive_v1")[-1]
    upstream = await world.rows("SELECT id, upstream FROM sessions")
    world.say("[[wait:second]] afterwards")
    await world.until(lambda: len(world.prompts()) == 2)
    world.platform.delivery.repeat(event)
    world.release("second")
    await world.until_settled()
    assert world.answers()[-1] == "echo: afterwards"
    assert await world.rows("SELECT id, upstream FROM sessions") == upstream
    await world.adds_up()


@pytest.mark.scenario("P9")
async def test_after_a_stop_the_next_message_runs(world: World) -> None:
    await _run(world)
    world.say("/stop")
    following = world.say("go on")
    await world.until_settled()
    assert world.answers_to(following) == ["echo: go on"]
    joined = "FROM turns t JOIN requests r ON r.turn_id = t.id ORDER BY t.position"
    assert await world.rows(f"SELECT t.state, r.closed_as, r.owed {joined}") == [
        ("interrupted", "told", 0),
        ("completed", "answered", 0),
    ]
    await world.adds_up()


@pytest.mark.scenario("P8", "L58")
async def test_stopping_is_said_until_the_agent_confirmed(world: World) -> None:
    await _run(world, "[[ignore-cancel:go]]")
    stop = world.say("/stop")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'interrupting'")
    assert world.answers_to(stop) == []
    await world.until_asleep(limits.INTERRUPT_WAIT_MS)
    await world.advance(limits.INTERRUPT_WAIT_MS)
    await world.until(lambda: bool(world.answers_to(stop)))
    assert world.answers_to(stop) == ["Stopping: the agent has not confirmed yet."]
    asked = world.say("/status")
    await world.until(lambda: bool(world.answers_to(asked)))
    assert "stopping" in world.answers_to(asked)[0]
    world.release("go")
    await world.until_settled()
    assert world.answers_to(stop)[1:] == ["Stopped."]
    await world.adds_up()


@pytest.mark.scenario("P8")
async def test_an_agent_that_never_confirms_is_ended_and_that_is_said(world: World) -> None:
    await _run(world, "[[ignore-cancel:never]]")
    stop = world.say("/stop")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'interrupting'")
    await world.until_asleep(limits.INTERRUPT_WAIT_MS)
    await world.advance(limits.INTERRUPT_WAIT_MS)
    await world.until(lambda: bool(world.answers_to(stop)))
    await world.until_asleep(limits.STOP_UNCONFIRMED_MS - limits.INTERRUPT_WAIT_MS)
    await world.advance(limits.STOP_UNCONFIRMED_MS)
    await world.until_settled()
    assert "its process was ended" in world.answers_to(stop)[-1]
    after = world.say("still alive?")
    await world.until_settled()
    assert world.answers_to(after) == ["echo: still alive?"]
    await world.adds_up()


@pytest.mark.scenario("L59")
async def test_late_events_after_new_do_not_enter_the_new_session(world: World) -> None:
    early = world.say("early words")
    await world.until_settled()
    event = world.platform.events("im.message.receive_v1")[-1]
    world.say("/new")
    await world.until_settled()
    world.platform.delivery.repeat(event)
    world.say("in the new one")
    await world.until_settled()
    rows = await world.rows("SELECT session_id, text FROM turns ORDER BY queued_at, text")
    assert len({session for session, _ in rows}) == 2
    assert len(rows) == 2
    assert world.answers_to(early) == ["echo: early words"]
    await world.adds_up()


async def test_new_lets_what_was_accepted_finish(world: World) -> None:
    await _run(world)
    waiting = world.say("accepted before")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    opened = world.say("/new")
    await world.until(lambda: bool(world.answers_to(opened)))
    assert "2 accepted earlier still finish" in world.answers_to(opened)[0]
    world.release("go")
    await world.until_settled(flowing=True)
    assert world.answers_to(waiting) == ["echo: accepted before"]
    await world.adds_up()


@pytest.mark.parametrize("text", ["/stop now", "/model", "/delegate --tokens 3 x"])
async def test_a_malformed_or_unknown_command_carries_nothing_out(world: World, text: str) -> None:
    said = world.say(text)
    await world.until_settled()
    assert "Not carried out" in world.answers_to(said)[0]
    assert world.prompts() == []
    await world.adds_up()


@pytest.mark.scenario("L52")
async def test_a_stop_reaches_what_still_runs_in_the_conversation_before_new(world: World) -> None:
    before = world.say("[[say:begun]][[wait:never]]")
    await world.until_rows(RUNNING)
    world.say("/new")
    quick = world.say("a quick one")
    await world.until(lambda: bool(world.answers_to(quick)))
    await world.advance(limits.SAFETY_SCAN_MS)
    await world.until_settled(but=("active",))
    stop = world.say("/stop")
    await world.until_settled()
    assert world.answers_to(stop) == ["Stopped."]
    assert world.answers_to(before) == ["Stopped by you after 1 s."]
    assert world.answers_to(quick) == ["echo: a quick one"]
    await world.adds_up()


@pytest.mark.scenario("P11")
async def test_status_and_stop_pass_a_turn_that_is_stuck_and_everything_behind_it(world: World) -> None:
    stuck = world.say("[[hang]]")
    await world.until(lambda: world.prompts() == ["[[hang]]"])
    waiting = [world.say(f"wait {number}") for number in range(3)]
    await world.until_rows("SELECT 1 FROM sessions WHERE queued = 3")
    status = world.say("/status")
    await world.until(lambda: bool(world.answers_to(status)))
    assert "Queued: 3" in world.answers_to(status)[0]
    assert world.prompts() == ["[[hang]]"]
    stop = world.say("/stop")
    await world.until(lambda: bool(world.answers_to(stop)))
    await world.until_settled(flowing=True)  # ten messages into one chat meet its limit
    assert world.answers_to(stop) == ["Stopped."]
    assert len(world.answers_to(stuck)) == 1
    assert [world.answers_to(said) for said in waiting] == [[f"echo: wait {number}"] for number in range(3)]
    await world.adds_up()
