"""The working mark follows the Turn, not its words, and taking it away is a matter of its own."""

import pytest
from tests.harness import World

from feishu_simulator.faults import Effect
from feishu_simulator.model import Message
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.domain import limits

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
UNREACT = "DELETE /open-apis/im/v1/messages/:message_id/reactions/:reaction_id"
REACTIONS = "GET /open-apis/im/v1/messages/:message_id/reactions"
RUNNING = "SELECT 1 FROM turns WHERE state = 'running'"
WITHIN_MS = 5_000


async def until_marked(world: World, said: Message) -> None:
    """Let the time pass after which a running Turn is marked as working."""
    await world.until_rows(RUNNING)
    await world.advance(limits.SAFETY_SCAN_MS)
    await world.until(lambda: world.marks_on(said) == ["Get", "OnIt"])


@pytest.mark.scenario("L107")
async def test_a_turn_that_says_nothing_has_its_mark_while_it_runs_and_not_when_it_is_stopped(world: World) -> None:
    said = world.say("[[think:pondering]][[hang]]")
    since = world.clock.now()
    await until_marked(world, said)
    world.say("/stop")
    await world.until(lambda: world.marks_on(said) == ["Get"])
    assert world.clock.now() - since <= WITHIN_MS
    await world.until_settled()
    assert world.platform.requests(REPLY) != []  # the stop was answered, the Turn itself said nothing
    await world.adds_up()


@pytest.mark.scenario("L107")
async def test_a_turn_that_is_held_without_a_word_of_its_agent_loses_its_mark(plain_world: World) -> None:
    said = plain_world.say("[[think:pondering]][[hang]]")
    await until_marked(plain_world, said)
    await plain_world.restart()
    since = plain_world.clock.now()
    await plain_world.until_rows("SELECT 1 FROM turns WHERE state = 'held'")
    await plain_world.until(lambda: plain_world.marks_on(said) == ["Get"])
    assert plain_world.clock.now() - since <= WITHIN_MS
    await plain_world.until_settled(but=("held",))
    await plain_world.adds_up()


async def test_a_held_turn_that_runs_again_is_seen_to_run(plain_world: World) -> None:
    said = plain_world.say("[[say:begun]][[wait:go]]")
    await until_marked(plain_world, said)
    await plain_world.restart()
    await plain_world.until_rows("SELECT 1 FROM turns WHERE state = 'held'")
    await plain_world.until_settled(but=("held",))
    [row] = await list_owed(plain_world.gateway.desk)
    await act_on_owed(plain_world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    await plain_world.until_rows(RUNNING)
    plain_world.release("go")
    await plain_world.until_settled()
    assert plain_world.answers_to(said)[-1] == "begun"
    await plain_world.adds_up()


@pytest.mark.scenario("L98")
@pytest.mark.parametrize(
    "effect", [Effect(http_status=503), Effect(error_code=99991400), Effect(refuse_connection=True)]
)
async def test_a_mark_that_could_not_be_taken_away_is_tried_again_and_nothing_else_is(
    world: World, effect: Effect
) -> None:
    world.fault(UNREACT, effect)
    said = world.say("[[say:begun]][[wait:go]]")
    await until_marked(world, said)
    world.release("go")
    await world.until_rows("SELECT 1 FROM requests WHERE closed_as = 'answered' AND text LIKE '%begun%'")
    written = len(world.platform.requests(REPLY))
    await world.until_settled(flowing=True)
    assert world.marks_on(said) == ["Get"]
    assert len(world.platform.requests(REPLY)) == written
    assert len(world.answers_to(said)) == len(world.prompts()) == 1
    await world.adds_up()


@pytest.mark.scenario("L98")
async def test_a_mark_goes_also_when_neither_its_removal_nor_its_read_back_was_answered(world: World) -> None:
    world.fault(UNREACT, Effect(http_status=502))
    world.fault(REACTIONS, Effect(http_status=502))
    said = world.say("[[say:begun]][[wait:go]]")
    await until_marked(world, said)
    world.release("go")
    await world.flow_until(lambda: world.marks_on(said) == ["Get"])
    await world.until_settled(flowing=True)
    assert len(world.answers_to(said)) == 1
    await world.adds_up()


@pytest.mark.scenario("L98")
async def test_a_removal_that_happened_without_an_answer_is_not_made_twice(world: World) -> None:
    world.fault(UNREACT, Effect(lost_response=True))
    said = world.say("[[say:begun]][[wait:go]]")
    await until_marked(world, said)
    world.release("go")
    await world.until_settled(flowing=True)
    assert world.marks_on(said) == ["Get"]
    assert len(world.platform.requests(UNREACT)) == 1
    await world.adds_up()
