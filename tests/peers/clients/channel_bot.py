"""The official channel client, unmodified, as a bot that the peer tests drive by what they write to it.

It prints one JSON object a line. Words it knows: "stream" (it streams an answer into a card), "ask" (it sends a card
with a button and patches the card when the button is clicked). A program of its own, like the other clients.
"""

import asyncio
import json
import sys
from typing import Any

from lark_channel import FeishuChannel

DOMAIN, APP_ID, APP_SECRET = sys.argv[1:4]
PIECES = ("Reading", " retry.py,", " then the tests pass: **214**.")


def say(**facts: Any) -> None:
    """Print one line."""
    print(json.dumps(facts, ensure_ascii=False), flush=True)


def asking(words: str, *elements: dict[str, Any]) -> dict[str, Any]:
    """Make a card."""
    body = {"elements": [{"tag": "markdown", "content": words}, *elements]}
    return {"schema": "2.0", "config": {"update_multi": True}, "body": body}


BUTTON = {
    "tag": "button",
    "text": {"tag": "plain_text", "content": "Allow once"},
    "behaviors": [{"type": "callback", "value": {"decision": "once"}}],
}


async def pieces(stream: Any) -> None:
    """Produce an answer piece by piece."""
    for piece in PIECES:
        await stream.append(piece)


async def main() -> None:
    """Listen until the process is ended."""
    channel = FeishuChannel(app_id=APP_ID, app_secret=APP_SECRET, domain=DOMAIN)

    async def receive(message: Any) -> None:
        if message.content_text == "stream":
            sent = await channel.stream(message.chat_id, {"markdown": pieces}, {"reply_to": message.message_id})
            say(streamed=sent.message_id)
        elif message.content_text == "ask":
            sent = await channel.send(message.chat_id, {"card": asking("Edit retry.py?", BUTTON)})
            say(asked=sent.message_id)

    async def clicked(event: Any) -> None:
        await channel.update_card(event.message_id, asking("Allowed"))
        say(clicked={"value": event.action.value, "operator": event.operator.open_id, "message": event.message_id})

    channel.on("message", receive)
    channel.on("cardAction", clicked)
    await channel.start_background()
    await asyncio.Event().wait()  # ended from outside


asyncio.run(main())
