"""The control API: who may use it, what it accepts, what it shows."""

import asyncio
import base64
import json
from typing import Any

import pytest
from tests.unit.feishu_simulator.town import LiveTown, live_town


async def made(live: LiveTown, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Post and return the answer, which must be a success."""
    answer = await live.control("POST", path, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_residents_are_created_and_a_person_writes_to_a_bot() -> None:
    async with live_town() as live:
        app = await made(live, "/_sim/apps", {"app_id": "cli_0123456789abcdef", "app_secret": "s"})
        user = await made(live, "/_sim/users", {"name": "Chen Yu"})
        written = await made(live, "/_sim/messages", {"user": "Chen Yu", "app": app["app_id"], "text": "hello"})
        said = (await live.control("GET", f"/_sim/messages?chat_id={written['chat_id']}")).json()["messages"]
        assert said == [written]
        assert written["sender"] == {"kind": "user", "id": user["user_id"], "name": "Chen Yu"}


async def test_a_person_does_everything_a_person_can() -> None:
    async with live_town() as live:
        user = live.town.user.user_id

        async def act(**body: Any) -> dict[str, Any]:
            return await made(live, "/_sim/messages", {"user": user, "chat": live.town.chat.chat_id, **body})

        first = await act(text="teh")
        answer = await act(text="in a thread", reply_to=first["message_id"], in_thread=True)
        await act(edit=first["message_id"], text="the")
        await act(recall=answer["message_id"], recall_type="group_owner")
        await act(post={"content": [[{"tag": "text", "text": "rich"}]]})
        await act(image={"name": "a.png", "base64": base64.b64encode(b"png").decode()})
        await act(delete=(await act(file={"name": "b.txt", "base64": ""}))["message_id"])
        reaction = {"user": user, "message": first["message_id"], "emoji": "OK"}
        await made(live, "/_sim/reactions", reaction)
        listed = f"/_sim/messages?chat_id={live.town.chat.chat_id}&visible=true"
        shown = (await live.control("GET", listed)).json()["messages"]
        assert [(item["text"], item["edits"]) for item in shown] == [("the", 1), ("rich", 0), ("[image]", 0)]
        assert [item["emoji"] for item in shown[0]["reactions"]] == ["OK"]
        await made(live, "/_sim/reactions", {**reaction, "remove": True})
        assert live.town.platform.reactions(first["message_id"]) == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/_sim/apps", {"nmae": "x"}, 400),
        ("/_sim/apps", {"app_id": "cli_short"}, 400),
        ("/_sim/messages", {"user": "Nobody", "text": "x"}, 404),
        ("/_sim/messages", {"user": "Lin Yan", "text": "x"}, 400),
        ("/_sim/messages", {"user": "Lin Yan", "chat": "oc_unknown", "text": "x"}, 409),
        ("/_sim/messages", {"user": "Lin Yan", "app": "cli_unknown", "text": "x"}, 404),
        ("/_sim/faults", {"match": {"endpoint": "*"}, "effect": {"exploded": True}}, 400),
        ("/_sim/faults", {"match": {"endpoint": "*", "nth": 0}, "effect": {}}, 400),
        ("/_sim/clock", {}, 400),
        ("/_sim/clock", {"set_ms": 1}, 400),
        ("/_sim/chats", {"kind": "p2p", "users": ["Lin Yan"]}, 400),
        ("/_sim/clicks", {}, 400),
        ("/_sim/clicks", {"user": "nobody", "message": "om_0"}, 404),
    ],
)
async def test_what_does_not_fit_is_refused(path: str, body: dict[str, Any], status: int) -> None:
    async with live_town() as live:
        answer = await live.control("POST", path, json=body)
        assert (answer.status_code, "error" in answer.json()) == (status, True)


@pytest.mark.scenario("D15")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": ""}, 401),
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"origin": "null"}, 403),
    ],
)
async def test_only_this_machine_with_the_token_gets_in(headers: dict[str, str], status: int) -> None:
    async with live_town() as live:
        answer = await live.http.get("/_sim/state", headers=live.control_headers | headers)
        assert answer.status_code == status


async def test_an_apps_token_opens_no_control_and_the_control_token_no_platform() -> None:
    async with live_town() as live:
        assert (await live.call("GET", "/_sim/state")).status_code == 401
        assert (await live.control("GET", "/open-apis/bot/v3/info")).json()["code"] == 99991671


async def test_the_link_gives_a_cookie_and_the_cookie_needs_our_origin_to_act() -> None:
    async with live_town() as live:
        stranger = await live.http.get("/")
        entered = await live.http.get(f"/?token={live.simulator.control_token}")
        cookie = entered.headers["set-cookie"]
        assert stranger.status_code == 401
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
        assert (await live.http.get("/")).status_code == 200
        assert (await live.http.get("/_sim/state")).status_code == 200
        assert (await live.http.post("/_sim/reset")).status_code == 403
        ours = {"origin": live.simulator.base_url}
        assert (await live.http.post("/_sim/reset", headers=ours)).status_code == 200


@pytest.mark.scenario("D15")
@pytest.mark.parametrize("path", ["/_sim/state", "/_sim/stream", "/_sim/openapi.json", "/_sim/resources/img_1"])
@pytest.mark.parametrize("site", ["same-site", "cross-site"])
async def test_a_page_elsewhere_reads_nothing_with_the_cookie(path: str, site: str) -> None:
    async with live_town() as live:
        await live.http.get(f"/?token={live.simulator.control_token}")
        answer = await live.http.get(path, headers={"sec-fetch-site": site})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.scenario("D15")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example", "sec-fetch-site": "cross-site"},
        {"origin": "http://127.0.0.1:1", "sec-fetch-site": "same-site"},
        {"content-type": "text/plain"},
    ],
)
async def test_a_page_that_posts_blindly_with_the_cookie_changes_nothing(headers: dict[str, str]) -> None:
    async with live_town() as live:
        await live.http.get(f"/?token={live.simulator.control_token}")
        before = live.simulator.platform.journal.last_number
        for path in ("/_sim/reset", "/_sim/clock", "/_sim/faults", "/_sim/messages", "/_sim/clicks"):
            answer = await live.http.post(path, headers=headers, content=b'{"advance_ms": 1}')
            assert answer.status_code == 403
            assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert live.simulator.platform.journal.last_number == before


async def test_whatever_is_not_there_is_refused_in_the_same_form() -> None:
    async with live_town() as live:
        lost, wrong = await live.control("GET", "/_sim/nothing"), await live.control("PUT", "/_sim/state")
        assert [answer.json()["error"]["code"] for answer in (lost, wrong)] == ["unknown", "bad_method"]


async def test_a_wrong_token_in_the_link_gives_no_cookie() -> None:
    async with live_town() as live:
        answer = await live.http.get("/?token=wrong")
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


async def test_a_fault_is_added_shown_used_and_lifted() -> None:
    async with live_town() as live:
        body = {"match": {"endpoint": "*", "times": 1}, "effect": {"delay_ms": 1, "http_status": 503}}
        rule = await made(live, "/_sim/faults", body)
        assert (await live.call("GET", "/open-apis/bot/v3/info")).status_code == 503
        shown = (await live.control("GET", "/_sim/faults")).json()["faults"]
        assert shown == [{**rule, "seen": 1, "used": 1}]
        assert (await live.control("DELETE", f"/_sim/faults/{rule['fault_id']}")).status_code == 200
        assert (await live.control("DELETE", f"/_sim/faults/{rule['fault_id']}")).status_code == 404


async def test_the_clock_is_shown_and_moved() -> None:
    async with live_town() as live:
        start = (await live.control("GET", "/_sim/clock")).json()
        moved = await made(live, "/_sim/clock", {"advance_ms": 500})
        until = await made(live, "/_sim/clock", {"set_ms": start["now_ms"] + 900})
        assert (moved["now_ms"] - start["now_ms"], until["now_ms"] - start["now_ms"]) == (500, 900)
        assert start["virtual"] is True


async def test_traits_of_apps_people_and_chats_are_changed() -> None:
    async with live_town() as live:
        here = live.town
        group = await made(live, "/_sim/chats", {"kind": "topic", "name": "Release", "users": ["Lin Yan"]})
        await live.control("PATCH", f"/_sim/apps/{here.app.app_id}", json={"scopes": ["im:message"], "enabled": True})
        await live.control("PATCH", "/_sim/users/Lin Yan", json={"stopped_apps": [here.app.app_id]})
        changes = {"muted": True, "add_bots": [here.app.app_id], "name": "Ship"}
        changed = await live.control("PATCH", f"/_sim/chats/{group['chat_id']}", json=changes)
        assert here.app.scopes == frozenset({"im:message"})
        assert here.app.name == "Hongyan"
        assert here.user.stopped_apps == {here.app.app_id}
        assert (changed.json()["muted"], changed.json()["name"], changed.json()["bots"]) == (
            True,
            "Ship",
            [here.app.app_id],
        )
        assert [event.event_type for event in here.platform.events()] == ["im.chat.member.bot.added_v1"]
        await live.control("PATCH", f"/_sim/chats/{group['chat_id']}", json={"remove_bots": [here.app.app_id]})
        assert here.platform.events()[-1].event_type == "im.chat.member.bot.deleted_v1"


async def test_visits_connections_events_and_requests_are_shown() -> None:
    async with live_town() as live:
        ear = live.town.listen()
        await made(live, f"/_sim/chats/{live.town.chat.chat_id}/enter", {"user": "Lin Yan"})
        event = (await live.control("GET", "/_sim/events")).json()["events"][0]
        await made(live, f"/_sim/events/{event['event_id']}/repeat", {})
        assert ear.connection is not None
        cut = await made(live, f"/_sim/connections/{ear.connection.connection_id}", {"close": 1000})
        await live.call("GET", "/open-apis/bot/v3/info")
        requests = (await live.control("GET", "/_sim/requests?endpoint=GET /open-apis/bot/v3/info")).json()
        assert event["attempts"][0]["outcome"] == "pending"
        assert len((await live.control("GET", "/_sim/events")).json()["events"]) == 2
        assert (cut["live"], cut["close_code"], cut["events_sent"]) == (False, 1000, 2)
        assert [request["status"] for request in requests["requests"]] == [200]


async def test_the_stream_resumes_after_the_last_seen_change() -> None:
    async with live_town() as live:
        state = (await live.control("GET", "/_sim/state")).json()
        live.town.write("one")
        live.town.write("two")
        headers = live.control_headers | {"last-event-id": str(state["last_change"])}
        texts: list[str] = []
        numbers: list[int] = []
        async with asyncio.timeout(5), live.http.stream("GET", "/_sim/stream", headers=headers) as stream:
            async for line in stream.aiter_lines():
                if not line.startswith("data: "):
                    continue
                change = json.loads(line.removeprefix("data: "))
                numbers.append(change["number"])
                if change["kind"] == "message":
                    texts.append(change["facts"]["text"])
                if texts == ["one"]:
                    live.town.write("three")
                if len(texts) == 3:
                    break
        assert texts == ["one", "two", "three"]
        assert numbers == list(range(state["last_change"] + 1, state["last_change"] + 1 + len(numbers)))


async def test_subscribers_are_called_at_once_until_they_leave() -> None:
    async with live_town() as live:
        calls: list[str] = []
        leave = live.simulator.subscribe(lambda: calls.append("x"))
        live.town.write()
        assert calls
        leave()
        leave()
        before = len(calls)
        live.town.write()
        assert len(calls) == before


async def test_waiting_for_what_never_comes_times_out() -> None:
    async with live_town() as live:
        with pytest.raises(TimeoutError):
            await live.simulator.until(lambda: False, timeout_seconds=0.01)
