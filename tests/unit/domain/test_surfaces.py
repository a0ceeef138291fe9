"""The chain of surfaces: its order, what stops it, and what the replies add up to."""

import pytest
from tests.unit.domain.given import NOW

from hongyan.domain.approvals import Rule
from hongyan.domain.decisions import Outcome, Verdict
from hongyan.domain.surfaces import (
    CARD,
    CLI,
    CONSOLE,
    OWN_CHAIN,
    POLICY,
    SESSION,
    Asking,
    Broken,
    Chain,
    Decided,
    Known,
    Passed,
    Reply,
    add_up,
    is_decision,
    reply_of,
    stops_the_chain,
)

YES = Decided(Verdict(Outcome.ALLOWED_ONCE, "host", "host", NOW))


def known(rule: Rule = Rule.ASK, *, allowed: bool = False, in_chat: bool = True) -> Known:
    return Known(rule, allowed, in_chat, NOW)


@pytest.mark.scenario("A1", "A2")
def test_surfaces_stand_in_their_order_and_a_later_one_with_priority_stands_first() -> None:
    assert OWN_CHAIN.surfaces == (POLICY, SESSION, CARD, CONSOLE, CLI)
    assert Chain(("a", "b")).then("c").surfaces == ("a", "b", "c")
    assert Chain(("a", "b")).first("c").surfaces == ("c", "a", "b")
    assert Chain(("a", "b")).first("b").surfaces == ("b", "a")


@pytest.mark.scenario("A3")
def test_what_decides_or_breaks_leaves_the_later_ones_unasked() -> None:
    assert [stops_the_chain(reply) for reply in (YES, Broken(), Asking(), Passed())] == [True, True, False, False]


@pytest.mark.parametrize(
    ("rule", "outcome"), [(Rule.NEVER, Outcome.REJECTED), (Rule.AUTO, Outcome.ALLOWED_ONCE), (Rule.ASK, None)]
)
def test_the_policy_decides_what_it_has_a_rule_for(rule: Rule, outcome: Outcome | None) -> None:
    reply = reply_of(POLICY, known(rule, allowed=True))
    assert (reply.verdict.outcome if isinstance(reply, Decided) else None) is outcome


def test_an_earlier_yes_decides_and_without_a_chat_there_is_no_card() -> None:
    assert isinstance(reply_of(SESSION, known(allowed=True)), Decided)
    assert isinstance(reply_of(SESSION, known()), Passed)
    assert isinstance(reply_of(CARD, known()), Asking)
    assert isinstance(reply_of(CARD, known(in_chat=False)), Passed)
    assert [type(reply_of(name, known())) for name in (CONSOLE, CLI)] == [Asking, Asking]


@pytest.mark.scenario("A6")
def test_that_somebody_is_unavailable_decides_nothing_while_another_one_asks() -> None:
    assert add_up([Asking(), Passed()], NOW) is None
    assert add_up([Asking(), Broken()], NOW) is None
    assert not is_decision(Outcome.UNAVAILABLE)
    assert not is_decision(Outcome.OPEN)


@pytest.mark.scenario("A8")
def test_with_nobody_left_to_ask_the_request_is_unavailable_and_never_allowed() -> None:
    chains: list[list[Reply]] = [[], [Passed()], [Passed(), Broken()]]
    for replies in chains:
        verdict = add_up(replies, NOW)
        assert verdict is not None
        assert verdict.outcome is Outcome.UNAVAILABLE


def test_a_decision_counts_whoever_asks_beside_it() -> None:
    assert add_up([Asking(), YES], NOW) == YES.verdict
