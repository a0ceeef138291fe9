"""No test reaches beyond loopback, whichever way it tries."""

import asyncio
import socket

import pytest
from tests.conftest import OutsideConnectionError, is_local

OUTSIDE = "192.0.2.1"  # reserved for documentation: nobody answers there, and nobody is asked
SECONDS = 5


def test_a_plain_socket_is_stopped() -> None:
    with socket.socket() as plain, pytest.raises(OutsideConnectionError):
        plain.connect((OUTSIDE, 9))
    with socket.socket() as plain, pytest.raises(OutsideConnectionError):
        plain.connect_ex((OUTSIDE, 9))


def test_a_name_is_not_looked_up() -> None:
    with pytest.raises(OutsideConnectionError):
        socket.getaddrinfo("hongyan.example", 443)


async def test_an_asynchronous_connection_is_stopped() -> None:
    async with asyncio.timeout(SECONDS):
        with pytest.raises(OutsideConnectionError):
            await asyncio.open_connection(OUTSIDE, 9)


async def test_loopback_stays_open() -> None:
    async with asyncio.timeout(SECONDS):
        server = await asyncio.start_server(lambda _, writer: writer.close(), "localhost", 0)
        async with server:
            _, writer = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
            writer.close()
            await writer.wait_closed()


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.8.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.1", False), ("a.b", False)],
)
def test_only_loopback_is_local(host: str, local: bool) -> None:
    assert is_local(host) is local
