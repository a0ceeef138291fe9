"""Count every row each night: a sum that is not its total, or a tally that is not the count, needs somebody."""

import json
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from hongyan.application.desk import Desk
from hongyan.application.read_ledger import count_ledger
from hongyan.domain import limits
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Delete, Insert
from hongyan.domain.errors import HongyanError
from hongyan.domain.ledger import Ledger
from hongyan.domain.owed import OwedRow
from hongyan.ports import queries

__all__ = ["PROBLEM", "check_books", "check_books_loop", "see_books"]

log = structlog.get_logger(__name__)

PROBLEM: Final = "books.problem"
CODE: Final = "ledger.unbalanced"
HOUR_OF_NIGHT: Final = 3


async def check_books_loop(desk: Desk) -> None:
    """Check at three in the night by the clock of this machine, and sooner again while something is wrong."""
    wait = limits.BOOKS_FIRST_MS
    while True:
        await desk.clock.sleep(wait)
        wait = limits.BOOKS_AGAIN_MS
        try:
            if await check_books(desk):
                wait = _until_night(desk)
        except HongyanError as error:
            log.warning("books.not_checked", code=error.code)


async def check_books(desk: Desk) -> bool:
    """Tell whether both sums are their totals and each tally is what was counted.

    A difference is kept for whoever has to act, and forgotten after it.
    """
    off = _differences(await count_ledger(desk))
    known = await desk.store.one(queries.META, key=PROBLEM)
    if not off:
        if known is not None:
            await desk.store.commit(Changes("books_add_up", (Delete("meta", {"key": PROBLEM}, ONE_OR_NONE),)))
            log.info("books.add_up_again")
        return True
    log.error("books.differ", off=off)
    since = json.loads(known)["since"] if known is not None else desk.clock.now()
    found = json.dumps({"since": since, "off": off})
    steps: tuple[Change, ...] = (
        Delete("meta", {"key": PROBLEM}, ONE_OR_NONE),
        Insert("meta", {"key": PROBLEM, "value": found}),
    )
    if found != known:
        await desk.store.commit(Changes("books_differ", steps))
    return False


async def see_books(desk: Desk) -> list[OwedRow]:
    """Give the difference that the last check found, as it is listed; nothing can be done about it from here."""
    known = await desk.store.one(queries.META, key=PROBLEM)
    if known is None:
        return []
    found = json.loads(known)
    words = ", ".join(f"{name} {amount:+d}" for name, amount in found["off"].items())
    row = OwedRow("books", 0, CODE, words, found["since"], "", "", ())
    return [row]


def _differences(ledger: Ledger) -> dict[str, int]:
    """Name what differs: a side whose sum is not its total, a side and the class or total whose tally is wrong."""
    sides = {"received": ledger.received, "writes": ledger.writes}
    sums = {name: side.difference for name, side in sides.items() if side.difference}
    tallies = {f"{name}.{one}": amount for name, side in sides.items() for one, amount in side.astray.items()}
    return sums | tallies


def _until_night(desk: Desk) -> int:
    """Give the milliseconds until the next three o'clock."""
    here = datetime.fromtimestamp(desk.clock.now() / 1_000, UTC).astimezone(desk.options.zone)
    night = here.replace(hour=HOUR_OF_NIGHT, minute=0, second=0, microsecond=0)
    if night <= here:
        night += timedelta(days=1)
    return max(int((night - here).total_seconds() * 1_000), limits.SAFETY_SCAN_MS)
