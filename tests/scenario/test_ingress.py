"""From the event to the queue: every message once, judged by what the platform shows, strangers met with silence."""

import pytest
from tests.harness import World
from tests.harness.world import Crash

from feishu_simulator.faults import Effect
from feishu_simulator.people import Speech
from hongyan.domain import limits

ACK_WINDOW_MS = 3_001
LADDER_MS = (15_000, 300_000, 3_600_000, 21_600_000)
READ = "GET /open-apis/im/v1/messages/:message_id"
RECEIVE = "event:im.message.receive_v1"


async def test_a_message_is_answered_once_in_its_place(world: World) -> None:
    said = world.say("hello there")
    await world.until_settled()
    assert world.answers_to(said) == ["echo: hello there"]
    ledger = await world.adds_up()
    assert ledger.received.classes["answered"] == 1


@pytest.mark.scenario("L24")
async def test_a_redelivered_event_starts_no_second_turn(world: World) -> None:
    world.fault(RECEIVE, Effect(duplicate=True))
    said = world.say("once only")
    await world.until_settled()
    assert len(world.platform.events("im.message.receive_v1")) == 3  # the pairing code, the message, its duplicate
    assert world.answers_to(said) == ["echo: once only"]
    assert world.prompts() == ["once only"]
    await world.adds_up()


@pytest.mark.scenario("P15")
async def test_the_whole_redelivery_ladder_across_a_restart_is_one_turn(world: World) -> None:
    said = world.say("answer me once")
    await world.until_settled()
    event = world.platform.events("im.message.receive_v1")[-1]
    for step in LADDER_MS:
        await world.restart()
        await world.advance(step, leap=True)
        world.platform.delivery.repeat(event)
        await world.until_settled()
    assert world.answers_to(said) == ["echo: answer me once"]
    assert world.prompts() == ["answer me once"]
    await world.adds_up()


@pytest.mark.scenario("L25")
async def test_a_message_that_changed_without_a_mark_is_not_run(world: World) -> None:
    first = world.say("[[wait:go]]")
    await world.until(lambda: world.prompts() == ["[[wait:go]]"])
    second = world.say("the text that was admitted")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    second.content = '{"text":"another text without an update mark"}'
    await world.advance(limits.REREAD_AFTER_MS + 1)
    world.release("go")
    await world.until_settled()
    assert world.answers_to(second) == []
    assert len(world.answers_to(first)) == 1
    assert await world.rows("SELECT code, owed FROM requests WHERE closed_as = 'silent' AND owed = 1") == [
        ("source.conflict", 1)
    ]
    await world.adds_up()


@pytest.mark.scenario("L47")
async def test_only_the_message_read_back_can_be_a_command(world: World) -> None:
    running = world.say("[[wait:go]] keep running")
    await world.until(lambda: len(world.prompts()) == 1)
    world.fault(READ, Effect(http_status=503))
    said = world.say("/stop")
    await world.until_rows("SELECT 1 FROM requests WHERE state = 'captured' AND tries = 1")
    world.platform.people.edit(world.owner.user_id, said.message_id, Speech(text="ordinary words"))
    await world.advance(limits.BACK_OFF_MS * 2)
    world.release("go")
    await world.until_settled()
    assert world.answers_to(running) == ["echo: keep running"]
    assert world.answers_to(said) == ["echo: ordinary words"]
    await world.adds_up()


@pytest.mark.scenario("L26", "M9")
async def test_strangers_and_unlisted_groups_get_no_platform_write(world: World) -> None:
    group = world.platform.add_group("Release 2.4", [world.owner, world.colleague], [world.app])
    before = len(world.platform.requests("POST *"))
    world.platform.people.write(world.colleague.user_id, world.app.app_id, "let me in")
    mention = f'<at user_id="{world.app.bot_open_id}">Hongyan</at> hello'
    world.platform.people.say(world.owner.user_id, group.chat_id, Speech(text=mention))
    await world.until_rows("SELECT 1 FROM requests WHERE code = 'access.group_not_bound'")
    await world.until_rows("SELECT 1 FROM requests WHERE code = 'access.stranger'")
    await world.until_settled()
    assert len(world.platform.requests("POST *")) == before
    assert world.prompts() == []


@pytest.mark.scenario("M9")
async def test_an_app_without_an_owner_is_silent_to_everybody(unbound_world: World) -> None:
    await unbound_world.start()
    unbound_world.say("is anybody there?")
    await unbound_world.until_settled()
    assert unbound_world.answers() == []
    assert await unbound_world.rows("SELECT code FROM requests") == [("access.not_paired",)]
    await unbound_world.adds_up()


@pytest.mark.scenario("L27")
async def test_a_message_that_cannot_be_read_back_waits_and_is_admitted_later(world: World) -> None:
    world.fault(READ, Effect(http_status=503), times=2)
    said = world.say("patience")
    await world.until_rows("SELECT 1 FROM requests WHERE state = 'captured' AND tries = 1")
    assert world.prompts() == []
    await world.advance(limits.BACK_OFF_MS + 1)
    await world.until_rows("SELECT 1 FROM requests WHERE tries = 2")
    await world.advance(2 * limits.BACK_OFF_MS + 1)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: patience"]
    await world.adds_up()


@pytest.mark.scenario("L28", "P18")
@pytest.mark.parametrize("point", ["accepted", "acked"])
async def test_killed_between_journal_and_admission_the_restart_admits_once(world: World, point: str) -> None:
    crash = Crash(point)
    await world.restart(crash)
    said = world.say("survive this")
    await world.until(crash.dead.is_set)
    await world.restart()
    await world.advance(ACK_WINDOW_MS + LADDER_MS[0])
    await world.until_settled()
    assert world.answers_to(said) == ["echo: survive this"]
    assert world.prompts() == ["survive this"]
    await world.adds_up()


@pytest.mark.scenario("L29")
async def test_the_turn_and_what_points_to_it_are_committed_together(world: World) -> None:
    crash = Crash("admitted")
    await world.restart(crash)
    said = world.say("one turn")
    await world.until(crash.dead.is_set)
    assert await world.rows("SELECT count(*) FROM turns t JOIN requests r ON r.turn_id = t.id") == [(1,)]
    await world.restart()
    await world.until_settled()
    assert world.answers_to(said) == ["echo: one turn"]
    assert await world.rows("SELECT count(*) FROM turns") == [(1,)]
    await world.adds_up()


@pytest.mark.scenario("L30")
async def test_two_concurrent_deliveries_of_one_message_are_one_turn(world: World) -> None:
    said = world.say("twice at once")
    event = world.platform.events("im.message.receive_v1")[-1]
    for _ in range(5):
        world.platform.delivery.repeat(event)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: twice at once"]
    assert await world.rows("SELECT count(*) FROM turns") == [(1,)]
    await world.adds_up()


@pytest.mark.scenario("L46")
@pytest.mark.parametrize(
    "text", ["remind me every day at 9", "don't /stop", "> /new", "/srv/docs is full", "每天九点提醒我"]
)
async def test_text_that_only_sounds_like_an_order_is_chat(world: World, text: str) -> None:
    said = world.say(text)
    await world.until_settled()
    assert world.answers_to(said) == [f"echo: {text}"]
    await world.adds_up()


@pytest.mark.scenario("M123")
async def test_a_queued_message_that_is_recalled_never_runs(world: World) -> None:
    world.say("[[wait:go]] first")
    await world.until(lambda: len(world.prompts()) == 1)
    second = world.say("taken back")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    world.platform.people.recall(second.message_id)
    await world.until_rows("SELECT 1 FROM requests WHERE code = 'source.recalled'")
    world.release("go")
    await world.until_settled()
    assert len(world.prompts()) == 1
    assert world.answers_to(second) == []
    assert "taken back" not in "".join(world.answers())
    await world.adds_up()


async def test_a_reading_that_says_success_and_shows_nothing_drops_no_message(world: World) -> None:
    world.fault("GET /open-apis/im/v1/messages/:message_id", Effect(hollow_response=True))
    said = world.say("do not lose me")
    await world.flow_until(lambda: bool(world.answers_to(said)))
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: do not lose me"]
    await world.adds_up()


async def test_a_message_with_half_a_letter_blocks_nobody(world: World) -> None:
    world.fault_read_once()
    broken = world.say("words")
    await world.until_rows("SELECT 1 FROM requests WHERE state = 'captured' AND tries = 1")
    broken.content = r'{"text":"cut \ud83e off"}'
    await world.advance(limits.BACK_OFF_MS)
    after = world.say("and whole again")
    await world.until_settled()
    assert world.answers_to(broken) == ["echo: cut \ufffd off"]
    assert world.answers_to(after) == ["echo: and whole again"]
    await world.adds_up()
