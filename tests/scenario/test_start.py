"""A start settles what a former process left, says so, and only then lets anything move."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from tests.harness import World, open_world
from tests.harness.crash import Crash
from tests.harness.kill_points import CARD_POINTS, KILL_POINTS
from tests.harness.shown_card import ShownCard

from feishu_simulator.faults import Effect, Match
from hongyan.application.starting import Starts
from hongyan.domain.identity import AppId

LOOSE = """
SELECT 'part ' || transport FROM parts WHERE state = 'intended'
UNION ALL SELECT 'turn ' || state FROM turns WHERE state IN ('claimed', 'starting', 'interrupting', 'completing')
UNION ALL SELECT 'card ' || kind || ' ' || state FROM cards WHERE state <> 'closed' AND kind <> 'owed'
"""
EVERYTHING = "[[think:look]][[tool:read]][[ask:rm -r build]] carry on"
NOT_REACHED = {"rotating", "acted"}  # a card that is nine minutes old, and an act on the list of what waits


class Witness:
    """Looks into the database file in the moment in which a start says that an App is settled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path: Path | None = None
        self.loose: list[str] = []
        self.settled: list[AppId] = []
        end = Starts.end

        def look(starts: Starts, app: AppId) -> None:
            if self.path is not None:
                self._look(self.path, app)
            end(starts, app)

        monkeypatch.setattr(Starts, "end", look)

    def _look(self, path: Path, app: AppId) -> None:
        self.settled.append(app)
        if app == "local":
            return  # nothing of these scenarios is local; it is settled while the App still reads back
        connection = sqlite3.connect(f"file:{path / 'hongyan.db'}?mode=ro", uri=True)
        self.loose += [str(row[0]) for row in connection.execute(LOOSE)]
        connection.close()


@pytest.fixture
def witness(monkeypatch: pytest.MonkeyPatch) -> Witness:
    return Witness(monkeypatch)


async def _run_into(world: World, crash: Crash) -> None:
    """Let one Turn do everything that a Turn can do until the gateway dies."""
    clicked: set[str] = set()

    def asks() -> list[ShownCard]:
        return [card for card in world.cards() if "Allow once" in card.labels and card.message_id not in clicked]

    world.say(EVERYTHING)
    while not crash.dead.is_set():
        await world.flow_until(lambda: crash.dead.is_set() or bool(asks()))
        for card in asks():
            clicked.add(card.message_id)
            world.click(card, "Allow once")


@pytest.mark.scenario("D3", "P12")
@pytest.mark.parametrize("point", sorted({*KILL_POINTS, *CARD_POINTS} - NOT_REACHED))
async def test_nothing_is_loose_when_a_start_says_settled(tmp_path: Path, point: str, witness: Witness) -> None:
    async with open_world(tmp_path / "home", bound=False) as world:
        crash = Crash()
        await world.start(crash)
        await world.bind()
        crash.point = point
        await _run_into(world, crash)
        witness.path = world.home
        await world.restart()  # gives once the long connection is open, which is after that moment
        assert world.app_id in witness.settled
        assert witness.loose == []
        assert not world.gateway.desk.starts.holds(world.app_id)


async def test_an_app_that_cannot_be_reached_is_retrying_and_holds_only_its_own_queue(
    world: World, witness: Witness
) -> None:
    other = world.platform.add_app("Second")
    world.more_apps = [other]
    crash = Crash("part_intended")
    await world.restart(crash)
    said = world.say("say it once")
    await world.until(crash.dead.is_set)
    await world.crash()
    witness.path = world.home
    down = world.platform.faults.add(
        Match("*", app_id=world.app.app_id), Effect(http_status=503, refuse_connection=True)
    )
    begin = asyncio.create_task(world.start())
    await world.until(lambda: bool(world.platform.connections.live(other.app_id)))
    await world.until(lambda: [one.state for one in world.gateway.listeners()] == ["retrying", "listening"])
    waiting, _ = world.gateway.listeners()
    assert waiting.error_code.startswith("chat.")
    assert world.app_id not in witness.settled
    assert world.answers_to(said) == []
    world.platform.faults.remove(down.rule_id)
    await world.advance(10_000)
    await begin
    await world.until_settled(flowing=True)
    assert world.app_id in witness.settled
    assert world.answers_to(said) == ["echo: say it once"]
    await world.adds_up()
