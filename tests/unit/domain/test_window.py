"""The idempotency window: open only while every clock that we have agrees that it surely is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain import given as example

from hongyan.domain import limits
from hongyan.domain.deliveries import Attempt, window_open

ROOM = limits.IDEMPOTENCY_WINDOW_MS - limits.REST_TIME_OUT_MS
FIRST, BOOT = example.NOW, 5_000_000
HOUR = 60 * 60 * 1_000
TRIED = replace(example.part(), attempts=1, first_attempt_at=FIRST, first_boot=BOOT, boot_id="this boot")


def _at(wall: int, boot: int, boot_id: str = "this boot", offset: int | None = 0) -> Attempt:
    return Attempt(FIRST + wall, BOOT + boot, boot_id, offset)


@pytest.mark.parametrize(
    ("at", "is_open"),
    [
        pytest.param(_at(0, 0), True, id="at once"),
        pytest.param(_at(ROOM - 1, ROOM - 1), True, id="the last moment"),
        pytest.param(_at(ROOM, ROOM), False, id="the first moment after it"),
        pytest.param(_at(3 * HOUR, 1_000), False, id="the wall clock jumped ahead"),
        pytest.param(_at(-3 * HOUR, 1_000), False, id="the wall clock jumped back"),
        pytest.param(_at(-1, 0), False, id="the wall clock shows a moment before the write"),
        pytest.param(_at(1_000, 3 * HOUR), False, id="the wall clock came back to the moment of the write"),
        pytest.param(_at(1_000, -1), False, id="the boot clock runs backwards"),
        pytest.param(_at(1_000, -BOOT, "another boot"), True, id="after a reboot the wall clock counts"),
        pytest.param(_at(ROOM, -BOOT, "another boot"), False, id="after a reboot, too late by the wall clock"),
        pytest.param(_at(1_000, 1_000, offset=None), False, id="the platform's time is not known"),
        pytest.param(_at(1_000, 1_000, offset=limits.CLOCK_DISAGREEMENT_MS), True, id="the clocks agree well enough"),
        pytest.param(_at(1_000, 1_000, offset=limits.CLOCK_DISAGREEMENT_MS + 1), False, id="the platform is ahead"),
        pytest.param(_at(1_000, 1_000, offset=-limits.CLOCK_DISAGREEMENT_MS - 1), False, id="the platform is behind"),
    ],
)
def test_the_window_is_open_only_when_every_clock_says_so(at: Attempt, is_open: bool) -> None:
    assert window_open(TRIED, at) is is_open


def test_what_was_never_tried_may_be_tried_whatever_the_clocks_say() -> None:
    assert window_open(example.part(), _at(-3 * HOUR, -BOOT, "another boot", None))


@given(
    wall=st.integers(-4 * HOUR, 4 * HOUR),
    boot=st.integers(-4 * HOUR, 4 * HOUR),
    offset=st.one_of(st.none(), st.integers(-4 * HOUR, 4 * HOUR)),
)
def test_within_one_boot_no_jump_of_the_wall_clock_opens_a_window_that_is_over(
    wall: int, boot: int, offset: int | None
) -> None:
    if window_open(TRIED, _at(wall, boot, offset=offset)):
        assert 0 <= boot < ROOM
        assert 0 <= wall < ROOM


def test_the_window_ends_well_before_the_platform_forgets_the_key() -> None:
    forgets_after = HOUR
    slowest_request = limits.REST_TIME_OUT_MS
    assert ROOM + slowest_request + limits.CLOCK_DISAGREEMENT_MS < forgets_after
