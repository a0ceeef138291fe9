"""Read both partitions: as a whole, day by day, and line by line."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Final

from hongyan.application.desk import Desk
from hongyan.domain.deliveries import PartState
from hongyan.domain.ledger import BookLine, Ledger, LedgerDay, Partition, ReceivedClass, days_of
from hongyan.domain.quota import day_of, month_begins
from hongyan.ports import queries

__all__ = ["book_lines", "read_days", "read_ledger"]

DAY_MS: Final = 86_400_000
PAGE_LINES: Final = 500


async def read_ledger(desk: Desk) -> Ledger:
    """Count each class by its own query and the totals by theirs, all inside one statement each."""
    received = Counter({row.name: row.amount for row in await desk.store.all(queries.RECEIVED_CLASSES)})
    writes = Counter({row.name: row.amount for row in await desk.store.all(queries.WRITTEN_CLASSES)})
    owed = await desk.store.one(queries.OWED_TOTAL)
    day = day_of(desk.clock.now(), desk.options.zone)
    calls = await desk.store.all(queries.CALLS_OF_APPS, day=day, first=month_begins(day))
    return Ledger(
        received=Partition(received.pop("total", 0), {name.value: received[name.value] for name in ReceivedClass}),
        writes=Partition(writes.pop("total", 0), {state.value: writes[state.value] for state in PartState}),
        owed=owed or 0,
        calls=tuple(calls),
        waiting=await desk.store.one(queries.CONTINUATIONS_WAITING) or 0,
    )


async def read_days(desk: Desk, days: int) -> list[LedgerDay]:
    """Count both partitions of today and the days before it, each under its binding, newest day first.

    A message belongs to the day of its acceptance, a write to the day on which it was planned.
    """
    now = desk.clock.now()
    ahead = datetime.fromtimestamp(now / 1_000, UTC).astimezone(desk.options.zone).utcoffset()
    offset = int(ahead.total_seconds() * 1_000) if ahead else 0
    since = ((now + offset) // DAY_MS - days + 1) * DAY_MS - offset
    return days_of(await desk.store.all(queries.LEDGER_DAYS, offset=offset, since=since))


async def book_lines(desk: Desk) -> AsyncIterator[Sequence[BookLine]]:
    """Give every line of the books, in pieces; what comes in meanwhile may be missing."""
    after = ""
    while True:
        piece = await desk.store.all(queries.BOOK_LINES, after=after, limit=PAGE_LINES)
        if not piece:
            return
        yield piece
        after = piece[-1].id
