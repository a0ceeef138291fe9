"""Words for a Turn that runs: into exactly that Turn, or behind it and said so; never lost, never twice."""

import asyncio
import json
from typing import Final

import pytest
from tests.harness import World
from tests.harness.crash import Crash

from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.application.send_text import send_text
from hongyan.application.sessions import open_local_session, view_session
from hongyan.application.steer_turn import SteeredText, can_steer, steer_turn
from hongyan.application.stop_turn import stop_turn
from hongyan.application.transcripts import read_transcript
from hongyan.domain.changes import Changes, Update
from hongyan.domain.conversations import TurnState
from hongyan.domain.errors import BlockedError, HongyanError, NotFoundError, RefusedError
from hongyan.domain.identity import TurnId
from hongyan.domain.steering import WhyQueued

RUNNING: Final = "SELECT 1 FROM turns WHERE state = 'running'"
BUSY: Final = "[[say:begun ]][[wait:go]]"


async def running(world: World, words: str = BUSY) -> TurnId:
    """Let a Turn of the owner's private chat run until a file is there, and give it."""
    world.say(words)
    await world.until_rows(RUNNING)
    return TurnId((await world.rows("SELECT id FROM turns WHERE state = 'running'"))[0][0])


async def steer(world: World, turn: str, text: str = "and cheese", key: str = "key-1") -> SteeredText:
    """Steer as the console does."""
    return await steer_turn(world.gateway.desk, turn, text, key)


def steers(world: World) -> list[str]:
    """Give every text that an agent took while it worked: the witness."""
    log = world.agent_state / "steers.log"
    return [json.loads(line)["text"] for line in log.read_text().splitlines()] if log.exists() else []


@pytest.mark.scenario("M13")
async def test_words_go_into_exactly_the_running_turn_and_its_answer_shows_them(world: World) -> None:
    turn = await running(world)
    said = await steer(world, turn)
    assert (said.turn.id, said.why, said.created) == (turn, WhyQueued.NOT_QUEUED, True)
    world.release("go")
    await world.until_settled()
    assert world.answers() == ["begun steered: and cheese"]
    assert (steers(world), world.prompts()) == (["and cheese"], [BUSY])
    ledger = await world.ledger()
    assert (ledger.received.classes["merged"], ledger.received.classes["answered"]) == (1, 1)
    assert ledger.received.balanced
    session = said.turn.session_id
    entries = (await view_session(world.gateway.desk, session)).messages
    assert [entry.text for entry in entries] == [BUSY, "and cheese", "begun steered: and cheese "]
    (seen,) = (await read_transcript(world.gateway.desk, session, 10)).turns
    assert [line.text for line in seen.steers] == ["and cheese"]
    assert await world.rows("SELECT count(*) FROM turn_events WHERE kind = 'steered'") == [(1,)]


@pytest.mark.scenario("M13")
async def test_an_agent_that_takes_no_words_gets_them_as_the_next_prompt_and_that_is_said(world: World) -> None:
    session = (await open_local_session(world.gateway.desk, "work", "plain")).id
    first = (await send_text(world.gateway.desk, session, BUSY, "one")).turn
    await world.until_rows(RUNNING)
    assert not can_steer(world.gateway.desk, first.id)
    said = await steer(world, first.id)
    assert (said.why, said.turn.state) == (WhyQueued.AGENT_CANNOT_STEER, TurnState.QUEUED)
    again = await steer(world, first.id)
    assert (again.why, again.created, again.turn.id) == (WhyQueued.AGENT_CANNOT_STEER, False, said.turn.id)
    world.release("go")
    await world.until_settled()
    assert (steers(world), world.prompts()) == ([], [BUSY, "and cheese"])


@pytest.mark.scenario("M13")
async def test_a_later_turn_never_gets_the_words_of_an_earlier_one(world: World) -> None:
    first = await running(world)
    world.release("go")
    await world.until_settled()
    second = await running(world, "[[say:second ]][[wait:stay]]")
    said = await steer(world, first)
    assert (said.why, said.turn.id not in {first, second}) == (WhyQueued.TURN_OVER, True)
    world.release("stay")
    await world.until_settled()
    assert steers(world) == []
    assert world.answers() == ["begun", "second"]
    assert world.prompts()[-1] == "and cheese"


async def test_words_for_a_turn_that_waits_or_stops_are_queued(world: World) -> None:
    turn = await running(world)
    world.say("next")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    waiting = (await world.rows("SELECT id FROM turns WHERE state = 'queued'"))[0][0]
    assert (await steer(world, waiting, key="key-2")).why is WhyQueued.TURN_NOT_RUNNING
    await stop_turn(world.gateway.desk, turn, "owner")
    assert (await steer(world, turn)).why in {WhyQueued.TURN_NOT_RUNNING, WhyQueued.TURN_OVER}
    await world.until_settled()
    assert steers(world) == []


async def test_words_that_the_agent_refuses_wait_behind_the_turn(world: World) -> None:
    turn = await running(world, f"[[steering:refuse]]{BUSY}")
    said = await steer(world, turn)
    assert (said.why, said.turn.state) == (WhyQueued.NOT_TAKEN, TurnState.QUEUED)
    world.release("go")
    await world.until_settled()
    assert world.prompts()[-1] == "and cheese"
    assert (await world.ledger()).received.balanced


async def test_the_same_id_says_it_once_and_another_text_is_a_conflict(world: World) -> None:
    turn = await running(world)
    await steer(world, turn)
    again = await steer(world, turn)
    assert (again.why, again.created) == (WhyQueued.NOT_QUEUED, False)
    with pytest.raises(RefusedError) as refused:
        await steer(world, turn, "and bread")
    assert refused.value.code == "turn.conflict"
    sent = await send_text(world.gateway.desk, again.turn.session_id, "and cheese", "key-1")
    assert (sent.created, sent.turn.id) == (False, turn)
    world.release("go")
    await world.until_settled()
    assert steers(world) == ["and cheese"]


@pytest.mark.scenario("M13")
@pytest.mark.parametrize(
    ("table", "values", "code"),
    [
        ("bindings", {"state": "revoked"}, "binding.revoked"),
        ("bindings", {"revision": 2}, "binding.revoked"),
        ("bindings", {"audience": "group_topic"}, "session.group"),
        ("bindings", {"executor": "gone"}, "executor.unavailable"),
        ("sessions", {"state": "closed"}, "session.closed"),
        ("workspaces", {"inode": "another"}, "workspace.unavailable"),
    ],
)
async def test_what_is_checked_of_a_message_is_checked_of_words_for_a_turn(
    world: World, table: str, values: dict[str, str | int], code: str
) -> None:
    turn = await running(world)
    (identity,) = (await world.rows(f"SELECT id FROM {table}"))[0]
    await world.gateway.desk.store.commit(Changes("test", (Update(table, {"id": identity}, values),)))
    with pytest.raises(HongyanError) as refused:
        await steer(world, turn)
    assert isinstance(refused.value, RefusedError | BlockedError)
    assert refused.value.code == code
    assert steers(world) == []
    assert await world.rows("SELECT count(*) FROM requests WHERE origin = 'console'") == [(0,)]


async def test_an_unknown_turn_and_an_empty_text_are_refused(world: World) -> None:
    with pytest.raises(NotFoundError):
        await steer(world, "turn-of-nobody")
    turn = await running(world)
    with pytest.raises(RefusedError) as refused:
        await steer(world, turn, " \n")
    assert refused.value.code == "turn.empty"


async def _owed_once(world: World, *, taken: bool) -> None:
    """See that the words are owed, are never repeated by themselves, and run when the owner says so."""
    [row] = [row for row in await list_owed(world.gateway.desk) if row.why == "steer.unknown"]
    assert row.actions == (OwedAction.RUN_AGAIN, OwedAction.CLOSE)
    before = steers(world)
    assert before == (["and cheese"] if taken else [])
    await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    world.release("go")
    await world.until_settled(but=("held", "queued"))
    assert steers(world) == before


@pytest.mark.parametrize(("point", "taken"), [("steer_intended", False), ("steered", True)])
async def test_a_crash_on_the_way_into_the_turn_leaves_the_words_owed(world: World, point: str, taken: bool) -> None:
    crash = Crash(point)
    await world.restart(crash)
    turn = await running(world)
    steering = asyncio.create_task(steer(world, turn))
    await world.until(crash.dead.is_set)
    steering.cancel()
    await world.restart()
    await world.until_rows("SELECT 1 FROM requests WHERE owed_why = 'steer.unknown'")
    await _owed_once(world, taken=taken)
    assert (await world.ledger()).received.balanced


async def test_an_agent_that_ends_without_a_word_about_it_leaves_the_words_owed(world: World) -> None:
    turn = await running(world, f"[[steering:hang]]{BUSY}")
    steering = asyncio.create_task(steer(world, turn))
    await world.until(lambda: steers(world) == ["and cheese"])
    await world.gateway.desk.agents.detach((await world.rows("SELECT id FROM sessions"))[0][0])
    with pytest.raises(RefusedError) as refused:
        await steering
    assert refused.value.code == "steer.unknown"
    with pytest.raises(RefusedError) as known:
        await steer(world, turn)
    assert known.value.code == "steer.unknown"
    await world.until_settled()
    assert (await world.ledger()).received.balanced
