"""Messages that never arrived: found in the platform's history, told, and run only by the owner's word."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from tests.harness import World

from feishu_simulator.faults import Effect
from feishu_simulator.people import Speech
from hongyan.application.check_coverage import check_coverage
from hongyan.application.configure import BindingWish, add_binding
from hongyan.application.desk import Desk
from hongyan.application.owed import OwedAction, OwedRow, act_on_owed, list_owed
from hongyan.application.read_coverage import CoverageReport, read_coverage
from hongyan.domain import limits
from hongyan.domain.bindings import Audience, Place
from hongyan.domain.changes import Add, Changes, Update, insert
from hongyan.domain.coverage import Coverage, CoverageStatus
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.domain.identity import BindingId, ChatId, MessageId, place_id
from hongyan.domain.messages import PostedMessage
from hongyan.ports.chat import ChatEvent, EventSink, History, Listener, ListenerState

RECEIVE = "event:im.message.receive_v1"
LIST = "GET /open-apis/im/v1/messages"
ENDPOINT = "POST /callback/ws/endpoint"
LOST = Effect(drop=True, no_redelivery=True)
ACK_WINDOW_MS = 3_001
HOUR = 3_600_000


@pytest.fixture(autouse=True)
def own_rhythm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the comparison wait for times that no other timer waits for, so that a test can tell when it rests."""
    monkeypatch.setattr(limits, "COVERAGE_FIRST_MS", 5_003)
    monkeypatch.setattr(limits, "COVERAGE_PERIOD_MS", 60_007)


async def rounds(world: World, count: int = 1) -> None:
    """Let the history be compared that many times more."""
    for _ in range(count):
        first = world.clock.sleeps_for(limits.COVERAGE_FIRST_MS)
        await world.advance(limits.COVERAGE_FIRST_MS if first else limits.COVERAGE_PERIOD_MS)
        await world.until_asleep(limits.COVERAGE_PERIOD_MS)


async def report(world: World) -> CoverageReport:
    """Give what is told of the owner's chat."""
    return (await read_coverage(world.gateway.desk))[0]


async def seen(world: World) -> Coverage:
    """Give how far the owner's chat was read."""
    coverage = (await report(world)).coverage
    assert coverage is not None
    return coverage


async def missed(world: World) -> list[OwedRow]:
    """Give the missed messages that wait for the owner."""
    return [row for row in await list_owed(world.gateway.desk) if row.why == "source.missed"]


async def act(world: World, row: OwedRow, action: OwedAction) -> None:
    """Decide about a missed message as the owner."""
    await act_on_owed(world.gateway.desk, row.id, action, row.version)


async def repeat_every_event(world: World) -> None:
    """Let the platform deliver everything once more, under new event ids."""
    for event in tuple(world.platform.events("im.message.receive_v1")):
        world.platform.delivery.repeat(event)
    await world.until_settled()


@pytest.mark.scenario("L136")
async def test_a_missed_message_runs_only_by_the_owners_word_and_its_late_event_is_the_same_turn(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    said = world.say("did this arrive?")
    await rounds(world, 5)
    assert (world.prompts(), world.answers()) == ([], [])
    (row,) = await missed(world)
    assert (row.text, row.actions) == ("did this arrive?", (OwedAction.RUN, OwedAction.IGNORE))
    assert (await report(world)).status is CoverageStatus.GAPS
    await act(world, row, OwedAction.RUN)
    await world.until_settled()
    await repeat_every_event(world)
    assert world.answers_to(said) == ["echo: did this arrive?"]
    assert world.prompts() == ["did this arrive?"]
    assert await missed(world) == []
    await rounds(world, 2)
    assert (await report(world)).status is CoverageStatus.CHECKED
    await world.adds_up()


@pytest.mark.scenario("L136")
async def test_an_ignored_message_is_accounted_for_and_its_late_event_runs_nothing(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("never mind")
    await rounds(world, 2)
    (row,) = await missed(world)
    await act(world, row, OwedAction.IGNORE)
    await repeat_every_event(world)
    with pytest.raises(NotFoundError):
        await act(world, row, OwedAction.RUN)
    assert (world.prompts(), world.answers()) == ([], [])
    assert await world.rows("SELECT closed_as FROM requests WHERE code = 'source.ignored'") == [("silent",)]
    await world.adds_up()


@pytest.mark.scenario("D9")
async def test_a_message_seen_before_its_slow_event_is_no_gap_and_runs_once(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, Effect(drop=True))
    await world.advance(limits.COVERAGE_PERIOD_MS - 1_000)
    said = world.say("slow but on its way")
    await world.advance(1_000)
    await world.until_rows("SELECT 1 FROM gaps WHERE state = 'suspected'")
    assert await missed(world) == []
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    await world.advance(ACK_WINDOW_MS + 15_000)
    await world.until_settled()
    assert await world.rows("SELECT id FROM gaps") == []
    await world.advance(limits.COVERAGE_PERIOD_MS - ACK_WINDOW_MS - 15_000)
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    await rounds(world, 2)
    assert await missed(world) == []
    assert world.answers_to(said) == ["echo: slow but on its way"]
    assert len(world.platform.requests(ENDPOINT)) == 1
    await world.adds_up()


@pytest.mark.scenario("L136")
async def test_a_new_live_gap_renews_the_connection_once_and_an_old_one_never(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("missed while listening")
    await rounds(world, 6)
    assert len(world.platform.requests(ENDPOINT)) == 2
    assert len(await missed(world)) == 1
    await world.crash()
    world.say("missed while nobody listened")
    await world.advance(8 * HOUR, leap=True)
    await world.start()
    await rounds(world, 6)
    assert len(world.platform.requests(ENDPOINT)) == 3
    assert len(await missed(world)) == 2


async def test_a_connection_that_brings_nothing_any_more_is_replaced_and_brings_the_next_message(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, Effect(half_dead=True, no_redelivery=True))
    world.say("into the void")
    await rounds(world, 3)
    heard = world.say("over the new connection")
    await world.until(lambda: world.answers_to(heard) == ["echo: over the new connection"])
    (row,) = await missed(world)
    assert row.text == "into the void"


@pytest.mark.scenario("L133")
async def test_after_two_days_away_every_message_is_listed_none_ran_and_one_run_is_one_turn(world: World) -> None:
    await rounds(world)
    await world.crash()
    texts = [f"message {n}" for n in range(8)]
    for text in texts:
        world.say(text)
        await world.advance(6 * HOUR, leap=True)
    asked_before = len(world.platform.requests(LIST))
    await world.start()
    assert (await report(world)).status is CoverageStatus.UNCHECKED
    await rounds(world)
    assert (await report(world)).status is CoverageStatus.UNCHECKED
    assert (await seen(world)).history_cursor < (await seen(world)).history_until
    await rounds(world, 5)
    rows = await missed(world)
    assert [row.text for row in rows] == texts
    assert [OwedAction.RUN in row.actions for row in rows] == [False] * 5 + [True] * 3
    assert (world.prompts(), world.answers()) == ([], [])
    assert (await report(world)).status is CoverageStatus.GAPS
    for request in world.platform.requests(LIST)[asked_before:]:
        assert _asked_seconds(request.query) <= limits.COVERAGE_WINDOW_MS // 1_000 + 1
    with pytest.raises(RefusedError) as refused:
        await act(world, rows[0], OwedAction.RUN)
    assert refused.value.code == "owed.not_possible"
    await act(world, rows[-1], OwedAction.RUN)
    for row in rows[:-1]:
        await act(world, row, OwedAction.IGNORE)
    await world.until(lambda: len(world.answers()) == 2)
    await world.advance(8 * HOUR, leap=True)  # until the platform has given up on every event
    await world.until_settled()
    await repeat_every_event(world)
    assert world.prompts() == [texts[-1]]
    late = "This message arrived 6 hours after it was written. It runs now, once."
    assert sorted(world.answers()) == [late, f"echo: {texts[-1]}"]
    await world.adds_up()


def _asked_seconds(query: str) -> int:
    given = dict(pair.split("=") for pair in query.split("&"))
    return int(given["end_time"]) - int(given["start_time"])


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


async def test_a_message_that_was_recalled_before_it_was_found_is_not_missed(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    said = world.say("forget it")
    world.platform.people.recall(said.message_id)
    await rounds(world, 3)
    assert await missed(world) == []


async def test_a_message_under_which_our_answer_stands_is_closed_and_not_run_again(world: World) -> None:
    await rounds(world)
    said = world.say("answered before the backup was put back")
    await world.until_settled()
    await world.crash()
    with sqlite3.connect(world.home / "hongyan.db") as database:  # as if it stood behind the backup
        database.execute("DELETE FROM requests WHERE message_id = ?", (said.message_id,))
        database.commit()
    await world.start()
    await rounds(world, 2)
    assert await missed(world) == []
    assert await world.rows("SELECT closed_as, code FROM requests WHERE message_id = :id", id=said.message_id) == [
        ("answered", "source.answered_before")
    ]
    await repeat_every_event(world)
    assert world.answers_to(said) == [f"echo: {said.text}"]
    assert len(world.prompts()) == 1


async def test_words_of_others_are_not_missed(world: World) -> None:
    await rounds(world)
    group = world.platform.add_group("Release 2.4", [world.owner, world.colleague], [world.app])
    await _bind_group(world, ChatId(group.chat_id))
    world.platform.people.say(world.colleague.user_id, group.chat_id, Speech(text="not for the bot"))
    await rounds(world, 3)
    assert await missed(world) == []


@pytest.mark.scenario("L136")
async def test_a_late_event_runs_its_message_once_and_takes_the_offer_back(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, Effect(drop=True), times=2)
    said = world.say("the third try brings it")
    await rounds(world, 3)
    (row,) = await missed(world)
    third_try = 2 * (ACK_WINDOW_MS - 1) + 15_000 + 300_000
    await world.advance(third_try - 3 * limits.COVERAGE_PERIOD_MS)
    await world.until_settled()
    assert await missed(world) == []
    with pytest.raises(NotFoundError):
        await act(world, row, OwedAction.RUN)
    assert world.answers_to(said) == ["echo: the third try brings it"]
    await world.adds_up()


async def test_what_was_missed_while_the_machine_slept_is_found(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("while you slept")
    await world.advance(3 * HOUR, leap=True)
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    await rounds(world, 3)
    (row,) = await missed(world)
    assert (row.text, world.prompts()) == ("while you slept", [])


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
