"""What no card can say is said as a text, with the same meaning and a budget of edits that outlives a restart."""

import pytest
from tests.harness import World

from feishu_simulator.faults import Effect
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.domain import limits

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
EDIT = "PUT /open-apis/im/v1/messages/:message_id"
CARDKIT = "cardkit:card:write"
REFUSED = Effect(error_code=230099, error_message="ext=ErrCode: 11310; ErrMsg: card table number over limit;")


async def working_in_words(world: World, words: str) -> None:
    """Let a Turn show its progress as a text, because its card is refused."""
    world.forbid(CARDKIT)
    world.fault(REPLY, REFUSED, nth=1)
    world.say(words)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible' AND carrier = 'text'")


@pytest.mark.scenario("P30")
async def test_progress_whose_card_is_refused_is_a_text_that_ends(world: World) -> None:
    await working_in_words(world, "[[tool:list files]] [[wait:go]] [[say:the answer]]")
    assert world.cards() == []
    (shown,) = world.answers()
    assert shown.startswith("Working")
    assert "Stop: /stop" in shown
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await world.until_settled(flowing=True)
    assert world.answers()[0].startswith("Done in")
    assert "the answer" in world.answers()[1]
    await world.adds_up()


@pytest.mark.scenario("P30")
async def test_a_request_for_leave_whose_card_is_refused_is_asked_in_words_and_settles_there(world: World) -> None:
    world.fault(REPLY, REFUSED, nth=1)
    world.say("[[ask:rm -r build]] [[say:done]]")
    await world.until(lambda: any("rm -r build" in answer for answer in world.answers()))
    ((code,),) = await world.rows("SELECT code FROM decisions")
    assert f"yes {code}" in world.answers()[0]
    world.say(f"yes {code}")
    await world.until_settled(flowing=True)
    assert "Allowed once" in world.answers()[0]
    assert f"yes {code}" not in world.answers()[0]
    assert await world.rows("SELECT outcome FROM decisions") == [("allowed_once",)]
    await world.adds_up()


@pytest.mark.scenario("P30")
async def test_a_card_over_a_limit_is_known_before_it_is_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CARD_BYTES", 300)
    world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible' AND carrier = 'text'")
    assert [call.body for call in world.platform.requests(REPLY) if "interactive" in str(call.body)] == []
    world.release("go")
    await world.until_settled(flowing=True)
    assert await world.rows("SELECT code FROM parts WHERE transport = 'card'") == [("chat.card_too_heavy",)]
    await world.adds_up()


@pytest.mark.scenario("P30")
async def test_where_neither_card_nor_text_is_taken_the_answer_still_arrives(world: World) -> None:
    for nth in (1, 2, 3):  # as an entity, whole, and as a text
        world.fault(REPLY, REFUSED, nth=nth)
    said = world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'card_text' AND state = 'rejected'")
    world.release("go")
    await world.until_settled(flowing=True)
    assert len(world.answers_to(said)) == 1
    await world.adds_up()


@pytest.mark.scenario("L95")
async def test_the_edits_of_a_text_are_counted_across_a_restart_and_the_last_look_is_kept_free(
    plain_world: World,
) -> None:
    world = plain_world
    await working_in_words(world, "[[open-tool:first]][[hang]]")
    spent = 0
    while spent < limits.TEXT_EDITS - 1:
        if spent == 2:
            world.fault(EDIT, Effect(http_status=502))  # it counts although nobody knows what became of it
        await advance_a_heartbeat(world)
        await world.until_rows(f"SELECT 1 FROM cards WHERE edits > {spent}")
        ((spent,),) = await world.rows("SELECT edits FROM cards")
    await world.restart()
    await world.until(lambda: world.answers()[0].startswith("Held"))
    assert await world.rows("SELECT state, edits FROM cards") == [("closed", limits.TEXT_EDITS - 1)]
    assert len(world.platform.requests(EDIT)) == limits.TEXT_EDITS  # the look of the held Turn is not a passing one
    for _ in range(3):
        await advance_a_heartbeat(world)
    assert len(world.platform.requests(EDIT)) == limits.TEXT_EDITS
    (row,) = await list_owed(world.gateway.desk)
    await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'visible' AND edits < :spent", spent=spent)
    world.say("/stop")
    await world.until_settled(flowing=True)
    assert world.answers()[0].startswith("Held")  # what it said stays; the second run has a card of its own
    assert [card.labels for card in world.cards()] == [[]]
    await world.adds_up()


async def advance_a_heartbeat(world: World) -> None:
    """Let as much time pass as brings a look that only the clock changed."""
    for _ in range(4):
        await world.advance(limits.CARD_HEARTBEAT_MS // 4)


@pytest.mark.scenario("P36", "L96")
async def test_a_text_that_was_edited_as_often_as_it_may_leaves_the_answer_whole_and_claims_nothing(
    world: World,
) -> None:
    await working_in_words(world, "[[tool:a]] [[wait:go]] [[say:the whole answer]]")
    world.fault(EDIT, Effect(error_code=230072), times=None)
    world.release("go")
    await world.until_settled(flowing=True)
    assert not any("✅" in answer or answer.startswith("Done") for answer in world.answers())
    assert any("the whole answer" in answer for answer in world.answers())
    ledger = await world.adds_up()
    assert ledger.received.classes["undelivered"] == 0
