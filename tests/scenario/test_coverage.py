"""How far a chat was compared with the platform's history, and what may be said of it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from tests.harness import World
from tests.harness.missed import (
    ACK_WINDOW_MS,
    HOUR,
    LIST,
    LOST,
    RECEIVE,
    keep_own_rhythm,
    missed,
    report,
    rounds,
    seen,
)

from feishu_simulator.faults import Effect
from feishu_simulator.people import Speech
from hongyan.application.check_coverage import check_coverage
from hongyan.application.configure import BindingWish, add_binding
from hongyan.application.desk import Desk
from hongyan.application.read_coverage import read_coverage
from hongyan.domain import limits
from hongyan.domain.bindings import Audience, Place
from hongyan.domain.changes import Add, Changes, Update, insert
from hongyan.domain.coverage import CoverageStatus
from hongyan.domain.identity import BindingId, ChatId, MessageId, place_id
from hongyan.domain.messages import PostedMessage
from hongyan.ports.chat import ChatEvent, EventSink, History, Listener, ListenerState


@pytest.fixture(autouse=True)
def own_rhythm(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_own_rhythm(monkeypatch)


@pytest.mark.scenario("L134")
async def test_a_later_message_is_admitted_and_the_earlier_gap_stays(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("the earlier one")
    await world.advance(2_000)
    later = world.say("the later one")
    await world.until(lambda: world.answers_to(later) == ["echo: the later one"])
    desk, app = world.gateway.desk, world.app_id
    await asyncio.gather(check_coverage(desk, app), check_coverage(desk, app))
    await rounds(world, 8)
    assert [row.text for row in await missed(world)] == ["the earlier one"]
    assert world.prompts() == ["the later one"]


@dataclass
class _Interrupted:
    """A history during whose reading something else happens."""

    inner: History
    desk: Desk
    binding: BindingId

    async def message(self, message: MessageId) -> PostedMessage:
        return await self.inner.message(message)

    async def between(self, chat: ChatId, start: int, end: int, limit: int) -> Sequence[PostedMessage]:
        found = await self.inner.between(chat, start, end, limit)
        step = Update("bindings", {"id": self.binding}, {"revision": Add(1)})
        await self.desk.store.commit(Changes("meanwhile", (step,)))
        return found


@pytest.mark.scenario("L135")
async def test_a_failed_page_and_a_changed_binding_move_nothing(world: World) -> None:
    await rounds(world, 2)
    world.fault(RECEIVE, LOST)
    world.say("missed")
    before = await seen(world)
    world.fault(LIST, Effect(error_code=99992402, http_status=400))
    await rounds(world)
    after = await seen(world)
    assert (after.live_cursor, after.problem) == (before.live_cursor, "chat.not_found")
    assert await world.rows("SELECT id FROM gaps") == []
    desk, binding = world.gateway.desk, world.binding
    assert binding is not None
    chat = desk.chat(world.app_id)
    changed = replace(chat, history=_Interrupted(chat.history, desk, binding.id))
    await check_coverage(replace(desk, chats={world.app_id: changed}), world.app_id)
    assert (await seen(world)).live_cursor == before.live_cursor
    assert await world.rows("SELECT id FROM gaps") == []
    await rounds(world, 2)
    assert [row.text for row in await missed(world)] == ["missed"]


@pytest.mark.scenario("L135")
async def test_a_bounded_piece_of_history_is_kept_and_proves_nothing_yet(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "COVERAGE_READ_MESSAGES", 3)
    await rounds(world)
    await world.crash()
    for n in range(7):
        world.say(f"message {n}")
        await world.advance(2 * limits.COVERAGE_OVERLAP_MS, leap=True)
    await world.advance(8 * HOUR, leap=True)
    await world.start()
    reached = []
    for _ in range(3):
        await rounds(world)
        reached.append((await seen(world)).history_cursor)
        assert (await report(world)).status is CoverageStatus.UNCHECKED
    assert reached == sorted(set(reached))
    await rounds(world, 4)
    assert (await report(world)).status is CoverageStatus.GAPS
    assert len(await missed(world)) == 7


@pytest.mark.scenario("L137")
async def test_what_arrived_under_an_earlier_binding_was_received_and_what_it_missed_is_still_found(
    world: World,
) -> None:
    await rounds(world)
    world.say("[[wait:go]] under the first binding")
    await world.until(lambda: len(world.prompts()) == 1)
    world.fault(RECEIVE, LOST)
    world.say("missed under the first binding")
    await world.advance(ACK_WINDOW_MS)
    first = world.binding
    world.executors["other"] = world.executors["rehearsal"]
    await world.restart()
    assert first is not None
    desk = world.gateway.desk
    wish = BindingWish(world.app_id, first.audience, first.role, "work", "other", None, first.scope)
    assert (await add_binding(desk, wish)).id != first.id
    await rounds(world, 4)
    assert [row.text for row in await missed(world)] == ["missed under the first binding"]
    classes = (await world.ledger()).received.classes
    assert classes["answered"] == 0


@pytest.mark.scenario("M46")
async def test_without_the_permission_nothing_is_called_checked_and_the_permission_is_named(world: World) -> None:
    group = world.platform.add_group("Release 2.4", [world.owner], [world.app])
    await _bind_group(world, ChatId(group.chat_id))
    world.app.scopes = frozenset({"im:message", "im:message.p2p_msg:readonly"})
    await rounds(world, 3)
    private, in_group = await read_coverage(world.gateway.desk)
    assert private.status is CoverageStatus.CHECKED
    assert in_group.status is CoverageStatus.UNAVAILABLE
    assert in_group.coverage is not None
    assert in_group.coverage.permission == "im:message.group_msg"
    await world.advance(2 * limits.COVERAGE_WINDOW_MS, leap=True)
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    world.app.scopes = None
    statuses = []
    for _ in range(4):
        await rounds(world)
        statuses.append((await read_coverage(world.gateway.desk))[1].status)
    unchecked, checked = CoverageStatus.UNCHECKED, CoverageStatus.CHECKED
    assert statuses == [unchecked, unchecked, checked, checked]


async def _bind_group(world: World, chat: ChatId) -> None:
    """Put a group's binding into the store; no command makes one yet."""
    if world.binding is None:
        raise AssertionError("nothing is bound")
    binding = replace(
        world.binding,
        id=BindingId("bind_group"),
        audience=Audience.GROUP_TOPIC,
        chat_id=chat,
        created_at=world.binding.created_at + 1,
    )
    place = Place(place_id(binding.app, chat), binding.app, chat, "", binding.id, None, None, 0)
    await world.gateway.desk.store.commit(Changes("bind", (insert("bindings", binding), insert("places", place))))


async def test_words_of_others_are_not_missed(world: World) -> None:
    await rounds(world)
    group = world.platform.add_group("Release 2.4", [world.owner, world.colleague], [world.app])
    await _bind_group(world, ChatId(group.chat_id))
    world.platform.people.say(world.colleague.user_id, group.chat_id, Speech(text="not for the bot"))
    await rounds(world, 3)
    assert await missed(world) == []


async def test_a_process_that_does_not_listen_finds_nothing_missing(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("kept by another process")
    desk = world.gateway.desk
    chat = desk.chat(world.app_id)
    for state in (ListenerState.UNKNOWN, ListenerState.STOPPED):
        asleep = replace(chat, listener=_NotListening(chat.listener, state))
        assert await check_coverage(replace(desk, chats={world.app_id: asleep}), world.app_id) == 0
    assert await world.rows("SELECT id FROM gaps") == []


@dataclass
class _NotListening:
    """A listener of a process that waits while another one listens."""

    inner: Listener
    shown: ListenerState

    async def listen(self, sink: EventSink, acknowledged: Callable[[ChatEvent], None]) -> None:
        await self.inner.listen(sink, acknowledged)

    async def renew(self) -> None:
        await self.inner.renew()

    def state(self) -> tuple[ListenerState, int]:
        return self.shown, 0


async def test_a_history_that_fails_does_not_hold_up_what_is_missing_now(world: World) -> None:
    await rounds(world)
    await world.crash()
    await world.advance(8 * HOUR, leap=True)
    await world.start()
    for nth in (2, 4, 6):  # each round reads the present first, then history
        world.fault(LIST, Effect(http_status=503), nth=nth)
    await world.advance(limits.COVERAGE_FIRST_MS)
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    world.fault(RECEIVE, LOST)
    world.say("missing now")
    await rounds(world, 2)
    assert [row.text for row in await missed(world)] == ["missing now"]
    assert (await report(world)).status is CoverageStatus.UNCHECKED
    await rounds(world, 2)
    assert (await report(world)).status is CoverageStatus.GAPS


@pytest.mark.scenario("M46")
async def test_a_private_chat_without_the_permission_names_it_and_finds_nothing_out(world: World) -> None:
    await rounds(world)
    world.app.scopes = frozenset({"im:message:send_as_bot"})
    await rounds(world, 2)
    told = await report(world)
    assert told.status is CoverageStatus.UNAVAILABLE
    assert told.coverage is not None
    assert told.coverage.permission == "im:message, im:message:readonly"


async def test_a_message_that_history_does_not_list_yet_is_found_a_minute_later(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.fault(LIST, Effect(unlisted_ms=50_000), times=1)
    await world.advance(limits.COVERAGE_PERIOD_MS - 10_000)
    world.say("not listed at first")
    await world.advance(10_000)
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    assert await world.rows("SELECT id FROM gaps") == []
    await rounds(world, 2)
    assert [row.text for row in await missed(world)] == ["not listed at first"]


async def test_a_quiet_chat_is_read_less_often_and_a_lost_message_in_it_is_still_found(world: World) -> None:
    await rounds(world, 14)
    before = len(world.platform.requests(LIST))
    await rounds(world, 20)
    assert len(world.platform.requests(LIST)) - before == 4
    world.fault(RECEIVE, LOST)
    world.say("into the quiet")
    await rounds(world, 7)
    assert [row.text for row in await missed(world)] == ["into the quiet"]
    before = len(world.platform.requests(LIST))
    await rounds(world, 5)
    assert len(world.platform.requests(LIST)) - before == 5
