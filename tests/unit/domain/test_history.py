"""The two proofs over an agent's own history: whatever is not known makes them "no"."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hongyan.domain.agents import Prompt
from hongyan.domain.history import (
    UNREADABLE,
    History,
    Item,
    ItemKind,
    PastStatus,
    PastTurn,
    all_settled,
    never_arrived,
    nothing_ran,
)

MINE = Prompt("turn_1.1", "deploy")
KNOWN = [ItemKind.TEXT, ItemKind.THOUGHT, ItemKind.TOOL]
ENDED = [PastStatus.COMPLETED, PastStatus.INTERRUPTED, PastStatus.FAILED]

items = st.builds(Item, st.sampled_from(KNOWN))
others = st.builds(
    PastTurn,
    key=st.text("abc", min_size=1).map(lambda letters: f"other_{letters}.1"),
    text=st.sampled_from(["deploy", "status", ""]),
    status=st.sampled_from(ENDED),
    items=st.lists(items, max_size=4).map(tuple),
)
clear = st.builds(History, readable=st.just(True), turns=st.lists(others, max_size=5).map(tuple))
refused = PastTurn(MINE.key, MINE.text, PastStatus.FAILED)


@st.composite
def with_mine(draw: st.DrawFn, mine: PastTurn = refused) -> History:
    """Give a clear history in which our prompt stands at any place."""
    history = draw(clear)
    place = draw(st.integers(0, len(history.turns)))
    return replace(history, turns=(*history.turns[:place], mine, *history.turns[place:]))


def spoil(history: History, place: int, turn: PastTurn) -> History:
    turns = list(history.turns)
    turns.insert(place % (len(turns) + 1), turn)
    return replace(history, turns=tuple(turns))


@given(clear)
def test_a_clear_history_without_the_prompt_proves_that_nothing_ran(history: History) -> None:
    assert never_arrived(MINE, history)
    assert nothing_ran(MINE, history)


@given(with_mine())
def test_a_prompt_that_failed_without_an_item_ran_nothing_but_it_arrived(history: History) -> None:
    assert nothing_ran(MINE, history)
    assert not never_arrived(MINE, history)


@given(clear, items, st.sampled_from(PastStatus), st.integers(0, 9))
def test_any_item_of_the_prompt_forbids_the_proof(history: History, item: Item, status: PastStatus, at: int) -> None:
    assert not nothing_ran(MINE, spoil(history, at, replace(refused, status=status, items=(item,))))


@given(clear, st.sampled_from([status for status in PastStatus if status is not PastStatus.FAILED]), st.integers(0, 9))
def test_only_an_end_that_is_recorded_as_failed_proves_something(history: History, status: PastStatus, at: int) -> None:
    assert not nothing_ran(MINE, spoil(history, at, replace(refused, status=status)))


@given(st.one_of(clear, with_mine()), others, st.integers(0, 9))
def test_an_item_of_an_unknown_kind_anywhere_forbids_both_proofs(history: History, turn: PastTurn, at: int) -> None:
    odd = replace(turn, items=(*turn.items, Item(ItemKind.UNKNOWN)))
    assert not nothing_ran(MINE, spoil(history, at, odd))
    assert not all_settled(spoil(history, at, odd))


@given(st.one_of(clear, with_mine()), st.integers(1, 3))
def test_a_command_that_still_runs_forbids_both_proofs(history: History, running: int) -> None:
    busy = replace(history, background=running)
    assert not nothing_ran(MINE, busy)
    assert not all_settled(busy)


@given(st.one_of(clear, with_mine()))
def test_a_history_that_cannot_be_read_proves_nothing(history: History) -> None:
    unreadable = replace(history, readable=False)
    assert not nothing_ran(MINE, unreadable)
    assert not never_arrived(MINE, unreadable)
    assert not all_settled(unreadable)


@given(clear, st.sampled_from(ENDED), st.integers(0, 9))
def test_the_same_words_without_an_id_may_be_ours(history: History, status: PastStatus, at: int) -> None:
    assert not nothing_ran(MINE, spoil(history, at, PastTurn("", MINE.text, status)))


@given(st.data(), with_mine())
def test_the_order_of_other_turns_changes_no_proof(data: st.DataObject, history: History) -> None:
    shuffled = replace(history, turns=tuple(data.draw(st.permutations(history.turns))))
    assert nothing_ran(MINE, shuffled) == nothing_ran(MINE, history)
    assert all_settled(shuffled) == all_settled(history)


@given(clear, others, st.sampled_from([PastStatus.UNFINISHED, PastStatus.UNKNOWN]), st.integers(0, 9))
def test_all_is_settled_only_without_an_open_end(history: History, turn: PastTurn, status: PastStatus, at: int) -> None:
    assert all_settled(history)
    assert not all_settled(spoil(history, at, replace(turn, status=status)))
    assert not all_settled(spoil(history, at, replace(turn, items=(Item(ItemKind.TOOL, settled=False),))))


@pytest.mark.parametrize("proof", [all_settled, lambda history: nothing_ran(MINE, history)])
def test_nothing_is_proved_by_what_was_never_read(proof: "object") -> None:
    assert callable(proof)
    assert not proof(UNREADABLE)
