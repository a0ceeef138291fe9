"""The outbox against a platform that loses, doubles and refuses: at most one message, and every unknown in sight."""

import json

import pytest
from tests.harness import World
from tests.harness.world import Crash

from feishu_simulator.faults import Effect
from hongyan.application.owed import OwedAction, act_on_owed, list_owed, send_again
from hongyan.domain import limits
from hongyan.domain.errors import RefusedError

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
READ = "GET /open-apis/im/v1/messages/:message_id"
REACT = "POST /open-apis/im/v1/messages/:message_id/reactions"
HISTORY = "GET /open-apis/im/v1/messages"
UNKNOWN = "SELECT 1 FROM parts WHERE state = 'unknown'"
WINDOW_CLOSED_MS = limits.IDEMPOTENCY_WINDOW_MS + 1


def _keys(world: World) -> list[str | None]:
    return [request.uuid for request in world.platform.requests(REPLY)]


@pytest.mark.scenario("L86", "P20")
async def test_a_lost_response_is_repeated_with_the_same_key_and_shown_once(world: World) -> None:
    world.fault(REPLY, Effect(lost_response=True))
    said = world.say("only once please")
    await world.until_rows(UNKNOWN)
    assert await world.rows("SELECT state FROM requests WHERE turn_id IS NOT NULL") == [("turn",)]
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: only once please"]
    assert len(_keys(world)) == 2
    assert len(set(_keys(world))) == 1
    await world.adds_up()


@pytest.mark.scenario("L92")
async def test_a_retry_after_a_restart_carries_the_same_key(world: World) -> None:
    crash = Crash("part_intended")
    await world.restart(crash)
    said = world.say("the key stays")
    await world.until(crash.dead.is_set)
    key = await world.rows("SELECT key FROM parts WHERE transport = 'text'")
    await world.restart()
    await world.until_settled()
    assert world.answers_to(said) == ["echo: the key stays"]
    assert _keys(world) == [key[0][0]]
    await world.adds_up()


@pytest.mark.scenario("P21")
@pytest.mark.parametrize("point", ["completing", "completed", "part_intended", "part_written", "receipt_saved"])
async def test_an_answer_survives_a_kill_anywhere_between_ready_and_verified(world: World, point: str) -> None:
    crash = Crash(point)
    await world.restart(crash)
    said = world.say("do not lose me")
    await world.until(crash.dead.is_set)
    await world.restart()
    await world.until_settled()
    assert world.answers_to(said) == ["echo: do not lose me"]
    assert world.prompts() == ["do not lose me"]
    ledger = await world.adds_up()
    assert ledger.received.classes["answered"] == 1


@pytest.mark.scenario("L87")
async def test_a_receipt_without_read_back_is_read_again_and_never_written_again(world: World) -> None:
    crash = Crash("receipt_saved")
    await world.restart(crash)
    said = world.say("read me back")
    await world.until(crash.dead.is_set)
    world.fault(READ, Effect(http_status=503), nth=1)
    await world.restart()
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'written' AND code <> ''")
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: read me back"]
    assert len(_keys(world)) == 1
    await world.adds_up()


@pytest.mark.scenario("L91")
async def test_equal_words_in_two_messages_get_two_answers_with_two_keys(world: World) -> None:
    first = world.say("the same")
    await world.advance(1)
    second = world.say("the same")
    await world.until_settled()
    assert world.answers_to(first) == world.answers_to(second) == ["echo: the same"]
    assert len(set(_keys(world))) == 2
    await world.adds_up()


@pytest.mark.scenario("D5")
async def test_after_the_window_the_history_is_searched_and_nothing_is_written_again(world: World) -> None:
    world.fault(REPLY, Effect(lost_response=True))
    said = world.say("found later")
    await world.until_rows(UNKNOWN)
    await world.advance(WINDOW_CLOSED_MS, leap=True)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: found later"]
    assert len(_keys(world)) == 1
    assert world.platform.requests(HISTORY)
    ledger = await world.adds_up()
    assert ledger.received.classes["answered"] == 1


@pytest.mark.scenario("L86")
async def test_what_cannot_be_found_stays_unknown_and_the_owner_sends_it_again(world: World) -> None:
    world.fault(REPLY, Effect(http_status=502))
    said = world.say("lost for good")
    await world.until_rows(UNKNOWN)
    await world.advance(WINDOW_CLOSED_MS, leap=True)
    for _ in range(limits.SEARCH_TRIES):
        await world.advance(limits.BACK_OFF_MS * 8)
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == []
    assert (await world.adds_up()).writes.classes["unknown"] == 1
    [owed] = await list_owed(world.gateway.desk)
    assert OwedAction.SEND_AGAIN in owed.actions
    await act_on_owed(world.gateway.desk, owed.id, OwedAction.SEND_AGAIN, owed.version)
    [part] = await world.rows("SELECT id FROM parts WHERE transport = 'text' AND state = 'unknown'")
    with pytest.raises(RefusedError, match="already"):
        await send_again(world.gateway.desk, part[0])
    await world.until_settled()
    assert world.answers_to(said) == ["echo: lost for good"]
    assert (await world.adds_up()).received.classes["answered"] == 1


async def test_a_part_that_is_verified_cannot_be_sent_again(world: World) -> None:
    world.say("certain")
    await world.until_settled()
    part = (await world.rows("SELECT id FROM parts WHERE transport = 'text'"))[0][0]
    with pytest.raises(RefusedError, match="could double it"):
        await send_again(world.gateway.desk, part)


@pytest.mark.scenario("L113")
async def test_a_request_is_answered_only_after_its_final_was_read_back(world: World) -> None:
    world.fault(READ, Effect(http_status=503), nth=2)
    world.say("not answered yet")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'written' AND code <> ''")
    assert (await world.ledger()).received.classes["answered"] == 0
    assert (await world.ledger()).received.classes["delivering"] == 1
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("L113")
async def test_a_failure_notice_is_no_answer(world: World) -> None:
    world.say("[[crash]]")
    await world.until_settled()
    ledger = await world.adds_up()
    assert ledger.received.classes["answered"] == 0
    assert ledger.received.classes["told"] == 1


@pytest.mark.scenario("L104")
async def test_received_stays_and_working_stands_only_while_the_turn_runs(world: World) -> None:
    running = world.say("[[say:begun]][[wait:go]]")
    waiting = world.say("queued meanwhile")
    await world.until(lambda: world.marks_on(waiting) == ["Get"])
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    assert world.marks_on(running) == ["Get"]
    await world.advance(limits.SAFETY_SCAN_MS)
    await world.until(lambda: world.marks_on(running) == ["Get", "OnIt"])
    world.release("go")
    await world.until_settled()
    await world.until(lambda: world.marks_on(running) == ["Get"])
    await world.until(lambda: world.marks_on(waiting) == ["Get"])
    await world.adds_up()


@pytest.mark.scenario("L105")
async def test_a_reaction_of_unknown_outcome_is_read_back_and_not_repeated(world: World) -> None:
    world.fault(REACT, Effect(lost_response=True))
    said = world.say("mark me")
    await world.until(lambda: bool(world.answers_to(said)))
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    marks = [r for r in world.platform.requests(REACT) if said.message_id in r.path and "Get" in str(r.body)]
    assert len(marks) == 1
    assert "Get" in world.marks_on(said)
    await world.adds_up()


@pytest.mark.scenario("L106")
async def test_without_reactions_the_words_are_the_same(world: World) -> None:
    await world.crash()
    await world.start(reactions=False)
    said = world.say("no marks")
    await world.until_settled()
    assert world.answers_to(said) == ["echo: no marks"]
    assert world.platform.requests(REACT) == []
    await world.adds_up()


@pytest.mark.scenario("P35")
async def test_a_hundred_kilobytes_of_mixed_text_arrive_whole(world: World) -> None:
    said = world.say("[[big:100]]")
    await world.until_settled(flowing=True)
    assert len("".join(world.answers_to(said)).encode()) >= 100 * 1024
    assert (await world.adds_up()).received.classes["answered"] == 1


async def test_an_agents_words_ping_nobody(world: World) -> None:
    world.fault_read_once()
    said = world.say("words")
    await world.until_rows("SELECT 1 FROM requests WHERE state = 'captured' AND tries = 1")
    said.content = json.dumps({"text": '<at user_id="all"></at> hello'})
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    message = world.platform.visible(world.chat.chat_id)[-1]
    assert message.by_bot
    assert "@_all" not in message.content
    assert "user_id" in message.text
    assert (await world.adds_up()).received.classes["answered"] == 1
