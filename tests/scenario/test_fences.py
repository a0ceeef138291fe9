"""Between deciding on words and writing them everything is looked at once more: the bot, the grant, the Turn."""

from collections.abc import Awaitable, Callable

import pytest
from tests.harness import World
from tests.harness.world import Pause

from feishu_simulator.faults import Effect, RateLimit
from hongyan.application.configure import revoke_binding
from hongyan.domain import limits

REACT = "POST /open-apis/im/v1/messages/:message_id/reactions"
OTHER_BOT = "SELECT 1 FROM apps WHERE other_bot <> ''"
FINALS = "SELECT p.state, p.code FROM parts p JOIN deliveries d ON d.id = p.delivery_id WHERE d.phase = 'final'"


async def _become_another_bot(world: World) -> None:
    world.app.bot_open_id = "ou_another_bot"
    await world.advance(limits.IDENTITY_PERIOD_MS, leap=True)
    await world.until_rows(OTHER_BOT)


async def _revoke(world: World) -> None:
    assert world.binding is not None
    await revoke_binding(world.gateway.desk, world.binding.id)


@pytest.mark.scenario("L89")
async def test_a_renamed_bot_goes_on_under_its_new_name(world: World) -> None:
    world.app.name = "Wild Goose"
    await world.advance(limits.IDENTITY_PERIOD_MS, leap=True)
    await world.until_rows("SELECT 1 FROM apps WHERE bot_name = 'Wild Goose'")
    said = world.say("still you?")
    await world.until_settled()
    assert world.answers_to(said) == ["echo: still you?"]
    await world.adds_up()


@pytest.mark.scenario("L89")
async def test_nothing_is_sent_as_another_bot_and_all_of_it_when_the_known_one_is_back(world: World) -> None:
    known = world.app.bot_open_id
    await _become_another_bot(world)
    said = world.say("who are you?")
    await world.until_rows("SELECT 1 FROM parts WHERE code = 'app.other_bot' AND transport = 'text'")
    assert world.answers() == []
    assert world.marks_on(said) == []
    world.app.bot_open_id = known
    await world.advance(limits.IDENTITY_PERIOD_MS, leap=True)
    await world.until_rows("SELECT 1 FROM apps WHERE other_bot = ''")
    await world.advance(limits.BACK_OFF_MOST_MS, leap=True)
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: who are you?"]
    await world.adds_up()


@pytest.mark.scenario("L90")
@pytest.mark.parametrize(
    ("change", "end"),
    [(_revoke, ("withheld", "access.revoked")), (_become_another_bot, ("planned", "app.other_bot"))],
)
async def test_what_changed_between_the_decision_and_the_write_is_not_written(
    world: World, change: Callable[[World], Awaitable[None]], end: tuple[str, str]
) -> None:
    pause = Pause("completing")
    await world.restart(pause)
    world.say("a question")
    await pause.reached.wait()
    await change(world)
    pause.may_go_on.set()
    await world.until_rows(FINALS + " AND p.code = :code", code=end[1])
    assert await world.rows(FINALS) == [end]
    assert world.answers() == []


@pytest.mark.scenario("L108")
async def test_a_turn_that_already_ended_gets_no_mark(world: World) -> None:
    world.fault(REACT, Effect(rate_limit=RateLimit(0, 1_000)), nth=2)
    said = world.say("[[say:begun]][[wait:go]]")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    await world.advance(limits.SAFETY_SCAN_MS)
    await world.until(lambda: len(world.platform.requests(REACT)) == 2)
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await world.advance(limits.MINUTE, leap=True)
    await world.until_settled(flowing=True)
    assert len(world.platform.requests(REACT)) == 2
    assert world.marks_on(said) == ["Get"]
    await world.adds_up()
