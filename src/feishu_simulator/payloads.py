"""The platform's JSON shapes: message objects of the REST surface and bodies of events."""

from dataclasses import dataclass
from typing import Any

from feishu_simulator.directory import Directory
from feishu_simulator.model import App, Chat, ChatKind, Message, Party, PartyKind, Reaction, Withdrawal

Json = dict[str, Any]

RECALLED_TEXT = "This message was recalled"


@dataclass(frozen=True, slots=True)
class Shapes:
    """Draws shapes as one App sees them: open_ids differ from App to App."""

    directory: Directory
    app: App

    def ids(self, party: Party) -> Json:
        """Return the id object of events."""
        if party.kind is PartyKind.APP:
            return {"union_id": "", "user_id": "", "open_id": self.directory.open_id(self.app, party)}
        user = self.directory.users[party.id]
        ids = {"union_id": user.union_id, "open_id": self.directory.open_id(self.app, party)}
        if self.app.may("contact:user.employee_id:readonly"):
            ids["user_id"] = user.user_id
        return ids

    def user_id(self, party: Party, id_type: str) -> str:
        """Return a person's id of the asked type."""
        user = self.directory.users[party.id]
        if id_type == "open_id":
            return self.directory.open_id(self.app, party)
        return user.union_id if id_type == "union_id" else user.user_id

    def sender(self, party: Party, id_type: str = "open_id") -> Json:
        """Return the sender object of REST messages."""
        tenant_key = self.directory.tenant_key(party)
        if party.kind is PartyKind.APP:
            return {"id": party.id, "id_type": "app_id", "sender_type": "app", "tenant_key": tenant_key}
        sender_id = self.user_id(party, id_type)
        return {"id": sender_id, "id_type": id_type, "sender_type": "user", "tenant_key": tenant_key}

    def message(self, message: Message, id_type: str = "open_id", *, listed: bool = False) -> Json:
        """Return the message object of create, reply, edit, get and list."""
        shape: Json = {
            "message_id": message.message_id,
            **_places(message),
            "msg_type": message.msg_type,
            "create_time": str(message.create_ms),
            "update_time": str(message.update_ms),
            "deleted": message.withdrawn is not None,
            "updated": message.edits > 0 or message.card_changes > 0,
            "chat_id": message.chat_id,
            "sender": self.sender(message.sender, id_type),
        }
        if message.withdrawn is None:
            shape["body"] = {"content": message.content}
        elif listed and message.withdrawn is Withdrawal.RECALLED:
            shape["body"] = {"content": RECALLED_TEXT}
        if message.mentions and message.withdrawn is None:
            shape["mentions"] = [
                {
                    "key": mention.key,
                    "id": self._mentioned(mention.party, id_type),
                    "id_type": "open_id" if mention.party.kind is PartyKind.APP else id_type,
                    "name": mention.name,
                    "tenant_key": self.directory.tenant_key(mention.party),
                }
                for mention in message.mentions
            ]
        return shape

    def received(self, message: Message, chat: Chat) -> Json:
        """Return the body of im.message.receive_v1."""
        by_user = message.sender.kind is PartyKind.USER
        shape: Json = {
            "message_id": message.message_id,
            **_places(message),
            "create_time": str(message.create_ms),
            "update_time": str(message.update_ms),
            "chat_id": message.chat_id,
            "chat_type": "p2p" if chat.kind is ChatKind.P2P else "group",
            "message_type": message.msg_type,
            "content": message.content,
            "user_agent": "Mozilla/5.0 (simulated) Lark/7.40",
        }
        if message.mentions:
            shape["mentions"] = [
                {
                    "key": mention.key,
                    "id": self.ids(mention.party),
                    "mentioned_type": "bot" if mention.party.kind is PartyKind.APP else "user",
                    "name": mention.name,
                    "tenant_key": self.directory.tenant_key(mention.party),
                }
                for mention in message.mentions
            ]
        sender = {
            "sender_id": self.ids(message.sender),
            "sender_type": "user" if by_user else "bot",
            "tenant_key": self.directory.tenant_key(message.sender),
        }
        return {"sender": sender, "message": shape}

    def recalled(self, message: Message, how: str) -> Json:
        """Return the body of im.message.recalled_v1."""
        return {
            "message_id": message.message_id,
            "chat_id": message.chat_id,
            "recall_time": str(message.update_ms),
            "recall_type": how,
        }

    def reacted(self, reaction: Reaction, at_ms: int) -> Json:
        """Return the body of the reaction events."""
        shape: Json = {
            "message_id": reaction.message_id,
            "reaction_type": {"emoji_type": reaction.emoji},
            "operator_type": reaction.party.kind.value,
            "action_time": str(at_ms),
        }
        if reaction.party.kind is PartyKind.APP:
            shape["app_id"] = reaction.party.id
        else:
            shape["user_id"] = self.ids(reaction.party)
        return shape

    def reaction(self, reaction: Reaction, id_type: str = "open_id") -> Json:
        """Return the reaction object of the REST surface."""
        by_app = reaction.party.kind is PartyKind.APP
        operator_id = reaction.party.id if by_app else self.user_id(reaction.party, id_type)
        return {
            "reaction_id": reaction.reaction_id,
            "operator": {"operator_id": operator_id, "operator_type": reaction.party.kind.value},
            "action_time": str(reaction.at_ms),
            "reaction_type": {"emoji_type": reaction.emoji},
        }

    def membership(self, chat: Chat, operator: Party) -> Json:
        """Return the body of the events about a bot joining or leaving a chat."""
        return {
            "chat_id": chat.chat_id,
            "operator_id": self.ids(operator),
            "external": False,
            "operator_tenant_key": self.directory.tenant_key(operator),
            "name": chat.name,
            "i18n_names": {"zh_cn": chat.name, "en_us": "", "ja_jp": ""},
        }

    def entered(self, chat: Chat, operator: Party, last: Message | None) -> Json:
        """Return the body of the event that a person opened the private chat."""
        shape: Json = {"chat_id": chat.chat_id, "operator_id": self.ids(operator)}
        if last is not None:
            shape["last_message_id"] = last.message_id
            shape["last_message_create_time"] = str(last.create_ms)
        return shape

    def _mentioned(self, party: Party, id_type: str) -> str:
        if party.kind is PartyKind.APP:
            return self.directory.open_id(self.app, party)
        return self.user_id(party, id_type)


def _places(message: Message) -> Json:
    places = {"root_id": message.root_id, "parent_id": message.parent_id, "thread_id": message.thread_id}
    return {name: value for name, value in places.items() if value is not None}
