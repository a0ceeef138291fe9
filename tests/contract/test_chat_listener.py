"""What the listener of the chat port promises, witnessed by the simulated platform."""

import pytest
from tests.contract.chat_town import PING_MS, Town, listening, town

from feishu_simulator.delivery import EventState
from hongyan.domain.errors import ChatBlockedError, StoreFullError
from hongyan.domain.messages import ChatKind, InboundMessage, MessageRecalled, SenderKind
from hongyan.ports.chat import Listener, ListenerState

RECEIVED = "im.message.receive_v1"


def outcomes(here: Town, event_type: str = RECEIVED) -> list[str]:
    return [attempt.outcome for event in here.platform.events(event_type) for attempt in event.attempts]


async def settled(here: Town, event_type: str = RECEIVED) -> None:
    """Wait until no transmission is under way."""
    await here.until(lambda: "pending" not in outcomes(here, event_type))


async def test_a_private_message_arrives_and_is_acknowledged() -> None:
    async with town() as here, listening(here) as ear:
        said = here.say("hello")
        event = await ear.heard()
        assert isinstance(event, InboundMessage)
        assert (event.message_id, event.text, event.chat_id) == (said.message_id, "hello", said.chat_id)
        assert (event.chat_kind, event.sender_kind) == (ChatKind.PRIVATE, SenderKind.USER)
        assert event.create_time == said.create_ms
        assert await ear.told() == event
        await settled(here)
        assert outcomes(here) == ["acked"]


async def test_a_message_is_the_same_in_its_event_and_in_history() -> None:
    async with town() as here:
        here.chat = here.platform.add_group("team", [here.user], [here.app], topics=True)
        async with listening(here) as ear:
            root = here.say(f"<at user_id={here.app.bot_open_id!r}>Hongyan</at> hello")
            here.say("and more", reply_to=root.message_id, in_thread=True)
            for _ in range(2):
                event = await ear.heard()
                assert isinstance(event, InboundMessage)
                shown = await here.gateway.message(event.message_id)
                assert (event.text, event.kind, event.create_time) == (shown.text, shown.kind, shown.create_time)
                assert event.sender == shown.sender
                assert event.thread_root == (shown.root or shown.message_id) == root.message_id


async def test_a_refused_event_comes_again_until_it_is_kept() -> None:
    async with town() as here, listening(here) as ear:
        ear.failure = StoreFullError("no space")
        here.say("hello")
        first = await ear.heard()
        await settled(here)
        assert ear.acknowledged.empty()
        ear.failure = None
        here.simulator.clock.advance(15_000)
        again = await ear.heard()
        await settled(here)
        assert isinstance(first, InboundMessage)
        assert isinstance(again, InboundMessage)
        assert first.message_id == again.message_id
        assert outcomes(here) == ["refused", "acked"]


@pytest.mark.parametrize("shuffled", [False, True])
async def test_an_event_in_fragments_arrives_whole(shuffled: bool) -> None:
    async with town() as here, listening(here) as ear:
        here.breaks(f"event:{RECEIVED}", fragments=3, fragments_shuffled=shuffled)
        here.say("鸿雁" * 100)
        event = await ear.heard()
        assert isinstance(event, InboundMessage)
        assert event.text == "鸿雁" * 100
        await settled(here)
        assert outcomes(here) == ["acked"]


async def test_a_withdrawal_arrives() -> None:
    async with town() as here, listening(here) as ear:
        said = here.say("hello")
        await ear.heard()
        here.simulator.clock.advance(1_000)
        here.platform.people.recall(said.message_id)
        event = await ear.heard()
        assert isinstance(event, MessageRecalled)
        assert (event.message_id, event.recalled_at) == (said.message_id, here.simulator.clock.now_ms())


async def test_events_that_are_not_used_are_acknowledged() -> None:
    async with town() as here, listening(here) as ear:
        said = here.say("hello")
        await ear.heard()
        here.platform.people.react(here.user.user_id, said.message_id, "OK")
        here.platform.people.enter(here.user.user_id, here.chat.chat_id)
        await here.until(lambda: all(event.state is EventState.ACKED for event in here.platform.events()))
        assert len(here.platform.events()) >= 3
        assert ear.events.empty()


@pytest.mark.parametrize("code", [1000, 1006, 1011, 4000])
async def test_a_closed_line_is_opened_again_and_what_was_missed_arrives(code: int) -> None:
    async with town() as here, listening(here) as ear:
        (line,) = here.platform.connections.live(here.app.app_id)
        here.platform.connections.cut(line.connection_id, code)
        await here.clock.until_sleeps(250)
        here.say("while away")
        here.simulator.clock.advance(250)
        await here.connected()
        here.simulator.clock.advance(15_000)
        event = await ear.heard()
        assert isinstance(event, InboundMessage)
        assert event.text == "while away"


@pytest.mark.parametrize(
    ("subject", "effect"),
    [
        ("endpoint", {"error_code": 1}),
        ("endpoint", {"error_code": 1000040343}),
        ("endpoint", {"http_status": 503}),
        ("ws", {"error_code": 1000040350}),
        ("ws", {"http_status": 514}),
        ("ws", {"refuse_connection": True}),
        ("ws", {"close": 1011}),
    ],
)
async def test_a_refused_connection_is_tried_again(subject: str, effect: dict[str, object]) -> None:
    async with town() as here:
        here.breaks(subject, times=2, **effect)
        async with listening(here, connected=False) as ear:
            for wait in (250, 500):
                await here.clock.until_sleeps(wait)
                here.simulator.clock.advance(wait)
            await here.connected()
            here.say("hello")
            assert isinstance(await ear.heard(), InboundMessage)
            assert ear.listener.state()[0] is ListenerState.LISTENING


async def test_a_wrong_secret_is_remembered_while_trying_on() -> None:
    async with town(secret="wrong") as here, listening(here, connected=False) as ear:
        await here.clock.until_sleeps(60_000)
        assert ear.listener.state()[0] is ListenerState.RETRYING
        assert isinstance(ear.listener.last_error(), ChatBlockedError)


async def test_a_line_that_brings_no_pongs_is_replaced() -> None:
    async with town() as here:
        here.breaks("ping", times=None, drop=True)
        async with listening(here) as ear:
            (first,) = here.platform.connections.live(here.app.app_id)
            for _ in range(2):
                await here.clock.until_sleeps(PING_MS)
                here.simulator.clock.advance(PING_MS)
            await here.clock.until_sleeps(250)
            assert not first.live
            assert ear.listener.state()[0] is ListenerState.RETRYING
            here.simulator.clock.advance(250)
            await here.connected()


async def test_redelivery_after_success_is_given_again_under_the_same_message() -> None:
    async with town() as here, listening(here) as ear:
        here.breaks(f"event:{RECEIVED}", duplicate=True)
        here.say("hello")
        first, second = await ear.heard(), await ear.heard()
        assert isinstance(first, InboundMessage)
        assert isinstance(second, InboundMessage)
        assert first.message_id == second.message_id
        assert first.event_id != second.event_id


async def test_a_renewed_connection_is_open_before_the_former_one_is_closed() -> None:
    async with town() as here, listening(here) as ear:
        (former,) = here.platform.connections.live(here.app.app_id)
        opened = len(here.platform.connections.all)
        await ear.listener.renew()
        await here.until(lambda: not former.live)
        assert len(here.platform.connections.all) == opened + 1
        (now,) = here.platform.connections.live(here.app.app_id)
        assert now is not former
        here.say("over the new one")
        assert isinstance(await ear.heard(), InboundMessage)
        assert ear.listener.state()[0] is ListenerState.LISTENING


async def test_a_connection_that_cannot_be_renewed_stays() -> None:
    async with town() as here, listening(here) as ear:
        (former,) = here.platform.connections.live(here.app.app_id)
        here.breaks("endpoint", refuse_connection=True)
        await ear.listener.renew()
        assert former.live
        here.say("over the old one")
        assert isinstance(await ear.heard(), InboundMessage)


async def test_the_listener_tells_what_it_saw_and_when() -> None:
    async with town() as here, listening(here) as ear:
        port: Listener = ear.listener
        state, seen_at = port.state()
        assert (state, seen_at) == (ListenerState.LISTENING, here.simulator.clock.now_ms())


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "ws_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.2:9")  # nobody is there
    monkeypatch.delenv("no_proxy", raising=False)
    async with town() as here, listening(here) as ear:
        here.say("hello")
        assert isinstance(await ear.heard(), InboundMessage)
        assert (await here.gateway.me()).name == "Hongyan"
