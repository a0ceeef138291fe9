"""How events become words of ours."""

import json
from typing import Any

import pytest
from tests.unit.adapters.lark.events_given import envelope, recalled, receive
from tests.unit.adapters.lark.scripted import APP

from hongyan.adapters.lark.events import ForeignEventError, UnreadableEventError, decode
from hongyan.domain.identity import ChatId, MessageId, OpenId
from hongyan.domain.messages import CardClicked, ChatKind, InboundMessage, MessageKind, MessageRecalled, SenderKind


def read(event: dict[str, Any]) -> object:
    return decode(APP, json.dumps(event).encode())


def test_a_private_message_is_read() -> None:
    assert read(receive(text="hello")) == InboundMessage(
        app=APP,
        event_id="e-1",
        message_id=MessageId("om_1"),
        chat_id=ChatId("oc_1"),
        chat_kind=ChatKind.PRIVATE,
        sender=OpenId("ou_1"),
        sender_kind=SenderKind.USER,
        kind=MessageKind.TEXT,
        text="hello",
        create_time=1900000000123,
    )


def test_a_message_in_a_topic_names_its_root() -> None:
    event = read(receive(chat_type="group", root_id="om_0", parent_id="om_0", thread_id="omt_1"))
    assert isinstance(event, InboundMessage)
    assert (event.chat_kind, event.thread_root) == (ChatKind.GROUP, "om_0")


def test_the_message_that_opens_a_topic_is_its_own_root() -> None:
    event = read(receive(chat_type="group", thread_id="omt_1"))
    assert isinstance(event, InboundMessage)
    assert event.thread_root == "om_1"


def test_a_reply_outside_a_topic_has_no_root() -> None:
    event = read(receive(chat_type="group", root_id="om_0", parent_id="om_0"))
    assert isinstance(event, InboundMessage)
    assert event.thread_root == ""


def test_mentions_become_names_and_bots_are_told_from_people() -> None:
    mentions = [{"key": "@_user_1", "id": {"open_id": "ou_bot"}, "mentioned_type": "bot", "name": "Goose"}]
    event = read(receive(text="@_user_1 go", sender_type="bot", mentions=mentions))
    assert isinstance(event, InboundMessage)
    assert (event.text, event.sender_kind) == ("@Goose go", SenderKind.APP)


def test_a_message_without_words_is_read_without_text() -> None:
    event = read(receive(message_type="image", content=json.dumps({"image_key": "img_1"})))
    assert isinstance(event, InboundMessage)
    assert (event.kind, event.text) == (MessageKind.IMAGE, "")


def test_a_recall_is_read() -> None:
    assert read(recalled()) == MessageRecalled(
        app=APP, event_id="e-1", message_id=MessageId("om_1"), chat_id=ChatId("oc_1"), recalled_at=1900000001000
    )


@pytest.mark.parametrize(
    "unused",
    [
        envelope("im.message.reaction.created_v1", {"message_id": "om_1"}),
        {"uuid": "u", "type": "event_callback", "event": {"type": "p2p_chat_create"}},
        {},
    ],
)
def test_other_kinds_are_not_used(unused: dict[str, Any]) -> None:
    assert read(unused) is None


def test_a_click_is_read_with_its_time_in_microseconds() -> None:
    event = {
        "operator": {"open_id": "ou_1"},
        "token": "c-1",
        "action": {"value": {"button": "opaque"}, "tag": "button"},
        "context": {"open_message_id": "om_1", "open_chat_id": "oc_1"},
    }
    clicked = envelope("card.action.trigger", event)
    clicked["header"]["create_time"] = "1900000000123456"
    place = (MessageId("om_1"), ChatId("oc_1"), OpenId("ou_1"))
    assert read(clicked) == CardClicked(APP, "e-1", *place, "opaque", 1900000000123)


@pytest.mark.parametrize("value", [None, "text", {"other": "x"}, {"button": 5}])
def test_a_click_on_what_is_not_ours_has_no_value(value: object) -> None:
    event = {"action": {"value": value}, "context": {"open_message_id": "om_1"}}
    clicked = read(envelope("card.action.trigger", event))
    assert isinstance(clicked, CardClicked)
    assert clicked.value == ""


def test_an_event_of_another_app_is_foreign() -> None:
    with pytest.raises(ForeignEventError):
        read(receive(app_id="cli_ffffffffffffffff"))


@pytest.mark.parametrize(
    "raw",
    [
        b"no json",
        b"[]",
        b"\xff",
        json.dumps(envelope("im.message.receive_v1", {"message": {}})).encode(),
        json.dumps(envelope("im.message.recalled_v1", {"message_id": "om_1"})).encode(),
    ],
)
def test_an_event_that_lacks_what_it_needs_is_unreadable(raw: bytes) -> None:
    with pytest.raises(UnreadableEventError):
        decode(APP, raw)


def test_an_unreadable_event_is_not_quoted() -> None:
    event = receive(text="private words")
    del event["event"]["message"]["chat_id"]
    with pytest.raises(UnreadableEventError) as refused:
        read(event)
    assert "private words" not in str(refused.value.__cause__)
