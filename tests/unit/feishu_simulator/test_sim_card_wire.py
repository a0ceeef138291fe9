"""Cards on the wire: every CardKit call over REST, read-back, the request log, and the control API's clicks."""

import asyncio
import json

import pytest
from tests.unit.feishu_simulator.deck import Json, button, card, markdown, raw
from tests.unit.feishu_simulator.town import Ear, LiveTown, live_town

from feishu_simulator.frames import Frame, decode
from feishu_simulator.model import Message

CARDS = "/open-apis/cardkit/v1/cards"
MESSAGES = "/open-apis/im/v1/messages"


async def created(live: LiveTown, made: Json) -> str:
    """Create an entity over REST and return its id."""
    answer = await live.call("POST", CARDS, json={"type": "card_json", "data": raw(made)})
    return str(answer.json()["data"]["card_id"])


async def sent(live: LiveTown, content: Json) -> str:
    """Send an interactive message over REST and return its id."""
    body = {"receive_id": live.town.chat.chat_id, "msg_type": "interactive", "content": json.dumps(content)}
    answer = await live.call("POST", f"{MESSAGES}?receive_id_type=chat_id", json=body)
    return str(answer.json()["data"]["message_id"])


def shown(live: LiveTown, message_id: str) -> Message:
    """Return the message as it stands."""
    return live.simulator.platform.messages.by_id[message_id]


async def test_an_entity_is_created_sent_streamed_changed_and_closed() -> None:
    async with live_town() as live:
        card_id = await created(live, card(markdown("", "md"), streaming=True))
        message_id = await sent(live, {"type": "card", "data": {"card_id": card_id}})
        one, element = f"{CARDS}/{card_id}", f"{CARDS}/{card_id}/elements/md"
        press = json.dumps([button("Stop", element_id="stop")])
        off = json.dumps({"config": {"streaming_mode": False}})
        calls: list[tuple[str, str, Json]] = [
            ("PUT", f"{element}/content", {"content": "Read"}),
            ("POST", f"{one}/elements", {"type": "append", "elements": press}),
            ("PATCH", f"{one}/elements/stop", {"partial_element": '{"disabled": true}'}),
            ("PUT", f"{one}/elements/stop", {"element": json.dumps(markdown("stopped"))}),
            ("DELETE", f"{one}/elements/stop", {}),
            ("PATCH", f"{one}/settings", {"settings": off}),
            (
                "POST",
                f"{one}/batch_update",
                {"actions": json.dumps([{"action": "delete_elements", "params": {"element_ids": ["md"]}}])},
            ),
            ("PUT", one, {"card": {"type": "card_json", "data": raw(card(markdown("whole")))}}),
        ]
        for sequence, (method, path, body) in enumerate(calls, 1):
            answer = await live.call(method, path, json={**body, "sequence": sequence, "uuid": f"u-{sequence}"})
            assert (answer.json()["code"], answer.json()["data"]) == (0, {}), (method, path)
        assert shown(live, message_id).text == "whole"
        updates = live.simulator.platform.card_updates(message_id)
        assert [update.action for update in updates[1:]] == [
            "stream_text",
            "add_elements",
            "partial_update_element",
            "update_element",
            "delete_elements",
            "settings",
            "batch_update",
            "update",
        ]


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("POST", CARDS, {"type": "template", "data": "{}"}, 10002),
        ("POST", CARDS, {"type": "card_json"}, 99992402),
        ("PUT", f"{CARDS}/CARD/elements/md/content", {"content": "x"}, 99992402),
        ("PUT", f"{CARDS}/CARD/elements/md/content", {"content": "x", "sequence": 0}, 300317),
        ("PUT", f"{CARDS}/CARD/elements/md/content", {"sequence": 1}, 99992402),
        ("PUT", f"{CARDS}/CARD", {"card": "x", "sequence": 1}, 99992402),
        ("PUT", f"{CARDS}/CARD", {"card": {"type": "card_json"}, "sequence": 1}, 300307),
        ("PATCH", f"{CARDS}/CARD/settings", {"settings": "x", "sequence": 1}, 300122),
        ("PATCH", f"{CARDS}/CARD/settings", {"settings": "{}", "sequence": 1}, 300307),
        ("POST", f"{CARDS}/CARD/elements", {"type": "append", "elements": "x", "sequence": 1}, 300315),
        ("POST", f"{CARDS}/CARD/elements", {"type": "append", "elements": "[]", "sequence": 1}, 300307),
        ("PUT", f"{CARDS}/CARD/elements/md", {"element": "[]", "sequence": 1}, 300121),
        ("PATCH", f"{CARDS}/CARD/elements/md", {"partial_element": "x", "sequence": 1}, 300313),
        ("DELETE", f"{CARDS}/CARD/elements/gone", {"sequence": 1}, 300314),
        ("POST", f"{CARDS}/CARD/batch_update", {"actions": "x", "sequence": 1}, 10002),
        ("POST", f"{CARDS}/CARD/batch_update", {"actions": '[{"action": "x"}]', "sequence": 1}, 10002),
        ("POST", f"{CARDS}/CARD/batch_update", {"actions": '[{"action": "x", "params": {}}]', "sequence": 1}, 10002),
        ("POST", f"{CARDS}/id_convert", {"message_id": "om_unknown"}, 200740),
        ("POST", "/open-apis/interactive/v1/card/update", {"token": "c-unknown", "card": {}}, 10002),
        ("PATCH", f"{MESSAGES}/om_unknown", {"content": "{}"}, 99992354),
    ],
)
async def test_a_call_that_does_not_fit_is_refused_with_its_number(
    method: str, path: str, body: Json, code: int
) -> None:
    async with live_town() as live:
        card_id = await created(live, card(markdown("", "md"), streaming=True))
        answer = await live.call(method, path.replace("CARD", card_id), json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, code)


async def test_cards_need_their_own_scope() -> None:
    async with live_town() as live:
        live.town.app.scopes = frozenset({"im:message"})
        answer = await live.call("POST", CARDS, json={"type": "card_json", "data": raw(card(markdown()))})
        assert answer.json()["code"] == 99991672
        assert answer.json()["error"]["permission_violations"][0]["subject"] == "cardkit:card:write"


async def test_a_card_is_read_back_flattened_or_as_it_was_sent() -> None:
    async with live_town() as live:
        made = card(markdown("hello"))
        message_id = await sent(live, made)

        async def read(query: str) -> Json:
            answer = await live.call("GET", f"{MESSAGES}/{message_id}{query}")
            found: Json = json.loads(answer.json()["data"]["items"][0]["body"]["content"])
            return found

        assert await read("") == {"title": "", "elements": [[{"tag": "text", "text": "hello"}]]}
        assert await read("?card_msg_content_type=user_card_content") == made
        whole = await read("?card_msg_content_type=raw_card_content")
        assert (json.loads(whole["json_card"]), whole["card_schema"]) == (made, 2)
        listed = await live.call(
            "GET",
            f"{MESSAGES}?container_id_type=chat&container_id={live.town.chat.chat_id}"
            "&card_msg_content_type=user_card_content",
        )
        assert json.loads(listed.json()["data"]["items"][0]["body"]["content"]) == made


async def test_a_patched_card_answers_nothing_and_reads_as_updated() -> None:
    async with live_town() as live:
        message_id = await sent(live, card(markdown("before")))
        answer = await live.call("PATCH", f"{MESSAGES}/{message_id}", json={"content": raw(card(markdown("after")))})
        assert answer.json() == {"code": 0, "msg": "success", "data": {}}
        read = await live.call("GET", f"{MESSAGES}/{message_id}")
        assert read.json()["data"]["items"][0]["updated"] is True


async def test_the_request_log_names_card_and_sequence() -> None:
    async with live_town() as live:
        card_id = await created(live, card(markdown("", "md"), streaming=True))
        message_id = await sent(live, {"type": "card", "data": {"card_id": card_id}})
        content = {"content": "x", "sequence": 7}
        await live.call("PUT", f"{CARDS}/{card_id}/elements/md/content", json=content)
        logged = (await live.control("GET", "/_sim/requests")).json()["requests"]
        facts = [(call["card_id"], call["sequence"], call["message_id"]) for call in logged]
        assert facts == [(card_id, None, None), (card_id, None, message_id), (card_id, 7, message_id)]


async def answer_when_heard(live: LiveTown, ear: Ear, payload: bytes) -> None:
    """Acknowledge the callback as soon as it is there."""
    await live.simulator.until(lambda: bool(ear.heard("card.action.trigger")))
    assert ear.connection is not None
    reply = Frame(1, list(ear.frames[-1].headers), payload)
    live.simulator.platform.delivery.acknowledge(ear.connection, decode(reply.encode()))


async def test_the_control_api_clicks_and_returns_what_the_person_sees() -> None:
    async with live_town() as live:
        ear = live.town.listen()
        message_id = await sent(live, card(button("Allow once")))
        pressed = {"user": "Lin Yan", "message": message_id, "text": "Allow once"}
        data = "eyJ0b2FzdCI6IHsiY29udGVudCI6ICJBbGxvd2VkIn19"
        answering = asyncio.create_task(answer_when_heard(live, ear, json.dumps({"code": 200, "data": data}).encode()))
        click = (await live.control("POST", "/_sim/clicks", json=pressed)).json()
        await answering
        assert (click["state"], click["toast"]["content"], click["control"]["text"]) == (
            "answered",
            "Allowed",
            "Allow once",
        )
        listed = await live.control("GET", f"/_sim/clicks?message_id={message_id}")
        assert listed.json()["clicks"] == [click]


async def test_on_a_clock_that_stands_still_a_click_ends_in_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feishu_simulator.control.clicks.REAL_WAIT_SECONDS", 0.01)
    async with live_town() as live:
        live.town.listen()
        message_id = await sent(live, card(button("Go")))
        click = (await live.control("POST", "/_sim/clicks", json={"user": "Lin Yan", "message": message_id})).json()
        assert (click["state"], click["code"]) == ("failed", 200341)


async def test_a_click_that_cannot_be_made_is_refused() -> None:
    async with live_town() as live:
        message_id = await sent(live, card(markdown()))
        click = {"user": "Lin Yan", "message": message_id}
        assert (await live.control("POST", "/_sim/clicks", json=click)).status_code == 400
        stranger = live.simulator.platform.add_user("Chen Yu")
        refusal = await live.control("POST", "/_sim/clicks", json={**click, "user": stranger.user_id})
        assert refusal.json()["error"]["platform_code"] == 230002


async def test_the_control_api_shows_a_card_with_its_history() -> None:
    async with live_town() as live:
        message_id = await sent(live, card(markdown("before")))
        await live.call("PATCH", f"{MESSAGES}/{message_id}", json={"content": raw(card(markdown("after")))})
        found = (await live.control("GET", f"/_sim/cards/{message_id}")).json()
        assert found["shown"] == card(markdown("after"))
        assert [update["action"] for update in found["updates"]] == ["created", "patch"]
        assert (await live.control("GET", "/_sim/cards/om_unknown")).status_code == 404
