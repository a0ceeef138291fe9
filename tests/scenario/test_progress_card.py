"""The card of a running Turn: late, seldom, stoppable, and brought to one line however the Turn ends."""

import pytest
from tests.harness import World
from tests.harness.crash import Crash
from tests.harness.shown_card import ShownCard

from feishu_simulator.faults import Effect, RateLimit

PATCH = "PATCH /open-apis/im/v1/messages/:message_id"
UPDATE = "PUT /open-apis/cardkit/v1/cards/:card_id"
CARDKIT = "cardkit:card:write"
REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"


async def working(world: World, words: str) -> ShownCard:
    """Let a Turn open its card and give it."""
    world.say(words)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    await world.until(lambda: len(world.cards()) == 1)
    return world.cards()[0]


async def tools_done(world: World, count: int) -> None:
    """Wait until that many tool calls are kept as done."""
    done = "SELECT kind FROM turn_events WHERE kind = 'tool_changed' AND body LIKE '%done%' GROUP BY kind"
    await world.until_rows(f"{done} HAVING count(*) >= {count}")


async def test_a_short_turn_without_tools_opens_no_card(world: World) -> None:
    world.say("hello there, agent")
    await world.until_settled()
    assert world.cards() == []


async def test_the_first_tool_opens_the_card_and_the_end_is_one_line(world: World) -> None:
    card = await working(world, "[[tool:list files]] [[wait:go]]")
    assert (card.title, card.labels) == ("Working", ["Stop"])
    await tools_done(world, 1)
    await world.advance(1_000)
    await world.until(lambda: "✓ list files" in world.cards()[0].words)
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await world.until_settled(flowing=True)
    (closed,) = world.cards()
    assert (closed.title, closed.tone) == ("Done in 1 s · 1 tool", "green")
    assert (closed.labels, closed.words) == ([], "")
    await world.adds_up()


async def test_a_turn_that_takes_a_while_opens_the_card(world: World) -> None:
    world.say("[[wait:go]] now")
    await world.until_rows("SELECT 1 FROM turns WHERE state IN ('starting', 'running')")
    await world.until_asleep(1_500)
    await world.advance(1_500)
    await world.until(lambda: len(world.cards()) == 1)
    world.release("go")
    await world.until_settled(flowing=True)
    assert world.cards()[0].title.startswith("Done in")
    await world.adds_up()


async def test_the_card_changes_at_most_once_a_second(world: World) -> None:
    await working(world, "[[tool:a]] [[tool:b]] [[tool:c]] [[tool:d]] [[wait:go]]")
    await tools_done(world, 4)
    for _ in range(5):
        await world.advance(200)
    await world.until(lambda: "✓ d" in world.cards()[0].words)
    assert len(world.platform.requests(UPDATE)) <= 1
    world.release("go")
    await world.until_settled(flowing=True)
    await world.adds_up()


@pytest.mark.scenario("M99")
async def test_thoughts_are_shown_to_the_owner_within_their_limit(world: World) -> None:
    thoughts = " ".join(f"[[think:thought {n} {'x' * 500}]] [[tool:step {n}]]" for n in range(6))
    await working(world, f"{thoughts} [[wait:go]]")
    await tools_done(world, 6)
    await world.advance(1_000)
    await world.until(lambda: "✓ step 5" in world.cards()[0].words)
    shown = world.cards()[0].words
    assert "thought 5" in shown
    assert "thought 1" not in shown
    assert shown.count("x") <= 1_200
    world.release("go")
    await world.until_settled(flowing=True)


async def test_stop_on_the_card_stops_this_turn_and_no_later_one(world: World) -> None:
    card = await working(world, "[[tool:a]] [[hang]]")
    later = world.say("after it")
    assert await world.clicked(card, "Stop") == "Stopping"
    await world.until_settled(flowing=True)
    (closed,) = world.cards()
    assert closed.title.startswith("Stopped after")
    assert world.answers_to(later) == ["echo: after it"]
    await world.adds_up()


@pytest.mark.scenario("P32")
async def test_a_crash_leaves_no_card_that_still_works(world: World) -> None:
    await working(world, "[[tool:a]] [[hang]]")
    await world.restart()
    await world.until(lambda: world.cards()[0].labels == [])
    assert world.cards()[0].title.startswith("Failed after")
    await world.until_settled(flowing=True)
    await world.adds_up()


@pytest.mark.parametrize("point", ["card_intended", "card_written", "card_saved", "look_intended", "look_written"])
async def test_a_crash_around_the_writes_of_the_card_ends_in_one_closed_card(world: World, point: str) -> None:
    crash = Crash(point)
    await world.stop()
    await world.start(crash)
    world.say("[[tool:a]] [[wait:go]]")
    if point.startswith("look"):
        await world.until(lambda: len(world.cards()) == 1)
        world.release("go")
    await world.until(crash.dead.is_set)
    world.release("go")
    await world.restart()
    await world.until_settled(flowing=True)
    assert [card.labels for card in world.cards()] == ([] if point == "card_intended" else [[]])
    await world.adds_up()


@pytest.mark.scenario("L96")
async def test_a_refused_update_ends_the_progress_and_not_the_answer(world: World) -> None:
    world.forbid(CARDKIT)
    world.fault(PATCH, Effect(error_code=230072), times=1)
    said = world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until(lambda: len(world.cards()) == 1)
    await tools_done(world, 1)
    await world.advance(1_000)
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'card_patch' AND state = 'rejected'")
    for _ in range(3):
        await world.advance(1_000)
    assert len(world.platform.requests(PATCH)) == 1
    world.release("go")
    await world.until_settled(flowing=True)
    assert any("the answer" in answer for answer in world.answers_to(said))
    await world.adds_up()


@pytest.mark.scenario("P36")
async def test_a_card_is_green_only_after_its_answer_was_read_back(world: World) -> None:
    world.fault(REPLY, Effect(http_status=502), nth=2)
    said = world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until(lambda: len(world.cards()) == 1)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    world.release("go")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'text' AND state = 'unknown'")
    assert world.cards()[0].tone == "blue"
    await world.until_settled(flowing=True)
    assert world.cards()[0].tone == "green"
    assert len(world.answers_to(said)) == 1
    await world.adds_up()


@pytest.mark.scenario("P36")
async def test_a_card_does_not_call_done_what_the_person_never_got(world: World) -> None:
    world.fault(REPLY, Effect(error_code=230028), nth=2)
    said = world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    world.release("go")
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == []
    (closed,) = world.cards()
    assert (closed.tone, closed.labels) == ("red", [])
    assert "did not arrive for certain" in closed.title
    await world.adds_up()


@pytest.mark.scenario("P36")
async def test_a_card_whose_answer_is_long_on_its_way_keeps_no_button(world: World) -> None:
    world.fault(REPLY, Effect(rate_limit=RateLimit(1, 60_000)), times=None)
    world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible'")
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    for _ in range(7):
        await world.advance(1_000)
    await world.until(lambda: world.cards()[0].labels == [])
    assert world.cards()[0].title == "Delivering the answer"
    await world.until_settled(flowing=True)
    assert world.cards()[0].tone == "green"
    await world.adds_up()


async def test_a_card_that_cannot_be_written_delays_no_answer(world: World) -> None:
    world.fault(UPDATE, Effect(http_status=502), times=50)
    said = world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until(lambda: len(world.cards()) == 1)
    world.release("go")
    await world.until(lambda: any("the answer" in answer for answer in world.answers_to(said)))
    await world.until_settled(flowing=True)
    ledger = await world.adds_up()
    assert ledger.received.classes["answered"] >= 1


async def test_looks_that_were_passed_by_are_folded_however_close_they_come(world: World) -> None:
    world.forbid(CARDKIT)
    await working(world, "[[tool:a]] [[hang]]")
    for look in range(1, 4):
        await world.advance(31_000)
        await world.until_rows(f"SELECT count(*) FROM parts WHERE written_at > 0 HAVING count(*) > {look}")
    world.say("/stop")
    await world.until_settled(flowing=True)
    ends = await world.rows("SELECT DISTINCT state FROM parts WHERE transport = 'card_patch' ORDER BY state")
    assert ends == [("superseded",), ("verified",)]
    await world.adds_up()


@pytest.mark.scenario("M99")
async def test_a_secret_in_a_thought_is_on_no_card(world: World) -> None:
    secret = "sk-live-0123456789abcdefghij"
    card = await working(world, f"[[think:the key is {secret}, it seems]] [[tool:a]] [[wait:go]]")
    await world.flow_until(lambda: "it seems" in world.cards()[0].words)
    world.release("go")
    await world.until_settled(flowing=True)
    assert all(secret not in str(look.card) for look in world.platform.card_updates(card.message_id))


async def test_the_plan_of_the_agent_is_shown_with_how_far_it_came(world: World) -> None:
    await working(world, "[[plan:+read the code|>write the test|look again]] [[tool:a]] [[wait:go]]")
    await world.flow_until(lambda: "Plan" in world.cards()[0].words)
    words = world.cards()[0].words
    assert "Plan · 1 of 3" in words
    assert "✓ read the code\n… write the test\n· look again" in words
    world.release("go")
    await world.until_settled(flowing=True)


@pytest.mark.scenario("M101")
async def test_reasoning_that_is_no_summary_is_neither_shown_nor_kept(reticent_world: World) -> None:
    world, canary = reticent_world, "the heron stands in the reeds"
    card = await working(world, f"[[think:{canary}]] [[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.flow_until(lambda: "✓ a" in world.cards()[0].words)
    assert world.cards()[0].words.startswith("**Tools**")
    world.release("go")
    await world.until_settled(flowing=True)
    assert all(canary not in str(look.card) for look in world.platform.card_updates(card.message_id))
    assert await world.rows("SELECT body FROM turn_events WHERE body LIKE '%heron%'") == []
    assert any("the answer" in answer for answer in world.answers())
