"""Lists over HTTP: their order, their pages, and bad pages."""

import pytest
from tests.unit.feishu_simulator.town import live_town

from feishu_simulator.people import Speech

MESSAGES = "/open-apis/im/v1/messages"


async def test_a_bot_opens_a_group_and_the_liveliest_comes_first() -> None:
    async with live_town() as live:
        here = live.town
        open_id = here.platform.views.user(here.user)["open_ids"][here.app.app_id]
        chats = "/open-apis/im/v1/chats"
        old = here.platform.add_group("Old", [here.user], [here.app])
        live.simulator.clock.advance(1_000)
        body = {"name": "New", "user_id_list": [open_id], "group_message_type": "thread"}
        new = (await live.call("POST", chats, json=body)).json()["data"]
        live.simulator.clock.advance(1_000)
        here.platform.people.say(here.user.user_id, old.chat_id, Speech(text="alive"))
        listed = (await live.call("GET", f"{chats}?sort_type=ByActiveTimeDesc&page_size=1")).json()["data"]
        rest = {"sort_type": "ByActiveTimeDesc", "page_token": listed["page_token"]}
        second = (await live.call("GET", chats, params=rest)).json()["data"]
        assert new["chat_mode"] == "topic"
        assert [item["name"] for item in listed["items"]] == ["Old"]
        assert ([item["name"] for item in second["items"]], second["has_more"]) == (["New"], False)


@pytest.mark.parametrize("query", ["page_size=0", "page_size=51", "page_size=x", "sort_type=Sideways", "page_token=x"])
async def test_a_bad_page_is_refused(query: str) -> None:
    async with live_town() as live:
        path = f"{MESSAGES}?container_id_type=chat&container_id={live.town.chat.chat_id}&{query}"
        assert (await live.call("GET", path)).json()["code"] == 99992402
