"""Where words may stand: where the question was, afresh in a private chat when it is gone, and nowhere else."""

import pytest
from tests.harness import World
from tests.harness.world import Pause

from feishu_simulator.faults import Effect
from feishu_simulator.people import Speech
from hongyan.application.configure import revoke_binding
from hongyan.application.desk import OUTBOX
from hongyan.application.owed import list_owed
from hongyan.application.routes import route_of
from hongyan.domain import limits
from hongyan.domain.changes import Changes
from hongyan.domain.deliveries import Phase, Words, say
from hongyan.domain.requests import ClosedAs
from hongyan.ports import queries

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
CREATE = "POST /open-apis/im/v1/messages"
PARTS = "SELECT state, target, key FROM parts WHERE transport IN ('text', 'words_card') ORDER BY rowid"


async def test_an_answer_whose_question_was_withdrawn_is_said_afresh_in_the_private_chat(world: World) -> None:
    pause = Pause("part_intended")
    await world.restart(pause)
    said = world.say("gone in a moment")
    await pause.reached.wait()
    world.platform.people.recall(said.message_id)
    pause.may_go_on.set()
    await world.until_settled()
    assert world.answers() == ["echo: gone in a moment"]
    (refused, _, key), (verified, target, other) = await world.rows(PARTS)
    assert (refused, verified, target) == ("rejected", "verified", "")
    assert key != other
    (written,) = world.platform.requests(CREATE)
    looked = [
        request
        for request in world.platform.requests("GET /open-apis/im/v1/messages/:message_id")
        if request.path.endswith(said.message_id)
    ]
    requests = world.platform.requests()
    assert requests.index(looked[-1]) < requests.index(written)
    assert (await world.adds_up()).received.classes["answered"] == 1


async def test_an_answer_that_was_written_before_its_question_went_is_not_said_again(world: World) -> None:
    world.fault(REPLY, Effect(lost_response=True), nth=1)
    world.fault(REPLY, Effect(error_code=230011), nth=2)
    said = world.say("only once")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    world.platform.people.recall(said.message_id)
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    assert world.answers() == ["echo: only once"]
    assert world.platform.requests(CREATE) == []
    await world.adds_up()


async def test_a_question_that_is_still_there_keeps_its_answer_from_standing_elsewhere(world: World) -> None:
    world.fault(REPLY, Effect(error_code=230011))
    world.say("I am here")
    await world.until_settled()
    assert world.answers() == []
    assert len(await list_owed(world.gateway.desk)) == 1
    assert (await world.adds_up()).received.classes["undelivered"] == 1


@pytest.mark.scenario("P23")
async def test_a_topics_answer_stays_in_its_topic_or_fails_in_plain_sight(world: World) -> None:
    group = world.platform.add_group("geese", [world.owner, world.colleague], [world.app], topics=True)
    said = world.platform.people.say(world.owner.user_id, group.chat_id, Speech(text="a question"))
    await world.until_rows("SELECT 1 FROM requests WHERE message_id = :id AND state = 'closed'", id=said.message_id)
    desk = world.gateway.desk
    ((request_id,),) = await world.rows("SELECT id FROM requests WHERE message_id = :id", id=said.message_id)
    request = await desk.store.one(queries.REQUEST, id=request_id)
    assert request is not None
    world.platform.people.recall(said.message_id)
    words = Words(Phase.FINAL, "an answer", ClosedAs.OPEN)
    await desk.store.commit(Changes("plan", say(route_of(request, None), words, desk.stamp())))
    desk.wakeup.wake(OUTBOX)
    await world.until_rows("SELECT 1 FROM parts WHERE chat_id = :chat AND state = 'rejected'", chat=group.chat_id)
    await world.until_settled()
    assert [message for message in world.platform.visible(group.chat_id) if message.by_bot] == []
    assert world.platform.requests(CREATE) == []


@pytest.mark.scenario("D10")
async def test_what_is_left_of_an_answer_is_withheld_when_its_binding_is_revoked(world: World) -> None:
    assert world.binding is not None
    pause = Pause("receipt_saved")
    await world.restart(pause)
    world.say("[[big:70]]")
    await pause.reached.wait()
    await revoke_binding(world.gateway.desk, world.binding.id)
    pause.may_go_on.set()
    await world.until_settled(flowing=True)
    assert [state for state, _, _ in await world.rows(PARTS)][:3] == ["verified", "withheld", "withheld"]
    assert len(world.answers()) == 1
    ((closed_as, code),) = await world.rows("SELECT closed_as, code FROM requests WHERE turn_id IS NOT NULL")
    assert (closed_as, code) == ("silent", "access.revoked")
    assert (await world.adds_up()).writes.classes["withheld"] >= 2
