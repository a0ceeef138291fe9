"""How often the platform was called stands in the ledger, and costs no commit a call."""

from tests.harness import World

from feishu_simulator.rest.routes import ROUTES
from hongyan.domain import limits
from hongyan.domain.quota import AppCalls

DAY_MS = 24 * 3_600_000
WITHOUT_A_TOKEN = frozenset(route.template for route in ROUTES if route.open)


def answered(world: World) -> int:
    """Count the calls that the platform saw and that count: the witness."""
    return len([call for call in world.platform.requests() if call.template not in WITHOUT_A_TOKEN])


async def counted(world: World) -> AppCalls:
    """Let time pass until the ledger's count is the platform's, and give it."""
    for _ in range(20):
        await world.advance(limits.CALLS_KEPT_EVERY_MS + 1_000)
        seen = answered(world)
        (calls,) = (await world.ledger()).calls
        if calls.this_month == seen == answered(world):
            return calls
    raise AssertionError(f"the ledger counts {calls}, the platform {answered(world)}")


async def test_the_ledger_knows_every_call_of_today_and_of_the_month(world: World) -> None:
    world.say("hello there, agent")
    await world.until_settled()
    since = world.clock.now()
    calls = await counted(world)
    assert (calls.app, calls.name, calls.today) == (world.app.app_id, "work", calls.this_month)
    kept = [change for change in world.commits if change.label == "keep_calls"]
    assert len(kept) <= (world.clock.now() - since) // limits.CALLS_KEPT_EVERY_MS + 1


async def test_the_count_goes_on_after_a_stop_and_begins_anew_with_the_day(world: World) -> None:
    world.say("hello there, agent")
    await world.until_settled()
    await world.stop()
    ((kept,),) = await world.rows("SELECT sum(amount) FROM api_calls")
    assert kept == answered(world)
    await world.clock.leap(DAY_MS)
    await world.start()
    world.say("and the next day")
    await world.until_settled(flowing=True)
    calls = await counted(world)
    assert calls.today == calls.this_month - kept


async def test_a_count_that_cannot_be_kept_now_is_kept_later(world: World) -> None:
    world.disk.fill("keep_calls")
    world.say("hello there, agent")
    await world.until_settled()
    await world.advance(limits.CALLS_KEPT_EVERY_MS + 1_000)
    world.disk.free()
    assert (await counted(world)).today > 0
