"""The platform's end of one long connection: sends events, and times each until its acknowledgement.

A process of its own, so that the gateway under test shares its event loop with nobody. It prints its port, waits for
one client, runs the stages of `PLAN` (JSON: `[[concurrent, events], …]`) one after another and prints the seconds of
every event as JSON.
"""

import asyncio
import json
import sys
import time
from typing import Final

from websockets.asyncio.server import ServerConnection, serve

from feishu_simulator.frames import CONTROL, DATA, Frame, decode

__all__ = ["APP", "BODY_LETTERS"]

APP: Final = "cli_00000000000000be"
BODY_LETTERS: Final = 400
WARM_UP: Final = 64  # events before the clock starts: prepared statements, pages of the file
STAGE_SECONDS: Final = 120.0


class Peer:
    """One connection in a closed loop: as many events under way as the stage says, the next when one is answered."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self._sent: dict[str, float] = {}
        self._count = 0

    async def stage(self, concurrent: int, events: int) -> list[float]:
        """Send that many events and give the seconds from frame sent to acknowledgement received."""
        durations: list[float] = []
        started = 0
        while len(durations) < events:
            while started < events and len(self._sent) < concurrent:
                await self._send()
                started += 1
            durations.append(await self._answer())
        return durations

    async def _send(self) -> None:
        self._count += 1
        name = f"{self._count:032x}"
        headers = [("type", "event"), ("message_id", name), ("trace_id", name), ("sum", "1"), ("seq", "0")]
        raw = Frame(DATA, headers, _event(self._count), service=1).encode()
        self._sent[name] = time.perf_counter()
        await self._socket.send(raw)

    async def _answer(self) -> float:
        while True:
            raw = await self._socket.recv()
            frame = decode(raw if isinstance(raw, bytes) else raw.encode())
            if frame.method == CONTROL:
                continue  # its ping; the answer may wait until the stage is over
            if json.loads(frame.payload or b"{}").get("code") != 200:
                raise RuntimeError("the gateway refused an event")
            return time.perf_counter() - self._sent.pop(frame.header("message_id") or "")


def _event(number: int) -> bytes:
    now = str(time.time_ns() // 1_000_000)
    message = {
        "message_id": f"om_{number:032x}",
        "create_time": now,
        "chat_id": f"oc_{number % 64:032x}",
        "chat_type": "p2p",
        "message_type": "text",
        "content": json.dumps({"text": "x" * BODY_LETTERS}),
    }
    sender = {"sender_id": {"open_id": f"ou_{number % 64:032x}", "union_id": "on_1"}, "sender_type": "user"}
    header = {
        "event_id": f"{number:032x}",
        "event_type": "im.message.receive_v1",
        "create_time": now,
        "app_id": APP,
        "token": "",
        "tenant_key": "t",
    }
    return json.dumps({"schema": "2.0", "header": header, "event": {"sender": sender, "message": message}}).encode()


async def _run(plan: list[tuple[int, int]]) -> list[list[float]]:
    measured: asyncio.Future[list[list[float]]] = asyncio.get_running_loop().create_future()

    async def handle(socket: ServerConnection) -> None:
        peer = Peer(socket)
        try:
            async with asyncio.timeout(STAGE_SECONDS):
                await peer.stage(1, WARM_UP)
                measured.set_result([await peer.stage(*stage) for stage in plan])
        except Exception as error:
            measured.set_exception(error)
            raise

    async with serve(handle, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        return await measured


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_run([(int(a), int(b)) for a, b in json.loads(sys.argv[1])]))), flush=True)
