"""The official Python client, unmodified, as a bot that the peer tests drive by what they write to it.

It prints one JSON object a line. Words it knows: "refuse once" (its handler raises the first time), "hold" (its
handler waits for a line on standard input), "talk" (it sends, replies, lists and gets), "ask" (it sends a card and
answers its button with a toast and another card), "stream" (it makes an entity, streams into it and closes it). A
program of its own, because the client binds an event loop when it is imported.
"""

import json
import sys
import threading
from typing import Any

import lark_oapi as lark
from lark_oapi.api.cardkit.v1 import (
    ContentCardElementRequest,
    ContentCardElementRequestBody,
    CreateCardRequest,
    CreateCardRequestBody,
    SettingsCardRequest,
    SettingsCardRequestBody,
)
from lark_oapi.api.im.v1 import (
    CreateMessageRequest,
    CreateMessageRequestBody,
    GetMessageRequest,
    ListMessageRequest,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
)
from lark_oapi.event.callback.model.p2_card_action_trigger import P2CardActionTriggerResponse

DOMAIN, APP_ID, APP_SECRET = sys.argv[1:4]
client = lark.Client.builder().app_id(APP_ID).app_secret(APP_SECRET).domain(DOMAIN).build()
refused: set[str] = set()


class RefusedOnceError(Exception):
    """The handler fails on purpose."""


def say(**facts: Any) -> None:
    """Print one line."""
    print(json.dumps(facts, ensure_ascii=False), flush=True)


def text(words: str) -> str:
    """Return a text message's content."""
    return json.dumps({"text": words})


def talk(chat_id: str, message_id: str) -> None:
    """Send, reply, list and get through the REST client."""
    created = CreateMessageRequestBody.builder().receive_id(chat_id).msg_type("text").content(text("sent"))
    create = CreateMessageRequest.builder().receive_id_type("chat_id").request_body(created.uuid("lark-1").build())
    sent = client.im.v1.message.create(create.build())
    answer = ReplyMessageRequestBody.builder().msg_type("text").content(text("replied")).build()
    reply = ReplyMessageRequest.builder().message_id(message_id).request_body(answer).build()
    replied = client.im.v1.message.reply(reply)
    where = ListMessageRequest.builder().container_id_type("chat").container_id(chat_id).page_size(50).build()
    listed = client.im.v1.message.list(where)
    got = client.im.v1.message.get(GetMessageRequest.builder().message_id(replied.data.message_id).build())
    say(
        talked={
            "sent": sent.data.message_id,
            "replied": replied.data.message_id,
            "listed": [item.message_id for item in listed.data.items],
            "got": json.loads(got.data.items[0].body.content)["text"],
        }
    )


def card(words: str, *elements: dict[str, Any], **config: Any) -> dict[str, Any]:
    """Make a card with one text element, `md`."""
    markdown = {"tag": "markdown", "element_id": "md", "content": words}
    return {"schema": "2.0", "config": {"update_multi": True, **config}, "body": {"elements": [markdown, *elements]}}


def send_card(chat_id: str, content: dict[str, Any]) -> Any:
    """Send an interactive message."""
    body = CreateMessageRequestBody.builder().receive_id(chat_id).msg_type("interactive").content(json.dumps(content))
    return client.im.v1.message.create(
        CreateMessageRequest.builder().receive_id_type("chat_id").request_body(body.build()).build()
    )


def ask(chat_id: str) -> None:
    """Send a card with a button."""
    behaviors = [{"type": "callback", "value": {"decision": "once"}}]
    button = {"tag": "button", "text": {"tag": "plain_text", "content": "Allow once"}, "behaviors": behaviors}
    say(asked=send_card(chat_id, card("Edit retry.py?", button)).data.message_id)


def clicked(event: Any) -> Any:
    """Answer a click with a toast and another card."""
    say(clicked={"value": event.event.action.value, "operator": event.event.operator.open_id})
    toast = {"type": "success", "content": "Allowed", "i18n": {"zh_cn": "已允许"}}
    return P2CardActionTriggerResponse({"toast": toast, "card": {"type": "raw", "data": card("Allowed by you")}})


def stream(chat_id: str) -> None:
    """Make an entity, send it, stream into it and close it."""
    data = json.dumps(card("", streaming_mode=True))
    made = client.cardkit.v1.card.create(
        CreateCardRequest.builder()
        .request_body(CreateCardRequestBody.builder().type("card_json").data(data).build())
        .build()
    )
    card_id = made.data.card_id
    sent = send_card(chat_id, {"type": "card", "data": {"card_id": card_id}})
    for sequence, words in enumerate(("Read", "Reading"), 1):
        content = ContentCardElementRequestBody.builder().content(words).sequence(sequence).build()
        request = ContentCardElementRequest.builder().card_id(card_id).element_id("md").request_body(content)
        client.cardkit.v1.card_element.content(request.build())
    off = SettingsCardRequestBody.builder().settings('{"config": {"streaming_mode": false}}').sequence(3).build()
    closed = client.cardkit.v1.card.settings(SettingsCardRequest.builder().card_id(card_id).request_body(off).build())
    say(streamed=sent.data.message_id, code=closed.code)


SCENES = {"ask": ask, "stream": stream}


def receive(event: Any) -> None:
    """Handle a message event."""
    message = event.event.message
    words = json.loads(message.content)["text"]
    say(received=words, message_id=message.message_id)
    first_time = message.message_id not in refused
    refused.add(message.message_id)
    if words == "refuse once" and first_time:
        raise RefusedOnceError
    if words == "hold" and first_time:
        sys.stdin.readline()
    if words == "talk":
        threading.Thread(target=talk, args=(message.chat_id, message.message_id), daemon=True).start()
    if words in SCENES:
        threading.Thread(target=SCENES[words], args=(message.chat_id,), daemon=True).start()


builder = lark.EventDispatcherHandler.builder("", "").register_p2_im_message_receive_v1(receive)
handler = builder.register_p2_card_action_trigger(clicked).build()
lark.ws.Client(APP_ID, APP_SECRET, event_handler=handler, domain=DOMAIN, log_level=lark.LogLevel.ERROR).start()
