"""Messages over REST: create, reply, edit, patch, recall, get, mget, list, and the files they carry."""

import json

from feishu_simulator.bot_calls import INTERACTIVE, Draft
from feishu_simulator.cardkit.card_json import is_new
from feishu_simulator.errors import PlatformError, invalid_field
from feishu_simulator.history import Page, Range, chat_page, thread_page
from feishu_simulator.model import Chat, ChatKind, Message, bot
from feishu_simulator.rest.call import Binary, Call, Json, paged

MGET_MOST = 50
GROUP_HISTORY = "im:message.group_msg"
SENT_CARD, WHOLE_CARD = "user_card_content", "raw_card_content"


def create(call: Call) -> Json:
    """Send a message to a chat or a person."""
    id_type = call.choice("receive_id_type", "", "open_id", "union_id", "user_id", "email", "chat_id")
    sent = call.platform.bot_calls.create(call.app, id_type, call.text("receive_id"), _draft(call))
    return _noted(call, sent)


def reply(call: Call) -> Json:
    """Answer a message."""
    in_thread = call.flag("reply_in_thread")
    target = call.path["message_id"]
    sent = call.platform.bot_calls.reply(call.app, target, _draft(call), in_thread=in_thread)
    return _noted(call, sent)


def edit(call: Call) -> Json:
    """Replace an own text or post."""
    draft = Draft(call.text("msg_type"), call.text("content"))
    return _noted(call, call.platform.bot_calls.edit(call.app, call.path["message_id"], draft))


def patch(call: Call) -> Json:
    """Replace an own card."""
    call.request.message_id = call.path["message_id"]
    card = call.platform.bot_calls.patch(call.app, call.path["message_id"], call.text("content"))
    call.request.card_id = card.card_id
    return {}


def recall(call: Call) -> Json:
    """Take an own message back."""
    call.request.message_id = call.path["message_id"]
    call.platform.bot_calls.recall(call.app, call.path["message_id"])
    return {}


def get(call: Call) -> Json:
    """Read one message."""
    id_type = call.id_type()
    found = call.platform.bot_calls.get(call.app, call.path["message_id"])
    return {"items": [_read(call, found, call.shapes.message(found, id_type))]}


def mget(call: Call) -> Json:
    """Read up to fifty messages by id; ids that cannot be read are left out."""
    id_type = call.id_type()
    asked = [value for key, value in call.query if key == "message_ids"]
    if not 1 <= len(asked) <= MGET_MOST:
        raise invalid_field("message_ids", len(asked), f"the number of ids is between 1 and {MGET_MOST}")
    known = (call.platform.messages.by_id.get(message_id) for message_id in asked)
    readable = [item for item in known if item is not None and _in_chat(call, item)]
    return {"items": [_read(call, item, call.shapes.message(item, id_type)) for item in readable]}


def list_messages(call: Call) -> Json:
    """Read a chat or a thread page by page."""
    container = call.choice("container_id_type", "", "chat", "thread")
    container_id = call.asked("container_id")
    if not container_id:
        raise invalid_field("container_id", "", "container_id is required")
    order = call.choice("sort_type", "ByCreateTimeAsc", "ByCreateTimeAsc", "ByCreateTimeDesc")
    newest_first = order == "ByCreateTimeDesc"
    read = _thread if container == "thread" else _chat
    page = read(call, container_id, newest_first)
    return paged(page, [_read(call, item, call.shapes.message(item, listed=True)) for item in page.items])


def resource(call: Call) -> Binary:
    """Download a picture or file of a message."""
    kind = call.choice("type", "", "image", "file")
    message = call.platform.bot_calls.get(call.app, call.path["message_id"])
    key = call.path["file_key"]
    found = call.platform.messages.resources.get(key)
    if found is None or found.kind != kind or key not in message.content:
        raise PlatformError(234003)
    media_type = "image/png" if found.kind == "image" else "application/octet-stream"
    return Binary(found.content, found.name, media_type)


def _draft(call: Call) -> Draft:
    uuid = call.optional_text("uuid")
    call.request.uuid = uuid
    return Draft(call.text("msg_type"), call.text("content"), uuid)


def _noted(call: Call, message: Message) -> Json:
    call.request.message_id = message.message_id
    card = call.platform.cards.of(message.message_id)
    call.request.card_id = card.card_id if card else None
    return call.shapes.message(message)


def _read(call: Call, message: Message, shape: Json) -> Json:
    """Put the card itself in the place of its flattened words when it is asked for."""
    asked = call.asked("card_msg_content_type")
    card = call.platform.cards.of(message.message_id) if message.msg_type == INTERACTIVE else None
    if card is None or message.withdrawn is not None or asked not in (SENT_CARD, WHOLE_CARD):
        return shape
    shown = json.dumps(card.shown, ensure_ascii=False)
    whole = {"json_card": shown, "card_schema": 2 if is_new(card.shown) else 1}
    shape["body"] = {"content": shown if asked == SENT_CARD else json.dumps(whole, ensure_ascii=False)}
    return shape


def _in_chat(call: Call, message: Message) -> bool:
    return call.platform.directory.chats[message.chat_id].has(bot(call.app.app_id))


def _chat(call: Call, chat_id: str, newest_first: bool) -> Page[Message]:
    chat = call.platform.directory.chat(chat_id)
    _check_may_read(call, chat)
    found_before_ms = call.platform.clock.now_ms() - call.unlisted_ms if call.unlisted_ms else None
    asked = Range(newest_first, call.number("start_time"), call.number("end_time"), found_before_ms)
    return chat_page(call.platform.messages, chat_id, asked, call.slice(20, 50))


def _thread(call: Call, thread_id: str, newest_first: bool) -> Page[Message]:
    root = call.platform.messages.in_thread(thread_id)[0]
    _check_may_read(call, call.platform.directory.chat(root.chat_id))
    if call.asked("start_time") or call.asked("end_time"):
        raise invalid_field("start_time", call.asked("start_time"), "a thread has no time filter")
    return thread_page(call.platform.messages, thread_id, Range(newest_first), call.slice(20, 50))


def _check_may_read(call: Call, chat: Chat) -> None:
    if not chat.has(bot(call.app.app_id)):
        raise PlatformError(230002)
    if chat.kind is not ChatKind.P2P and not call.app.may(GROUP_HISTORY):
        raise PlatformError(230027)
