"""What each call of the chat port asks the platform, and how it reads the answer."""

import json
from typing import Any

import pytest
from tests.unit.adapters.lark.scripted import APP, MESSAGES, ScriptedPlatform, answer, app

from hongyan.domain.errors import (
    ChatBlockedError,
    ChatNotFoundError,
    ChatTargetGoneError,
    ChatUnknownOutcomeError,
)
from hongyan.domain.identity import ChatId, MessageId, OpenId, UnionId
from hongyan.domain.messages import MessageKind, Outbound, SenderKind
from hongyan.ports.chat import BotIdentity, Person

CHAT = ChatId("oc_1")
SOURCE = MessageId("om_1")
REACTIONS = f"{MESSAGES}/om_1/reactions"
PERSON = "/open-apis/contact/v3/users/ou_1"


def outbound(**changes: Any) -> Outbound:
    chosen = {"chat_id": CHAT, "reply_to": "", "in_thread": False, "text": "你好 <b>", "key": "key-1", **changes}
    return Outbound(**chosen)


def posted(**changes: Any) -> dict[str, Any]:
    return {
        "message_id": "om_1",
        "chat_id": "oc_1",
        "msg_type": "text",
        "create_time": "1900000000123",
        "update_time": "1900000000123",
        "updated": False,
        "deleted": False,
        "sender": {"id": "ou_1", "id_type": "open_id", "sender_type": "user", "tenant_key": "t"},
        "body": {"content": json.dumps({"text": "hello"})},
        **changes,
    }


async def test_a_fresh_message_goes_to_its_chat_under_its_key() -> None:
    platform = ScriptedPlatform()
    platform.script(MESSAGES, answer(posted(message_id="om_9")))
    assert await app(platform).write(outbound()) == "om_9"
    assert platform.asked(MESSAGES)[0].url.params["receive_id_type"] == "chat_id"
    assert platform.bodies(MESSAGES) == [
        {"receive_id": "oc_1", "msg_type": "text", "content": '{"text": "你好 <b>"}', "uuid": "key-1"}
    ]


@pytest.mark.parametrize("in_thread", [False, True])
async def test_an_answer_goes_to_its_message_and_into_its_topic(in_thread: bool) -> None:
    platform = ScriptedPlatform()
    platform.script(f"{MESSAGES}/om_1/reply", answer(posted(message_id="om_9")))
    assert await app(platform).write(outbound(reply_to="om_1", in_thread=in_thread)) == "om_9"
    (body,) = platform.bodies(f"{MESSAGES}/om_1/reply")
    assert (body["reply_in_thread"], body["uuid"], "receive_id" in body) == (in_thread, "key-1", False)


@pytest.mark.scenario("P19", "P20")
async def test_every_attempt_of_one_outbound_carries_the_same_key() -> None:
    platform = ScriptedPlatform()
    platform.script(MESSAGES, answer(status=500), answer(code=230020), answer(posted(message_id="om_9")))
    gateway = app(platform)
    with pytest.raises(ChatUnknownOutcomeError):
        await gateway.write(outbound())
    with pytest.raises(Exception, match="230020"):
        await gateway.write(outbound(chat_id="oc_1"))
    await gateway.write(outbound(chat_id="oc_2"))
    assert {body["uuid"] for body in platform.bodies(MESSAGES)} == {"key-1"}


async def test_an_answer_to_a_withdrawn_message_says_so() -> None:
    platform = ScriptedPlatform()
    platform.script(f"{MESSAGES}/om_1/reply", answer(code=230011, status=400))
    with pytest.raises(ChatTargetGoneError):
        await app(platform).write(outbound(reply_to="om_1"))


async def test_a_mark_is_set() -> None:
    platform = ScriptedPlatform()
    platform.script(REACTIONS, answer({"reaction_id": "r-1", "reaction_type": {"emoji_type": "OK"}}))
    assert await app(platform).add(SOURCE, "OK") == "r-1"
    assert platform.bodies(REACTIONS) == [{"reaction_type": {"emoji_type": "OK"}}]


@pytest.mark.parametrize("code", [0, 231003, 231010, 231011])
async def test_a_mark_that_is_gone_counts_as_taken_away(code: int) -> None:
    platform = ScriptedPlatform()
    platform.script(f"{REACTIONS}/r-1", answer(code=code, status=400 if code else 200))
    await app(platform).remove(SOURCE, "r-1")
    assert platform.requests[-1].method == "DELETE"


async def test_a_mark_of_another_cannot_be_taken_away() -> None:
    platform = ScriptedPlatform()
    platform.script(f"{REACTIONS}/r-1", answer(code=231007, status=400))
    with pytest.raises(Exception, match="231007"):
        await app(platform).remove(SOURCE, "r-1")


def mark(operator: str, reaction: str) -> dict[str, Any]:
    return {"reaction_id": reaction, "operator": {"operator_id": operator, "operator_type": "app"}}


async def test_the_apps_own_mark_is_found_among_others_and_on_later_pages() -> None:
    platform = ScriptedPlatform()
    platform.script(
        REACTIONS,
        answer({"items": [mark("ou_1", "r-1"), mark("cli_other", "r-2")], "has_more": True, "page_token": "p2"}),
        answer({"items": [mark(APP, "r-3")], "has_more": False}),
    )
    assert await app(platform).mine(SOURCE, "OK") == "r-3"
    assert platform.asked(REACTIONS)[1].url.params["page_token"] == "p2"


async def test_no_mark_of_the_app_is_none() -> None:
    platform = ScriptedPlatform()
    platform.script(REACTIONS, answer({"items": [mark("ou_1", "r-1")], "has_more": False}))
    assert await app(platform).mine(SOURCE, "OK") is None


async def test_marks_without_an_end_are_an_error_not_none() -> None:
    platform = ScriptedPlatform()
    platform.script(REACTIONS, answer({"items": [], "has_more": True, "page_token": "again"}))
    with pytest.raises(ChatUnknownOutcomeError):
        await app(platform).mine(SOURCE, "OK")


async def test_a_message_is_read_back() -> None:
    platform = ScriptedPlatform()
    threaded = posted(
        root_id="om_0",
        parent_id="om_0",
        thread_id="omt_1",
        updated=True,
        update_time="1900000000456",
        body={"content": json.dumps({"text": "@_user_1 and @_user_12: go"})},
        mentions=[
            {"key": "@_user_1", "id": "ou_bot", "id_type": "open_id", "name": "Goose"},
            {"key": "@_user_12", "id": "ou_2", "id_type": "open_id", "name": "Lin Yan"},
        ],
    )
    platform.script(f"{MESSAGES}/om_1", answer({"items": [threaded]}))
    found = await app(platform).message(SOURCE)
    assert found.text == "@Goose and @Lin Yan: go"
    assert (found.sender, found.sender_kind, found.kind) == ("ou_1", SenderKind.USER, MessageKind.TEXT)
    assert (found.create_time, found.update_time, found.updated) == (1900000000123, 1900000000456, True)
    assert (found.parent, found.root, found.thread_id) == ("om_0", "om_0", "omt_1")
    assert not found.recalled


async def test_the_apps_own_message_is_read_back_as_the_apps() -> None:
    platform = ScriptedPlatform()
    own = posted(sender={"id": APP, "id_type": "app_id", "sender_type": "app"})
    platform.script(f"{MESSAGES}/om_1", answer({"items": [own]}))
    found = await app(platform).message(SOURCE)
    assert (found.sender, found.sender_kind) == (APP, SenderKind.APP)


@pytest.mark.parametrize(
    "gone",
    [
        {"deleted": True, "body": None},
        {"deleted": True, "body": {"content": ""}},
        {"body": {"content": "This message was recalled"}},
    ],
)
async def test_a_recalled_message_has_no_text(gone: dict[str, Any]) -> None:
    platform = ScriptedPlatform()
    platform.script(f"{MESSAGES}/om_1", answer({"items": [posted(**gone)]}))
    found = await app(platform).message(SOURCE)
    assert (found.recalled, found.text) == (True, None)


async def test_a_person_may_write_the_words_of_a_recall() -> None:
    platform = ScriptedPlatform()
    said = posted(body={"content": json.dumps({"text": "This message was recalled"})})
    platform.script(f"{MESSAGES}/om_1", answer({"items": [said]}))
    found = await app(platform).message(SOURCE)
    assert (found.recalled, found.text) == (False, "This message was recalled")


@pytest.mark.parametrize("hollow", [answer({"items": []}), answer({})])
async def test_an_answer_without_the_message_says_nothing_about_it(hollow: Any) -> None:
    platform = ScriptedPlatform()
    platform.script(f"{MESSAGES}/om_1", hollow)
    with pytest.raises(ChatUnknownOutcomeError):
        await app(platform).message(SOURCE)


@pytest.mark.parametrize("nothing", [answer(code=230050, status=400), answer(code=99992354, status=400)])
async def test_a_message_that_is_not_shown_is_not_found(nothing: Any) -> None:
    platform = ScriptedPlatform()
    platform.script(f"{MESSAGES}/om_1", nothing)
    with pytest.raises(ChatNotFoundError):
        await app(platform).message(SOURCE)


async def test_a_forwarded_bundle_is_read_without_its_children() -> None:
    platform = ScriptedPlatform()
    child = posted(message_id="om_child", upper_message_id="om_1")
    platform.script(f"{MESSAGES}/om_1", answer({"items": [child, posted(msg_type="merge_forward")]}))
    found = await app(platform).message(SOURCE)
    assert (found.message_id, found.kind, found.text) == ("om_1", MessageKind.OTHER, None)


async def test_history_is_listed_page_by_page_within_the_milliseconds_asked_for() -> None:
    platform = ScriptedPlatform()
    times = [1_000, 1_500, 2_000, 2_500, 2_501]
    items = [posted(message_id=f"om_{time}", create_time=str(time)) for time in times]
    platform.script(
        MESSAGES,
        answer({"items": items[:3], "has_more": True, "page_token": "p2"}),
        answer({"items": items[3:], "has_more": False}),
    )
    found = await app(platform).between(CHAT, 1_500, 2_500, 100)
    assert [message.create_time for message in found] == [1_500, 2_000, 2_500]
    first, second = (request.url.params for request in platform.asked(MESSAGES))
    assert (first["start_time"], first["end_time"], first["sort_type"]) == ("1", "3", "ByCreateTimeAsc")
    assert second["page_token"] == "p2"


async def test_history_stops_at_its_limit() -> None:
    platform = ScriptedPlatform()
    items = [posted(message_id=f"om_{number}") for number in range(5)]
    platform.script(MESSAGES, answer({"items": items, "has_more": True, "page_token": "p2"}))
    assert len(await app(platform).between(CHAT, 0, 2_000_000_000_000, 3)) == 3
    assert len(platform.asked(MESSAGES)) == 1


async def test_history_without_an_end_is_an_error_not_a_short_list() -> None:
    platform = ScriptedPlatform()
    platform.script(MESSAGES, answer({"items": [], "has_more": True, "page_token": "again"}))
    with pytest.raises(ChatUnknownOutcomeError):
        await app(platform).between(CHAT, 0, 1, 10)


async def test_the_bot_is_read() -> None:
    platform = ScriptedPlatform()
    platform.script("/open-apis/bot/v3/info", answer(bot={"open_id": "ou_bot", "app_name": "Goose"}))
    assert await app(platform).me() == BotIdentity(OpenId("ou_bot"), "Goose")


async def test_a_person_is_read() -> None:
    platform = ScriptedPlatform()
    platform.script(PERSON, answer({"user": {"open_id": "ou_1", "union_id": "on_1", "name": "Lin Yan"}}))
    assert await app(platform).person(OpenId("ou_1")) == Person(OpenId("ou_1"), UnionId("on_1"), "Lin Yan")


@pytest.mark.parametrize("code", [41050, 99991672])
async def test_a_person_whom_the_app_may_not_see_has_no_name(code: int) -> None:
    platform = ScriptedPlatform()
    platform.script(PERSON, answer(code=code, status=400))
    assert await app(platform).person(OpenId("ou_1")) == Person(OpenId("ou_1"), UnionId(""), "")


async def test_a_disabled_app_is_not_mistaken_for_a_hidden_person() -> None:
    platform = ScriptedPlatform()
    platform.script(PERSON, answer(code=99991662, status=400))
    with pytest.raises(ChatBlockedError):
        await app(platform).person(OpenId("ou_1"))
