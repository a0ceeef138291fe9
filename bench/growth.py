"""Whether the store stays fast as it grows: the same moments on an empty home and on one with years of messages.

`python -m bench.growth [--messages N] [--deliveries N]` prints one run as JSON. The rows of the large home are made by
bulk SQL and are all closed, as they would be after years; both homes are measured in turn, round by round, so that a
disturbance meets both. No worker, no agent and no platform takes part.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.disk import percentiles
from bench.quiet import hush

from hongyan.application.accept_message import accept_message
from hongyan.application.configure import add_workspace
from hongyan.application.desk import Desk
from hongyan.application.read_ledger import read_ledger
from hongyan.application.send_text import send_text
from hongyan.application.sessions import open_local_session
from hongyan.application.start_up import begin_start
from hongyan.bootstrap import open_gateway
from hongyan.config import load_settings
from hongyan.domain import limits
from hongyan.domain.changes import Add, Changes, Update
from hongyan.domain.identity import AppId, ChatId, MessageId, OpenId
from hongyan.domain.messages import ChatKind, InboundMessage, MessageKind, SenderKind
from hongyan.domain.workspaces import Grant
from hongyan.ports import queries

__all__ = ["measure", "run"]

MESSAGES: Final = 1_000_000
DELIVERIES: Final = 200_000
ROUNDS: Final = 5
ACCEPTED: Final = 1_000  # a round: enough that the first ones, which find no page in memory, are not the p99
CLAIMED: Final = 30  # a round
COUNTED: Final = 5  # a round
LONG_AGO: Final = 1_600_000_000_000
SECOND: Final = 1_000
APP: Final = "cli_growth"
SCANS: Final = (
    ("captured_heads", queries.CAPTURED_HEADS),
    ("runnable_heads", queries.RUNNABLE_HEADS),
    ("due_words", queries.DUE_WORDS),
    ("due_beside", queries.DUE_BESIDE),
)

_NUMBERS: Final = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :count) "


async def run(
    messages: int = MESSAGES, deliveries: int = DELIVERIES, accepted: int = ACCEPTED, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Measure both homes in one run; the goal is a ratio of 1.3 or less."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {name: Path(folder) / name for name in ("empty", "large")}
        for home in homes.values():
            await _make(home)
        await asyncio.to_thread(_fill, homes["large"] / "hongyan.db", messages, deliveries)
        found: dict[str, dict[str, list[float]]] = {name: {} for name in homes}
        for _ in range(rounds):
            for name, home in homes.items():
                for moment, seconds in (await measure(home, accepted)).items():
                    found[name].setdefault(moment, []).extend(seconds)
        size = {name: (home / "hongyan.db").stat().st_size // 2**20 for name, home in homes.items()}
    worth = {name: {moment: _worth(moment, one) for moment in one} for name, one in found.items()}
    ratios = {moment: round(worth["large"][moment] / value, 2) for moment, value in worth["empty"].items()}
    return {
        "messages": messages,
        "deliveries": deliveries,
        "database_mb": size,
        "ms": {name: {moment: round(value, 3) for moment, value in one.items()} for name, one in worth.items()},
        "ratio": ratios,
    }


def _worth(moment: str, found: Mapping[str, list[float]]) -> float:
    """Give the slow end of what happens often, the middle of what happens seldom; in milliseconds."""
    if moment in {"start", "ledger"}:
        return statistics.median(found[moment]) * SECOND
    return percentiles(found[moment]).p99 if moment == "accept" else percentiles(found[moment]).p50


async def measure(home: Path, accepted: int = ACCEPTED) -> dict[str, list[float]]:
    """Start on a home, accept, claim and count; give the seconds of each."""
    begun = time.perf_counter()
    gateway = await open_gateway(load_settings(home, {}))
    try:
        desk = gateway.desk
        await begin_start(desk)
        found = {"start": [time.perf_counter() - begun]}
        found["accept"] = [await _timed(partial(_accept, desk, n)) for n in range(accepted)]
        found["claim"] = await _claims(desk)
        for name, query in SCANS:
            found[name] = [await _timed(partial(_scan, desk, query)) for _ in range(CLAIMED)]
        found["ledger"] = [await _timed(partial(read_ledger, desk)) for _ in range(COUNTED)]
        return found
    finally:
        await gateway.close()


async def _timed(act: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    await act()
    return time.perf_counter() - begun


async def _accept(desk: Desk, number: int) -> None:
    await accept_message(
        desk,
        InboundMessage(
            app=AppId(APP),
            event_id="",
            message_id=MessageId(f"om_{time.perf_counter_ns()}_{number}"),
            chat_id=ChatId(f"oc_{number % 20}"),
            chat_kind=ChatKind.PRIVATE,
            sender=OpenId("ou_growth"),
            sender_kind=SenderKind.USER,
            kind=MessageKind.TEXT,
            text="a message like many others",
            create_time=desk.clock.now(),
        ),
    )


async def _scan(desk: Desk, query: Any) -> None:
    at = desk.clock.now()
    now = {} if query is queries.RUNNABLE_HEADS else {"now": at, "far": at + limits.WAIT_MOST_MS}
    await desk.store.all(query, limit=64, **now)


async def _claims(desk: Desk) -> list[float]:
    """Queue a Turn in a Session of its own and time the scan that finds it and the commit that takes it."""
    seconds = []
    for _ in range(CLAIMED):
        session = await open_local_session(desk, "work", "none")
        await send_text(desk, session.id, "run me", "1")
        seconds.append(await _timed(partial(_claim, desk, session.id)))
    return seconds


async def _claim(desk: Desk, session: str) -> None:
    [turn] = [one for one in await desk.store.all(queries.RUNNABLE_HEADS, limit=64) if one.session_id == session]
    steps = (
        Update("turns", {"id": turn.id, "state": "queued"}, {"state": "claimed", "claimed_at": desk.clock.now()}),
        Update("sessions", {"id": session, "lane": None}, {"lane": turn.id, "queued": Add(-1)}),
    )
    await desk.store.commit(Changes("claim", steps))
    ended = Update("turns", {"id": turn.id}, {"state": "failed"})
    await desk.store.commit(Changes("end", (ended, Update("sessions", {"id": session}, {"lane": None}))))


async def _make(home: Path) -> None:
    await asyncio.to_thread(_write_home, home)
    gateway = await open_gateway(load_settings(home, {}))
    try:
        await add_workspace(gateway.desk, "work", str(home / "work"), Grant.WRITE)
        session = await open_local_session(gateway.desk, "work", "none")
        await send_text(gateway.desk, session.id, "the row that all others are copies of", "1")
        await accept_like_the_rest(gateway.desk)
    finally:
        await gateway.close()
    with closing(sqlite3.connect(home / "hongyan.db")) as connection, connection:
        connection.execute("UPDATE requests SET state = 'closed', closed_as = 'answered', text = 'about so many words'")
        connection.execute("UPDATE turns SET state = 'completed', answer = :answer", {"answer": "an answer " * 40})
        connection.execute("UPDATE sessions SET queued = 0, lane = NULL, state = 'ready'")


def _write_home(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "work").mkdir()
    settings = '[[executors]]\nname = "none"\nprotocol = "acp"\ncommand = ["none"]\n'
    (home / "hongyan.toml").write_text(settings, encoding="utf-8")


async def accept_like_the_rest(desk: Desk) -> None:
    """Keep one message of the platform, from which the others are copied."""
    await _accept(desk, 0)


def _fill(database: Path, messages: int, deliveries: int) -> None:
    """Copy the rows that a gateway wrote, in one transaction: ids, keys and times differ, the rest is the same."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        with connection:
            _copy(connection, "requests", messages, "om_")
            _copy(connection, "turns", messages // 5, "turn_")
            _copy(connection, "messages", messages // 5, "msg_")
            _deliveries(connection, deliveries)
        connection.execute("PRAGMA optimize")


def _copy(connection: sqlite3.Connection, table: str, count: int, mark: str) -> None:
    """Make many rows of the newest one of a table."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    fresh = {
        "id": f"'{mark}' || i",
        "message_id": "'om_copy_' || i",
        "secondary_key": "'key_' || i",
        "seq": f"{LONG_AGO * SECOND} + i * 1000",
        "accepted_at": f"{LONG_AGO} + i",
        "place_id": "'plc_' || (i % 1000)",
        "position": "100000000 + i",
        "request_id": "'om_' || i",
        "client_turn_id": "'c' || i",
        "turn_id": "NULL" if table == "requests" else "'turn_' || i",
    }
    columns = ", ".join(fresh.get(name, f"o.{name}") for name in names)
    source = f"(SELECT * FROM {table} LIMIT 1) o"
    insert = f"INSERT INTO {table} ({', '.join(names)}) SELECT {columns} FROM n, {source}"
    connection.execute(_NUMBERS + insert, {"count": count})


def _deliveries(connection: sqlite3.Connection, count: int) -> None:
    """Make verified answers, two parts each for a tenth of them."""
    connection.execute(
        f"{_NUMBERS} INSERT INTO deliveries (id, request_id, turn_id, session_id, binding_id, binding_revision, app, "
        "chat_id, phase, closes_as, created_at, seq) SELECT 'dlv_' || i, 'om_' || i, 'turn_' || i, NULL, NULL, 0, "
        ":app, 'oc_' || (i % 20), 'final', 'answered', :at + i, (:at + i) * 1000 FROM n",
        {"count": count, "app": APP, "at": LONG_AGO},
    )
    connection.execute(
        "INSERT INTO parts (id, delivery_id, ordinal, transport, app, chat_id, target, in_thread, content, key, state, "
        "provider_id, attempts, first_attempt_at, first_boot, boot_id, searches, code, next_at, order_key, seq, "
        "written_at, verified_at, replaces) SELECT 'part_' || d.id || '_' || o.n, d.id, o.n, 'text', d.app, d.chat_id, "
        "'om_x', 0, :words, 'key_' || d.id || '_' || o.n, 'verified', 'om_p_' || d.id || '_' || o.n, 1, d.created_at, "
        "0, 'b', 0, '', NULL, 'ses_' || (d.created_at % 1000), d.seq, d.created_at, d.created_at, '' "
        "FROM deliveries d JOIN (SELECT 0 AS n UNION SELECT 1) o ON o.n = 0 OR d.created_at % 10 = 0",
        {"words": "an answer " * 40},
    )


def main() -> None:
    """Run once and print what was found."""
    parser = argparse.ArgumentParser(prog="bench.growth", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--deliveries", type=int, default=DELIVERIES)
    given = parser.parse_args()
    os.umask(0o077)
    hush()
    print(json.dumps(asyncio.run(run(given.messages, given.deliveries)), indent=2))


if __name__ == "__main__":
    main()
