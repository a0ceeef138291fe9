"""The REST surface over HTTP: envelopes, checks, faults, log."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from tests.unit.feishu_simulator.town import LiveTown, live_town

from feishu_simulator.connections import SERVICE_ID
from feishu_simulator.faults import Effect, Match, RateLimit
from feishu_simulator.people import Speech

MESSAGES = "/open-apis/im/v1/messages"
TOKEN = "/open-apis/auth/v3/tenant_access_token/internal"


def hello(live: LiveTown, **more: Any) -> dict[str, Any]:
    """The body of a create call."""
    return {
        "receive_id": live.town.chat.chat_id,
        "msg_type": "text",
        "content": json.dumps({"text": "hi"}),
        **more,
    }


async def send(live: LiveTown, **more: Any) -> httpx.Response:
    return await live.call("POST", f"{MESSAGES}?receive_id_type=chat_id", json=hello(live, **more))


async def test_a_created_message_is_answered_read_and_listed_alike() -> None:
    async with live_town() as live:
        created = (await send(live)).json()
        message_id = created["data"]["message_id"]
        got = (await live.call("GET", f"{MESSAGES}/{message_id}")).json()
        where = {"container_id_type": "chat", "container_id": live.town.chat.chat_id}
        listed = (await live.call("GET", MESSAGES, params=where)).json()
        assert created["code"] == 0
        assert created["msg"] == "success"
        assert got["data"]["items"] == [created["data"]] == listed["data"]["items"]
        assert listed["data"]["has_more"] is False
        sender = {"id": live.town.app.app_id, "id_type": "app_id", "sender_type": "app"}
        assert created["data"]["sender"] == {**sender, "tenant_key": live.town.app.tenant_key}


async def test_the_date_and_the_log_id_follow_the_platforms_clock() -> None:
    async with live_town() as live:
        live.simulator.clock.set(1_767_323_045_000)
        token, _ = live.town.platform.tokens.issue(live.town.app)
        live.app_headers["authorization"] = f"Bearer {token}"
        answer = await live.call("GET", "/open-apis/bot/v3/info")
        assert answer.headers["date"] == "Fri, 02 Jan 2026 03:04:05 GMT"
        assert answer.headers["x-tt-logid"].startswith("1767323045000")
        assert answer.json()["bot"]["open_id"] == live.town.app.bot_open_id


async def test_the_token_call_needs_no_content_type_and_says_what_is_wrong() -> None:
    async with live_town() as live:
        app = live.town.app

        async def ask(**body: str) -> int:
            answer = await live.http.post(TOKEN, content=json.dumps(body))
            return int(answer.json()["code"])

        assert await ask(app_id=app.app_id, app_secret=app.secret) == 0
        assert await ask(app_id=app.app_id, app_secret="wrong") == 10015
        assert await ask(app_id="cli_0000000000000000", app_secret="x") == 99991543
        assert await ask(app_id=app.app_id) == 10003
        app.enabled = False
        assert await ask(app_id=app.app_id, app_secret=app.secret) == 10014


@pytest.mark.parametrize(
    ("header", "code"),
    [("", 99991661), ("Bearer nonsense", 99991671), ("Bearer t-unknown", 99991663), ("Basic t-x", 99991661)],
)
async def test_a_call_without_a_good_token_is_refused(header: str, code: int) -> None:
    async with live_town() as live:
        answer = await live.http.get("/open-apis/bot/v3/info", headers={"authorization": header})
        assert (answer.status_code, answer.json()["code"]) == (400, code)
        assert answer.json()["error"]["log_id"] == answer.headers["x-tt-logid"]


async def test_a_missing_scope_is_named() -> None:
    async with live_town() as live:
        live.town.app.scopes = frozenset({"im:message:readonly"})
        answer = (await send(live)).json()
        assert answer["code"] == 99991672
        named = {violation["subject"] for violation in answer["error"]["permission_violations"]}
        assert "im:message:send_as_bot" in named


async def test_unknown_paths_and_methods_are_told_apart() -> None:
    async with live_town() as live:
        unknown = await live.call("GET", "/open-apis/im/v9/nothing")
        wrong = await live.call("PUT", "/open-apis/bot/v3/info")
        assert (unknown.status_code, unknown.json()["code"]) == (404, 99991201)
        assert (wrong.status_code, wrong.json()["code"]) == (405, 99991301)


@pytest.mark.parametrize(
    ("query", "body", "field"),
    [
        ("?receive_id_type=nick", {}, "receive_id_type"),
        ("", {}, "receive_id_type"),
        ("?receive_id_type=chat_id", {"receive_id": ""}, "receive_id"),
        ("?receive_id_type=chat_id", {"content": {"text": "x"}}, "content"),
        ("?receive_id_type=chat_id", {"uuid": "x" * 51}, "uuid"),
    ],
)
async def test_a_bad_field_is_named(query: str, body: dict[str, Any], field: str) -> None:
    async with live_town() as live:
        answer = (await live.call("POST", MESSAGES + query, json=hello(live, **body))).json()
        assert answer["code"] == 99992402
        assert answer["error"]["field_violations"][0]["field"] == field


async def test_a_body_that_is_no_json_object_is_refused() -> None:
    async with live_town() as live:
        for content in (b"{", b"[]"):
            answer = await live.call("POST", f"{MESSAGES}?receive_id_type=chat_id", content=content)
            assert answer.json()["code"] == 99992402


async def test_a_recalled_message_is_read_without_content_and_listed_with_a_note() -> None:
    async with live_town() as live:
        message_id = (await send(live)).json()["data"]["message_id"]
        assert (await live.call("DELETE", f"{MESSAGES}/{message_id}")).json()["code"] == 0
        assert (await live.call("DELETE", f"{MESSAGES}/{message_id}")).json()["code"] == 230011
        got = (await live.call("GET", f"{MESSAGES}/{message_id}")).json()["data"]["items"][0]
        where = {"container_id_type": "chat", "container_id": live.town.chat.chat_id}
        listed = (await live.call("GET", MESSAGES, params=where)).json()["data"]["items"][0]
        assert got["deleted"] is True
        assert "body" not in got
        assert listed["body"]["content"] == "This message was recalled"


async def test_an_edit_shows_in_the_message() -> None:
    async with live_town() as live:
        message_id = (await send(live)).json()["data"]["message_id"]
        body = {"msg_type": "text", "content": json.dumps({"text": "better"})}
        edited = (await live.call("PUT", f"{MESSAGES}/{message_id}", json=body)).json()["data"]
        assert (edited["updated"], json.loads(edited["body"]["content"])["text"]) == (True, "better")


async def test_a_reply_in_a_thread_names_root_parent_and_thread() -> None:
    async with live_town() as live:
        question = live.town.write()
        body = {"msg_type": "text", "content": json.dumps({"text": "a"}), "reply_in_thread": True}
        answer = (await live.call("POST", f"{MESSAGES}/{question.message_id}/reply", json=body)).json()["data"]
        assert answer["root_id"] == answer["parent_id"] == question.message_id
        where = {"container_id_type": "thread", "container_id": answer["thread_id"]}
        thread = (await live.call("GET", MESSAGES, params=where)).json()["data"]["items"]
        assert [item["message_id"] for item in thread] == [question.message_id, answer["message_id"]]
        timed = (await live.call("GET", MESSAGES, params={**where, "start_time": "1"})).json()
        assert timed["code"] == 99992402


async def test_a_mention_is_read_back_with_the_callers_ids() -> None:
    async with live_town() as live:
        open_id = live.town.platform.views.user(live.town.user)["open_ids"][live.town.app.app_id]
        content = json.dumps({"text": f'<at user_id="{open_id}">Lin</at> done'})
        sent = (await send(live, content=content)).json()["data"]
        assert json.loads(sent["body"]["content"])["text"] == "@_user_1 done"
        mention = sent["mentions"][0]
        assert (mention["key"], mention["id"], mention["name"]) == ("@_user_1", open_id, "Lin Yan")


async def test_mget_returns_what_can_be_read() -> None:
    async with live_town() as live:
        known = (await send(live)).json()["data"]["message_id"]
        query = [("message_ids", known), ("message_ids", "om_unknown")]
        answer = (await live.call("GET", f"{MESSAGES}/mget", params=query)).json()
        assert [item["message_id"] for item in answer["data"]["items"]] == [known]


async def test_group_history_needs_its_scope() -> None:
    async with live_town() as live:
        group = live.town.platform.add_group("Release", [live.town.user], [live.town.app])
        live.town.app.scopes = frozenset({"im:message:readonly"})
        where = {"container_id_type": "chat", "container_id": group.chat_id}
        assert (await live.call("GET", MESSAGES, params=where)).json()["code"] == 230027


async def test_a_list_can_lack_what_was_written_a_moment_ago() -> None:
    async with live_town() as live:
        here = live.town
        here.platform.faults.add(Match(f"GET {MESSAGES}"), Effect(unlisted_ms=30_000))
        older = here.write("older")
        here.platform.clock.advance(20_000)
        here.write("newer")
        where = {"container_id_type": "chat", "container_id": here.chat.chat_id}
        found = []
        for _ in range(3):
            items = (await live.call("GET", MESSAGES, params=where)).json()["data"]["items"]
            found.append([item["message_id"] for item in items])
            here.platform.clock.advance(16_000)
        assert [len(ids) for ids in found] == [0, 1, 2]
        assert found[1] == [older.message_id]


async def test_a_private_history_needs_a_scope_that_is_named() -> None:
    async with live_town() as live:
        live.town.app.scopes = frozenset({"im:message:send_as_bot"})
        where = {"container_id_type": "chat", "container_id": live.town.chat.chat_id}
        answer = (await live.call("GET", MESSAGES, params=where)).json()
        assert answer["code"] == 99991672
        assert [one["subject"] for one in answer["error"]["permission_violations"]] == [
            "im:message",
            "im:message:readonly",
        ]


async def test_a_persons_file_is_downloaded_with_its_name() -> None:
    async with live_town() as live:
        here = live.town
        speech = Speech(upload=b"bytes", upload_name="报告.txt")
        message = here.platform.people.say(here.user.user_id, here.chat.chat_id, speech)
        key = json.loads(message.content)["file_key"]
        path = f"{MESSAGES}/{message.message_id}/resources"
        found = await live.call("GET", f"{path}/{key}?type=file")
        assert (found.content, found.headers["content-type"]) == (b"bytes", "application/octet-stream")
        assert found.headers["content-disposition"].endswith("%E6%8A%A5%E5%91%8A.txt")
        assert (await live.call("GET", f"{path}/{key}?type=image")).json()["code"] == 234003


async def test_reactions_are_added_listed_and_removed_by_their_owner_only() -> None:
    async with live_town() as live:
        message = live.town.write()
        theirs = live.town.platform.people.react(live.town.user.user_id, message.message_id, "OK")
        path = f"{MESSAGES}/{message.message_id}/reactions"
        body = {"reaction_type": {"emoji_type": "DONE"}}
        ours = (await live.call("POST", path, json=body)).json()["data"]
        again = (await live.call("POST", path, json=body)).json()["data"]
        listed = (await live.call("GET", path)).json()["data"]["items"]
        assert ours == again
        assert [item["operator"]["operator_type"] for item in listed] == ["user", "app"]
        assert (await live.call("DELETE", f"{path}/{theirs.reaction_id}")).json()["code"] == 231007
        assert (await live.call("DELETE", f"{path}/{ours['reaction_id']}")).json()["code"] == 0
        assert (await live.call("DELETE", f"{path}/{ours['reaction_id']}")).json()["code"] == 231011
        only = (await live.call("GET", f"{path}?reaction_type=DONE")).json()["data"]["items"]
        assert only == []
        assert (await live.call("POST", path, json={})).json()["code"] == 231001


async def test_chats_members_and_membership() -> None:
    async with live_town() as live:
        here = live.town
        group = here.platform.add_group("Release", [here.user], [here.app], topics=True)
        outside = here.platform.add_group("Elsewhere", [here.user], [])
        chats = "/open-apis/im/v1/chats"
        got = (await live.call("GET", f"{chats}/{group.chat_id}")).json()["data"]
        assert (got["chat_mode"], got["group_message_type"], got["user_count"]) == ("topic", "thread", "1")
        partial = (await live.call("GET", f"{chats}/{outside.chat_id}")).json()["data"]
        assert "owner_id" not in partial
        listed = (await live.call("GET", chats)).json()["data"]["items"]
        assert [item["chat_id"] for item in listed] == [group.chat_id]
        members = (await live.call("GET", f"{chats}/{group.chat_id}/members")).json()["data"]
        assert ([item["name"] for item in members["items"]], members["member_total"]) == (["Lin Yan"], 1)
        for chat, inside in ((group, True), (outside, False)):
            answer = (await live.call("GET", f"{chats}/{chat.chat_id}/members/is_in_chat")).json()
            assert answer["data"]["is_in_chat"] is inside
        assert (await live.call("GET", f"{chats}/{outside.chat_id}/members")).json()["code"] == 232011
        assert (await live.call("GET", f"{chats}/oc_unknown")).json()["code"] == 232006


async def test_people_are_described_as_far_as_scopes_and_range_allow() -> None:
    async with live_town() as live:
        here = live.town
        open_id = here.platform.views.user(here.user)["open_ids"][here.app.app_id]
        users = "/open-apis/contact/v3/users"
        assert (await live.call("GET", f"{users}/{open_id}")).json()["data"]["user"]["name"] == "Lin Yan"
        batch = (await live.call("GET", f"{users}/batch?user_ids={open_id}&user_ids=ou_unknown")).json()
        assert [item["open_id"] for item in batch["data"]["items"]] == [open_id]
        assert (await live.call("GET", f"{users}/ou_unknown")).json()["code"] == 41012
        here.app.scopes = frozenset({"contact:contact.base:readonly"})
        assert "name" not in (await live.call("GET", f"{users}/{open_id}")).json()["data"]["user"]
        here.app.available_to = frozenset()
        assert (await live.call("GET", f"{users}/{open_id}")).json()["code"] == 41050


async def test_the_endpoint_call_gives_a_ticket_and_all_four_settings() -> None:
    async with live_town() as live:
        app = live.town.app
        path = "/callback/ws/endpoint"
        good = (await live.http.post(path, json={"AppID": app.app_id, "AppSecret": app.secret})).json()
        assert good["code"] == 0
        query = httpx.URL(good["data"]["URL"]).query.decode()
        assert query.startswith("fpid=")
        assert f"service_id={SERVICE_ID}" in query
        settings = {"ReconnectCount", "ReconnectInterval", "ReconnectNonce", "PingInterval"}
        assert good["data"]["ClientConfig"].keys() == settings
        for credentials in ({"AppID": app.app_id, "AppSecret": "x"}, {"AppID": "cli_x", "AppSecret": "x"}):
            bad = (await live.http.post(path, json=credentials)).json()
            assert (bad["code"], bad["data"]) == (1000040346, {})


async def test_a_hollow_response_says_success_without_an_id_and_leaves_the_message() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match(f"POST {MESSAGES}", times=1), Effect(hollow_response=True))
        assert (await send(live, uuid="key-1")).json() == {"code": 0, "msg": "success", "data": {}}
        assert len(live.town.platform.visible(live.town.chat.chat_id)) == 1


async def test_a_lost_response_leaves_the_message_and_the_same_uuid_finds_it() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match(f"POST {MESSAGES}", times=1), Effect(lost_response=True))
        with pytest.raises(httpx.RemoteProtocolError):
            await send(live, uuid="key-1")
        stored = live.town.platform.visible(live.town.chat.chat_id)
        again = (await send(live, uuid="key-1")).json()["data"]["message_id"]
        assert [message.message_id for message in stored] == [again]
        lost, answered = live.town.platform.requests(f"POST {MESSAGES}")
        assert (lost.status, lost.message_id, lost.fault, lost.uuid) == (None, again, "lost_response", "key-1")
        assert (answered.status, answered.message_id) == (200, again)


async def test_a_refused_connection_stores_nothing() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("*", times=1), Effect(refuse_connection=True))
        with pytest.raises(httpx.RemoteProtocolError):
            await send(live)
        assert live.town.platform.visible(live.town.chat.chat_id) == []


async def test_faults_answer_with_a_number_a_status_or_both() -> None:
    async with live_town() as live:
        faults = live.town.platform.faults
        faults.add(Match("*", nth=1), Effect(error_code=230020))
        faults.add(Match("*", nth=2), Effect(http_status=502))
        faults.add(Match("*", nth=3), Effect(error_code=99991663, http_status=200))
        answers = [await send(live) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [400, 502, 200]
        assert (answers[0].json()["code"], answers[1].content, answers[2].json()["code"]) == (230020, b"", 99991663)
        assert live.town.platform.visible(live.town.chat.chat_id) == []


async def test_over_the_rate_the_answer_is_429_and_says_how_long_to_wait() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("*"), Effect(rate_limit=RateLimit(1, 2_000)))
        assert (await send(live)).json()["code"] == 0
        answer = await send(live)
        assert (answer.status_code, answer.json()["code"]) == (429, 99991400)
        assert answer.headers["x-ogw-ratelimit-reset"] == "2"


async def test_a_stale_token_is_refused_until_a_new_one_is_fetched() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match(f"POST {MESSAGES}", times=1), Effect(stale_token=True))
        assert [(await send(live)).json()["code"] for _ in range(2)] == [99991663, 99991663]
        fresh, _ = live.town.platform.tokens.issue(live.town.app)
        live.app_headers["authorization"] = f"Bearer {fresh}"
        assert (await send(live)).json()["code"] == 0


async def test_a_delay_is_real_and_logged() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("*"), Effect(delay_ms=30))
        await send(live)
        assert live.town.platform.requests()[-1].duration_us >= 30_000


async def test_the_log_hides_secrets_and_keeps_the_rest() -> None:
    async with live_town() as live:
        app = live.town.app
        await live.http.post(TOKEN, json={"app_id": app.app_id, "app_secret": app.secret})
        entry = live.town.platform.requests("token")[-1]
        assert app.secret not in entry.body
        assert (entry.app_id, entry.code, entry.status, entry.endpoint) == (app.app_id, 0, 200, f"POST {TOKEN}")


async def test_a_call_that_is_still_delayed_does_not_hold_up_the_end() -> None:
    async with live_town() as live:
        live.town.platform.faults.add(Match("*"), Effect(delay_ms=60_000))
        waiting = asyncio.ensure_future(send(live))
        await live.simulator.until(lambda: next(iter(live.town.platform.faults.rules.values())).used == 1)
        await asyncio.wait_for(live.simulator.stop(), 10)
        with pytest.raises(httpx.HTTPError):
            await waiting
