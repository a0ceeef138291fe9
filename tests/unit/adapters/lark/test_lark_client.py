"""What a call does when something goes wrong on its way."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from tests.unit.adapters.lark.scripted import (
    MESSAGES,
    TOKEN_PATH,
    Answer,
    ScriptedPlatform,
    a_read,
    a_write,
    answer,
    client,
    fails,
    settings,
)
from tests.unit.adapters.lark.surroundings import ManualClock

from hongyan.adapters.lark.transport import Transport
from hongyan.adapters.lark.wire import MessagePage, Written
from hongyan.domain.errors import (
    ChatBlockedError,
    ChatError,
    ChatRejectedError,
    ChatThrottledError,
    ChatUnknownOutcomeError,
    ChatUnreachableError,
)

GET = f"{MESSAGES}/om_1"
WRITTEN = answer({"message_id": "om_9"})


async def write(platform: ScriptedPlatform, *answers: Answer) -> Written:
    platform.script(MESSAGES, *answers)
    return await client(platform).call(a_write(), Written)


async def test_a_call_carries_the_token_and_gives_the_answer() -> None:
    platform = ScriptedPlatform()
    written = await write(platform, WRITTEN)
    assert written.message_id == "om_9"
    assert platform.asked(MESSAGES)[0].headers["Authorization"] == "Bearer t-token-1"


@pytest.mark.parametrize("code", [99991663, 99991664, 99991665])
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.scenario("P20")
async def test_a_refused_token_is_replaced_and_the_same_bytes_sent_once_more(code: int, status: int) -> None:
    platform = ScriptedPlatform()
    await write(platform, answer(code=code, status=status), WRITTEN)
    first, second = platform.asked(MESSAGES)
    assert first.content == second.content
    assert second.headers["Authorization"] == "Bearer t-token-2"
    assert len(platform.asked(TOKEN_PATH)) == 2


async def test_a_token_is_replaced_only_once_a_call() -> None:
    platform = ScriptedPlatform()
    with pytest.raises(ChatBlockedError):
        await write(platform, answer(code=99991663, status=400))
    assert len(platform.asked(MESSAGES)) == 2


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout])
async def test_a_write_that_did_not_leave_is_unreachable(error: type[httpx.TransportError]) -> None:
    with pytest.raises(ChatUnreachableError):
        await write(ScriptedPlatform(), fails(error))


@pytest.mark.parametrize(
    "error",
    [
        httpx.ReadTimeout,
        httpx.ReadError,
        httpx.WriteTimeout,
        httpx.WriteError,
        httpx.RemoteProtocolError,
    ],
)
async def test_a_write_that_left_without_an_answer_is_open_and_not_repeated(
    error: type[httpx.TransportError],
) -> None:
    platform = ScriptedPlatform()
    with pytest.raises(ChatUnknownOutcomeError):
        await write(platform, fails(error))
    assert len(platform.asked(MESSAGES)) == 1


def not_json(status: int) -> Answer:
    return lambda _request: httpx.Response(status, text="<html>gateway</html>")


@pytest.mark.parametrize(
    "unusable",
    [
        not_json(200),
        not_json(502),
        answer(status=500),
        answer(code=230001, status=503),
        answer({}),
        answer({"message_id": ""}),
        lambda _request: httpx.Response(200, json=["no", "object"]),
        lambda _request: httpx.Response(200, json={"msg": "no code"}),
    ],
)
async def test_a_write_without_proof_of_its_message_is_open(unusable: Answer) -> None:
    with pytest.raises(ChatUnknownOutcomeError):
        await write(ScriptedPlatform(), unusable)


@pytest.mark.parametrize("status", [200, 400])
async def test_a_number_beside_http_200_is_a_refusal_too(status: int) -> None:
    with pytest.raises(ChatRejectedError) as refused:
        await write(ScriptedPlatform(), answer(code=230002, status=status))
    assert refused.value.platform_code == 230002


async def test_an_answer_that_never_ends_is_open_after_the_time_out() -> None:
    async def never(_request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    platform = ScriptedPlatform()
    platform.transport = httpx.MockTransport(never)
    impatient = client(platform, timeout_seconds=0.01)
    with pytest.raises(ChatUnreachableError):  # it is the token that never comes: the write has not left
        await impatient.call(a_write(), Written)


@pytest.mark.parametrize("error", [httpx.ReadError, httpx.RemoteProtocolError])
async def test_a_read_is_tried_again_when_a_kept_connection_was_closed(
    error: type[httpx.TransportError],
) -> None:
    platform = ScriptedPlatform()
    platform.script(GET, fails(error), answer({"items": []}))
    assert (await client(platform).call(a_read(), MessagePage)).items == []


async def test_a_read_without_an_answer_says_so_after_its_second_try() -> None:
    platform = ScriptedPlatform()
    platform.script(GET, fails(httpx.ReadError))
    with pytest.raises(ChatUnknownOutcomeError):
        await client(platform).call(a_read(), MessagePage)
    assert len(platform.asked(GET)) == 2


async def test_a_read_that_timed_out_is_not_tried_again() -> None:
    platform = ScriptedPlatform()
    platform.script(GET, fails(httpx.ReadTimeout))
    with pytest.raises(ChatUnknownOutcomeError):
        await client(platform).call(a_read(), MessagePage)
    assert len(platform.asked(GET)) == 1


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (fails(httpx.ReadTimeout), ChatUnreachableError),
        (fails(httpx.ConnectError), ChatUnreachableError),
        (answer(status=500), ChatUnreachableError),
        (not_json(200), ChatUnreachableError),
        (answer({}), ChatUnreachableError),
        (answer(code=10015), ChatBlockedError),
        (answer(code=99991543, status=400), ChatBlockedError),
        (answer(code=99991400, status=429), ChatThrottledError),
    ],
)
async def test_without_a_token_a_write_has_not_left(trouble: Answer, kind: type[ChatError]) -> None:
    platform = ScriptedPlatform()
    platform.script(TOKEN_PATH, trouble)
    with pytest.raises(kind):
        await write(platform, WRITTEN)
    assert platform.asked(MESSAGES) == []


async def test_the_platforms_own_wait_holds_the_api_back() -> None:
    clock, platform = ManualClock(), ScriptedPlatform()
    limited = answer(code=99991400, status=429, headers={"x-ogw-ratelimit-reset": "7"})
    platform.script(MESSAGES, limited, WRITTEN)
    gateway = client(platform, clock)
    with pytest.raises(ChatThrottledError) as refused:
        await gateway.call(a_write(), Written)
    assert refused.value.retry_after == timedelta(seconds=7)
    again = asyncio.create_task(gateway.call(a_write(chat="oc_2"), Written))
    await clock.until_waits(7_000)
    clock.advance(7_000)
    await again


async def test_a_chats_limit_holds_only_that_chat_back() -> None:
    clock, platform = ManualClock(), ScriptedPlatform()
    platform.script(MESSAGES, answer(code=230020, status=400), WRITTEN)
    gateway = client(platform, clock)
    with pytest.raises(ChatThrottledError):
        await gateway.call(a_write(), Written)
    await gateway.call(a_write(chat="oc_2"), Written)
    again = asyncio.create_task(gateway.call(a_write(), Written))
    await clock.until_waits(1_000)
    clock.advance(1_000)
    await again


async def test_a_message_in_flight_holds_nothing_back() -> None:
    clock, platform = ManualClock(), ScriptedPlatform()
    platform.script(MESSAGES, answer(code=230049, status=400), WRITTEN)
    gateway = client(platform, clock)
    with pytest.raises(ChatThrottledError):
        await gateway.call(a_write(), Written)
    await gateway.call(a_write(), Written)
    assert clock.waits() == []


async def test_missing_permissions_are_named_in_the_hint() -> None:
    violations = {"permission_violations": [{"type": "action", "subject": "im:message.group_msg"}]}
    platform = ScriptedPlatform()
    with pytest.raises(ChatBlockedError) as refused:
        await write(platform, answer(code=99991672, status=400, error=violations))
    assert "im:message.group_msg" in refused.value.hint


async def test_the_platforms_clock_is_seen_in_its_answers() -> None:
    clock, platform = ManualClock(), ScriptedPlatform()
    gateway = client(platform, clock)
    assert gateway.platform_offset() is None
    shown = datetime.fromtimestamp((clock.now() + 90_000) / 1_000, UTC)
    platform.script(MESSAGES, answer({"message_id": "om_9"}, headers={"Date": format_datetime(shown, usegmt=True)}))
    await gateway.call(a_write(), Written)
    assert gateway.platform_offset() == 90_000


async def test_a_date_that_is_none_changes_nothing() -> None:
    platform = ScriptedPlatform()
    platform.script(MESSAGES, answer({"message_id": "om_9"}, headers={"Date": "soon"}))
    gateway = client(platform)
    await gateway.call(a_write(), Written)
    assert gateway.platform_offset() is None


async def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    platform = ScriptedPlatform()
    platform.script(MESSAGES, WRITTEN)
    await client(platform).call(a_write(body={"content": "half \ud83d pair"}), Written)
    assert platform.bodies(MESSAGES) == [{"content": "half ? pair"}]


async def test_an_encrypted_address_is_checked_against_the_known_authorities() -> None:
    secure = Transport(settings(base_url="https://open.feishu.cn"), ManualClock())
    plain = Transport(settings(), ManualClock())
    assert trusted(secure)
    assert not trusted(plain)  # nothing to load for this machine
    await secure.aclose()
    await plain.aclose()


def trusted(transport: Transport) -> int:
    """How many authorities the connections of a client trust."""
    pool = transport._http._transport._pool  # type: ignore[attr-defined]  # httpx shows its pool to nobody
    return len(pool._ssl_context.get_ca_certs())
