"""Read both partitions in one snapshot."""

from collections import Counter

from hongyan.application.desk import Desk
from hongyan.domain.deliveries import PartState
from hongyan.domain.ledger import Ledger, Partition, ReceivedClass
from hongyan.domain.quota import day_of, month_begins
from hongyan.ports import queries

__all__ = ["read_ledger"]


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
