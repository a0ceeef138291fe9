"""Marks give way to words: they are shown in time, and never at the cost of what a person waits for."""

from tests.harness import World

from hongyan.domain import limits

REACT = "POST /open-apis/im/v1/messages/:message_id/reactions"


async def test_a_quick_answer_costs_one_mark_and_no_working_mark(world: World) -> None:
    said = world.say("quick")
    await world.until_settled()
    assert world.answers_to(said) == ["echo: quick"]
    assert world.marks_on(said) == ["Get"]
    assert [str(call.body) for call in world.platform.requests(REACT)].count("OnIt") == 0
    assert len(world.platform.requests(REACT)) == 1
    await world.adds_up()


async def test_a_mark_that_cannot_be_set_delays_no_word(world: World) -> None:
    world.gateway.desk.haste.begin("something that never ends")
    said = world.say("words first")
    await world.until(lambda: world.answers_to(said) == ["echo: words first"])
    assert world.platform.requests(REACT) == []
    await world.advance(limits.MARK_YIELDS_MS)
    await world.until(lambda: world.marks_on(said) == ["Get"])
    await world.until_settled()
    await world.adds_up()
