"""Continuations: causes, budgets, blocks and moves."""

from dataclasses import replace

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st
from tests.unit.domain import given

from hongyan.domain import continuations as c
from hongyan.domain.agents import Prompt
from hongyan.domain.conversations import TurnEvent
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.history import UNREADABLE, History, Item, ItemKind, PastStatus, PastTurn
from hongyan.domain.requests import Origin

SENT = replace(given.turn(), intent_at=given.NOW)
PROMPT = Prompt("k", "hello")
EMPTY = History(readable=True)


def _failed(code: str, provable: bool = True) -> c.Failure:
    return c.Failure(TurnEvent.FAIL, code, provable)


def _row() -> c.Continuation:
    row = c.plan_continuation(SENT, c.Wish(c.Cause.TRANSPORT, 0, given.NOW))
    assert row is not None
    return row


@pytest.mark.parametrize(
    ("code", "began", "cause"),
    [
        ("agent.unavailable", False, c.Cause.TRANSPORT),
        ("agent.unavailable", True, None),
        ("agent.quota", False, c.Cause.QUOTA),
        ("agent.quota", True, None),
        ("agent.error", False, c.Cause.NOT_DISPATCHED),
        ("agent.lost", False, c.Cause.NOT_DISPATCHED),
        ("agent.lost", True, c.Cause.READ_BACK),
        ("agent.refused", False, None),
        ("turn.stopped", False, None),
    ],
)
def test_the_cause_comes_from_the_code_and_what_was_seen(code: str, began: bool, cause: c.Cause | None) -> None:
    assert c.cause_of(SENT, _failed(code), began) is cause


def test_without_an_intent_only_an_agent_that_did_not_start_is_continued() -> None:
    assert c.cause_of(given.turn(), _failed("agent.start_failed", provable=False), False) is c.Cause.NOT_DISPATCHED
    assert c.cause_of(given.turn(), _failed("queue.timed_out", provable=False), False) is None


def test_an_agent_that_proves_nothing_is_not_continued() -> None:
    assert c.cause_of(SENT, _failed("agent.unavailable", provable=False), False) is None


@pytest.mark.scenario("L142")
@pytest.mark.parametrize("cause", list(c.Cause))
def test_each_cause_has_its_budget_and_its_waits(cause: c.Cause) -> None:
    waits: list[int] = []
    while (row := c.plan_continuation(SENT, c.Wish(cause, len(waits), given.NOW))) is not None:
        waits.append((row.not_before - given.NOW) // 1_000)
    assert waits == [60, 120, 240][: c.BUDGETS[cause]]


def test_a_quota_is_not_tried_before_its_own_reset() -> None:
    row = c.plan_continuation(SENT, c.Wish(c.Cause.QUOTA, 0, given.NOW, given.NOW + 3_600_000))
    assert row is not None
    assert row.not_before == given.NOW + 3_600_000


def test_a_continuation_that_fails_brings_no_other_cause() -> None:
    again = replace(SENT, origin=Origin.CONTINUATION)
    assert c.may_follow(again, _row(), c.Cause.TRANSPORT)
    assert not c.may_follow(again, _row(), c.Cause.QUOTA)
    assert c.may_follow(SENT, None, c.Cause.QUOTA)


@hypothesis_given(
    st.sampled_from(c.Cause),
    st.sets(st.sampled_from(["newer_input", "stopped", "steered", "group", "attachment", "edited", "revoked"])),
)
def test_each_fact_alone_or_with_others_blocks_every_cause(cause: c.Cause, facts: set[str]) -> None:
    block = c.blocked_by(cause, c.Scene(**dict.fromkeys(facts, True)))
    assert (block is None) == (not facts)


def test_what_was_seen_blocks_a_run_but_not_a_look() -> None:
    assert c.blocked_by(c.Cause.TRANSPORT, c.Scene(seen=True)) is c.Block.SEEN
    assert c.blocked_by(c.Cause.READ_BACK, c.Scene(seen=True)) is None


@pytest.mark.scenario("L138")
def test_without_an_intent_no_history_is_needed() -> None:
    assert c.proven(c.Cause.NOT_DISPATCHED, given.turn(), PROMPT, UNREADABLE) == "no_intent"
    assert c.proven(c.Cause.NOT_DISPATCHED, SENT, PROMPT, UNREADABLE) is c.Block.UNREADABLE


def test_a_history_with_the_prompt_proves_another_cause_than_one_without() -> None:
    refused = History(readable=True, turns=(PastTurn("k", "hello", PastStatus.FAILED),))
    assert c.proven(c.Cause.NOT_DISPATCHED, SENT, PROMPT, EMPTY) == "prompt_absent"
    assert c.proven(c.Cause.NOT_DISPATCHED, SENT, PROMPT, refused) is c.Block.UNPROVEN
    assert c.proven(c.Cause.TRANSPORT, SENT, PROMPT, refused) == "nothing_ran"
    assert c.proven(c.Cause.QUOTA, SENT, PROMPT, replace(refused, background=1)) is c.Block.BACKGROUND
    assert c.proven(c.Cause.READ_BACK, SENT, PROMPT, EMPTY) is c.Block.UNPROVEN


def test_unfinished_work_goes_on_only_when_all_of_it_is_settled() -> None:
    done = PastTurn("k", "hello", PastStatus.COMPLETED, (Item(ItemKind.TOOL),))
    open_tool = replace(done, items=(Item(ItemKind.TOOL, settled=False),))
    assert c.proven(c.Cause.UNFINISHED, SENT, PROMPT, History(readable=True, turns=(done,))) == "all_settled"
    assert c.proven(c.Cause.UNFINISHED, SENT, PROMPT, History(readable=True, turns=(open_tool,))) is c.Block.UNPROVEN


@pytest.mark.scenario("L147")
def test_only_an_answer_of_a_completed_turn_is_adopted() -> None:
    done = PastTurn("k", "hello", PastStatus.COMPLETED, (Item(ItemKind.TEXT),), " the answer ")
    assert c.adoptable(PROMPT, History(readable=True, turns=(done,))) == "the answer"
    for other in (
        replace(done, status=PastStatus.FAILED),
        replace(done, status=PastStatus.UNFINISHED),
        replace(done, items=(Item(ItemKind.UNKNOWN),)),
        replace(done, key="another"),
    ):
        assert c.adoptable(PROMPT, History(readable=True, turns=(other,))) == ""


@pytest.mark.parametrize("state", list(c.ContinuationState))
@pytest.mark.parametrize("event", list(c.ContinuationEvent))
def test_every_move_outside_of_the_table_is_refused(state: c.ContinuationState, event: c.ContinuationEvent) -> None:
    row = replace(_row(), state=state)
    if (state, event) in c.MOVES:
        assert c.move_continuation(row, event).values["state"] == c.MOVES[state, event].value
    else:
        with pytest.raises(IllegalMoveError):
            c.move_continuation(row, event)
