"""Days and months of the count are those of the machine's calendar."""

from datetime import UTC, timedelta, timezone

import pytest

from hongyan.domain.quota import day_of, month_begins


@pytest.mark.parametrize(
    ("hours", "day"),
    [(0, "2025-06-30"), (8, "2025-07-01"), (-8, "2025-06-30")],
)
def test_a_moment_belongs_to_the_day_that_people_here_have(hours: int, day: str) -> None:
    assert day_of(1_751_306_400_000, timezone(timedelta(hours=hours))) == day


def test_a_month_begins_on_its_first_day() -> None:
    assert month_begins(day_of(1_751_306_400_000, UTC)) == "2025-06-01"
