"""A crash at any moment of a card leaves no button that looks alive, no second decision and no second card."""

from typing import Final

import pytest
from tests.harness import World
from tests.harness.crash import Crash

from hongyan.ports import queries

ASKING: Final = ("asked", "card_intended", "card_written", "card_saved")
DECIDING: Final = ("decided", "answering", "look_intended", "look_written", "look_saved", "card_closing")


async def _asked_under(world: World, crash: Crash) -> None:
    await world.stop()
    await world.start(crash)
    world.say("[[ask:rm -r build]]")


async def _nothing_looks_alive(world: World) -> None:
    await world.until_settled(flowing=True)
    assert [card.labels for card in world.cards()] == [[]] * len(world.cards())
    assert len(world.cards()) <= 1
    assert await world.rows("SELECT state FROM cards") == [("closed",)]
    await world.adds_up()


@pytest.mark.scenario("A18", "P41", "D12")
@pytest.mark.parametrize("point", ASKING)
async def test_a_crash_while_the_card_is_written_ends_in_an_expired_card_or_none(world: World, point: str) -> None:
    crash = Crash(point)
    await _asked_under(world, crash)
    await world.until(crash.dead.is_set)
    await world.restart()
    await _nothing_looks_alive(world)
    assert await world.rows("SELECT state FROM decisions") == [("expired",)]
    assert all("Expired" in card.words for card in world.cards())
    assert await world.rows("SELECT fact FROM audit ORDER BY rowid") == [("asked",), ("expired",)]


@pytest.mark.scenario("D7", "P43")
@pytest.mark.parametrize("point", DECIDING)
async def test_a_crash_after_the_click_keeps_the_one_decision(world: World, point: str) -> None:
    crash = Crash(point)
    await _asked_under(world, crash)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    click = world.click(world.cards()[0], "Allow once")
    await world.until(crash.dead.is_set)
    world.platform.clicks.give_up(click)
    await world.restart()
    await _nothing_looks_alive(world)
    assert await world.rows("SELECT outcome, decided_where FROM decisions") == [("allowed_once", "card")]
    assert await world.rows("SELECT count(*) FROM audit WHERE fact = 'decided'") == [(1,)]
    assert len(await world.rows("SELECT 1 FROM audit WHERE fact IN ('applied', 'not_applied')")) == 1
    assert await world.gateway.desk.store.all(queries.UNAPPLIED_DECISIONS) == []
    assert "Allowed once" in world.cards()[0].words


async def test_what_never_reached_the_agent_says_so_on_the_card(world: World) -> None:
    crash = Crash("decided")
    await _asked_under(world, crash)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    click = world.click(world.cards()[0], "Allow once")
    await world.until(crash.dead.is_set)
    world.platform.clicks.give_up(click)
    await world.restart()
    await _nothing_looks_alive(world)
    assert "did not reach the agent" in world.cards()[0].words
