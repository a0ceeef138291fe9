"""A machine that sleeps for hours: nothing stale is written or run, and what was missed is found."""

import pytest
from tests.harness import World
from tests.harness.missed import HOUR, LOST, RECEIVE, keep_own_rhythm, missed, rounds
from tests.scenario.test_progress_card import working

from feishu_simulator.faults import Effect
from hongyan.application.check_coverage import check_coverage
from hongyan.application.owed import OwedAction, act_on_owed
from hongyan.domain import limits

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
TOKEN = "POST /open-apis/auth/v3/tenant_access_token/internal"


@pytest.fixture(autouse=True)
def own_rhythm(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_own_rhythm(monkeypatch)


@pytest.mark.scenario("D3", "P50")
async def test_three_hours_asleep_with_a_turn_a_card_and_a_queue_open(world: World) -> None:
    await rounds(world)
    await working(world, "[[tool:read]] [[wait:go]] slow")
    behind = world.say("behind it")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    world.fault(RECEIVE, LOST)
    lost = world.say("said while the machine slept")
    tokens = len(world.platform.requests(TOKEN))
    await world.advance(3 * HOUR, leap=True)
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state IN ('completed', 'timed_out')")
    await world.until_settled(flowing=True)
    for _ in range(6):
        await check_coverage(world.gateway.desk, world.app_id)
        await world.advance(limits.GAP_DECLARED_MS)
    await world.until_settled(flowing=True)
    assert {state for (state,) in await world.rows("SELECT state FROM cards")} == {"closed"}
    assert not any(card.labels for card in world.cards())
    assert world.answers_to(behind) == ["echo: behind it"]
    assert len(world.platform.requests(TOKEN)) == tokens + 1
    assert all("said while" not in prompt for prompt in world.prompts())
    [row] = await missed(world)
    assert row.text == lost.text
    await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN, row.version)
    await world.until_settled(flowing=True)
    late, answer = world.answers_to(lost)
    assert ("It runs now, once" in late, answer) == (True, f"echo: {lost.text}")
    await world.adds_up()


@pytest.mark.scenario("D3", "P50")
async def test_a_write_that_was_open_before_the_sleep_is_looked_for_and_not_made_again(world: World) -> None:
    world.fault(REPLY, Effect(lost_response=True))
    said = world.say("written before the sleep")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    await world.advance(3 * HOUR, leap=True)
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: written before the sleep"]
    assert len(world.platform.requests(REPLY)) == 1
    assert await world.rows("SELECT closed_as FROM requests WHERE message_id = :id", id=said.message_id) == [
        ("answered",)
    ]
    await world.adds_up()
