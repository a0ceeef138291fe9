"""The books over the interface: by day and binding, as a file, and for a monitoring server."""

import asyncio
import csv
import io
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from tests.unit.entrypoints.web.served import Served, a_session, served

from hongyan.entrypoints.web.feed import Feed

LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"\n]*"\})? -?\d+')


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        yield house


async def _send(house: Served, count: int) -> None:
    session = await a_session(house)
    async with house.program() as program:
        for number in range(count):
            form = {"message": "=secret words", "client_turn_id": str(number)}
            answer = await program.post(f"/api/v1/sessions/{session}/turns", json=form)
            assert answer.status_code == 202, answer.text


async def test_metrics_are_lines_that_a_monitoring_server_reads_with_bounded_labels(house: Served) -> None:
    await _send(house, 2)
    async with house.program() as program:
        answer = await program.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert 'hongyan_received{class="queued"} 2' in lines
    assert 'hongyan_difference{side="received"} 0' in lines
    assert 'hongyan_listening{app="work"} 0' in lines
    assert "secret" not in answer.text


async def test_metrics_need_the_token(house: Served) -> None:
    async with house.visitor() as stranger:
        assert (await stranger.get("/metrics")).status_code == 401


async def test_the_days_add_up_to_the_whole(house: Served) -> None:
    await _send(house, 3)
    async with house.program() as program:
        days = (await program.get("/api/v1/ledger/days")).json()["days"]
        whole = (await program.get("/api/v1/ledger")).json()
    assert [day["received"]["total"] for day in days] == [3]
    assert days[0]["received"]["classes"] == whole["received"]["classes"]
    assert days[0]["received"]["balanced"]
    assert days[0]["binding_id"]


async def test_a_checked_ledger_counts_every_row_and_names_the_tallies_that_differ(house: Served) -> None:
    await _send(house, 3)
    with closing(sqlite3.connect(house.gateway.settings.home / "hongyan.db")) as connection, connection:
        connection.execute("UPDATE tallies SET amount = amount - 1 WHERE name = 'requests'")
        connection.execute("UPDATE tallies SET amount = 7 WHERE name = 'parts.verified'")
    async with house.program() as program:
        read = (await program.get("/api/v1/ledger")).json()
        checked = (await program.get("/api/v1/ledger", params={"check": "true"})).json()
    assert (read["received"]["total"], read["received"]["difference"], read["received"]["astray"]) == (2, 1, {})
    assert (checked["received"]["total"], checked["received"]["difference"]) == (3, 0)
    assert (checked["received"]["astray"], checked["writes"]["astray"]) == ({"total": -1}, {"verified": 7})
    assert not checked["received"]["balanced"]
    assert not checked["writes"]["balanced"]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
async def test_the_export_has_each_line_once_and_no_words(house: Served, form: str) -> None:
    await _send(house, 4)
    async with house.program() as program:
        answer = await program.get("/api/v1/ledger/export", params={"format": form})
    rows = (
        [json.loads(line) for line in answer.text.splitlines()]
        if form == "jsonl"
        else list(csv.DictReader(io.StringIO(answer.text)))
    )
    assert len({row["id"] for row in rows}) == len(rows) == 4
    assert {row["kind"] for row in rows} == {"received"}
    assert "secret" not in answer.text


async def test_an_open_page_is_let_go_when_the_process_begins_to_stop(house: Served) -> None:
    feed = Feed(house.gateway)
    async with aclosing(feed.follow(None, lambda: True)) as stream:
        told = asyncio.create_task(_all(stream))
        await asyncio.sleep(0)
        feed.close()
        async with asyncio.timeout(0.5):
            await told
    assert house.process.leaving


async def _all(stream: AsyncIterator[str]) -> list[str]:
    return [line async for line in stream]
