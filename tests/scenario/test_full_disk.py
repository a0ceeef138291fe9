"""A full disk: what cannot be kept is refused before the acknowledgement, and nothing is lost or doubled after it."""

import pytest
from tests.harness import World

from feishu_simulator.delivery import EventState
from hongyan.domain import limits

ACK_WINDOW_MS = 3_000
FIRST_RUNG_MS = 15_000
REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
READ = "GET /open-apis/im/v1/messages/:message_id"

# Every commit between the acknowledgement and the verified answer, by its label.
ON_THE_WAY = (
    "admit",
    "claim",
    "start_agent",
    "intend_prompt",
    "begin",
    "freeze_answer",
    "complete",
    "intend_part",
    "keep_receipt",
    "settle_verified",
)


@pytest.mark.scenario("D13")
async def test_what_cannot_be_kept_is_not_acknowledged_and_comes_again(world: World) -> None:
    world.disk.fill("accept")
    said = world.say("come again")
    event = world.platform.events("im.message.receive_v1")[-1]
    await world.until(lambda: event.attempts[-1].outcome == "refused")
    assert event.attempts[-1].ack_code == 500
    assert event.state is not EventState.ACKED
    assert await world.rows("SELECT count(*) FROM requests WHERE message_id = :id", id=said.message_id) == [(0,)]
    world.disk.free()
    await world.advance(FIRST_RUNG_MS)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: come again"]
    assert world.prompts() == ["come again"]
    await world.adds_up()


@pytest.mark.scenario("D13")
async def test_a_disk_without_any_room_refuses_and_recovers_by_itself(world: World) -> None:
    before = world.say("before it was full")
    await world.until_settled()
    world.disk.fill()
    refused = [world.say(f"while it is full {n}") for n in range(3)]
    await world.until(lambda: world.disk.refused.count("accept") == len(refused))
    await world.advance(FIRST_RUNG_MS)
    await world.until(lambda: world.disk.refused.count("accept") == 2 * len(refused))
    world.disk.free()
    await world.advance(300_000)
    await world.until_settled(flowing=True)
    assert [world.answers_to(said) for said in (before, *refused)] == [
        ["echo: before it was full"],
        *([f"echo: while it is full {n}"] for n in range(3)),
    ]
    await world.adds_up()


@pytest.mark.scenario("D13")
@pytest.mark.parametrize("label", ON_THE_WAY)
async def test_a_disk_that_is_full_on_the_way_loses_nothing_and_doubles_nothing(world: World, label: str) -> None:
    world.disk.fill(label)
    said = world.say("through a full disk")
    await world.until(lambda: label in world.disk.refused)
    world.disk.free()
    for _ in range(3):
        await world.advance(limits.BACK_OFF_MS)
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: through a full disk"]
    assert world.prompts() == ["through a full disk"]
    assert len(world.platform.requests(REPLY)) == 1
    ledger = await world.adds_up()
    assert (ledger.received.classes["answered"], ledger.owed) == (1, 0)


@pytest.mark.scenario("D13")
@pytest.mark.parametrize(
    ("label", "text"),
    [("begin", "[[slow:2:300]]"), ("keep_events", "[[tool:ls]][[say:done]]"), ("intend_prompt", "[[slow:2:300]]")],
)
async def test_a_full_disk_holds_no_turn_whose_agent_is_seen_to_work(plain_world: World, label: str, text: str) -> None:
    world = plain_world
    world.disk.fill(label)
    said = world.say(text)
    await world.until(lambda: label in world.disk.refused)
    world.disk.free()
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    assert len(world.answers_to(said)) == 1
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("D13")
@pytest.mark.parametrize("label", ["admit", "claim", "intend_part"])
async def test_a_disk_that_stays_full_is_tried_again_in_steps_and_not_without_pause(world: World, label: str) -> None:
    world.disk.fill(label)
    said = world.say("patience")
    await world.until(lambda: label in world.disk.refused)
    reads = len(world.platform.requests(READ))
    for _ in range(10):
        await world.advance(limits.SAFETY_SCAN_MS)
    await world.until(lambda: world.disk.refused.count(label) >= 2)
    assert world.disk.refused.count(label) <= 11
    assert len(world.platform.requests(READ)) - reads <= 11
    world.disk.free()
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: patience"]
    await world.adds_up()
