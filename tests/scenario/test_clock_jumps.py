"""Clocks that lie while the fate of a write is open: no second write that the window does not surely cover."""

import pytest
from tests.harness import World

from feishu_simulator.faults import Effect
from hongyan.domain import limits

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
READ = "GET /open-apis/im/v1/messages/:message_id"
HISTORY = "GET /open-apis/im/v1/messages"
UNKNOWN = "SELECT 1 FROM parts WHERE state = 'unknown'"
HOURS_MS = 3 * 60 * 60 * 1_000
MINUTE_MS = 60_000


async def _lose_the_receipt(world: World) -> str:
    """Write an answer that arrives and whose receipt is lost; give what it answers."""
    world.fault(REPLY, Effect(lost_response=True))
    said = world.say("found, not doubled")
    await world.until_rows(UNKNOWN)
    return said.message_id


async def _found_and_not_written_again(world: World) -> None:
    await world.until_settled()
    assert world.answers() == ["echo: found, not doubled"]
    assert len(world.platform.requests(REPLY)) == 1
    assert world.platform.requests(HISTORY)
    ledger = await world.adds_up()
    assert ledger.received.classes["answered"] == 1


@pytest.mark.scenario("D4")
async def test_a_wall_clock_that_jumps_ahead_closes_the_window(world: World) -> None:
    await _lose_the_receipt(world)
    world.clock.skew_ms = HOURS_MS
    await world.advance(limits.BACK_OFF_MS)
    await _found_and_not_written_again(world)


@pytest.mark.scenario("D4")
async def test_a_wall_clock_that_jumps_back_does_not_open_the_window_again(world: World) -> None:
    await _lose_the_receipt(world)
    world.clock.skew_ms = -HOURS_MS
    await world.advance(HOURS_MS + limits.BACK_OFF_MS, leap=True)  # by now it shows the moment of the write again
    await _found_and_not_written_again(world)


@pytest.mark.scenario("D4", "D5")
async def test_after_a_reboot_with_a_clock_that_lags_the_platforms_time_closes_the_window(world: World) -> None:
    """The boot clock began again and the wall clock says 25 minutes; the key is 55 minutes old all the same."""
    await _lose_the_receipt(world)
    await world.crash()
    world.simulator.clock.advance(55 * MINUTE_MS)
    world.clock.reboot()
    world.clock.skew_ms = -30 * MINUTE_MS
    await world.start()
    await _found_and_not_written_again(world)


@pytest.mark.scenario("D4")
async def test_a_small_lag_inside_the_window_still_allows_the_same_key(world: World) -> None:
    """The guard is not a blanket no: with clocks that agree the quick way is taken."""
    await _lose_the_receipt(world)
    world.clock.skew_ms = limits.CLOCK_DISAGREEMENT_MS // 2
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    assert world.answers() == ["echo: found, not doubled"]
    keys = {request.uuid for request in world.platform.requests(REPLY)}
    assert (len(world.platform.requests(REPLY)), len(keys)) == (2, 1)
    await world.adds_up()


async def _put_off(world: World) -> str:
    """Let an answer be put off because the platform is busy; give what it answers."""
    world.fault(REPLY, Effect(error_code=230020))
    said = world.say("due then, due now")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'text' AND state = 'planned' AND attempts = 1")
    return said.message_id


@pytest.mark.scenario("D4")
async def test_a_wall_clock_that_goes_back_does_not_put_off_what_was_due_in_a_moment(world: World) -> None:
    await _put_off(world)
    world.clock.skew_ms = -HOURS_MS
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled(flowing=True)
    assert world.answers() == ["echo: due then, due now"]
    await world.adds_up()


@pytest.mark.scenario("D4")
async def test_a_message_whose_admission_was_put_off_is_admitted_though_the_clock_went_back(world: World) -> None:
    world.fault_read_once()
    world.say("admit me")
    await world.until_rows("SELECT 1 FROM requests WHERE state = 'captured' AND tries = 1")
    world.clock.skew_ms = -HOURS_MS
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled(flowing=True)
    assert world.answers() == ["echo: admit me"]
    await world.adds_up()


@pytest.mark.scenario("D4")
async def test_a_read_back_that_was_put_off_is_made_though_the_clock_went_back(world: World) -> None:
    world.fault(READ, Effect(http_status=503), nth=2)
    world.say("read me back")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'written' AND code <> ''")
    world.clock.skew_ms = -HOURS_MS
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled(flowing=True)
    assert world.answers() == ["echo: read me back"]
    assert len(world.platform.requests(REPLY)) == 1
    await world.adds_up()


@pytest.mark.scenario("D4")
async def test_what_was_written_under_a_wrong_clock_is_found_in_the_history(world: World) -> None:
    world.clock.skew_ms = HOURS_MS
    await _lose_the_receipt(world)
    await world.advance(limits.BACK_OFF_MS)
    await _found_and_not_written_again(world)
