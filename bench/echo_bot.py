"""The bare bot that we compare with: the official client, unmodified, which repeats what it hears and keeps nothing.

`python -m bench.echo_bot DOMAIN APP_ID SECRET [THREADS]`. Without THREADS it replies inside its handler, as the
client's own examples do; the client runs handlers on its event loop, one after another. With THREADS a pool replies,
and the event is acknowledged before the reply is made. It prints a line when it starts to listen.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import lark_oapi as lark
from lark_oapi.api.im.v1 import ReplyMessageRequest, ReplyMessageRequestBody

DOMAIN, APP_ID, APP_SECRET, *MORE = sys.argv[1:]
client = lark.Client.builder().app_id(APP_ID).app_secret(APP_SECRET).domain(DOMAIN).build()
pool = ThreadPoolExecutor(int(MORE[0])) if MORE else None


def reply(message_id: str, content: str) -> None:
    """Answer a message with its own words."""
    body = ReplyMessageRequestBody.builder().msg_type("text").content(content).build()
    request = ReplyMessageRequest.builder().message_id(message_id).request_body(body).build()
    answer = client.im.v1.message.reply(request)
    if not answer.success():
        print(json.dumps({"failed": answer.code}), file=sys.stderr, flush=True)


def receive(event: Any) -> None:
    """Handle a message event."""
    message = event.event.message
    if pool is None:
        reply(message.message_id, message.content)
    else:
        pool.submit(reply, message.message_id, message.content)


handler = lark.EventDispatcherHandler.builder("", "").register_p2_im_message_receive_v1(receive).build()
print("listening", flush=True)
lark.ws.Client(APP_ID, APP_SECRET, event_handler=handler, domain=DOMAIN, log_level=lark.LogLevel.ERROR).start()
