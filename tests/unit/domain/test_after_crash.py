"""What becomes of a Turn that a crash cut off, and what is said of one that waits: decided for every case."""

from dataclasses import replace
from itertools import product

import pytest
from tests.unit.domain import given

from hongyan.domain.agents import Evidence, ReadBack, TurnEnding
from hongyan.domain.conversations import TERMINAL, Turn, TurnState, WaitHint, wait_hint
from hongyan.domain.identity import TurnId
from hongyan.domain.recovery import AfterCrash, needs_read_back, resolve

DISPATCHED = {TurnState.CLAIMED, TurnState.STARTING, TurnState.RUNNING, TurnState.INTERRUPTING}


@pytest.mark.parametrize(("evidence", "ending"), list(product(Evidence, (None, *TurnEnding))))
def test_only_proof_of_absence_sends_again_and_only_a_completed_end_is_an_answer(
    evidence: Evidence, ending: TurnEnding | None
) -> None:
    resolution = resolve(ReadBack(evidence, ending, "the answer"))
    assert (resolution.way is AfterCrash.REQUEUE) is (evidence is Evidence.ABSENT)
    finished = evidence is Evidence.ENDED and ending is TurnEnding.COMPLETED
    assert (resolution.way is AfterCrash.FINISH) is finished
    assert resolution.answer == ("the answer" if finished else "")


@pytest.mark.parametrize("evidence", [Evidence.UNKNOWN, Evidence.RUNNING])
def test_without_an_end_that_is_proved_a_person_decides(evidence: Evidence) -> None:
    assert resolve(ReadBack(evidence)).way is AfterCrash.HOLD


@pytest.mark.parametrize("state", TurnState)
def test_a_history_is_asked_only_when_the_prompt_may_have_gone_out(state: TurnState) -> None:
    turn = replace(given.turn(), state=state)
    assert not needs_read_back(turn)
    assert needs_read_back(replace(turn, intent_at=given.NOW)) is (state in DISPATCHED)


@pytest.mark.parametrize("state", TurnState)
@pytest.mark.parametrize("holder_state", [None, *sorted(set(TurnState) - set(TERMINAL))])
def test_every_turn_has_a_hint_and_only_a_queued_one_waits_for_another(
    state: TurnState, holder_state: TurnState | None
) -> None:
    turn = replace(given.turn(), state=state)
    holder = _other(holder_state) if holder_state else None
    session = replace(given.session(), lane=holder.id if holder else None)
    hint = wait_hint(turn, session, holder)
    assert (hint is WaitHint.ENDED) is (state in TERMINAL)
    if state is not TurnState.QUEUED:
        assert hint not in {WaitHint.AFTER_THIS_TURN, WaitHint.HELD_BEFORE, WaitHint.NONE_KNOWN}
    elif holder is None:
        assert hint is WaitHint.NONE_KNOWN
    else:
        assert hint is (WaitHint.HELD_BEFORE if holder_state is TurnState.HELD else WaitHint.AFTER_THIS_TURN)


def test_a_holder_that_left_the_lane_is_no_reason_to_wait() -> None:
    assert wait_hint(given.turn(), given.session(), _other(TurnState.RUNNING)) is WaitHint.NONE_KNOWN


def _other(state: TurnState) -> Turn:
    return replace(given.turn(), id=TurnId("turn_other"), state=state)
