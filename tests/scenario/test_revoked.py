"""Access that is taken back: no yes counts any more, what waits is cancelled, what runs is stopped, nothing is said."""

import pytest
from tests.harness import World

from hongyan.application.configure import revoke_binding
from hongyan.application.decide import decide
from hongyan.domain import limits
from hongyan.domain.changes import Changes, Update
from hongyan.domain.decisions import Outcome
from hongyan.domain.errors import RefusedError
from hongyan.ports import queries

OUTCOME = "SELECT state, outcome, decided_where FROM decisions"
ENDED = "SELECT 1 FROM turns WHERE state IN ('interrupted', 'completed', 'failed', 'cancelled')"
REVOKED = "Access here was revoked; nothing was decided."


async def _ask(world: World, words: str = "[[ask:rm -r build]]") -> tuple[str, str]:
    """Let the agent ask, and give the decision's id and code."""
    world.say(words)
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'asked'")
    [(identity, code)] = await world.rows("SELECT id, code FROM decisions WHERE state = 'asked'")
    await world.until(lambda: any(code in card.words for card in world.cards()))
    return identity, code


async def _revoke(world: World) -> None:
    assert world.binding is not None
    await revoke_binding(world.gateway.desk, world.binding.id)


async def _publish_only(world: World) -> None:
    """Take the access back as a crash right after the commit would leave it."""
    live = Update("bindings", {"state": "live"}, {"state": "revoked"})
    await world.gateway.desk.store.commit(Changes("test", (live,)))


@pytest.mark.scenario("A14")
@pytest.mark.parametrize("outcome", [Outcome.ALLOWED_ONCE, Outcome.ALLOWED_SESSION])
async def test_a_yes_from_this_machine_after_the_revocation_is_refused(world: World, outcome: Outcome) -> None:
    identity, _ = await _ask(world)
    await _publish_only(world)
    with pytest.raises(RefusedError) as refused:
        await decide(world.gateway.desk, identity, outcome, "owner", "cli")
    assert refused.value.code == "decision.revoked"
    assert await world.rows("SELECT count(*) FROM allowances") == [(0,)]


@pytest.mark.scenario("A14")
async def test_a_typed_yes_after_the_revocation_is_told_why_and_decides_nothing(world: World) -> None:
    _, code = await _ask(world)
    await _publish_only(world)
    said = world.say(f"yes {code}")
    await world.until(lambda: world.answers_to(said) == [REVOKED])
    assert await world.rows("SELECT count(*) FROM decisions WHERE outcome = 'allowed_once'") == [(0,)]


@pytest.mark.scenario("P41")
async def test_a_yes_after_its_time_decides_nothing_and_a_no_does(world: World) -> None:
    identity, _ = await _ask(world)
    desk = world.gateway.desk
    past = Update("decisions", {"id": identity}, {"expires_at": desk.clock.now()})
    await desk.store.commit(Changes("test", (past,)))
    with pytest.raises(RefusedError) as refused:
        await decide(desk, identity, Outcome.ALLOWED_ONCE, "owner", "console")
    assert refused.value.code == "decision.expired"
    await decide(desk, identity, Outcome.REJECTED, "owner", "console")
    await world.until_settled()
    assert await world.rows(OUTCOME) == [("decided", "rejected", "console")]
    await world.adds_up()


@pytest.mark.scenario("P41")
async def test_after_a_long_sleep_of_the_machine_a_request_expires_at_once(world: World) -> None:
    await _ask(world)
    await world.until_asleep(limits.APPROVAL_LOOK_MS)
    world.clock.skew_ms = limits.APPROVAL_LIFE_MS  # a timer counts nothing while a machine sleeps
    await world.advance(limits.APPROVAL_LOOK_MS)
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'expired'")
    await world.until_settled(flowing=True)
    assert await world.rows("SELECT count(*) FROM audit WHERE fact = 'decided'") == [(0,)]
    assert world.cards()[0].labels == []


@pytest.mark.scenario("P41")
async def test_a_clock_that_goes_back_does_not_keep_a_request_open(world: World) -> None:
    await _ask(world)
    await world.until_asleep(limits.APPROVAL_LOOK_MS)
    world.clock.skew_ms = -limits.APPROVAL_LIFE_MS
    await world.advance(limits.APPROVAL_LIFE_MS, leap=True)
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'expired'")
