"""An answer that was there after all is handed over once, late, and only as what it is."""

import pytest
from tests.harness import World
from tests.harness.world import Crash

from hongyan.application.owed import list_owed

MINUTE_MS = 60_000
ANSWERED_UPSTREAM = "[[say:working]][[tool:list]][[say:the whole answer]][[crash:answered]]"
ADOPTED = "SELECT 1 FROM continuations WHERE state = 'adopted'"
BLOCKED = "SELECT 1 FROM continuations WHERE state = 'blocked'"
RECOVERED = "SELECT count(*) FROM deliveries WHERE phase = 'recovered'"


async def _fail(world: World, text: str) -> list[str]:
    said = world.say(text)
    await world.until_settled()
    return world.answers_to(said)


async def _look(world: World, until: str) -> None:
    await world.advance(MINUTE_MS, leap=True)
    await world.until_rows(until)
    await world.until_settled()


@pytest.mark.scenario("L146")
async def test_an_answer_that_exists_upstream_is_delivered_once_and_the_failure_stays(world: World) -> None:
    told = await _fail(world, ANSWERED_UPSTREAM)
    assert "the agent's process ended" in told[0]
    before = await world.rows("SELECT id, state, code, detail, answer FROM turns")
    await _look(world, ADOPTED)
    assert world.answers()[0] == told[0]
    assert len(world.answers()) == 2
    assert "the whole answer" in world.answers()[1]
    assert await world.rows("SELECT id, state, code, detail, answer FROM turns") == before
    assert await world.rows("SELECT speaker FROM messages ORDER BY seq") == [("person",), ("gateway",), ("agent",)]
    assert await world.rows(RECOVERED) == [(1,)]
    assert len(world.prompts()) == 1
    ledger = await world.adds_up()
    assert (ledger.received.classes["answered"], ledger.received.classes["told"], ledger.owed) == (1, 0, 0)


@pytest.mark.scenario("L146")
async def test_an_adoption_that_a_crash_hit_is_not_made_twice(world: World) -> None:
    crash = Crash("adopted")
    await world.restart(crash)
    await _fail(world, ANSWERED_UPSTREAM)
    await world.advance(MINUTE_MS, leap=True)
    await crash.dead.wait()
    await world.restart()
    await world.until_settled()
    await world.advance(10 * MINUTE_MS, leap=True)
    await world.until_settled()
    assert len(world.answers()) == 2
    assert await world.rows(RECOVERED) == [(1,)]
    await world.adds_up()


@pytest.mark.scenario("L147")
@pytest.mark.parametrize(
    "text", ["[[say:half]][[crash]]", f"[[unreadable]]{ANSWERED_UPSTREAM}", f"[[background:never]]{ANSWERED_UPSTREAM}"]
)
async def test_without_the_whole_proof_nothing_is_adopted_and_it_stays_owed(world: World, text: str) -> None:
    told = await _fail(world, text)
    await _look(world, BLOCKED)
    assert world.answers() == told
    assert len(await list_owed(world.gateway.desk)) == 1
    await world.adds_up()


@pytest.mark.scenario("L147")
async def test_a_stream_that_ended_in_an_error_is_not_adopted(world: World) -> None:
    told = await _fail(world, "[[say:nearly the answer]][[overloaded]]")
    await world.advance(10 * MINUTE_MS, leap=True)
    await world.until_settled()
    assert world.answers() == told
    assert await world.rows(RECOVERED) == [(0,)]
    assert len(await list_owed(world.gateway.desk)) == 1
    await world.adds_up()


@pytest.mark.scenario("L147")
async def test_after_newer_input_an_old_answer_is_not_put_in_between(world: World) -> None:
    await _fail(world, ANSWERED_UPSTREAM)
    await _fail(world, "a newer one")
    await _look(world, BLOCKED)
    assert world.answers()[-1] == "echo: a newer one"
    assert await world.rows(RECOVERED) == [(0,)]
    assert len(await list_owed(world.gateway.desk)) == 1
    await world.adds_up()
