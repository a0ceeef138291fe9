"""The simulated Feishu beside the gateway: there when it is asked for, gone when the gateway is."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.unit.entrypoints.daemon.running import PATIENCE_SECONDS, Running, running

from hongyan.domain.errors import BlockedError
from hongyan.entrypoints.daemon.rehearse import APP_ID, OWNER, world_at
from hongyan.entrypoints.daemon.simulator import SimulatorProcess

pytestmark = pytest.mark.process


def folders(home: Path) -> Path:
    for name in ("run", "logs"):
        (home / name).mkdir(parents=True)
    return home


@asynccontextmanager
async def stream(gateway: Running) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """Hear every change on the simulated platform, until it ends."""
    headers = {"authorization": f"Bearer {gateway.ready['simulator_token']}"}
    async with (
        httpx.AsyncClient(
            base_url=gateway.ready["simulator_url"], headers=headers, timeout=PATIENCE_SECONDS
        ) as control,
        control.stream("GET", "/_sim/stream", params={"after": "0"}) as answer,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        lines = answer.aiter_lines()
        yield (json.loads(line.removeprefix("data: ")) async for line in lines if line.startswith("data: "))


async def act(gateway: Running, path: str, body: dict[str, str]) -> None:
    headers = {"authorization": f"Bearer {gateway.ready['simulator_token']}"}
    async with httpx.AsyncClient(base_url=gateway.ready["simulator_url"], headers=headers) as control:
        (await control.post(path, json=body)).raise_for_status()


async def test_a_start_without_any_app_prints_two_links_and_its_first_message_is_answered(tmp_path: Path) -> None:
    async with running(tmp_path / "home") as gateway:
        assert len(gateway.links) == 2
        assert gateway.links[1].startswith(gateway.ready["simulator_url"])
        await act(gateway, "/_sim/messages", {"user": OWNER[0], "app": APP_ID, "text": "good morning"})
        async with stream(gateway) as changes:
            said = [change["facts"] async for change in until_bot_speaks(changes)]
    assert said[-1]["text"] == "echo: good morning"


async def until_bot_speaks(changes: AsyncIterator[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    async for change in changes:
        if change["kind"] == "message" and change["facts"]["action"] == "said":
            yield change
            if change["facts"]["sender"]["kind"] == "app":
                return


@pytest.mark.parametrize("end", ["kill", "terminate"])
async def test_the_simulator_never_outlives_the_gateway(tmp_path: Path, end: str) -> None:
    async with running(tmp_path / "home") as gateway, stream(gateway) as changes:
        getattr(gateway.process, end)()
        with pytest.raises((httpx.TransportError, StopAsyncIteration)):  # its stream breaks off or ends
            while True:
                await anext(changes)


async def test_messages_of_a_later_start_are_new_in_the_same_chat(tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        async with running(tmp_path / "home") as gateway:
            await act(gateway, "/_sim/messages", {"user": OWNER[0], "app": APP_ID, "text": "again"})
            async with stream(gateway) as changes:
                said = [change["facts"] async for change in until_bot_speaks(changes)]
            gateway.process.terminate()
            await gateway.ended()
        seen.append((said[-1]["chat_id"], said[-1]["message_id"]))
    assert seen[0][0] == seen[1][0]
    assert seen[0][1] != seen[1][1]


async def test_a_simulator_that_cannot_start_is_said_so(tmp_path: Path) -> None:
    home = folders(tmp_path / "home")
    first = SimulatorProcess(home, world_at(1))
    second = SimulatorProcess(home, world_at(2))
    second._port = first._port
    try:
        await first.start()
        await first.ready()
        await second.start()
        with pytest.raises(BlockedError) as refused:
            await second.ready()
    finally:
        await second.stop()
        await first.stop()
    assert refused.value.code == "simulator.not_started"
    assert (home / "logs" / "simulator.log").read_text(encoding="utf-8")
