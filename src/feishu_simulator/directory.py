"""Apps, people and chats: who exists, under which id an App knows them, and who is in which chat."""

from dataclasses import dataclass
from typing import Any

from feishu_simulator.errors import PlatformError, invalid_field
from feishu_simulator.model import App, Chat, ChatKind, Party, PartyKind, User, bot, person
from feishu_simulator.world import World

HOME_TENANT = "home"
VISITORS_TENANT = "visitors"


@dataclass(frozen=True, slots=True)
class NewChat:
    """What a chat starts with; names are user_ids and app_ids."""

    kind: ChatKind
    name: str = ""
    users: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    owner: str | None = None


class Directory:
    """Looks up and creates Apps, people and chats."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.apps: dict[str, App] = {}
        self.users: dict[str, User] = {}
        self.chats: dict[str, Chat] = {}
        self._private: dict[tuple[str, str], str] = {}

    def add_app(self, name: str, *, app_id: str | None = None, secret: str | None = None, **traits: Any) -> App:
        """Create an App; `traits` are fields of `App`. A taken id raises ValueError."""
        ids = self._world.ids
        app_id = app_id or ids.app_id()
        if app_id in self.apps:
            raise ValueError(f"the app {app_id} exists")
        app = App(
            app_id=app_id,
            secret=secret or ids.secret(),
            name=name,
            bot_open_id=ids.open_id(app_id, app_id),
            tenant_key=ids.tenant_key(HOME_TENANT),
            **traits,
        )
        self.apps[app_id] = app
        return app

    def add_user(self, name: str, *, user_id: str | None = None, **traits: Any) -> User:
        """Create a person; `traits` are fields of `User`. A taken id raises ValueError."""
        ids = self._world.ids
        user_id = user_id or ids.user_id()
        if user_id in self.users:
            raise ValueError(f"the user {user_id} exists")
        tenant = VISITORS_TENANT if traits.get("outside_tenant") else HOME_TENANT
        union_id = ids.union_id(user_id)
        user = User(user_id, union_id, name, ids.tenant_key(tenant), **traits)
        self.users[user_id] = user
        return user

    def add_chat(self, new: NewChat) -> Chat:
        """Create a chat; a private one between the same two is returned again."""
        if new.kind is ChatKind.P2P:
            if len(new.users) != 1 or len(new.bots) != 1:
                raise ValueError("a private chat has one person and one bot")
            return self.private_chat(new.users[0], new.bots[0])
        return self._store(new)

    def private_chat(self, user_id: str, app_id: str) -> Chat:
        """Return the private chat of a person and a bot, created when it is the first time."""
        chat_id = self._private.get((user_id, app_id))
        if chat_id is not None:
            return self.chats[chat_id]
        chat = self._store(NewChat(ChatKind.P2P, users=(user_id,), bots=(app_id,)))
        self._private[user_id, app_id] = chat.chat_id
        return chat

    def _store(self, new: NewChat) -> Chat:
        chat = Chat(
            chat_id=self._world.ids.chat_id(),
            kind=new.kind,
            name=new.name,
            created_ms=self._world.clock.now_ms(),
            owner=new.owner or next(iter(new.users), None),
            users=list(new.users),
            bots=list(new.bots),
        )
        self.chats[chat.chat_id] = chat
        return chat

    def app(self, app_id: str) -> App:
        """Return the App; KeyError when there is none."""
        return self.apps[app_id]

    def chat(self, chat_id: str) -> Chat:
        """Return a chat that can be used, or refuse as the platform does."""
        chat = self.chats.get(chat_id)
        if chat is None:
            raise PlatformError(99992356)
        if chat.dissolved:
            raise PlatformError(232009)
        return chat

    def chats_of(self, party: Party) -> list[Chat]:
        """Return the groups a party is in, oldest first."""
        return [chat for chat in self.chats.values() if chat.kind is not ChatKind.P2P and chat.has(party)]

    def name_of(self, party: Party) -> str:
        """Return the display name of a person or bot."""
        if party.kind is PartyKind.APP:
            return self.apps[party.id].name
        return self.users[party.id].name

    def open_id(self, app: App, party: Party) -> str:
        """Return the id under which `app` knows the party."""
        return self._world.ids.open_id(app.app_id, party.id)

    def tenant_key(self, party: Party) -> str:
        """Return the tenant a party belongs to."""
        if party.kind is PartyKind.APP:
            return self.apps[party.id].tenant_key
        return self.users[party.id].tenant_key

    def person(self, reference: str) -> User:
        """Find a person by user_id, union_id, any open_id or exact name; KeyError when there is none."""
        if reference in self.users:
            return self.users[reference]
        for user in self.users.values():
            if reference in (user.union_id, user.name):
                return user
            if any(self.open_id(app, person(user.user_id)) == reference for app in self.apps.values()):
                return user
        raise KeyError(reference)

    def person_as(self, app: App, id_type: str, value: str) -> User:
        """Find a person by an id of the given type as `app` may use it, or refuse as the platform does."""
        match id_type:
            case "open_id":
                return self._by_open_id(app, value)
            case "union_id":
                found = next((user for user in self.users.values() if user.union_id == value), None)
            case "user_id":
                found = self.users.get(value)
            case _:
                raise invalid_field("user_id_type", id_type, "it is not in the options")
        if found is None:
            raise PlatformError(99992360 if id_type == "user_id" else 230034)
        return found

    def _by_open_id(self, app: App, value: str) -> User:
        for user in self.users.values():
            if self.open_id(app, person(user.user_id)) == value:
                return user
        for other in self.apps.values():
            if any(self.open_id(other, person(user.user_id)) == value for user in self.users.values()):
                raise PlatformError(99992361)
        raise PlatformError(99992351)

    def party(self, reference: str) -> Party | None:
        """Find whom an `@` means: a person by any id, or a bot by app_id, open_id or exact name."""
        for app in self.apps.values():
            known = {self.open_id(viewer, bot(app.app_id)) for viewer in self.apps.values()}
            if reference in (app.app_id, app.name) or reference in known:
                return bot(app.app_id)
        try:
            return person(self.person(reference).user_id)
        except KeyError:
            return None
