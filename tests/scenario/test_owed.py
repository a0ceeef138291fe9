"""What needs a person: each thing can be acted on once, and acting on it leads to one end."""

import asyncio

import pytest
from tests.harness import World

from feishu_simulator.faults import Effect
from hongyan.application.owed import OwedAction, OwedRow, act_on_owed, list_owed
from hongyan.domain import limits
from hongyan.domain.errors import NotFoundError, RefusedError

READ = "GET /open-apis/im/v1/messages/:message_id"
ASKING = "SELECT 1 FROM requests WHERE state = 'asking'"


async def _only_owed(world: World) -> OwedRow:
    [row] = await list_owed(world.gateway.desk)
    return row


async def _act(world: World, action: OwedAction) -> None:
    row = await _only_owed(world)
    await act_on_owed(world.gateway.desk, row.id, action, row.version)


async def _fail_once(world: World) -> str:
    """Let a message fail whose second run succeeds: it waits for a file that is not there yet."""
    said = world.say("[[say:begun]][[wait:there]] third time lucky")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    await world.restart()
    await world.until_settled()
    world.release("there")
    return said.message_id


@pytest.mark.scenario("M1")
async def test_what_failed_and_is_run_again_gets_one_answer_and_is_owed_no_more(world: World) -> None:
    await _fail_once(world)
    await _act(world, OwedAction.RUN_AGAIN)
    await world.until_settled()
    assert world.answers()[1:] == ["begun"]
    assert await list_owed(world.gateway.desk) == []
    assert await world.rows("SELECT state FROM turns ORDER BY position") == [("failed",), ("completed",)]
    ledger = await world.adds_up()
    assert (ledger.received.classes["answered"], ledger.received.classes["told"], ledger.owed) == (1, 0, 0)


@pytest.mark.scenario("M1")
async def test_what_fails_again_is_told_again_and_owed_again(world: World) -> None:
    said = world.say("[[crash]]")
    await world.until_settled()
    await _act(world, OwedAction.RUN_AGAIN)
    await world.until_settled()
    assert len(world.answers_to(said)) == 2
    assert (await _only_owed(world)).why == "agent.lost"
    ledger = await world.adds_up()
    assert (ledger.received.classes["told"], ledger.owed) == (1, 1)


@pytest.mark.scenario("M1")
async def test_closing_without_an_answer_settles_it_and_says_nothing(world: World) -> None:
    said = world.say("[[error:-32603]]")
    await world.until_settled()
    told = world.answers_to(said)
    await _act(world, OwedAction.CLOSE)
    await world.until_settled()
    assert world.answers_to(said) == told
    assert await list_owed(world.gateway.desk) == []
    assert (await world.adds_up()).received.classes["told"] == 1


@pytest.mark.scenario("M1")
async def test_what_a_person_stopped_is_told_and_not_owed(world: World) -> None:
    said = world.say("[[say:begun]][[wait:never]]")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    world.say("/stop")
    await world.until_settled()
    assert world.answers_to(said) == ["Stopped by you after 0 s."]
    ledger = await world.adds_up()
    assert (ledger.received.classes["told"], ledger.owed) == (1, 0)


async def test_only_the_first_of_two_decisions_counts(world: World) -> None:
    await _fail_once(world)
    row = await _only_owed(world)
    await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    with pytest.raises((NotFoundError, RefusedError)):
        await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    await world.until_settled()
    assert await world.rows("SELECT count(*) FROM turns") == [(2,)]
    await world.adds_up()


async def test_of_two_decisions_at_the_same_moment_one_counts(world: World) -> None:
    await _fail_once(world)
    row, desk = await _only_owed(world), world.gateway.desk
    ends = await asyncio.gather(
        *(act_on_owed(desk, row.id, action, row.version) for action in (OwedAction.RUN_AGAIN, OwedAction.CLOSE)),
        return_exceptions=True,
    )
    [refused] = [end for end in ends if end is not None]
    assert isinstance(refused, RefusedError)
    assert refused.code == "owed.changed"
    await world.until_settled()
    assert await list_owed(desk) == []
    await world.adds_up()


async def test_what_is_not_possible_here_is_refused_and_names_what_is(world: World) -> None:
    world.say("[[crash]]")
    await world.until_settled()
    row = await _only_owed(world)
    with pytest.raises(RefusedError) as refused:
        await act_on_owed(world.gateway.desk, row.id, OwedAction.SEND_AGAIN, row.version)
    assert refused.value.code == "owed.not_possible"
    assert refused.value.hint == "Possible: run_again, close."


async def test_an_old_message_that_is_run_again_after_new_runs_in_the_new_conversation(world: World) -> None:
    await _fail_once(world)
    world.say("/new")
    world.say("[[count]] the new one")
    await world.until_settled()
    await _act(world, OwedAction.RUN_AGAIN)
    await world.until_settled()
    assert world.answers()[-1] == "begun"
    sessions = await world.rows("SELECT session_id FROM turns ORDER BY queued_at, position")
    assert len(set(sessions)) == 2
    assert sessions[-1] == sessions[-2]
    await world.adds_up()


async def test_running_again_in_a_full_queue_is_refused_and_stays_owed(world: World) -> None:
    await _fail_once(world)
    world.say("[[open-tool:build]][[wait:go]][[close-tool]] busy")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    for n in range(limits.QUEUE_TURNS):
        world.say(f"waits {n}")
    await world.until_rows(f"SELECT 1 FROM sessions WHERE queued = {limits.QUEUE_TURNS}")
    with pytest.raises(RefusedError) as refused:
        await _act(world, OwedAction.RUN_AGAIN)
    assert refused.value.code == "queue.full"
    assert (await _only_owed(world)).actions == (OwedAction.RUN_AGAIN, OwedAction.CLOSE)


async def _say_late(world: World, text: str) -> None:
    """Let the platform show a message only three hours after it was written."""
    world.fault(READ, Effect(http_status=503), times=1)
    world.say(text)
    await world.until_rows("SELECT 1 FROM requests WHERE state = 'captured' AND tries = 1")
    await world.advance(limits.LATE_ASKS_MS + limits.BACK_OFF_MS, leap=True)
    await world.until_rows(ASKING)


async def test_a_message_that_comes_too_late_waits_for_a_decision_and_runs_when_told_to(world: World) -> None:
    await _say_late(world, "still wanted")
    row = await _only_owed(world)
    assert (row.why, row.actions) == ("source.late", (OwedAction.RUN, OwedAction.IGNORE))
    assert (world.prompts(), world.answers()) == ([], [])
    await _act(world, OwedAction.RUN)
    await world.until_settled()
    late = "This message arrived 2 hours after it was written. It runs now, once."
    assert sorted(world.answers()) == [late, "echo: still wanted"]
    assert (await world.adds_up()).owed == 0


async def test_a_late_message_that_is_ignored_never_runs_and_says_nothing(world: World) -> None:
    await _say_late(world, "no longer wanted")
    await _act(world, OwedAction.IGNORE)
    await world.until_settled()
    assert (world.prompts(), world.answers()) == ([], [])
    ledger = await world.adds_up()
    assert (ledger.received.classes["silent"], ledger.owed) == (2, 0)  # the pairing code, and this


@pytest.mark.parametrize(("action", "answers"), [(OwedAction.RUN, 2), (OwedAction.IGNORE, 1)])
async def test_a_possible_duplicate_waits_for_a_decision(world: World, action: OwedAction, answers: int) -> None:
    world.say("twice?")
    await world.until_settled()
    world.say("twice?")  # the same chat, sender, moment and words under another message id
    await world.until_rows(ASKING)
    assert (await _only_owed(world)).why == "source.twin"
    assert world.prompts() == ["twice?"]
    await _act(world, action)
    await world.until_settled()
    assert world.answers() == ["echo: twice?"] * answers
    assert (await world.adds_up()).owed == 0
