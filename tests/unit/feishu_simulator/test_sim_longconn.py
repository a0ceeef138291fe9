"""The long connection over a real socket."""

import asyncio
import json
from typing import Any

import pytest
from tests.unit.feishu_simulator.town import LiveTown, live_town
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from feishu_simulator.delivery import EventState
from feishu_simulator.faults import Effect, Match
from feishu_simulator.frames import CONTROL, Frame, decode
from feishu_simulator.model import ClientConfig

WAIT_SECONDS = 5


async def dial(live: LiveTown) -> ClientConnection:
    return await connect(await live.ws_url(), proxy=None, compression=None)


async def receive(socket: ClientConnection) -> Frame:
    raw = await asyncio.wait_for(socket.recv(), WAIT_SECONDS)
    assert isinstance(raw, bytes)
    return decode(raw)


def ping() -> bytes:
    return Frame(CONTROL, [("type", "ping")], service=33554678).encode()


async def refusal(url: str) -> tuple[int, str | None, str | None]:
    with pytest.raises(InvalidStatus) as caught:
        await connect(url, proxy=None)
    headers = caught.value.response.headers
    return caught.value.response.status_code, headers.get("Handshake-Status"), headers.get("Handshake-Autherrcode")


async def test_an_event_is_received_and_acknowledged() -> None:
    async with live_town() as live:
        socket = await dial(live)
        message = live.town.write("hello")
        frame = await receive(socket)
        event: dict[str, Any] = json.loads(frame.payload or b"")
        frame.payload = b'{"code":200}'
        await socket.send(frame.encode())
        await live.simulator.until(lambda: live.town.outcomes() == ["acked"], timeout_seconds=WAIT_SECONDS)
        assert event["event"]["message"]["message_id"] == message.message_id
        assert {key for key, _ in frame.headers} == {"type", "message_id", "trace_id", "sum", "seq"}
        await socket.close()


async def test_a_ping_is_answered_with_the_settings() -> None:
    async with live_town() as live:
        socket = await dial(live)
        await socket.send(ping())
        pong = await receive(socket)
        assert (pong.method, pong.header("type")) == (CONTROL, "pong")
        assert json.loads(pong.payload or b"")["PingInterval"] == 120
        await socket.close()


async def test_a_websocket_ping_is_answered() -> None:
    async with live_town() as live:
        socket = await dial(live)
        await asyncio.wait_for(await socket.ping(), WAIT_SECONDS)
        await socket.close()


async def test_a_ticket_works_once() -> None:
    async with live_town() as live:
        url = await live.ws_url()
        socket = await connect(url, proxy=None)
        assert await refusal(url) == (403, "514", "1000040344")
        await socket.close()


async def test_the_fifty_first_connection_is_refused() -> None:
    async with live_town() as live:
        for _ in range(50):
            live.town.listen()
        assert await refusal(await live.ws_url()) == (403, "514", "1000040350")


async def test_a_fault_refuses_the_handshake() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("ws", times=1), Effect(http_status=403, error_code=1))
        assert await refusal(await live.ws_url()) == (403, "403", "1")


@pytest.mark.parametrize("code", [1006, 1011, 1012])
async def test_the_platform_closes_with_any_code(code: int) -> None:
    async with live_town() as live:
        socket = await dial(live)
        connection = live.town.platform.connections.live(live.town.app.app_id)[0]
        live.town.platform.connections.cut(connection.connection_id, code)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(socket.recv(), WAIT_SECONDS)
        assert socket.close_code == code
        await live.simulator.until(lambda: not connection.live, timeout_seconds=WAIT_SECONDS)
        assert connection.close_code == code


async def test_a_half_dead_connection_answers_pings_and_carries_no_event() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("ws"), Effect(half_dead=True))
        socket = await dial(live)
        live.town.write()
        await socket.send(ping())
        assert (await receive(socket)).header("type") == "pong"
        await socket.close()


async def test_a_fault_keeps_a_pong_back() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("ping", nth=1), Effect(drop=True))
        socket = await dial(live)
        await socket.send(ping())
        await socket.send(ping())
        await receive(socket)
        connection = live.town.platform.connections.live(live.town.app.app_id)[0]
        assert connection.pings == 2
        await socket.close()


async def test_bytes_that_are_no_frame_end_the_connection() -> None:
    async with live_town() as live:
        socket = await dial(live)
        await socket.send(b"\xff\xff")
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(socket.recv(), WAIT_SECONDS)
        assert socket.close_code == 1002


async def test_an_event_is_redelivered_on_the_next_connection() -> None:
    async with live_town() as live:
        first = await dial(live)
        live.town.write()
        lost = await receive(first)
        await first.close()
        await live.simulator.until(lambda: not live.town.platform.connections.live(live.town.app.app_id))
        second = await dial(live)
        live.simulator.clock.advance(18_000)
        again = await receive(second)
        assert again.payload == lost.payload
        assert again.header("message_id") != lost.header("message_id")
        await second.close()


async def test_a_fault_cuts_the_handshake_and_the_next_one_comes_through_later() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("ws", nth=1), Effect(refuse_connection=True))
        live.town.platform.faults.add(Match("ws", nth=2), Effect(delay_ms=1))
        with pytest.raises((InvalidHandshake, OSError)):
            await dial(live)
        socket = await dial(live)
        assert len(live.town.platform.connections.all) == 1
        await socket.close()


async def test_a_fault_closes_the_connection_as_soon_as_it_is_open() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("ws", times=1), Effect(close=1013))
        socket = await dial(live)
        await asyncio.wait_for(socket.wait_closed(), WAIT_SECONDS)
        assert socket.close_code == 1013


async def test_new_settings_come_with_the_next_pong() -> None:
    async with live_town() as live:
        socket = await dial(live)
        live.town.app.client_config = ClientConfig(ping_interval=7)
        await socket.send(ping())
        assert json.loads((await receive(socket)).payload or b"")["PingInterval"] == 7
        await socket.close()


async def test_a_delayed_event_comes_later() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("event:*"), Effect(delay_ms=1))
        socket = await dial(live)
        live.town.write()
        assert live.town.platform.events()[-1].state is EventState.WAITING
        await receive(socket)
        await socket.close()


async def test_a_reset_closes_the_connections() -> None:
    async with live_town() as live:
        socket = await dial(live)
        live.town.platform.reset()
        await asyncio.wait_for(socket.wait_closed(), WAIT_SECONDS)
        assert socket.close_code == 1001
