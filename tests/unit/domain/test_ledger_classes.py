"""The classes of the received partition: exactly one for each combination that may exist."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hongyan.domain.conversations import TurnState
from hongyan.domain.deliveries import PartState
from hongyan.domain.ledger import (
    TALLIED_RECEIVED,
    TALLIED_WRITES,
    TOTAL,
    Partition,
    ReceivedClass,
    classify,
    compared,
    written_classes,
)
from hongyan.domain.requests import ClosedAs, RequestState

ALL = tuple(product(RequestState, ClosedAs, (None, *TurnState)))


def _must_not_exist(state: RequestState, closed_as: ClosedAs, turn: TurnState | None) -> bool:
    closed_without_saying_how = state is RequestState.CLOSED and closed_as is ClosedAs.OPEN
    turn_without_naming_it = state is RequestState.TURN and turn is None
    return closed_without_saying_how or turn_without_naming_it


def test_each_combination_has_one_class_or_is_refused() -> None:
    for combination in ALL:
        if _must_not_exist(*combination):
            with pytest.raises(ValueError, match=r"turn|ReceivedClass"):
                classify(*combination)
        else:
            assert classify(*combination) in ReceivedClass


def test_no_class_is_idle() -> None:
    used = {classify(*combination) for combination in ALL if not _must_not_exist(*combination)}
    assert used == set(ReceivedClass)


def test_a_turn_counts_as_active_from_its_claim_to_its_frozen_answer() -> None:
    active = {turn for turn in TurnState if classify(RequestState.TURN, ClosedAs.OPEN, turn) is ReceivedClass.ACTIVE}
    assert active == {
        TurnState.CLAIMED,
        TurnState.STARTING,
        TurnState.RUNNING,
        TurnState.INTERRUPTING,
        TurnState.COMPLETING,
    }


def test_the_classes_of_writes_are_the_states_of_parts() -> None:
    assert written_classes() == tuple(state.value for state in PartState)


def test_only_what_is_open_is_not_tallied() -> None:
    closed = {classify(RequestState.CLOSED, end, None).value for end in ClosedAs if end is not ClosedAs.OPEN}
    assert set(TALLIED_RECEIVED) == closed
    assert set(written_classes()) - set(TALLIED_WRITES) == {"planned", "intended", "written"}


def test_a_partition_with_a_wrong_tally_does_not_add_up_even_where_the_sum_is_the_total() -> None:
    astray = compared({TOTAL: 3, "told": 3}, {TOTAL: 3, "told": 5}, ("told", "silent"))
    assert astray == {"told": 2}
    assert not Partition(3, {"told": 3}, astray).balanced


@given(st.dictionaries(st.sampled_from([name.value for name in ReceivedClass]), st.integers(0, 9)), st.integers(-3, 3))
def test_a_partition_that_does_not_add_up_says_by_how_much(classes: dict[str, int], missing: int) -> None:
    partition = Partition(sum(classes.values()) + missing, classes)
    assert partition.difference == -missing
    assert partition.balanced is (missing == 0)
