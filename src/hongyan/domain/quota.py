"""How often an App called the platform: free tenants have a monthly quota, and every call counts."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from hongyan.domain.changes import ONE_OR_NONE, Add, Change, Insert, Update, Where

__all__ = ["AppCalls", "add_calls", "day_of", "month_begins"]


@dataclass(frozen=True, slots=True)
class AppCalls:
    """The calls of one App today and in this month, by the calendar of this machine."""

    app: str
    name: str
    today: int
    this_month: int


def day_of(now: int, zone: tzinfo) -> str:
    """Name the day of a moment: year, month and day with dashes, so that days compare as texts."""
    return datetime.fromtimestamp(now / 1_000, UTC).astimezone(zone).date().isoformat()


def month_begins(day: str) -> str:
    """Name the first day of a day's month."""
    return f"{day[:8]}01"


def add_calls(app: str, day: str, amount: int) -> tuple[Change, ...]:
    """Plan that an App made some more calls on a day."""
    row: Where = {"app": app, "day": day}
    fresh = Insert("api_calls", {"app": app, "day": day, "amount": 0}, ONE_OR_NONE)
    return fresh, Update("api_calls", row, {"amount": Add(amount)})
