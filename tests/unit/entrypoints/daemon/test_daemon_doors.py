"""The doors: bound for this user alone, closed within a moment, shut to other users."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from hongyan.domain.errors import BlockedError, BusyError
from hongyan.entrypoints.daemon import doors
from hongyan.entrypoints.daemon.doors import Door, bind_port, bind_socket


async def greet(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


@asynccontextmanager
async def opened(listening: socket.socket) -> AsyncIterator[Door]:
    door = Door(greet, listening)
    await door.open()
    try:
        yield door
    finally:
        await door.close()


def over(path: Path) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=str(path)), base_url="http://gateway")


async def test_the_socket_serves_and_is_for_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "gateway.sock"
    async with opened(bind_socket(path)), over(path) as client:
        assert (await client.get("/")).text == "hello"
        assert path.stat().st_mode & 0o777 == 0o600


async def test_a_socket_that_a_dead_process_left_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "gateway.sock"
    bind_socket(path).close()
    async with opened(bind_socket(path)), over(path) as client:
        assert (await client.get("/")).status_code == 200


async def test_another_user_at_the_socket_gets_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gateway.sock"
    monkeypatch.setattr(doors, "_peer_user", lambda _: 4_711)
    async with opened(bind_socket(path)), over(path) as client:
        with pytest.raises(httpx.TransportError):
            await client.get("/")


async def test_the_kernel_says_who_is_at_the_other_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    ask = doors._peer_user

    def listen(connected: socket.socket) -> int:
        seen.append(ask(connected))
        return seen[-1]

    monkeypatch.setattr(doors, "_peer_user", listen)
    path = tmp_path / "gateway.sock"
    async with opened(bind_socket(path)), over(path) as client:
        await client.get("/")
    assert seen == [path.parent.stat().st_uid]


def test_a_path_too_long_for_a_socket_is_said_so(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    with pytest.raises(BlockedError) as refused:
        bind_socket(folder / "gateway.sock")
    assert refused.value.code == "home.path_too_long"


def test_a_port_is_bound_once() -> None:
    with bind_port("127.0.0.1", 0) as taken, pytest.raises(BusyError) as refused:
        bind_port("127.0.0.1", int(taken.getsockname()[1]))
    assert refused.value.code == "port.in_use"


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(BlockedError) as refused:
        bind_port("192.0.2.1", 0)
    assert refused.value.code == "port.not_allowed"


async def test_a_closed_door_cuts_a_stream_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "STOP_SECONDS", 0.05)
    reached = asyncio.Event()

    async def never_ends(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"first", "more_body": True})
        reached.set()
        await asyncio.Event().wait()

    listening = bind_port("127.0.0.1", 0)
    door = Door(never_ends, listening)
    await door.open()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}") as client:
        asking = asyncio.create_task(client.get("/"))
        async with asyncio.timeout(5):
            await reached.wait()
            await door.close()
            with pytest.raises(httpx.TransportError):
                await asking
