"""Texts sent on this machine: a repeated call makes no second Turn, and nothing of them reaches the platform."""

import pytest
from tests.harness import World
from tests.harness.world import Crash

from hongyan.application.send_text import send_text
from hongyan.application.sessions import open_local_session, view_session
from hongyan.application.stop_turn import stop_turn
from hongyan.domain.conversations import TurnState
from hongyan.domain.errors import NotFoundError, RefusedError

WRITES = "POST /open-apis/im/*"


async def _open(world: World) -> str:
    session = await open_local_session(world.gateway.desk, "work", "rehearsal")
    return session.id


async def _transcript(world: World, session: str) -> list[str]:
    return [message.text for message in (await view_session(world.gateway.desk, session)).messages]


@pytest.mark.scenario("L40")
async def test_the_same_id_and_text_is_one_turn_and_one_prompt(world: World) -> None:
    session, desk = await _open(world), world.gateway.desk
    first = await send_text(desk, session, "do it once", "turn-1")
    again = await send_text(desk, session, "do it once", "turn-1")
    await world.until_settled()
    late = await send_text(desk, session, "do it once", "turn-1")
    assert (first.created, again.created, late.created) == (True, False, False)
    assert first.turn.id == again.turn.id == late.turn.id
    assert late.turn.state is TurnState.COMPLETED
    assert world.prompts() == ["do it once"]
    assert await _transcript(world, session) == ["do it once", "echo: do it once"]
    await world.adds_up()


async def test_two_sessions_may_use_the_same_id(world: World) -> None:
    first, second, desk = await _open(world), await _open(world), world.gateway.desk
    sent = [await send_text(desk, session, "the same words", "turn-1") for session in (first, second)]
    await world.until_settled()
    assert [one.created for one in sent] == [True, True]
    assert world.prompts() == ["the same words", "the same words"]
    assert (await world.ledger()).received.balanced


@pytest.mark.scenario("L40")
async def test_a_caller_whose_answer_was_lost_in_a_crash_finds_its_turn(world: World) -> None:
    session = await _open(world)
    crash = Crash("claimed")
    await world.restart(crash)
    await send_text(world.gateway.desk, session, "do it once", "turn-1")
    await world.until(crash.dead.is_set)
    await world.restart()
    found = await send_text(world.gateway.desk, session, "do it once", "turn-1")
    await world.until_settled()
    assert not found.created
    assert world.prompts() == ["do it once"]
    await world.adds_up()


@pytest.mark.scenario("L41")
async def test_the_same_id_with_another_text_is_a_conflict_and_runs_nothing(world: World) -> None:
    session, desk = await _open(world), world.gateway.desk
    await send_text(desk, session, "the first text", "turn-1")
    with pytest.raises(RefusedError) as refused:
        await send_text(desk, session, "another text", "turn-1")
    await world.until_settled()
    assert refused.value.code == "turn.conflict"
    assert world.prompts() == ["the first text"]
    await world.adds_up()


@pytest.mark.scenario("L41")
async def test_the_same_text_with_a_new_id_is_a_new_turn(world: World) -> None:
    session, desk = await _open(world), world.gateway.desk
    first = await send_text(desk, session, "twice please", "turn-1")
    second = await send_text(desk, session, "twice please", "turn-2")
    await world.until_settled()
    assert first.turn.id != second.turn.id
    assert world.prompts() == ["twice please", "twice please"]
    assert await _transcript(world, session) == ["twice please", "echo: twice please"] * 2
    await world.adds_up()


async def test_a_text_from_this_machine_writes_nothing_on_the_platform(world: World) -> None:
    session, desk = await _open(world), world.gateway.desk
    before = len(world.platform.requests(WRITES))
    await send_text(desk, session, "[[say:shown here]]", "turn-1")
    await send_text(desk, session, "[[crash]]", "turn-2")
    await world.until_settled()
    assert len(world.platform.requests(WRITES)) == before
    assert await world.rows("SELECT count(*) FROM parts") == [(0,)]
    assert await world.rows("SELECT closed_as, owed FROM requests WHERE origin = 'console' ORDER BY seq") == [
        ("answered", 0),
        ("told", 1),
    ]
    await world.adds_up()


async def test_a_text_that_is_stopped_in_the_queue_is_told_in_the_transcript_only(world: World) -> None:
    session, desk = await _open(world), world.gateway.desk
    await send_text(desk, session, "[[say:begun]][[wait:go]]", "turn-1")
    waiting = await send_text(desk, session, "never mind", "turn-2")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    assert await stop_turn(desk, waiting.turn.id, "owner") is TurnState.CANCELLED
    world.release("go")
    await world.until_settled()
    assert world.prompts() == ["[[say:begun]][[wait:go]]"]
    assert await world.rows("SELECT count(*) FROM parts") == [(0,)]
    assert await world.rows("SELECT closed_as FROM requests WHERE origin = 'console' ORDER BY seq") == [
        ("answered",),
        ("told",),
    ]
    await world.adds_up()


async def test_an_empty_text_and_an_unknown_session_are_refused(world: World) -> None:
    session, desk = await _open(world), world.gateway.desk
    with pytest.raises(RefusedError) as empty:
        await send_text(desk, session, " \n", "turn-1")
    with pytest.raises(NotFoundError) as unknown:
        await send_text(desk, "ses_nowhere", "hello", "turn-1")
    assert (empty.value.code, unknown.value.code) == ("turn.empty", "session.not_found")
    assert await world.rows("SELECT count(*) FROM turns") == [(0,)]
