"""Find one write on its way through the store, and strike at a named moment of it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from hongyan.domain.changes import Changes, Update, Value
from hongyan.domain.deliveries import Delivery, Part
from hongyan.domain.issued_cards import IssuedCard
from hongyan.ports import queries
from hongyan.ports.store import Query, Store
from tests.harness.disk import Disk

__all__ = ["AFTER_RECEIPT", "AFTER_WRITE", "BEFORE_INTENT", "DURING_READ_BACK", "INTENDED", "Aim", "Target"]

BEFORE_INTENT: Final = "before the intent is kept"
INTENDED: Final = "after the intent, before the call"
AFTER_WRITE: Final = "after the call, before its receipt is kept"
AFTER_RECEIPT: Final = "after the receipt is kept"
DURING_READ_BACK: Final = "before what was read is kept"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Target:
    """One planned write as the store has it."""

    part: Part
    delivery: Delivery
    card: IssuedCard | None


@dataclass(slots=True)
class Aim(Disk):
    """A disk that knows which write is meant.

    `strikes` are carried out at their moment, once; `ended` tells that the write has an outcome of whatever kind. While
    the disk does not spin, every commit waits, and that is no work.
    """

    is_meant: Callable[[Target], bool] = lambda _: False
    strikes: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    receipt: str = ""
    met: Target | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    spins: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        super(Aim, self).__init__()
        self.spins.set()

    def at(self, is_meant: Callable[[Target], bool], receipt: str = "") -> None:
        """Look for another write. `receipt` labels the commit that keeps what the call gave, when it is not the end."""
        self.is_meant, self.receipt, self.met = is_meant, receipt, None
        self.strikes, self.ended = {}, asyncio.Event()

    def under(self, store: Store) -> Store:
        """Give the store with every commit looked at."""
        return _Aimed(store, self)

    async def strike(self, moment: str) -> None:
        """Let happen what is to happen at this moment."""
        act = self.strikes.pop(moment, None)
        if act is not None:
            await act()


class _Aimed:
    def __init__(self, inner: Store, aim: Aim) -> None:
        self._inner, self._aim = inner, aim

    async def commit(self, changes: Changes) -> tuple[int, ...]:
        self._aim.take(changes)
        before, after = await self._moments(changes)
        if before:
            await self._aim.strike(before)
        await self._aim.spins.wait()
        with self._aim.working():
            counts = await self._inner.commit(changes)
        if after:
            await self._aim.strike(after)
        return counts

    async def _moments(self, changes: Changes) -> tuple[str, str]:
        """Name the moment before and the one after these changes; empty for those that are nobody's business."""
        for step in changes.steps:
            if isinstance(step, Update) and step.table == "parts" and await self._is_meant(step):
                return self._moment(str(step.where.get("state", "")), str(step.values.get("state", "")))
        if self._aim.receipt and changes.label == self._aim.receipt and self._aim.met:
            return AFTER_WRITE, AFTER_RECEIPT
        return "", ""

    def _moment(self, old: str, new: str) -> tuple[str, str]:
        if new == "intended":
            return BEFORE_INTENT, INTENDED
        if old == "intended":
            self._aim.ended.set()
        if self._aim.receipt:
            return "", ""
        if old == "intended" and new in {"written", "verified"}:
            return AFTER_WRITE, AFTER_RECEIPT
        if old == "written" and new == "verified":
            return DURING_READ_BACK, ""
        return "", ""

    async def _is_meant(self, step: Update) -> bool:
        aim, identity = self._aim, step.where.get("id")
        if aim.met is not None:
            return identity == aim.met.part.id
        if step.values.get("state") != "intended" or not isinstance(identity, str):
            return False
        part = await self.one(queries.PART, id=identity)
        delivery = await self.one(queries.DELIVERY, id=part.delivery_id) if part else None
        if part is None or delivery is None:
            return False
        target = Target(part, delivery, await self.one(queries.CARD_OF_DELIVERY, delivery_id=delivery.id))
        if aim.met is None and aim.is_meant(target):
            aim.met = target
        return aim.met is not None and aim.met.part.id == identity

    async def one(self, query: Query[Row], **arguments: Value) -> Row | None:
        with self._aim.working():
            return await self._inner.one(query, **arguments)

    async def all(self, query: Query[Row], **arguments: Value) -> Sequence[Row]:
        with self._aim.working():
            return await self._inner.all(query, **arguments)
