"""What the interface answers about the ledger: both identities and the calls of each App."""

from typing import Self

from hongyan.domain.ledger import Ledger, LedgerDay, Partition
from hongyan.domain.quota import AppCalls
from hongyan.entrypoints.web.views import View

__all__ = ["CallsView", "LedgerDayList", "LedgerDayView", "LedgerView", "PartitionView"]


class PartitionView(View):
    """One identity: the total counted by itself, each class by its own query, and whether they agree.

    `astray` names each tally that a full count did not confirm, and by how much it is too high.
    """

    total: int
    classes: dict[str, int]
    difference: int
    astray: dict[str, int]
    balanced: bool

    @classmethod
    def of(cls, partition: Partition) -> Self:
        """Render a partition."""
        return cls(
            total=partition.total,
            classes=dict(partition.classes),
            difference=partition.difference,
            astray=dict(partition.astray),
            balanced=partition.balanced,
        )


class CallsView(View):
    """What one App called today and in this month; kept every few seconds."""

    app_id: str
    name: str
    today: int
    this_month: int

    @classmethod
    def of(cls, calls: AppCalls) -> Self:
        """Render the calls of an App."""
        return cls(app_id=calls.app, name=calls.name, today=calls.today, this_month=calls.this_month)


class LedgerView(View):
    """Both identities, how many requests are owed, and how often each App called the platform.

    `waiting` counts what goes on by itself at its moment, with proof.
    """

    received: PartitionView
    writes: PartitionView
    owed: int
    waiting: int
    calls: list[CallsView]

    @classmethod
    def of(cls, ledger: Ledger) -> Self:
        """Render the ledger."""
        received, writes = PartitionView.of(ledger.received), PartitionView.of(ledger.writes)
        calls = [CallsView.of(one) for one in ledger.calls]
        return cls(received=received, writes=writes, owed=ledger.owed, waiting=ledger.waiting, calls=calls)


class LedgerDayView(View):
    """Both identities of one day under one binding; `binding_id` is empty for what no binding took."""

    day: str
    binding_id: str
    received: PartitionView
    writes: PartitionView

    @classmethod
    def of(cls, day: LedgerDay) -> Self:
        """Render a day."""
        received, writes = PartitionView.of(day.received), PartitionView.of(day.writes)
        return cls(day=day.day, binding_id=day.binding_id, received=received, writes=writes)


class LedgerDayList(View):
    """Days with something in them, newest first."""

    days: list[LedgerDayView]
