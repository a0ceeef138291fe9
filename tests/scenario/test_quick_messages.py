"""Several messages in quick succession keep their order, whatever each of them holds."""

import pytest
from tests.harness import World

from feishu_simulator.people import Speech


@pytest.mark.scenario("P45")
async def test_an_image_between_quick_messages_gets_its_own_word_and_the_others_run_in_order(world: World) -> None:
    first = world.say("first")
    picture = Speech(upload=b"\x89PNG\r\n\x1a\n", upload_kind="image")
    image = world.platform.people.say(world.owner.user_id, world.chat.chat_id, picture)
    last = world.say("last")
    await world.until_settled(flowing=True)
    assert world.prompts() == ["first", "last"]
    assert world.answers_to(first) == ["echo: first"]
    assert world.answers_to(last) == ["echo: last"]
    [word] = world.answers_to(image)
    assert "cannot be read yet (image)" in word
    admitted = await world.rows("SELECT message_id FROM requests WHERE origin = 'lark' AND kind <> '' ORDER BY seq")
    mine = [first.message_id, image.message_id, last.message_id]
    assert [row[0] for row in admitted if row[0] in mine] == mine
    assert world.answers().index("echo: first") < world.answers().index("echo: last")
    ledger = await world.adds_up()
    assert (ledger.received.classes["answered"], ledger.received.classes["told"]) == (2, 1)
