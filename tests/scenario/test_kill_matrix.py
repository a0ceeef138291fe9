"""A crash at each named moment, alone and with a second message behind: nothing lost, nothing said twice.

The same moments are met with a real SIGKILL in `tests/process`; here every cell is cheap and repeatable.
"""

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from tests.harness import World, open_world
from tests.harness.kill_points import KILL_POINTS
from tests.harness.world import PATIENCE_SECONDS, Crash

from feishu_simulator.model import Message as Said

FIRST_RUNG_MS = 3_001 + 15_000  # an event that was not acknowledged comes again after that
UNACKNOWLEDGED = ("received", "accepted")


async def _die(crash: Crash) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        await crash.dead.wait()


async def _settle_or_die(world: World, crash: Crash) -> None:
    """Let the gateway work until everything has its end, or until it dies again."""
    settling, dying = asyncio.create_task(world.until_settled(flowing=True)), asyncio.create_task(_die(crash))
    await asyncio.wait({settling, dying}, return_when=asyncio.FIRST_COMPLETED)
    for task in (settling, dying):
        task.cancel()
    await asyncio.gather(settling, dying, return_exceptions=True)


async def _has_one_end(world: World, said: Said) -> None:
    """One visible answer, or one visible word about why there is none and the flag that somebody has to act."""
    [(state, closed_as, owed)] = await world.rows(
        "SELECT state, closed_as, owed FROM requests WHERE message_id = :id", id=said.message_id
    )
    words = world.answers_to(said)
    assert len(words) == 1, words
    if (state, closed_as, owed) == ("closed", "answered", 0):
        assert words == [f"echo: {said.text}"]
    else:
        assert (state, closed_as, owed) == ("closed", "told", 1)
        assert "Interrupted by a restart" in words[0]


@pytest.mark.parametrize("count", [1, 2], ids=["alone", "one behind"])
@pytest.mark.parametrize("point", KILL_POINTS)
async def test_a_crash_at_any_moment_leaves_one_end_for_every_message(tmp_path: Path, point: str, count: int) -> None:
    async with open_world(tmp_path / "home", bound=False) as world:
        crash = Crash()
        await world.start(crash)
        await world.bind()
        crash.point = point
        said = [world.say(f"message {n}") for n in range(count)]
        await _die(crash)
        # With one behind, the next life ends at the same moment; before the acknowledgement that only waits longer.
        again = Crash(point if count > 1 and point not in UNACKNOWLEDGED else "")
        await world.restart(again)
        await world.advance(FIRST_RUNG_MS)
        await _settle_or_die(world, again)
        if again.dead.is_set():
            await world.restart()
            await world.advance(FIRST_RUNG_MS)
        await world.until_settled(flowing=True)
        for message in said:
            await _has_one_end(world, message)
        assert max(Counter(world.prompts()).values()) == 1
        await world.adds_up()
