"""Access that is taken back: no yes counts any more, what waits is cancelled, what runs is stopped, nothing is said."""

import asyncio

import pytest
from tests.harness import World
from tests.harness.world import Crash, Pause

from hongyan.application.configure import revoke_binding
from hongyan.application.decide import decide
from hongyan.domain import limits
from hongyan.domain.changes import Changes, Update
from hongyan.domain.decisions import Outcome
from hongyan.domain.errors import RefusedError

OUTCOME = "SELECT state, outcome, decided_where FROM decisions"
RUNNING = "SELECT 1 FROM turns WHERE state = 'running'"
TURNS = "SELECT state, code FROM turns ORDER BY position"
CLOSED = "SELECT closed_as, code, owed FROM requests WHERE turn_id IS NOT NULL ORDER BY seq"
CARD_SAYS = "Ended: access here was revoked"
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


async def _nothing_is_left(world: World) -> None:
    """See everything at its end, without a word of it in the chat."""
    await world.until_settled(flowing=True)
    assert world.answers() == []
    assert [card.title for card in world.cards() if card.labels] == []
    assert world.gateway.desk.running == {}
    assert (await world.adds_up()).owed == 0


@pytest.mark.scenario("L56")
async def test_what_runs_is_stopped_and_what_waits_is_cancelled_and_nothing_is_said(world: World) -> None:
    said = world.say("[[say:begun]][[tool:Read it]][[wait:never]]")
    await world.until_rows(RUNNING)
    world.say("and then this")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    await world.flow_until(lambda: bool(world.cards()) and len(world.marks_on(said)) == 2)
    await _revoke(world)
    await _nothing_is_left(world)
    assert await world.rows(TURNS) == [("interrupted", "access.revoked"), ("cancelled", "access.revoked")]
    assert await world.rows(CLOSED) == [("silent", "access.revoked", 0)] * 2
    assert [card.title for card in world.cards()] == [CARD_SAYS]
    assert "begun" not in world.cards()[0].words
    assert world.marks_on(said) == ["Get"]
    assert "and then this" not in world.prompts()


@pytest.mark.scenario("A14")
async def test_an_open_question_is_withdrawn_and_its_card_closed(world: World) -> None:
    _, code = await _ask(world)
    card = world.cards()[0]
    await _revoke(world)
    await world.until_settled(flowing=True)
    assert await world.rows(OUTCOME) == [("decided", "cancelled", "revoked")]
    asked = next(one for one in world.cards() if one.message_id == card.message_id)
    assert (asked.title, asked.labels) == ("Nothing to decide any more", [])
    assert "Withdrawn: access here was revoked" in asked.words
    late = world.say(f"no {code}")
    await world.until_settled(flowing=True)
    assert world.answers() == world.answers_to(late) == [REVOKED]
    await world.adds_up()


@pytest.mark.scenario("L56")
async def test_a_stop_after_the_revocation_is_answered(world: World) -> None:
    world.say("[[say:begun]][[wait:never]]")
    await world.until_rows(RUNNING)
    await _revoke(world)
    stop = world.say("/stop")
    await world.until_settled(flowing=True)
    assert world.answers() == world.answers_to(stop)
    assert world.answers_to(stop)[-1] in {"Stopped.", "Nothing was running here when you asked."}
    await world.adds_up()


@pytest.mark.scenario("L56")
@pytest.mark.parametrize("words", ["[[say:begun]][[wait:never]]", "[[ask:rm -r build]]"])
async def test_a_crash_between_the_revocation_and_the_stop_ends_the_same_way(world: World, words: str) -> None:
    crash = Crash("revoked")
    await world.restart(crash)
    said = world.say(words)
    await world.until_rows(RUNNING)
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'asked'" if "ask" in words else RUNNING)
    await world.flow_until(lambda: bool(world.cards()) and len(world.marks_on(said)) == 2)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    world.say("and then this")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    revoking = asyncio.create_task(_revoke(world))
    await crash.dead.wait()
    revoking.cancel()
    await world.restart()
    await _nothing_is_left(world)
    assert await world.rows(TURNS) == [("interrupted", "access.revoked"), ("cancelled", "access.revoked")]
    assert await world.rows(CLOSED) == [("silent", "access.revoked", 0)] * 2
    assert world.marks_on(said) == ["Get"]
    assert await world.rows("SELECT count(*) FROM decisions WHERE outcome LIKE 'allowed%'") == [(0,)]
    assert len(world.prompts()) == 1


async def test_an_agent_that_finishes_in_spite_of_the_stop_is_not_heard_and_the_card_says_why(world: World) -> None:
    pause = Pause("completing")
    await world.restart(pause)
    world.say("[[tool:Read it]][[say:too late]]")
    await pause.reached.wait()
    await world.flow_until(lambda: bool(world.cards()))
    await _revoke(world)
    pause.may_go_on.set()
    await _nothing_is_left(world)
    assert await world.rows(CLOSED) == [("silent", "access.revoked", 0)]
    assert [card.title for card in world.cards()] == [CARD_SAYS]
