"""The chain of surfaces in a gateway: outside hosts before, beside and behind the card."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from tests.harness import World
from tests.scenario.test_approval_cards import ask, click_of, opened

from hongyan.application.click_card import click_card
from hongyan.application.decide import decide
from hongyan.domain import limits
from hongyan.domain.agents import AgentEvent, AgentSeat, PermissionAsked, Prompt
from hongyan.domain.decisions import Decision, Outcome
from hongyan.domain.errors import ChatUnreachableError
from hongyan.domain.messages import ToastKind
from hongyan.domain.surfaces import OWN_CHAIN, Chain
from hongyan.ports.agents import Agent, Agents

DECIDED = "SELECT outcome, decided_where FROM decisions"
FACTS = "SELECT fact FROM audit ORDER BY rowid"


@dataclass
class Host:
    """An outside surface that does as it is told, and tells whether its question still stands."""

    name: str
    log: list[str] = field(default_factory=list)
    offers: Outcome | Exception | None = Outcome.OPEN
    answer: "asyncio.Future[Outcome]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    taken_away: bool = False

    async def offer(self, decision: Decision) -> Outcome:
        """Show it, or not."""
        self.log.append(self.name)
        if isinstance(self.offers, Exception):
            raise self.offers
        if self.offers is None:
            await asyncio.get_running_loop().create_future()
        assert self.offers is not None
        return self.offers

    async def wait(self, decision: Decision) -> Outcome:
        """Wait for the word of its user."""
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.taken_away = True
            raise


async def hire(world: World, chain: Chain, *hosts: Host) -> None:
    """Start the gateway anew with these hosts."""
    world.surfaces, world.hosts = chain, {host.name: host for host in hosts}
    await world.restart()


@pytest.mark.scenario("A1", "A2")
async def test_hosts_are_offered_in_their_order_and_one_with_priority_before_the_card(world: World) -> None:
    log: list[str] = []
    hosts = [Host(name, log) for name in ("early", "late", "later")]
    await hire(world, OWN_CHAIN.then("late").then("later").first("early"), *hosts)
    card = await ask(world)
    await world.until(lambda: len(log) == 3)
    assert log == ["early", "late", "later"]
    assert await world.clicked(card, "Allow once") == "Allowed once"
    await world.until_settled()
    assert [host.taken_away for host in hosts] == [True, True, True]
    await world.adds_up()


@pytest.mark.scenario("A3")
async def test_an_earlier_host_that_decides_leaves_the_card_and_the_later_host_unasked(world: World) -> None:
    log: list[str] = []
    early, late = Host("early", log, Outcome.REJECTED), Host("late", log)
    await hire(world, OWN_CHAIN.then("late").first("early"), early, late)
    said = world.say("[[ask:rm -r build]]")
    await world.until_settled()
    assert log == ["early"]
    assert world.cards() == []
    assert await world.rows(DECIDED) == [("rejected", "early")]
    assert world.answers_to(said) == ["The answer was: reject_once."]
    assert await world.rows(FACTS) == [("asked",), ("decided",), ("applied",)]
    await world.adds_up()


@pytest.mark.scenario("A3", "A12")
async def test_the_policy_stands_before_every_host_that_is_not_put_before_it(world: World) -> None:
    host = Host("late", offers=Outcome.ALLOWED_ONCE)
    await hire(world, OWN_CHAIN.then("late"), host)
    await world.set_policy("commands=never")
    world.say("[[ask:rm -r build]]")
    await world.until_settled()
    assert host.log == []
    assert await world.rows(DECIDED) == [("rejected", "policy")]


@pytest.mark.scenario("A4")
async def test_the_card_decides_while_a_host_hangs_and_its_late_word_changes_nothing(world: World) -> None:
    host = Host("late")
    await hire(world, OWN_CHAIN.then("late"), host)
    card = await ask(world)
    await world.clicked(card, "Reject")
    await world.until_settled()
    host.answer.set_result(Outcome.ALLOWED_ONCE)
    await world.until_settled()
    assert host.taken_away
    assert await world.rows(DECIDED) == [("rejected", "card")]
    assert await world.rows(FACTS) == [("asked",), ("decided",), ("applied",)]


@pytest.mark.scenario("A5")
async def test_a_host_decides_while_the_card_is_silent_and_the_card_says_so(world: World) -> None:
    host = Host("late")
    await hire(world, OWN_CHAIN.then("late"), host)
    card = await ask(world)
    click = await click_of(world, card)
    host.answer.set_result(Outcome.ALLOWED_ONCE)
    await world.until_settled()
    assert await world.rows(DECIDED) == [("allowed_once", "late")]
    assert world.cards()[0].labels == []
    late = await click_card(world.gateway.desk, click)
    assert (late.kind, "Already decided: Allowed once" in late.text) == (ToastKind.TOLD, True)
    await world.adds_up()


@pytest.mark.scenario("A6")
@pytest.mark.parametrize("offers", [Outcome.OPEN, Outcome.UNAVAILABLE])
async def test_an_unavailable_host_decides_nothing_and_the_card_still_does(world: World, offers: Outcome) -> None:
    host = Host("late", offers=offers)
    await hire(world, OWN_CHAIN.then("late"), host)
    card = await ask(world)
    host.answer.set_result(Outcome.UNAVAILABLE)
    await world.until(lambda: host.log == ["late"])
    assert await world.rows("SELECT state FROM decisions") == [("asked",)]
    assert await world.clicked(card, "Allow once") == "Allowed once"
    await world.until_settled()
    assert await world.rows(DECIDED) == [("allowed_once", "card")]


@pytest.mark.scenario("A8")
async def test_a_host_that_breaks_before_it_hands_on_allows_nothing_and_asks_nobody(world: World) -> None:
    log: list[str] = []
    hosts = Host("early", log, RuntimeError("torn")), Host("late", log, Outcome.ALLOWED_ONCE)
    await hire(world, OWN_CHAIN.then("late").first("early"), *hosts)
    said = world.say("[[ask:rm -r build]]")
    await world.until_settled()
    assert log == ["early"]
    assert world.cards() == []
    assert await world.rows("SELECT outcome FROM decisions") == [("unavailable",)]
    assert world.answers_to(said) == ["The answer was: cancelled."]
    await world.adds_up()


@pytest.mark.scenario("A11")
@pytest.mark.parametrize("offers", [ChatUnreachableError("gone"), None])
async def test_a_host_that_cannot_be_reached_or_hangs_is_passed_over(world: World, offers: Exception | None) -> None:
    host = Host("early", offers=offers)
    await hire(world, OWN_CHAIN.first("early"), host)
    world.say("[[ask:rm -r build]]")
    await world.until(lambda: host.log == ["early"])
    if offers is None:
        await world.until_asleep(limits.HOST_OFFER_MS)
        await world.advance(limits.HOST_OFFER_MS)
    await world.until(lambda: len(world.cards()) == 1)
    await decide(world.gateway.desk, await opened(world), Outcome.REJECTED, "owner", "cli")
    await world.until_settled()
    await world.adds_up()


async def test_with_hosts_alone_that_all_give_up_the_request_is_unavailable(world: World) -> None:
    host = Host("only")
    await hire(world, Chain(("only",)), host)
    world.say("[[ask:rm -r build]]")
    await world.until(lambda: host.log == ["only"])
    host.answer.set_result(Outcome.UNAVAILABLE)
    await world.until_settled()
    assert await world.rows("SELECT outcome FROM decisions") == [("unavailable",)]


class Stutter:
    """An agent that tells every request for leave twice, as one does whose connection came back."""

    def __init__(self, inner: Agent) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def prompt(self, prompt: Prompt) -> AsyncIterator[AgentEvent]:
        """Hand the prompt over."""
        return self._twice(await self._inner.prompt(prompt))

    async def _twice(self, events: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        async for event in events:
            yield event
            if isinstance(event, PermissionAsked):
                yield event


class Stutterers:
    """Agents of that kind."""

    def __init__(self, inner: Agents) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def attach(self, seat: AgentSeat) -> Agent:
        """Give one."""
        return cast("Agent", Stutter(await self._inner.attach(seat)))


@pytest.mark.scenario("A15")
async def test_a_request_that_is_told_again_keeps_its_one_record_and_its_one_card(world: World) -> None:
    world.dress = lambda agents: cast("Agents", Stutterers(agents))
    await world.restart()
    card = await ask(world)
    assert len(world.cards()) == 1
    await world.clicked(card, "Allow once")
    await world.until_settled()
    assert len(world.cards()) == 1
    assert await world.rows(FACTS) == [("asked",), ("decided",), ("applied",)]
    await world.adds_up()
