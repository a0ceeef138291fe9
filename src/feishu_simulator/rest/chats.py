"""Chats and people over REST."""

from feishu_simulator.directory import NewChat
from feishu_simulator.errors import PlatformError, invalid_field
from feishu_simulator.history import offset_page
from feishu_simulator.model import Chat, ChatKind, User, bot, person
from feishu_simulator.rest.call import Call, Json, paged


def get(call: Call) -> Json:
    """Describe a chat; a bot outside sees part of it."""
    chat = _known(call)
    shown: Json = {"name": chat.name, "avatar": "", "description": "", "chat_mode": _mode(chat), "external": False}
    shown |= {"chat_status": "normal", "tenant_key": call.app.tenant_key}
    if not chat.has(bot(call.app.app_id)):
        return shown
    owner = chat.owner if chat.owner in call.platform.directory.users else None
    return {
        **shown,
        "owner_id": call.shapes.user_id(person(owner), call.id_type()) if owner else "",
        "owner_id_type": call.id_type(),
        "group_message_type": "thread" if chat.kind is ChatKind.TOPIC else "chat",
        "chat_type": "private",
        "user_count": str(len(chat.users)),
        "bot_count": str(len(chat.bots)),
        "moderation_permission": "only_owner" if chat.muted else "all_members",
        "restricted_mode_setting": {"status": False},
    }


def create(call: Call) -> Json:
    """Open a group with the bot and the named people in it."""
    directory = call.platform.directory
    listed = call.body.get("user_id_list", [])
    people = [directory.person_as(call.app, call.id_type(), str(value)).user_id for value in listed]
    name = call.optional_text("name") or ""
    kind = ChatKind.TOPIC if call.body.get("group_message_type") == "thread" else ChatKind.GROUP
    chat = call.platform.conversation.open_chat(NewChat(kind, name, tuple(people), (call.app.app_id,)))
    return {"chat_id": chat.chat_id, "name": chat.name, "chat_mode": _mode(chat)}


def list_chats(call: Call) -> Json:
    """List the groups the bot is in; private chats are never listed."""
    order = call.choice("sort_type", "ByCreateTimeAsc", "ByCreateTimeAsc", "ByActiveTimeDesc")
    found = call.platform.directory.chats_of(bot(call.app.app_id))
    if order == "ByActiveTimeDesc":
        found.sort(key=lambda chat: _last_active_ms(call, chat), reverse=True)
    page = offset_page(found, call.slice(20, 100), f"chats:{order}")
    return paged(page, [_row(chat, call.app.tenant_key) for chat in page.items])


def members(call: Call) -> Json:
    """List the people of a chat; bots are left out."""
    chat = _joined(call)
    id_type = call.id_type("member_id_type")
    page = offset_page(chat.users, call.slice(20, 100), f"members:{chat.chat_id}")
    rows = [_member(call, user_id, id_type) for user_id in page.items]
    return {**paged(page, rows), "member_total": len(chat.users)}


def is_in_chat(call: Call) -> Json:
    """Say whether the bot is in a chat; being outside is no error."""
    return {"is_in_chat": _known(call).has(bot(call.app.app_id))}


def get_person(call: Call) -> Json:
    """Describe one person."""
    user = _person(call, call.path["user_id"])
    return {"user": _profile(call, user)}


def people_batch(call: Call) -> Json:
    """Describe several people; those outside the App's range are left out."""
    asked = [value for key, value in call.query if key == "user_ids"]
    if not 1 <= len(asked) <= 50:
        raise invalid_field("user_ids", len(asked), "the number of ids is between 1 and 50")
    found: list[Json] = []
    for value in asked:
        try:
            found.append(_profile(call, _person(call, value)))
        except PlatformError:
            continue
    return {"items": found}


def _known(call: Call) -> Chat:
    chat = call.platform.directory.chats.get(call.path["chat_id"])
    if chat is None:
        raise PlatformError(232006)
    if chat.dissolved:
        raise PlatformError(232009)
    return chat


def _joined(call: Call) -> Chat:
    chat = _known(call)
    if not chat.has(bot(call.app.app_id)):
        raise PlatformError(232011)
    return chat


def _mode(chat: Chat) -> str:
    return chat.kind.value


def _row(chat: Chat, tenant_key: str) -> Json:
    shown = {"chat_id": chat.chat_id, "name": chat.name, "avatar": "", "description": "", "external": False}
    return {**shown, "tenant_key": tenant_key, "chat_status": "dissolved" if chat.dissolved else "normal"}


def _last_active_ms(call: Call, chat: Chat) -> int:
    said = call.platform.messages.in_chat(chat.chat_id)
    return said[-1].create_ms if said else chat.created_ms


def _member(call: Call, user_id: str, id_type: str) -> Json:
    user = call.platform.directory.users[user_id]
    member_id = call.shapes.user_id(person(user_id), id_type)
    return {"member_id_type": id_type, "member_id": member_id, "name": user.name, "tenant_key": user.tenant_key}


def _person(call: Call, value: str) -> User:
    try:
        user = call.platform.directory.person_as(call.app, call.id_type(), value)
    except PlatformError as refusal:
        raise PlatformError(refusal.code if refusal.code == 99992361 else 41012) from None
    if not call.app.reaches(user.user_id) or user.outside_tenant:
        raise PlatformError(41050)
    return user


def _profile(call: Call, user: User) -> Json:
    shown: Json = {
        "union_id": user.union_id,
        "open_id": call.shapes.user_id(person(user.user_id), "open_id"),
        "status": {"is_frozen": False, "is_resigned": user.resigned, "is_activated": True, "is_exited": False},
    }
    if call.app.may("contact:user.employee_id:readonly"):
        shown["user_id"] = user.user_id
    if call.app.may("contact:user.base:readonly"):
        shown |= {"name": user.name, "en_name": "", "avatar": {"avatar_72": ""}, "department_ids": ["0"]}
    return shown
