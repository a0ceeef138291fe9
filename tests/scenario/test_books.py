"""The books are counted every night; a sum that is not its total needs somebody until it is one again."""

import asyncio
import sqlite3

from tests.harness import World
from tests.harness.crash import Pause

from hongyan.application.owed import list_owed
from hongyan.domain import limits

NIGHT_MS = 24 * 3_600_000


def _bend(world: World, state: str, before: str) -> None:
    with sqlite3.connect(world.home / "hongyan.db") as connection:
        connection.execute("UPDATE requests SET closed_as = ? WHERE closed_as = ?", (state, before))
    connection.close()


def _bend_tallies(world: World, by: int) -> None:
    """Make one class and the total wrong by the same, so that the sum is still its total."""
    with sqlite3.connect(world.home / "hongyan.db") as connection:
        names = "('requests', 'requests.answered')"
        connection.execute(f"UPDATE tallies SET amount = amount + ? WHERE name IN {names}", (by,))
    connection.close()


async def _checked(world: World, milliseconds: int) -> list[str]:
    seen = len([one for one in world.commits if one.label.startswith("books")])
    await world.advance(milliseconds, leap=True)
    await world.until(lambda: len([one for one in world.commits if one.label.startswith("books")]) > seen)
    return [row.why for row in await list_owed(world.gateway.desk)]


async def test_a_difference_is_found_at_night_and_gone_once_the_books_add_up(world: World) -> None:
    world.say("count me")
    await world.until_settled()
    await world.advance(limits.BOOKS_FIRST_MS, leap=True)
    _bend(world, "mislaid", "answered")
    assert await list_owed(world.gateway.desk) == []
    assert await _checked(world, NIGHT_MS) == ["ledger.unbalanced"]
    assert (await world.ledger()).received.difference == -1
    assert (await world.ledger()).owed == 1
    _bend(world, "answered", "mislaid")
    assert await _checked(world, limits.BOOKS_AGAIN_MS) == []
    await world.adds_up()


async def test_a_wrong_tally_is_found_at_night_even_when_the_sum_is_its_total(world: World) -> None:
    world.say("count me")
    await world.until_settled()
    await world.advance(limits.BOOKS_FIRST_MS, leap=True)
    _bend_tallies(world, 2)
    assert (await world.ledger()).received.balanced
    assert await _checked(world, NIGHT_MS) == ["ledger.unbalanced"]
    [row] = await list_owed(world.gateway.desk)
    assert row.text == "received.total +2, received.answered +2"
    _bend_tallies(world, -2)
    assert await _checked(world, limits.BOOKS_AGAIN_MS) == []
    await world.adds_up()


async def test_a_stop_waits_for_a_write_whose_answer_is_on_its_way(world: World) -> None:
    pause = Pause("part_written")
    await world.restart(pause)
    said = world.say("write it whole")
    await pause.reached.wait()
    drained = asyncio.create_task(world.gateway.drain())
    await world.rows("SELECT 1")
    assert not drained.done()
    pause.may_go_on.set()
    await drained
    assert await world.rows("SELECT count(*) FROM parts WHERE state IN ('intended', 'unknown')") == [(0,)]
    await world.stop()
    await world.start()
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: write it whole"]
    await world.adds_up()


async def test_nothing_begins_once_a_stop_began(world: World) -> None:
    await world.gateway.drain()
    said = world.say("after the stop began")
    await world.until_rows("SELECT 1 FROM requests")
    await world.advance(5_000)
    assert world.prompts() == []
    await world.restart()
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: after the stop began"]
