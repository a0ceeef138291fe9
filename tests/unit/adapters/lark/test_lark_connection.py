"""How the long connection receives, acknowledges, watches itself and comes back."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from tests.unit.adapters.lark.events_given import envelope, recalled, receive
from tests.unit.adapters.lark.scripted import Answer, answer, fails
from tests.unit.adapters.lark.scripted_line import (
    CONFIG,
    ENDPOINT,
    TICKET,
    event_frames,
    listening,
    rig,
    running,
)
from tests.unit.adapters.lark.surroundings import WAIT_SECONDS

from hongyan.adapters.lark import intake
from hongyan.domain.errors import (
    ChatBlockedError,
    ChatUnreachableError,
    RefusedError,
    StoreFullError,
)
from hongyan.domain.messages import InboundMessage, MessageRecalled
from hongyan.ports.chat import ChatEvent, ListenerState


def code_of(payload: bytes) -> Any:
    return json.loads(payload)["code"]


async def test_an_event_is_acknowledged_only_after_it_was_kept() -> None:
    async with listening() as here:
        kept = asyncio.Event()

        async def slow(event: ChatEvent) -> None:
            here.events.put_nowait(event)
            await kept.wait()

        here.sink = slow
        line = await here.line()
        for raw in event_frames(receive(text="hello")):
            await line.send(raw)
        event = await here.event()
        assert isinstance(event, InboundMessage)
        assert here.frames.empty()
        kept.set()
        ack = await here.frame()
        assert code_of(ack.payload) == 200
        assert await here.told() == event


async def test_an_acknowledgement_is_the_same_frame_with_the_time_it_took() -> None:
    async with listening() as here:
        line = await here.line()
        await line.send(event_frames(receive())[0])
        ack = await here.frame()
        assert dict(ack.headers) == {
            "type": "event",
            "message_id": "m-1",
            "trace_id": "trace",
            "sum": "1",
            "seq": "0",
            "biz_rt": "0",
        }
        assert (ack.method, ack.service, ack.log_id) == (1, 33, 5)


async def test_an_event_in_parts_is_given_once_and_acknowledged_once() -> None:
    async with listening() as here:
        line = await here.line()
        parts = event_frames(receive(text="鸿雁" * 50), parts=3)
        for raw in (parts[2], parts[0], parts[1]):
            await line.send(raw)
        event = await here.event()
        assert isinstance(event, InboundMessage)
        assert event.text == "鸿雁" * 50
        assert (await here.frame()).header("seq") == "1"
        assert here.frames.empty()


@pytest.mark.parametrize("error", [StoreFullError("no space"), RefusedError("x.y", "no"), ValueError("a bug")])
async def test_an_event_that_could_not_be_kept_is_refused_and_the_line_stays(error: Exception) -> None:
    async with listening() as here:

        async def failing(_event: ChatEvent) -> None:
            raise error

        here.sink = failing
        line = await here.line()
        await line.send(event_frames(receive())[0])
        assert code_of((await here.frame()).payload) == 500
        assert here.acknowledged.empty()
        here.sink = here._keep
        await line.send(event_frames(receive())[0])
        assert code_of((await here.frame()).payload) == 200


async def test_a_commit_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "SINK_SECONDS", 0.01)
    async with listening() as here:

        async def stuck(_event: ChatEvent) -> None:
            await asyncio.Event().wait()

        here.sink = stuck
        line = await here.line()
        await line.send(event_frames(receive())[0])
        assert code_of((await here.frame()).payload) == 500


async def test_a_recall_reaches_the_application() -> None:
    async with listening() as here:
        line = await here.line()
        await line.send(event_frames(recalled())[0])
        assert isinstance(await here.event(), MessageRecalled)


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (envelope("im.message.reaction.created_v1", {}), "event"),
        (envelope("card.action.trigger", {}), "event"),
        (envelope("card.action.trigger", {}), "card"),
        (receive(app_id="cli_ffffffffffffffff"), "event"),
        (envelope("im.message.receive_v1", {}), "event"),
        (b"no json", "event"),
    ],
)
async def test_what_cannot_be_used_is_acknowledged_and_dropped(event: object, kind: str) -> None:
    async with listening() as here:
        line = await here.line()
        await line.send(event_frames(event, kind=kind)[0])
        assert code_of((await here.frame()).payload) == 200
        assert here.events.empty()
        assert here.acknowledged.empty()


async def test_bytes_that_are_no_frame_do_not_end_the_line() -> None:
    async with listening() as here:
        line = await here.line()
        await line.send(b"\xff\xff")
        await line.send("text")
        await line.send(event_frames(receive())[0])
        await here.event()


async def test_a_slow_commit_stalls_neither_pings_nor_other_events() -> None:
    async with listening() as here:
        kept = asyncio.Event()

        async def slow(event: ChatEvent) -> None:
            here.events.put_nowait(event)
            if event.message_id == "om_slow":
                await kept.wait()

        here.sink = slow
        line = await here.line()
        await here.ping()
        await line.send(event_frames(receive(message_id="om_slow"), message="m-slow")[0])
        await line.send(event_frames(receive(message_id="om_quick"), message="m-quick")[0])
        assert (await here.frame()).header("message_id") == "m-quick"
        await here.clock.until_waits(90_000)
        here.clock.advance(90_000)
        await here.ping()
        kept.set()
        assert (await here.frame()).header("message_id") == "m-slow"


async def test_at_most_sixty_four_events_are_under_way() -> None:
    async with listening() as here:
        kept = asyncio.Event()

        async def slow(event: ChatEvent) -> None:
            here.events.put_nowait(event)
            await kept.wait()

        here.sink = slow
        line = await here.line()
        for number in range(70):
            await line.send(event_frames(receive(message_id=f"om_{number}"), message=f"m-{number}")[0])
        for _ in range(64):
            await here.event()
        assert here.events.empty()
        kept.set()
        for _ in range(70):
            await here.told()


async def test_a_commit_outlives_its_connection() -> None:
    async with listening() as here:
        kept, finished = asyncio.Event(), asyncio.Event()

        async def slow(event: ChatEvent) -> None:
            here.events.put_nowait(event)
            await kept.wait()
            finished.set()

        here.sink = slow
        line = await here.line()
        await line.send(event_frames(receive())[0])
        await here.event()
        await line.close()
        await here.clock.until_waits(250)
        here.clock.advance(250)
        await here.line()
        kept.set()
        await asyncio.wait_for(finished.wait(), WAIT_SECONDS)
        assert here.acknowledged.empty()


async def test_the_state_tells_what_was_seen_and_when() -> None:
    async with rig() as here:
        assert here.listener.state() == (ListenerState.UNKNOWN, 0)
        async with running(here):
            line = await here.line()
            await here.clock.until_waits(90_000)
            assert here.listener.state()[0] is ListenerState.LISTENING
            here.clock.advance(5)
            await line.close(1011)
            await here.clock.until_waits(250)
            assert here.listener.state() == (ListenerState.RETRYING, here.clock.now())
            assert isinstance(here.listener.last_error(), ChatUnreachableError)
        assert here.listener.state()[0] is ListenerState.STOPPED


@pytest.mark.parametrize("code", [1000, 1001, 1006, 1011, 3000, 4000])
async def test_after_every_close_a_fresh_address_is_asked_for(code: int) -> None:
    async with listening() as here:
        line = await here.line()
        if code == 1006:
            line.transport.abort()
        else:
            await line.close(code)
        await here.clock.until_waits(250)
        here.clock.advance(250)
        await here.line()
        assert len(here.platform.asked(ENDPOINT)) == 2


async def test_waits_grow_to_five_seconds_while_nothing_is_heard() -> None:
    async with rig() as here:
        here.refusal = {}
        async with running(here):
            for wait in (250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000):
                await here.clock.until_waits(wait)
                here.clock.advance(wait)
                await here.clock.until_waits()


async def test_chance_lengthens_a_wait_so_that_apps_do_not_come_back_in_step() -> None:
    async with rig() as here:
        here.entropy.share = 0.5
        here.refusal = {}
        async with running(here):
            await here.clock.until_waits(round(250 * 1.25))


async def test_a_pong_makes_the_next_wait_short_again() -> None:
    async with rig() as here:
        here.platform.script(ENDPOINT, *[answer(code=1)] * 3, here.platform._scripts[ENDPOINT][0])
        async with running(here):
            for wait in (250, 500, 1_000):
                await here.clock.until_waits(wait)
                here.clock.advance(wait)
            line = await here.line()
            await line.send(event_frames(receive())[0])
            await here.frame()
            await line.close()
            await here.clock.until_waits(250)


@pytest.mark.parametrize(
    "trouble",
    [
        answer(code=1),
        answer(code=1000040343),
        answer(code=1000040350, status=400),
        answer(code=99991400, status=429),
        answer(status=502),
        fails(httpx.ConnectError),
        fails(httpx.ReadTimeout),
        answer({}),
        answer({"URL": "wss://[::1"}),
    ],
)
async def test_what_passes_by_itself_is_tried_again_soon(trouble: Answer) -> None:
    async with rig() as here:
        here.platform.script(ENDPOINT, trouble)
        async with running(here):
            await here.clock.until_waits(250)
            assert isinstance(here.listener.last_error(), ChatUnreachableError)


@pytest.mark.parametrize("address", ["ws://10.0.0.1/ws?ticket=t", "http://127.0.0.1/ws", "ws://platform/ws"])
async def test_an_address_that_is_not_encrypted_is_not_opened(address: str) -> None:
    async with rig() as here:
        here.platform.script(ENDPOINT, answer({"URL": address}))
        async with running(here):
            await here.clock.until_waits(250)
            error = here.listener.last_error()
            assert error is not None
            assert "encrypted" in error.message


@pytest.mark.parametrize("code", [10015, 1000040344, 403, 514])
async def test_what_a_person_must_mend_is_remembered_and_tried_each_minute(code: int) -> None:
    async with rig() as here:
        here.platform.script(ENDPOINT, answer(code=code), here.platform._scripts[ENDPOINT][0])
        async with running(here):
            await here.clock.until_waits(60_000)
            assert here.listener.state()[0] is ListenerState.RETRYING
            error = here.listener.last_error()
            assert isinstance(error, ChatBlockedError)
            assert error.platform_code == code
            here.clock.advance(60_000)
            await here.line()
            await here.clock.until_waits(90_000)
            assert here.listener.last_error() is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Handshake-Status": "514", "Handshake-Autherrcode": "1000040350", "Handshake-Msg": TICKET},
        {"Handshake-Status": "514"},
        {},
    ],
)
async def test_a_refused_handshake_is_tried_again_soon(headers: dict[str, str]) -> None:
    async with rig() as here:
        here.refusal = headers
        async with running(here):
            await here.clock.until_waits(250)
            assert isinstance(here.listener.last_error(), ChatUnreachableError)
            here.refusal = None
            here.clock.advance(250)
            await here.line()


async def test_a_forbidden_handshake_is_for_a_person_to_mend() -> None:
    async with rig() as here:
        here.refusal = {"Handshake-Status": "403"}
        async with running(here):
            await here.clock.until_waits(60_000)
            assert isinstance(here.listener.last_error(), ChatBlockedError)


async def test_a_line_without_pongs_is_left_after_two_pings() -> None:
    async with rig() as here:
        here.answers_pings = False
        async with running(here):
            await here.line()
            for _ in range(2):
                await here.clock.until_waits(90_000)
                here.clock.advance(90_000)
            await here.clock.until_waits(250)
            assert here.listener.state()[0] is ListenerState.RETRYING
            error = here.listener.last_error()
            assert error is not None
            assert "no pong" in error.message


async def test_a_machine_that_slept_for_hours_keeps_its_line() -> None:
    async with listening() as here:
        line = await here.line()
        for _ in range(3):
            await here.clock.until_waits(90_000)
            here.clock.advance(10_800_000)
            await line.send(event_frames(receive())[0])
            await here.frame()
        assert here.lines.empty()
        assert here.listener.state()[0] is ListenerState.LISTENING


@pytest.mark.parametrize(
    ("pong", "interval"),
    [
        (json.dumps({**CONFIG, "PingInterval": 30}).encode(), 30_000),
        (json.dumps({**CONFIG, "PingInterval": 86_400}).encode(), 300_000),
        (json.dumps({**CONFIG, "PingInterval": 0}).encode(), 90_000),
        (json.dumps({"PingInterval": 30}).encode(), 90_000),
        (b"no json", 90_000),
    ],
)
async def test_a_pong_changes_the_interval_only_when_it_is_whole(pong: bytes, interval: int) -> None:
    async with rig() as here:
        here.pong = pong
        async with running(here):
            line = await here.line()
            await line.send(event_frames(receive())[0])  # its acknowledgement comes after the pong was read
            await here.frame()
            await here.clock.until_waits(90_000)
            here.clock.advance(90_000)
            await here.clock.until_waits(interval)
