"""Apps, people and chats through the control API."""

from feishu_simulator.control.act import Asked, Json, UnknownError
from feishu_simulator.control.forms import (
    AppChanges,
    ChatChanges,
    NewAppForm,
    NewChatForm,
    NewUserForm,
    UserChanges,
    VisitForm,
)
from feishu_simulator.directory import NewChat
from feishu_simulator.model import Chat, ChatKind


def add_app(asked: Asked) -> Json:
    """Create an App."""
    form = asked.form(NewAppForm)
    platform = asked.platform
    traits = form.traits()
    name = traits.pop("name", form.name)
    app = platform.directory.add_app(name, app_id=form.app_id, secret=form.app_secret, **traits)
    return _recorded(asked, "app", platform.views.app(app))


def change_app(asked: Asked) -> Json:
    """Change what was given of an App."""
    app = asked.platform.directory.apps[asked.app(asked.path["app_id"])]
    for name, value in asked.form(AppChanges).traits().items():
        setattr(app, name, value)
    return _recorded(asked, "app", asked.platform.views.app(app))


def add_user(asked: Asked) -> Json:
    """Create a person."""
    form = asked.form(NewUserForm)
    traits = {"guest": form.guest, "resigned": form.resigned, "stopped_apps": set(form.stopped_apps)}
    user = asked.platform.directory.add_user(
        form.name, user_id=form.user_id, outside_tenant=form.outside_tenant, **traits
    )
    return _recorded(asked, "user", asked.platform.views.user(user))


def change_user(asked: Asked) -> Json:
    """Change what was given of a person."""
    user = asked.platform.directory.users[asked.person(asked.path["user_id"])]
    form = asked.form(UserChanges)
    for name in form.model_fields_set:
        value = getattr(form, name)
        setattr(user, name, set(value) if name == "stopped_apps" else value)
    return _recorded(asked, "user", asked.platform.views.user(user))


def add_chat(asked: Asked) -> Json:
    """Create a chat; a private one between the same two is returned again."""
    form = asked.form(NewChatForm)
    users = tuple(asked.person(reference) for reference in form.users)
    bots = tuple(asked.app(app_id) for app_id in form.bots)
    owner = asked.person(form.owner) if form.owner else None
    chat = asked.platform.conversation.open_chat(NewChat(form.kind, form.name, users, bots, owner))
    return asked.platform.views.chat(chat)


def change_chat(asked: Asked) -> Json:
    """Change a chat's settings and members; bots hear that they were added or removed."""
    chat = _chat(asked)
    form = asked.form(ChatChanges)
    if chat.kind is ChatKind.P2P and (form.add_users or form.add_bots):
        raise ValueError("a private chat has one person and one bot")
    for name in ("name", "muted", "dissolved", "threads_allowed"):
        if (value := getattr(form, name)) is not None:
            setattr(chat, name, value)
    leaving = {asked.person(reference) for reference in form.remove_users}
    staying = [user_id for user_id in chat.users if user_id not in leaving]
    joining = [asked.person(reference) for reference in form.add_users]
    chat.users = list(dict.fromkeys([*staying, *joining]))
    for app_id in form.add_bots:
        asked.platform.conversation.bot_joins(chat, asked.app(app_id))
    for app_id in form.remove_bots:
        asked.platform.conversation.bot_leaves(chat, asked.app(app_id))
    asked.platform.conversation.record_chat(chat)
    return asked.platform.views.chat(chat)


def enter_chat(asked: Asked) -> Json:
    """Open a private chat's window as its person."""
    asked.platform.people.enter(asked.person(asked.form(VisitForm).user), _chat(asked).chat_id)
    return {}


def read_chat(asked: Asked) -> Json:
    """Read a private chat as its person."""
    asked.platform.people.read(asked.person(asked.form(VisitForm).user), _chat(asked).chat_id)
    return {}


def _chat(asked: Asked) -> Chat:
    chat_id = asked.path["chat_id"]
    if chat_id not in asked.platform.directory.chats:
        raise UnknownError(chat_id)
    return asked.platform.directory.chats[chat_id]


def _recorded(asked: Asked, kind: str, view: Json) -> Json:
    asked.platform.journal.record(kind, view)
    return view
