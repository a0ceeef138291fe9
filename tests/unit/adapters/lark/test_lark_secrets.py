"""What an App keeps to itself: secret, tokens, tickets and people's words, whatever fails."""

import logging

import httpx
import pytest
import structlog
from tests.unit.adapters.lark.events_given import receive
from tests.unit.adapters.lark.scripted import (
    MESSAGES,
    SECRET,
    TOKEN_PATH,
    ScriptedPlatform,
    a_write,
    answer,
    client,
    fails,
    settings,
)
from tests.unit.adapters.lark.scripted import Answer as Script
from tests.unit.adapters.lark.scripted_line import ACCESS_KEY, ENDPOINT, TICKET, event_frames, rig, running

from hongyan.adapters.lark.endpoint import Address
from hongyan.adapters.lark.tokens import Grant
from hongyan.adapters.lark.transport import Answer, Request
from hongyan.adapters.lark.wire import StreamGiven, Written
from hongyan.domain.errors import ChatError, StoreFullError
from hongyan.ports.chat import ChatEvent

WORDS = "the words of a person"
HIDDEN = (SECRET, "t-token", TICKET, ACCESS_KEY, WORDS)


def chain(error: BaseException | None) -> list[str]:
    """Everything that a traceback would print of an error and its causes."""
    texts = []
    while error is not None:
        texts += [str(error), repr(error)]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return texts


TROUBLES = [
    answer(code=230001, status=400, error={"log_id": WORDS}),
    answer(code=99991663, status=400),
    answer({"text": WORDS, "message_id": {"odd": WORDS}}),
    answer({"message_id": "om_9"}),
    fails(httpx.ReadTimeout),
    fails(httpx.ConnectError),
    lambda _request: httpx.Response(500, text=WORDS),
]


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("path", [MESSAGES, TOKEN_PATH])
@pytest.mark.scenario("P48")
async def test_no_failed_call_shows_a_secret(trouble: Script, path: str, caplog: pytest.LogCaptureFixture) -> None:
    platform = ScriptedPlatform()
    platform.script(MESSAGES, answer({"message_id": "om_9"}))
    platform.script(path, trouble)
    shown: list[str] = []
    with caplog.at_level(logging.DEBUG), structlog.testing.capture_logs() as logs:
        try:
            await client(platform).call(a_write(body={"content": WORDS}), Written)
        except ChatError as error:
            shown = [*chain(error), error.hint]
    shown += [caplog.text, str(logs)]
    assert [hidden for hidden in HIDDEN if any(hidden in text for text in shown)] == []


@pytest.mark.scenario("P48")
async def test_no_connection_shows_its_ticket_or_what_it_brings(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), structlog.testing.capture_logs() as logs:
        async with rig() as here:
            open_address = here.platform._scripts[ENDPOINT][0]
            broken = answer({"URL": f"wss://[{TICKET}?ticket={TICKET}"})
            here.platform.script(ENDPOINT, broken, answer(code=10015), open_address)

            async def full(event: ChatEvent) -> None:
                here.events.put_nowait(event)
                raise StoreFullError(WORDS)

            here.sink = full
            async with running(here):
                for wait in (250, 60_000):
                    await here.clock.until_waits(wait)
                    here.clock.advance(wait)
                line = await here.line()
                await line.send(event_frames(receive(text=WORDS))[0])
                await here.frame()
                await line.send(event_frames(receive(text=WORDS, chat_id=None))[0])
                await here.frame()
                here.refusal = {"Handshake-Status": "514", "Handshake-Msg": TICKET}
                await line.close(1011, TICKET)
                await here.clock.until_waits(250)
                here.clock.advance(250)
                await here.clock.until_waits(500)
    assert {entry["event"] for entry in logs} >= {"lark.connection.lost", "lark.event.refused"}
    server_side = "websockets.server"  # the stand-in platform's own words
    shown = [record.getMessage() for record in caplog.records if record.name != server_side]
    shown += [str(logs), *chain(here.listener.last_error())]
    assert [hidden for hidden in HIDDEN if any(hidden in text for text in shown)] == []


@pytest.mark.scenario("P48")
def test_what_carries_a_secret_does_not_show_it() -> None:
    carriers: list[object] = [
        settings(),
        Grant("t-token-1", 7_200),
        Request("api", "POST", "/", {}, {"Authorization": "Bearer t-token-1"}, SECRET.encode(), writes=True),
        Answer(200, 0, {"tenant_access_token": "t-token-1"}, None, ""),
        Address(f"wss://host/?ticket={TICKET}", 33, 120),
        StreamGiven.model_validate({"URL": f"wss://host/?ticket={TICKET}"}),
    ]
    assert [hidden for hidden in HIDDEN if hidden in repr(carriers)] == []
