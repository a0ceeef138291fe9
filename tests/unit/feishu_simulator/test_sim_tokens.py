"""Tenant tokens on the virtual clock."""

from tests.unit.feishu_simulator.town import refused, town

HOUR_MS = 3_600_000


def test_the_same_token_is_returned_while_half_an_hour_remains() -> None:
    here = town()
    first, _ = here.platform.tokens.issue(here.app)
    here.platform.clock.advance(HOUR_MS + HOUR_MS // 2)
    assert here.platform.tokens.issue(here.app) == (first, 1_800)


def test_a_new_token_is_issued_below_half_an_hour_and_both_are_valid() -> None:
    here = town()
    first, _ = here.platform.tokens.issue(here.app)
    here.platform.clock.advance(HOUR_MS + HOUR_MS // 2 + 1)
    second, seconds = here.platform.tokens.issue(here.app)
    assert second != first
    assert seconds == 7_200
    assert here.platform.tokens.owner(first) == here.platform.tokens.owner(second) == here.app.app_id


def test_a_token_dies_after_two_hours() -> None:
    here = town()
    token, _ = here.platform.tokens.issue(here.app)
    here.platform.clock.advance(2 * HOUR_MS)
    with refused(99991663):
        here.platform.tokens.owner(token)


def test_a_revoked_token_is_unknown_and_replaced() -> None:
    here = town()
    token, _ = here.platform.tokens.issue(here.app)
    here.platform.tokens.revoke(token)
    with refused(99991663):
        here.platform.tokens.owner(token)
    assert here.platform.tokens.issue(here.app)[0] != token
