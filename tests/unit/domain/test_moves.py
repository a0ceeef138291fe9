"""The tables of moves: each pair of state and event is decided, and an end is an end."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import product
from typing import Any, NamedTuple

import pytest
from tests.unit.domain import given

from hongyan.domain import conversations, deliveries, pairing, requests
from hongyan.domain.conversations import ACTIVE, LIVE, TERMINAL, TurnEvent, TurnState, advance_turn, move_turn
from hongyan.domain.deliveries import SETTLED, PartEvent, PartState, advance_part, move_part
from hongyan.domain.errors import IllegalMoveError
from hongyan.domain.pairing import Pairing, PairingEvent, PairingState, advance_pairing
from hongyan.domain.requests import ClosedAs, RequestEvent, RequestState, advance_request, close_request

Advance = Callable[[Any, Any], StrEnum]


class Machine(NamedTuple):
    """A table of moves, where it begins and ends, and the function that looks it up."""

    moves: Mapping[tuple[Any, Any], StrEnum]
    states: type[StrEnum]
    events: type[StrEnum]
    begins: StrEnum
    ends: tuple[StrEnum, ...]
    advance: Advance


def _pairing(state: PairingState) -> Pairing:
    return Pairing("pair_1", given.APP, "", state, 0, False, given.NOW, given.NOW + 1, None, None, "", None)


MACHINES = {
    "turn": Machine(conversations.MOVES, TurnState, TurnEvent, TurnState.QUEUED, TERMINAL, advance_turn),
    "request": Machine(
        requests.MOVES,
        RequestState,
        RequestEvent,
        RequestState.CAPTURED,
        (RequestState.CLOSED,),
        lambda state, event: advance_request(replace(given.request(), state=state), event),
    ),
    "part": Machine(
        deliveries.MOVES,
        PartState,
        PartEvent,
        PartState.PLANNED,
        SETTLED,
        lambda state, event: advance_part(replace(given.part(), state=state), event),
    ),
    "pairing": Machine(
        pairing.MOVES,
        PairingState,
        PairingEvent,
        PairingState.LIVE,
        (PairingState.CONFIRMED, PairingState.BURNT, PairingState.EXPIRED),
        lambda state, event: advance_pairing(_pairing(state), event),
    ),
}

# The moves out of an end that the design wants: an owed request runs again, a lost answer is found.
AFTER_THE_END = {
    ("request", RequestState.CLOSED, RequestEvent.CLOSE),
    ("request", RequestState.CLOSED, RequestEvent.RUN_AGAIN),
    ("part", PartState.MISMATCH, PartEvent.VERIFY),
}


@pytest.mark.parametrize("name", MACHINES)
def test_every_pair_of_state_and_event_moves_or_is_refused(name: str) -> None:
    machine = MACHINES[name]
    for state, event in product(machine.states, machine.events):
        if (state, event) in machine.moves:
            assert machine.advance(state, event) is machine.moves[state, event]
        else:
            with pytest.raises(IllegalMoveError) as refused:
                machine.advance(state, event)
            assert (refused.value.state, refused.value.event) == (state, event)


@pytest.mark.parametrize("name", MACHINES)
def test_nothing_leaves_an_end_but_what_the_design_names(name: str) -> None:
    machine = MACHINES[name]
    left = {(name, state, event) for state, event in machine.moves if state in machine.ends}
    assert left == {entry for entry in AFTER_THE_END if entry[0] == name}


@pytest.mark.parametrize("name", MACHINES)
def test_every_state_can_be_reached_and_every_other_than_an_end_can_be_left(name: str) -> None:
    machine = MACHINES[name]
    reached = {machine.begins}
    for _ in machine.states:
        reached |= {after for (before, _), after in machine.moves.items() if before in reached}
    assert reached == set(machine.states)
    assert {before for before, _ in machine.moves} >= set(machine.states) - set(machine.ends)


def test_a_turn_is_live_completing_or_at_its_end() -> None:
    assert {*LIVE, TurnState.COMPLETING, *TERMINAL} == set(TurnState)
    assert not set(LIVE) & set(TERMINAL)
    assert {*ACTIVE} == {*LIVE, TurnState.COMPLETING} - {TurnState.QUEUED, TurnState.HELD}


def test_from_completing_only_completed_follows() -> None:
    follows = {after for (before, _), after in conversations.MOVES.items() if before is TurnState.COMPLETING}
    assert follows == {TurnState.COMPLETED}


def test_every_live_turn_can_fail_and_time_out() -> None:
    for state in LIVE:
        assert advance_turn(state, TurnEvent.FAIL) is TurnState.FAILED
        assert advance_turn(state, TurnEvent.TIME_OUT) is TurnState.TIMED_OUT


def test_what_was_written_is_never_written_again() -> None:
    after = {PartState.WRITTEN}
    for _ in PartState:
        after |= {follows for (before, _), follows in deliveries.MOVES.items() if before in after}
    assert not after & {PartState.PLANNED, PartState.INTENDED, PartState.UNKNOWN}


def test_a_plan_is_bound_to_the_state_it_was_made_on() -> None:
    turn = move_turn(given.turn(), TurnEvent.CLAIM, claimed_at=5)
    assert dict(turn.where) == {"id": given.turn().id, "state": "queued"}
    assert dict(turn.values) == {"state": "claimed", "claimed_at": 5}
    part = move_part(replace(given.part(), attempts=2), PartEvent.INTEND)
    assert dict(part.where) == {"id": "part_1", "state": "planned", "attempts": 2}
    request = close_request(replace(given.request(), state=RequestState.TURN, version=7), ClosedAs.TOLD, given.NOW)
    assert dict(request.where) == {"id": given.request().id, "version": 7}
    assert request.values["version"] == 8


def test_an_answer_settles_what_was_owed_and_a_word_about_a_failure_does_not() -> None:
    waiting = replace(given.request(), state=RequestState.TURN, owed=True, owed_why="agent.lost")
    answered = close_request(waiting, ClosedAs.ANSWERED, given.NOW)
    told = close_request(waiting, ClosedAs.TOLD, given.NOW)
    assert (answered.values["owed"], answered.values["owed_why"]) == (0, "")
    assert "owed" not in told.values
