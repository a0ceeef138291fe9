"""How the control API shows people, chats and messages: plain words and numbers, every id."""

from dataclasses import dataclass
from typing import Any

from feishu_simulator.cardkit.cards import Card, Cards
from feishu_simulator.cardkit.reading import summary
from feishu_simulator.directory import Directory
from feishu_simulator.messages import Messages
from feishu_simulator.model import App, Chat, Message, Party, Reaction, User, person
from feishu_simulator.reactions import Reactions

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Views:
    """Draws the platform's nouns for the control API and the page."""

    directory: Directory
    messages: Messages
    reactions: Reactions
    cards: Cards

    def app(self, app: App) -> Json:
        """Return an App with its secret: this API belongs to whoever runs the simulator."""
        return {
            "app_id": app.app_id,
            "app_secret": app.secret,
            "name": app.name,
            "brand": app.brand,
            "bot_open_id": app.bot_open_id,
            "tenant_key": app.tenant_key,
            "enabled": app.enabled,
            "scopes": _sorted(app.scopes),
            "subscriptions": _sorted(app.subscriptions),
            "available_to": _sorted(app.available_to),
        }

    def user(self, user: User) -> Json:
        """Return a person with the open_id each App knows them by."""
        party = person(user.user_id)
        apps = self.directory.apps.values()
        return {
            "user_id": user.user_id,
            "union_id": user.union_id,
            "open_ids": {app.app_id: self.directory.open_id(app, party) for app in apps},
            "name": user.name,
            "tenant_key": user.tenant_key,
            "outside_tenant": user.outside_tenant,
            "guest": user.guest,
            "resigned": user.resigned,
            "stopped_apps": sorted(user.stopped_apps),
        }

    def chat(self, chat: Chat) -> Json:
        """Return a chat with its members and its last message."""
        said = self.messages.in_chat(chat.chat_id)
        return {
            "chat_id": chat.chat_id,
            "kind": chat.kind.value,
            "name": chat.name,
            "owner": chat.owner,
            "users": list(chat.users),
            "bots": list(chat.bots),
            "muted": chat.muted,
            "dissolved": chat.dissolved,
            "threads_allowed": chat.threads_allowed,
            "created_ms": chat.created_ms,
            "last_message": self.message(said[-1]) if said else None,
        }

    def message(self, message: Message) -> Json:
        """Return a message with its reactions."""
        return {
            "message_id": message.message_id,
            "chat_id": message.chat_id,
            "sender": self.party(message.sender),
            "msg_type": message.msg_type,
            "text": message.text,
            "content": message.content,
            "create_ms": message.create_ms,
            "update_ms": message.update_ms,
            "root_id": message.root_id,
            "parent_id": message.parent_id,
            "thread_id": message.thread_id,
            "opens_thread": message.opens_thread,
            "withdrawn": message.withdrawn.value if message.withdrawn else None,
            "edits": message.edits,
            "uuid": message.uuid,
            "card": self.card(message.message_id),
            "mentions": [{"key": item.key, **self.party(item.party)} for item in message.mentions],
            "reactions": [self.reaction(item) for item in self.reactions.on(message.message_id)],
        }

    def card(self, message_id: str) -> Json | None:
        """Return the card of a message as it is now; None when it carries none."""
        card = self.cards.of(message_id)
        return None if card is None else _card(card)

    def reaction(self, reaction: Reaction) -> Json:
        """Return a reaction."""
        return {
            "reaction_id": reaction.reaction_id,
            "message_id": reaction.message_id,
            "emoji": reaction.emoji,
            "by": self.party(reaction.party),
            "at_ms": reaction.at_ms,
        }

    def party(self, party: Party) -> Json:
        """Return who someone is."""
        return {"kind": party.kind.value, "id": party.id, "name": self.directory.name_of(party)}


def _card(card: Card) -> Json:
    return {
        "card_id": card.card_id,
        "sequence": card.sequence,
        "streaming": card.streaming,
        "typed": card.updates[-1].typed,
        "summary": summary(card.shown),
        "shown": card.shown,
    }


def _sorted(values: frozenset[str] | None) -> list[str] | None:
    return None if values is None else sorted(values)
