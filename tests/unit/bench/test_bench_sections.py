"""Each section of the benchmark gives what its report shows; what the figures are is for a person to read."""

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bench import accept_ack, answer, console, dispatch, growth, start, store_pipeline
from bench.store_tables import TABLES

from hongyan.adapters.store import SqliteOptions, SqliteStore

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]


def series(found: Mapping[str, Any]) -> None:
    assert set(found) == {"p50", "p99"}
    assert 0 < found["p50"] <= found["p99"]


async def test_the_acknowledgement_is_timed_for_each_number_of_events_under_way() -> None:
    found = await accept_ack.measure({1: 4, 3: 6}, rounds=1)
    assert set(found) == {"rounds", "events_a_round", "fdatasync_ms", "ack"}
    assert set(found["ack"]) == {"1", "3"}
    for one in found["ack"].values():
        series(one["ms"])
        series(one["in_syncs"] | {"p99": max(one["in_syncs"].values())})


async def test_the_way_to_the_prompt_is_timed_with_and_without_the_read_back() -> None:
    found = await dispatch.run(messages=1)
    assert found["messages"] == 1
    for name in ("fdatasync_ms", "accept_to_prompt_ms", "of_it_read_back_ms", "without_read_back_ms"):
        series(found[name])
    assert found["accept_to_prompt_ms"]["p50"] > found["without_read_back_ms"]["p50"]


@pytest.mark.peers  # the echo bot is the official client
async def test_the_answer_is_timed_beside_the_echo_bots_and_its_calls_are_counted() -> None:
    found = await answer.run(answer.Plan(rounds={1: 1}, delays_ms=(0,)))
    [one] = found["delay_0_ms"].values()
    assert set(one["visible_ms"]) == set(one["processor_ms_a_message"]) == {"gateway", "echo", "echo_threads"}
    assert set(one["ratio_to_echo"]) == {"echo", "echo_threads"}
    assert one["serial_rest_calls"] == 2
    assert set(one["serial_rest_call_names"]) == {
        "GET /open-apis/im/v1/messages/:message_id",
        "POST /open-apis/im/v1/messages/:message_id/reply",
    }
    assert {"read_back", "first_event", "reply"} < set(one["stages_ms"])


async def test_a_start_and_the_idle_memory_are_measured() -> None:
    found = await start.run(starts=1)
    assert found["starts"] == 1
    assert found["health_seconds"] > 0
    assert found["bare_python_seconds"] > 0
    assert found["rss_mb"] > 0


@pytest.mark.browser
async def test_the_console_is_painted_scrolled_and_weighed() -> None:
    found = await console.run(messages=200, visits=1, screenfuls=20)
    assert found["first_contentful_paint_ms"] > 0
    assert found["turns"] == 100
    assert set(found["frame_ms"]) == {"p50", "p95", "worst"}
    assert found["rss_mb_after_reading_all"] >= found["rss_mb"] > 0


async def test_the_store_pipeline_carries_every_message(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ours.db")) as connection:
        connection.executescript(TABLES)
    store = SqliteStore(tmp_path / "ours.db", SqliteOptions(queries={}))
    await store.open()
    rate = await asyncio.wait_for(store_pipeline.pipeline_rate(store, 64), 60)
    await store.close()
    assert rate > 0
    with closing(sqlite3.connect(tmp_path / "ours.db")) as connection:
        assert connection.execute("SELECT count(*) FROM job WHERE state = 3").fetchone() == (64,)


async def test_growth_compares_every_moment_of_a_large_home_with_an_empty_one() -> None:
    found = await growth.run(messages=200, deliveries=50, accepted=20, rounds=2)
    assert set(found["ratio"]) == set(found["ms"]["large"]) == set(found["ms"]["empty"])
    assert {"start", "accept", "claim", "ledger"} <= set(found["ratio"])
    assert found["database_mb"]["large"] >= found["database_mb"]["empty"]
