"""The official Python client, unmodified, as a bot that the peer tests drive by what they write to it.

It prints one JSON object a line. Words it knows: "refuse once" (its handler raises the first time), "hold" (its
handler waits for a line on standard input), "talk" (it sends, replies, lists and gets). A program of its own, because
the client binds an event loop when it is imported.
"""

import json
import sys
import threading
from typing import Any

import lark_oapi as lark
from lark_oapi.api.im.v1 import (
    CreateMessageRequest,
    CreateMessageRequestBody,
    GetMessageRequest,
    ListMessageRequest,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
)

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


handler = lark.EventDispatcherHandler.builder("", "").register_p2_im_message_receive_v1(receive).build()
lark.ws.Client(APP_ID, APP_SECRET, event_handler=handler, domain=DOMAIN, log_level=lark.LogLevel.ERROR).start()
