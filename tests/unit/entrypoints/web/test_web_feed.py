"""The stream of a tab: what a commit tells, what a tab that comes back is told, and when it ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entrypoints.web.served import Served, a_session, an_owed_request, served

from hongyan.application.send_text import send_text
from hongyan.domain.changes import Changes, Insert, Require, Update
from hongyan.entrypoints.web.feed import REMEMBERED, Feed, notices

PATIENCE_SECONDS = 5.0


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        yield house


async def hear(stream: AsyncIterator[str], until: str) -> list[str]:
    """Listen until a notice of that kind came."""
    heard: list[str] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for told in stream:
            heard.append(told)
            if f"event: {until}\n" in told:
                return heard
    raise AssertionError(heard)


def number_of(told: str) -> str:
    return told.partition("\n")[0].removeprefix("id: ")


def test_a_commit_tells_what_it_changed_each_thing_once() -> None:
    event: dict[str, Any] = {"turn_id": "t", "cursor": 1, "kind": "text_arrived", "body": "{}", "at": 5}
    owed = Update("requests", {"id": "r"}, {"owed": 1})
    steps = (Require("bindings", {"id": "b"}), Insert("turn_events", event), owed, owed, Insert("meta", {"key": "k"}))
    assert notices(Changes("x", steps)) == [("event", event), ("ledger", {}), ("owed", {})]


async def test_a_tab_hears_of_a_turn_and_of_its_session(house: Served) -> None:
    feed, session = Feed(house.gateway), await a_session(house)
    async with aclosing(feed.follow(None, lambda: True)) as stream:
        await hear(stream, "hello")
        await send_text(house.gateway.desk, session, "hello", "one")
        heard = await hear(stream, "turn")
    assert f'"session_id":"{session}"' in heard[-1]
    assert any("event: session\n" in told for told in heard)


@pytest.mark.scenario("L183")
async def test_a_tab_that_comes_back_is_told_the_same_again(house: Served) -> None:
    feed = Feed(house.gateway)
    async with aclosing(feed.follow(None, lambda: True)) as stream:
        [*_, hello] = await hear(stream, "hello")
        await an_owed_request(house)
        first = await hear(stream, "owed")
    async with aclosing(feed.follow(number_of(hello), lambda: True)) as stream:
        again = await hear(stream, "owed")
    told = [line for line in first if "id: " in line]
    assert [line for line in again if "id: " in line] == told
    assert any('"state":"failed"' in line for line in told)


@pytest.mark.parametrize("seen", ["other.1", "nonsense", "0.5"])
async def test_a_number_of_another_process_means_reading_anew(house: Served, seen: str) -> None:
    async with aclosing(Feed(house.gateway).follow(seen, lambda: True)) as stream:
        assert await hear(stream, "reset")


async def test_a_tab_that_missed_more_than_is_remembered_reads_anew(house: Served) -> None:
    feed = Feed(house.gateway)
    async with aclosing(feed.follow(None, lambda: True)) as stream:
        [*_, hello] = await hear(stream, "hello")
    for number in range(REMEMBERED + 1):
        feed.note(Changes("x", (Update("sessions", {"id": str(number)}, {"queued": 1}),)))
    async with aclosing(feed.follow(number_of(hello), lambda: True)) as stream:
        assert await hear(stream, "reset")


async def test_the_stream_ends_at_the_heartbeat_after_the_session_did(house: Served) -> None:
    admitted = [True, False]
    async with aclosing(Feed(house.gateway, heartbeat=0.01).follow(None, lambda: admitted.pop(0))) as stream:
        heard = await hear(stream, "over")
    assert [told for told in heard if told.startswith(":")] == [": still here\n\n"]


async def test_the_stream_needs_a_proof_and_is_not_kept(house: Served) -> None:
    assert (await house.visitor().get("/api/v1/events")).status_code == 401
