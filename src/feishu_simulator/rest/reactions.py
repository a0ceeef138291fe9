"""Reactions over REST."""

from feishu_simulator.errors import PlatformError
from feishu_simulator.history import offset_page
from feishu_simulator.rest.call import Call, Json, paged


def add(call: Call) -> Json:
    """React to a message as the bot."""
    asked = call.body.get("reaction_type")
    emoji = asked.get("emoji_type") if isinstance(asked, dict) else None
    if not isinstance(emoji, str) or not emoji.isidentifier():
        raise PlatformError(231001)
    call.request.message_id = call.path["message_id"]
    return call.shapes.reaction(call.platform.bot_calls.react(call.app, call.path["message_id"], emoji))


def remove(call: Call) -> Json:
    """Remove the bot's own reaction."""
    call.request.message_id = call.path["message_id"]
    removed = call.platform.bot_calls.unreact(call.app, call.path["message_id"], call.path["reaction_id"])
    return call.shapes.reaction(removed)


def list_reactions(call: Call) -> Json:
    """Read a message's reactions page by page."""
    id_type = call.id_type()
    message_id = call.path["message_id"]
    found = call.platform.bot_calls.reactions(call.app, message_id, call.asked("reaction_type") or None)
    page = offset_page(found, call.slice(20, 50), f"reactions:{message_id}")
    return paged(page, [call.shapes.reaction(item, id_type) for item in page.items])
