"""Pairing codes: typed as people type them, counted as a try only when they could be one, live for ten minutes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain import given as example

from hongyan.domain import limits
from hongyan.domain.pairing import Pairing, PairingState, code_hash, looks_like_code, pairing_is_live

CODES = st.text(st.sampled_from(limits.PAIRING_ALPHABET), min_size=8, max_size=8)
LIVE = Pairing(
    id="pair_1",
    app=example.APP,
    code_hash="",
    state=PairingState.LIVE,
    tries=0,
    replace_owner=False,
    created_at=example.NOW,
    expires_at=example.NOW + limits.PAIRING_LIFE_MS,
    open_id=None,
    union_id=None,
    name="",
    chat_id=None,
)


@given(CODES)
def test_a_code_is_known_however_it_is_typed(code: str) -> None:
    for typed in (code, code.lower(), f" {code[:4]} {code[4:]}\n", f"{code[:4]}-{code[4:]}"):
        assert looks_like_code(typed)
        assert code_hash("pair_1", typed) == code_hash("pair_1", code)


@given(CODES, CODES)
def test_the_hash_tells_codes_and_pairings_apart(one: str, other: str) -> None:
    assert (code_hash("pair_1", one) == code_hash("pair_1", other)) is (one == other)
    assert code_hash("pair_1", one) != code_hash("pair_2", one)


@pytest.mark.parametrize(
    "text", ["", "hello", "ABCDEFG", "ABCDEFGHJ", "ABCDEFG0", "ABCDEFGI", "/status", "雁雁雁雁雁雁雁雁"]
)
def test_other_words_are_no_try(text: str) -> None:
    assert not looks_like_code(text)


@pytest.mark.parametrize("state", PairingState)
def test_a_code_lives_for_ten_minutes_by_a_clock_that_does_not_run_backwards(state: PairingState) -> None:
    pairing = replace(LIVE, state=state)
    open_state = state in {PairingState.LIVE, PairingState.CLAIMED}
    assert pairing_is_live(pairing, LIVE.created_at) is open_state
    assert pairing_is_live(pairing, LIVE.expires_at - 1) is open_state
    assert not pairing_is_live(pairing, LIVE.expires_at)
    assert not pairing_is_live(pairing, LIVE.created_at - 1)
