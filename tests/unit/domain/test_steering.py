"""Where this machine may write, and whether a Turn can take words now: the two pure rules of steering."""

from dataclasses import replace

import pytest
from tests.unit.domain import given

from hongyan.domain.bindings import Audience, BindingState
from hongyan.domain.conversations import TERMINAL, SessionState, TurnState
from hongyan.domain.steering import SteerFacts, WhyQueued, objection_to_steer, objection_to_write, why_queued

FACTS = SteerFacts(
    turn=replace(given.turn(), state=TurnState.RUNNING),
    place_id=given.session().place_id,
    session_state=SessionState.BUSY,
    binding=given.binding(),
    workspace_usable=True,
    executor_known=True,
    agent_steers=True,
)


@pytest.mark.scenario("M13")
def test_a_group_topic_is_read_only_here_for_texts_and_for_words_to_a_turn() -> None:
    group = replace(given.binding(), audience=Audience.GROUP_TOPIC)
    for objection in (
        objection_to_write(SessionState.READY, group),
        objection_to_steer(replace(FACTS, binding=group)),
    ):
        assert objection is not None
        assert objection.code == "session.group"


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (replace(FACTS, session_state=SessionState.CLOSED), "session.closed"),
        (replace(FACTS, binding=None), "binding.revoked"),
        (replace(FACTS, binding=replace(given.binding(), state=BindingState.REVOKED)), "binding.revoked"),
        (replace(FACTS, binding=replace(given.binding(), revision=2)), "binding.revoked"),
        (replace(FACTS, workspace_usable=False), "workspace.unavailable"),
        (replace(FACTS, executor_known=False), "executor.unavailable"),
    ],
)
def test_what_holds_for_a_message_holds_for_words_to_a_turn(facts: SteerFacts, code: str) -> None:
    objection = objection_to_steer(facts)
    assert objection is not None
    assert objection.code == code


def test_nothing_else_stands_in_the_way() -> None:
    assert objection_to_steer(FACTS) is None
    assert why_queued(FACTS) is WhyQueued.NOT_QUEUED


@pytest.mark.parametrize("state", TurnState)
def test_only_a_running_turn_takes_words(state: TurnState) -> None:
    why = why_queued(replace(FACTS, turn=replace(FACTS.turn, state=state)))
    if state is TurnState.RUNNING:
        assert why is WhyQueued.NOT_QUEUED
    elif state in TERMINAL or state is TurnState.COMPLETING:
        assert why is WhyQueued.TURN_OVER
    else:
        assert why is WhyQueued.TURN_NOT_RUNNING


def test_an_agent_that_takes_none_gets_none() -> None:
    assert why_queued(replace(FACTS, agent_steers=False)) is WhyQueued.AGENT_CANNOT_STEER
