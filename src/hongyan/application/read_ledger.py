"""Read both partitions: as a whole, day by day, and line by line."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from hongyan.application.desk import Desk
from hongyan.domain.ledger import (
    TALLIED_RECEIVED,
    TALLIED_WRITES,
    TOTAL,
    BookLine,
    Ledger,
    LedgerDay,
    Partition,
    ReceivedClass,
    compared,
    days_of,
    written_classes,
)
from hongyan.domain.quota import day_of, month_begins
from hongyan.ports import queries
from hongyan.ports.store import Query

__all__ = ["book_lines", "count_ledger", "read_days", "read_ledger"]

DAY_MS: Final = 86_400_000
PAGE_LINES: Final = 500
RECEIVED: Final = tuple(name.value for name in ReceivedClass)


async def read_ledger(desk: Desk) -> Ledger:
    """Read each class and the totals, each by itself; what is closed is tallied, so the time does not grow.

    The classes and the total of one side come from one statement, so from one moment.
    """
    received, writes = await _amounts(desk, queries.RECEIVED_CLASSES), await _amounts(desk, queries.WRITTEN_CLASSES)
    return await _ledger(desk, _partition(received, RECEIVED), _partition(writes, written_classes()))


async def count_ledger(desk: Desk) -> Ledger:
    """Count every row, and compare the tallies with it; takes longer the more there is."""
    received, writes = await _amounts(desk, queries.RECEIVED_COUNTED), await _amounts(desk, queries.WRITTEN_COUNTED)
    return await _ledger(
        desk,
        replace(_partition(received, RECEIVED), astray=_astray("requests", received, TALLIED_RECEIVED)),
        replace(_partition(writes, written_classes()), astray=_astray("parts", writes, TALLIED_WRITES)),
    )


async def _ledger(desk: Desk, received: Partition, writes: Partition) -> Ledger:
    day = day_of(desk.clock.now(), desk.options.zone)
    return Ledger(
        received=received,
        writes=writes,
        owed=await desk.store.one(queries.OWED_TOTAL) or 0,
        calls=tuple(await desk.store.all(queries.CALLS_OF_APPS, day=day, first=month_begins(day))),
        waiting=await desk.store.one(queries.CONTINUATIONS_WAITING) or 0,
    )


async def _amounts(desk: Desk, query: Query[queries.ClassCount]) -> Mapping[str, int]:
    return {row.name: row.amount for row in await desk.store.all(query)}


def _partition(amounts: Mapping[str, int], names: Sequence[str]) -> Partition:
    return Partition(amounts.get(TOTAL, 0), {name: amounts.get(name, 0) for name in names})


def _astray(table: str, amounts: Mapping[str, int], tallied: Sequence[str]) -> Mapping[str, int]:
    """Compare what is tallied under the name of the table, alone for the total, with what was counted."""
    tallies = {name: amounts.get(f"{table}.{name}", 0) for name in tallied}
    return compared(amounts, {**tallies, TOTAL: amounts.get(table, 0)}, tallied)


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
