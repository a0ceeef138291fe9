"""Cards and clicks as the official clients make and answer them."""

import pytest
from tests.peers.peers import WAIT_SECONDS, Meeting, meeting

from feishu_simulator.clicks import Click

pytestmark = pytest.mark.peers

CALLBACK = "card.action.trigger"


async def click(here: Meeting, message_id: str) -> Click:
    """Press the button and wait for what comes of it."""
    pressed = here.simulator.platform.click(here.user, message_id, text="Allow once")
    await here.simulator.until(lambda: pressed.ended, timeout_seconds=WAIT_SECONDS)
    return pressed


def operator(here: Meeting) -> str:
    """Return the id under which the App knows the person."""
    return here.simulator.platform.ids.open_id(here.app.app_id, here.user.user_id)


async def test_lark_oapi_answers_a_click_with_a_toast_and_another_card() -> None:
    async with meeting("lark-oapi") as here:
        await here.connected()
        here.write("ask")
        message_id = await here.printed("asked")
        pressed = await click(here, message_id)
        assert await here.printed("clicked") == {"value": {"decision": "once"}, "operator": operator(here)}
        assert (pressed.state, pressed.code, pressed.card_updated) == ("answered", None, True)
        assert pressed.toast == {"type": "success", "content": "Allowed", "i18n": {"zh_cn": "已允许"}}
        assert here.simulator.platform.messages.find(message_id).text == "Allowed by you"
        assert here.simulator.platform.buttons(message_id) == []


async def test_lark_oapi_makes_an_entity_streams_into_it_and_closes_it() -> None:
    async with meeting("lark-oapi") as here:
        await here.connected()
        here.write("stream")
        message_id = await here.printed("streamed")
        platform = here.simulator.platform
        updates = platform.card_updates(message_id)
        assert [(update.action, update.sequence, update.typed) for update in updates] == [
            ("created", None, False),
            ("stream_text", 1, True),
            ("stream_text", 2, True),
            ("settings", 3, False),
        ]
        assert (platform.messages.find(message_id).text, platform.streaming(message_id)) == ("Reading", False)


async def test_lark_channel_sdk_streams_an_answer_into_a_card() -> None:
    async with meeting("lark-channel-sdk") as here:
        await here.connected()
        question = here.write("stream")
        message_id = await here.printed("streamed")
        platform = here.simulator.platform
        message = platform.messages.find(message_id)
        assert (message.parent_id, message.text) == (
            question.message_id,
            "Reading retry.py, then the tests pass: **214**.",
        )
        updates = platform.card_updates(message_id)
        assert (updates[0].action, updates[-1].action) == ("created", "settings")
        assert [update.sequence for update in updates[1:]] == list(range(1, len(updates)))
        assert not platform.streaming(message_id)
        assert {call.code for call in platform.requests("* /open-apis/cardkit/*")} == {0}


async def test_lark_channel_sdk_hears_a_click_and_patches_the_card() -> None:
    async with meeting("lark-channel-sdk") as here:
        await here.connected()
        here.write("ask")
        message_id = await here.printed("asked")
        pressed = await click(here, message_id)
        heard = await here.printed("clicked")
        assert heard == {"value": {"decision": "once"}, "operator": operator(here), "message": message_id}
        assert (pressed.state, pressed.toast, pressed.card_updated) == ("answered", None, False)
        assert here.simulator.platform.messages.find(message_id).text == "Allowed"
        assert [update.action for update in here.simulator.platform.card_updates(message_id)] == ["created", "patch"]
