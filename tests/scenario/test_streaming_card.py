"""A progress card that streams: sent once, changed under growing numbers, gone on with below before its stream ends."""

from itertools import pairwise

import pytest
from tests.harness import World
from tests.harness.crash import Crash
from tests.harness.shown_card import ShownCard

from feishu_simulator.faults import Effect
from hongyan.domain import limits

CREATE = "POST /open-apis/cardkit/v1/cards"
UPDATE = "PUT /open-apis/cardkit/v1/cards/:card_id"
TYPE_ON = "PUT /open-apis/cardkit/v1/cards/:card_id/elements/:element_id/content"
PATCH = "PATCH /open-apis/im/v1/messages/:message_id"
SCOPE = "cardkit:card:write"


async def streaming(world: World, words: str) -> ShownCard:
    """Let a Turn open its card and give it."""
    world.say(words)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'card' AND state = 'verified'")
    return world.cards()[0]


async def written(world: World) -> None:
    """Wait until every look that is planned was written."""
    await world.until_rows(
        "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM parts WHERE state IN ('planned', 'intended') "
        "AND transport LIKE 'card%')"
    )


async def shows(world: World, words: str) -> None:
    """Let time pass until the newest card shows the words."""
    await world.flow_until(lambda: words in world.cards()[-1].words)


async def long_after(world: World, milliseconds: int) -> None:
    """Let that much time pass, as slowly as cards are changed."""
    for _ in range(milliseconds // 15_000):
        await world.advance(15_000)
        await written(world)


async def ended(world: World, count: int) -> None:
    """See every card at its end, none of which looks alive."""
    await world.until_settled(flowing=True)
    assert len(world.cards()) == count
    assert [card.labels for card in world.cards()] == [[]] * count
    assert not any(world.platform.streaming(card.message_id) for card in world.cards())
    assert await world.rows("SELECT DISTINCT state FROM cards") == [("closed",)]
    await world.adds_up()


async def test_the_answer_is_typed_on_under_growing_numbers_and_the_stream_is_closed(world: World) -> None:
    card = await streaming(
        world,
        "[[tool:a]] [[say:first words]] [[wait:more]] [[say:, and more]] [[wait:go]]",
    )
    assert world.platform.streaming(card.message_id)
    await shows(world, "first words")
    world.release("more")
    await shows(world, "first words, and more")
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await ended(world, 1)
    looks = world.platform.card_updates(card.message_id)
    numbers = [look.sequence for look in looks if look.sequence is not None]
    assert numbers == sorted(set(numbers))
    assert any(look.typed for look in looks)
    times = [look.at_ms for look in looks[1:-1]]
    assert all(later - earlier >= limits.CARD_EVERY_MS for earlier, later in pairwise(times))
    assert len(world.platform.requests(CREATE)) == 1
    assert world.platform.requests(PATCH) == []


@pytest.mark.scenario("P29")
async def test_a_long_turn_goes_on_below_before_its_stream_would_be_ended(world: World) -> None:
    first = await streaming(world, "[[open-tool:a]] [[hang]]")
    await long_after(world, limits.CARD_ROTATES_MS + 30_000)
    await world.until(lambda: len(world.cards()) == 2)
    old, new = world.cards()
    assert (old.message_id, old.title, old.labels, old.words) == (first.message_id, "Continued below", [], "")
    assert not world.platform.streaming(old.message_id)
    end = world.platform.card_updates(old.message_id)[0].at_ms + 600_000  # of the stream that the old card had
    await long_after(world, 90_000)
    await world.flow_until(lambda: world.platform.card_updates(new.message_id)[-1].at_ms > end)
    assert world.cards()[1].labels == ["Stop"]
    assert await world.clicked(new, "Stop") == "Stopping"
    await ended(world, 2)
    assert world.cards()[1].title.startswith("Stopped after")
    assert len(world.prompts()) == 1


@pytest.mark.scenario("P29")
async def test_a_card_is_old_after_the_machine_slept(world: World) -> None:
    await streaming(world, "[[open-tool:a]] [[hang]]")
    await world.advance(2 * limits.CARD_ROTATES_MS, leap=True)
    await world.advance(1_000)
    await world.until(lambda: len(world.cards()) == 2)
    world.say("/stop")
    await ended(world, 2)


@pytest.mark.scenario("P29")
async def test_changes_that_are_dropped_without_an_error_are_seen_and_brought_another_way(world: World) -> None:
    await streaming(world, "[[tool:a]] [[wait:go]] [[say:the answer]]")
    world.fault(UPDATE, Effect(swallow=True), times=None)
    world.release("go")
    await ended(world, 1)
    assert world.cards()[0].title.startswith("Done in")
    assert len(world.platform.requests(PATCH)) == 1


@pytest.mark.parametrize("code", [200850, 300309])
async def test_a_stream_that_was_ended_early_loses_no_word_and_no_card(world: World, code: int) -> None:
    await streaming(world, "[[tool:a]] [[say:first]] [[wait:more]] [[say:, second]] [[wait:go]]")
    await shows(world, "first")
    world.fault(TYPE_ON, Effect(error_code=code), times=None)
    world.release("more")
    await shows(world, "first, second")
    assert await world.rows("SELECT carrier FROM cards") == [("entity",)]
    world.release("go")
    await ended(world, 1)
    assert len([call for call in world.platform.requests(TYPE_ON) if call.code == code]) == 1


async def test_a_number_that_is_not_new_is_followed_by_a_larger_one(world: World) -> None:
    card = await streaming(world, "[[tool:a]] [[wait:go]]")
    world.fault(UPDATE, Effect(error_code=300317))
    world.release("go")
    await ended(world, 1)
    assert max(look.sequence or 0 for look in world.platform.card_updates(card.message_id)) > limits.SEQUENCE_JUMP
    assert world.cards()[0].title.startswith("Done in")


async def test_a_button_that_is_being_pressed_delays_a_change_and_nothing_else(world: World) -> None:
    await streaming(world, "[[tool:a]] [[wait:go]]")
    world.fault(UPDATE, Effect(error_code=200810))
    world.release("go")
    await ended(world, 1)
    assert world.platform.requests(PATCH) == []


async def test_without_the_permission_a_card_is_posted_whole_and_patched(world: World) -> None:
    world.forbid(SCOPE)
    await streaming(world, "[[tool:a]] [[wait:go]]")
    await shows(world, "✓ a")
    world.release("go")
    await ended(world, 1)
    assert world.platform.requests(UPDATE) == []
    assert len(world.platform.requests(PATCH)) == 2


@pytest.mark.parametrize("effect", [Effect(error_code=200220), Effect(http_status=502), Effect(lost_response=True)])
async def test_an_entity_that_was_not_made_for_certain_costs_the_stream_and_not_the_card(
    world: World, effect: Effect
) -> None:
    world.fault(CREATE, effect)
    await streaming(world, "[[tool:a]] [[wait:go]]")
    world.release("go")
    await ended(world, 1)
    assert len(world.platform.requests(CREATE)) == 1


@pytest.mark.parametrize("code", [200750, 99991672])
async def test_an_entity_that_can_no_longer_be_changed_is_patched(world: World, code: int) -> None:
    await streaming(world, "[[tool:a]] [[wait:go]]")
    world.fault(UPDATE, Effect(error_code=code), times=None)
    world.release("go")
    await ended(world, 1)
    assert world.cards()[0].title.startswith("Done in")


@pytest.mark.scenario("L97")
@pytest.mark.parametrize(("effect", "writes"), [(Effect(lost_response=True), 1), (Effect(http_status=502), 2)])
async def test_a_change_of_unknown_outcome_is_read_back_and_repeated_only_when_it_is_not_there(
    world: World, effect: Effect, writes: int
) -> None:
    await streaming(world, "[[open-tool:a]] [[wait:go]] [[say:the answer]]")
    await shows(world, "… a")
    before = len(world.platform.requests(UPDATE))
    world.fault(UPDATE, effect)
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await ended(world, 1)
    assert len(world.platform.requests(UPDATE)) - before == writes


@pytest.mark.scenario("L97")
async def test_progress_that_stays_unknown_sends_nothing_else_and_delays_no_answer(world: World) -> None:
    said = world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'card' AND state = 'verified'")
    world.fault(UPDATE, Effect(http_status=502), times=None)
    world.release("go")
    await world.until(lambda: len(world.answers_to(said)) == 1)
    await world.until_settled(flowing=True)
    assert (len(world.answers()), len(world.cards())) == (1, 1)
    assert world.platform.requests(PATCH) == []
    await world.adds_up()


@pytest.mark.scenario("P32")
async def test_a_card_that_could_not_be_sent_before_its_turn_ended_is_never_sent_and_waits_for_nothing(
    world: World,
) -> None:
    world.fault("POST /open-apis/im/v1/messages/:message_id/reply", Effect(error_code=99991400))
    world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'card' AND state = 'planned' AND attempts = 1")
    world.fault("POST /open-apis/im/v1/messages/:message_id/reply", Effect(error_code=99991400))
    await world.restart()
    await world.until_settled(flowing=True)
    assert world.cards() == []
    assert await world.rows("SELECT state FROM parts WHERE transport = 'card'") == [("superseded",)]
    await world.adds_up()


WRITING = ("card_intended", "entity_created", "entity_saved", "card_written", "card_saved")
ENDING = ("card_closing", "look_intended", "look_written", "look_saved")


@pytest.mark.scenario("P32")
@pytest.mark.parametrize("point", WRITING)
async def test_a_crash_while_the_card_is_made_ends_in_one_closed_card_or_none(world: World, point: str) -> None:
    crash = Crash(point)
    await world.stop()
    await world.start(crash)
    world.say("[[open-tool:a]] [[hang]]")
    await world.until(crash.dead.is_set)
    await world.restart()
    visible = point in {"entity_saved", "card_written", "card_saved"}
    await ended(world, int(visible))
    assert len(world.prompts()) == 1
    assert len(world.platform.requests(CREATE)) <= 1


@pytest.mark.scenario("P32")
@pytest.mark.parametrize("point", ENDING)
async def test_a_crash_while_the_card_is_closed_ends_in_one_closed_card(world: World, point: str) -> None:
    crash = Crash(point)
    await world.stop()
    await world.start(crash)
    await streaming(world, "[[open-tool:a]] [[wait:go]]")
    world.release("go")
    await world.until(crash.dead.is_set)
    await world.restart()
    await ended(world, 1)
    assert world.cards()[0].title.startswith("Done in")
    assert len(world.prompts()) == 1


@pytest.mark.scenario("P29", "P32")
@pytest.mark.parametrize(
    ("point", "nth"), [("rotating", 1), ("entity_created", 2), ("entity_saved", 2), ("card_saved", 2)]
)
async def test_a_crash_while_the_card_goes_on_below_leaves_none_that_looks_alive(
    world: World, point: str, nth: int
) -> None:
    crash = Crash(point, nth)
    await world.stop()
    await world.start(crash)
    await streaming(world, "[[open-tool:a]] [[hang]]")
    await world.advance(limits.CARD_ROTATES_MS, leap=True)
    await world.advance(1_000)
    await world.until(crash.dead.is_set)
    await world.restart()
    await ended(world, 2 if point in {"entity_saved", "card_saved"} else 1)
    assert world.cards()[0].title == "Continued below"
    assert len(world.prompts()) == 1
