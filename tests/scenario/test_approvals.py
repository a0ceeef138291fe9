"""An agent asks, somebody decides, once: policy, typed answers, this machine, withdrawal, restart."""

import asyncio

import pytest
from tests.harness import World

from hongyan.application.decide import decide
from hongyan.domain import limits
from hongyan.domain.decisions import Outcome
from hongyan.domain.errors import RefusedError
from hongyan.ports import queries

ASKED = "SELECT 1 FROM decisions WHERE state = 'asked'"
FACTS = "SELECT fact FROM audit ORDER BY rowid"


async def _ask(world: World, words: str = "[[ask:rm -r build]]") -> tuple[str, str]:
    """Let the agent ask, and give the decision's id and code."""
    world.say(words)
    await world.until_rows(ASKED)
    row = (await world.rows("SELECT id, code FROM decisions WHERE state = 'asked'"))[0]
    await world.until(lambda: any(row[1] in card.words for card in world.cards()))
    return row[0], row[1]


async def test_the_owner_allows_by_a_typed_answer_and_the_agent_goes_on(world: World) -> None:
    _, code = await _ask(world)
    said = world.say(f"yes {code.lower()}")
    await world.until_settled()
    assert world.answers_to(said) == ["Allowed once."]
    assert await world.rows(FACTS) == [("asked",), ("decided",), ("applied",)]
    assert await world.rows("SELECT outcome, decided_where, applied FROM decisions") == [
        ("allowed_once", "text", "applied")
    ]
    await world.adds_up()


@pytest.mark.scenario("A17", "P46")
async def test_two_surfaces_at_once_make_one_decision_and_one_pair(world: World) -> None:
    identity, code = await _ask(world)
    desk = world.gateway.desk
    world.say(f"no {code}")
    results = await asyncio.gather(
        *(decide(desk, identity, Outcome.ALLOWED_ONCE, "owner", "console") for _ in range(5)), return_exceptions=True
    )
    await world.until_settled()
    won = [result for result in results if not isinstance(result, BaseException)]
    refused = [result for result in results if isinstance(result, RefusedError)]
    decided = await world.rows("SELECT count(*) FROM audit WHERE fact = 'decided'")
    assert len(won) + len(refused) == 5
    assert len(won) <= 1
    assert decided == [(1,)]
    await world.adds_up()


@pytest.mark.scenario("A18")
async def test_after_a_restart_an_open_request_is_expired_and_never_decided(world: World) -> None:
    identity, code = await _ask(world)
    await world.restart()
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'expired'")
    assert await world.rows("SELECT count(*) FROM audit WHERE fact = 'decided'") == [(0,)]
    with pytest.raises(RefusedError, match="expired"):
        await decide(world.gateway.desk, identity, Outcome.ALLOWED_ONCE, "owner", "cli")
    await world.until_settled()
    late = world.say(f"yes {code}")
    await world.until_settled()
    assert world.answers_to(late) == ["Already decided elsewhere, or expired; your answer changed nothing."]
    assert f"yes {code}" not in world.prompts()
    await world.adds_up()


@pytest.mark.scenario("A18")
async def test_an_answer_to_what_was_decided_elsewhere_is_told_so_and_is_no_prompt(world: World) -> None:
    identity, code = await _ask(world)
    await decide(world.gateway.desk, identity, Outcome.REJECTED, "owner", "console")
    await world.until_settled()
    late, chinese, other = world.say(f"yes {code}"), world.say(f"拒绝 {code}"), world.say("yes ABCDE")
    await world.until_settled(flowing=True)
    assert world.answers_to(late) == ["Already decided elsewhere, or expired; your answer changed nothing."]
    assert world.answers_to(chinese) == ["已在别处决定或已过期，你的回答没有改变结果。"]
    assert world.answers_to(other) == ["echo: yes ABCDE"]
    assert world.prompts()[1:] == ["yes ABCDE"]
    await world.adds_up()


async def test_two_days_later_the_same_words_are_the_agents_again(world: World) -> None:
    identity, code = await _ask(world)
    await decide(world.gateway.desk, identity, Outcome.REJECTED, "owner", "console")
    await world.until_settled()
    await world.advance(limits.APPROVAL_KNOWN_MS + 1, leap=True)
    late = world.say(f"yes {code}")
    await world.until_settled(flowing=True)
    assert world.answers_to(late) == [f"echo: yes {code}"]


@pytest.mark.scenario("D7", "A7")
async def test_a_request_that_the_agent_withdrew_is_cancelled_and_claims_nothing(world: World) -> None:
    await _ask(world)
    world.say("/stop")
    await world.until_settled()
    assert await world.rows("SELECT outcome, decided_by FROM decisions") == [("cancelled", "agent")]
    assert await world.rows("SELECT applied, applied_reason FROM decisions") == [("not_applied", "the agent withdrew")]
    await world.adds_up()


@pytest.mark.scenario("A12")
async def test_a_policy_of_never_refuses_before_anybody_is_asked(world: World) -> None:
    await world.set_policy("commands=never")
    world.say("[[ask:rm -r build]]")
    await world.until_settled()
    assert await world.rows("SELECT outcome, decided_where FROM decisions") == [("rejected", "policy")]
    assert await world.rows("SELECT count(*) FROM deliveries WHERE phase = 'ask'") == [(0,)]
    await world.adds_up()


async def test_a_yes_for_the_session_is_remembered_in_it_and_not_in_the_next(world: World) -> None:
    _, code = await _ask(world)
    world.say(f"always {code}")
    await world.until_settled()
    world.say("[[ask:make test]]")
    await world.until_settled(flowing=True)
    assert await world.rows("SELECT decided_where FROM decisions ORDER BY seq") == [("text",), ("session",)]
    world.say("/new")
    await world.until_settled(flowing=True)
    await _ask(world, "[[ask:make install]]")
    opened = await world.gateway.desk.store.all(queries.OPEN_DECISIONS)
    assert [decision.subject for decision in opened] == ["make install"]
    await decide(world.gateway.desk, opened[0].id, Outcome.REJECTED, "owner", "cli")
    await world.until_settled(flowing=True)
    await world.adds_up()


async def test_a_long_input_is_cut_on_the_phone_and_whole_in_the_record(world: World) -> None:
    await _ask(world, "[[ask:" + "x" * 5_000 + "]]")
    decision = (await world.gateway.desk.store.all(queries.OPEN_DECISIONS))[0]
    assert len(decision.subject + decision.arguments) >= 5_000
    assert all(len(card.words.encode()) < 4_000 for card in world.cards())
    await decide(world.gateway.desk, decision.id, Outcome.REJECTED, "owner", "cli")
    await world.until_settled()
    await world.adds_up()
