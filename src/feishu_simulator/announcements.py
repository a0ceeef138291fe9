"""Tells Apps what happened: turns changes in chats into events for the bots that may hear of them."""

from feishu_simulator.delivery import Delivery
from feishu_simulator.directory import Directory
from feishu_simulator.model import App, Chat, ChatKind, Message, Party, PartyKind, Reaction, bot
from feishu_simulator.payloads import Shapes

RECEIVED = "im.message.receive_v1"
RECALLED = "im.message.recalled_v1"
REACTED = "im.message.reaction.created_v1"
UNREACTED = "im.message.reaction.deleted_v1"
BOT_ADDED = "im.chat.member.bot.added_v1"
BOT_REMOVED = "im.chat.member.bot.deleted_v1"
ENTERED = "im.chat.access_event.bot_p2p_chat_entered_v1"
READ = "im.message.message_read_v1"

ALL_GROUP_MESSAGES = "im:message.group_msg"
MENTIONS = ("im:message.group_at_msg:readonly", "im:message.group_at_msg")
MENTIONS_BY_BOTS = "im:message.group_at_msg.include_bot:readonly"
PRIVATE_MESSAGES = ("im:message.p2p_msg:readonly", "im:message.p2p_msg")


class Announcements:
    """Publishes events, each drawn as the receiving App sees it."""

    def __init__(self, directory: Directory, delivery: Delivery) -> None:
        self._directory = directory
        self._delivery = delivery

    def said(self, message: Message, chat: Chat) -> None:
        """Tell the bots of the chat about a message; a bot hears nothing of its own."""
        for app in self._bots(chat):
            if message.sender != bot(app.app_id) and self._hears(app, message, chat):
                body = Shapes(self._directory, app).received(message, chat)
                self._delivery.publish(app, RECEIVED, message.message_id, body)

    def recalled(self, message: Message, chat: Chat, how: str) -> None:
        """Tell the bots of the chat that a message was taken back."""
        for app in self._bots(chat):
            body = Shapes(self._directory, app).recalled(message, how)
            self._delivery.publish(app, RECALLED, message.message_id, body)

    def reacted(self, reaction: Reaction, chat: Chat) -> None:
        """Tell the bots of the chat about a reaction, the reacting bot too."""
        self._reaction(REACTED, reaction, chat, reaction.at_ms)

    def unreacted(self, reaction: Reaction, chat: Chat, at_ms: int) -> None:
        """Tell the bots of the chat that a reaction was removed."""
        self._reaction(UNREACTED, reaction, chat, at_ms)

    def bot_joined(self, app: App, chat: Chat, operator: Party) -> None:
        """Tell a bot that it was added to a group."""
        body = Shapes(self._directory, app).membership(chat, operator)
        self._delivery.publish(app, BOT_ADDED, chat.chat_id, body)

    def bot_left(self, app: App, chat: Chat, operator: Party) -> None:
        """Tell a bot that it was removed from a group."""
        body = Shapes(self._directory, app).membership(chat, operator)
        self._delivery.publish(app, BOT_REMOVED, chat.chat_id, body)

    def entered(self, chat: Chat, visitor: Party, last: Message | None) -> None:
        """Tell the bot of a private chat that the person opened it."""
        for app in self._bots(chat):
            body = Shapes(self._directory, app).entered(chat, visitor, last)
            self._delivery.publish(app, ENTERED, chat.chat_id, body)

    def read(self, chat: Chat, reader: Party, messages: list[Message], at_ms: int) -> None:
        """Tell the bot of a private chat which of its messages the person has seen."""
        for app in self._bots(chat):
            shapes = Shapes(self._directory, app)
            body = {
                "reader": {
                    "reader_id": shapes.ids(reader),
                    "read_time": str(at_ms),
                    "tenant_key": self._directory.tenant_key(reader),
                },
                "message_id_list": [message.message_id for message in messages],
            }
            self._delivery.publish(app, READ, chat.chat_id, body)

    def _reaction(self, event_type: str, reaction: Reaction, chat: Chat, at_ms: int) -> None:
        for app in self._bots(chat):
            body = Shapes(self._directory, app).reacted(reaction, at_ms)
            self._delivery.publish(app, event_type, reaction.message_id, body)

    def _bots(self, chat: Chat) -> list[App]:
        return [self._directory.apps[app_id] for app_id in chat.bots]

    def _hears(self, app: App, message: Message, chat: Chat) -> bool:
        mentioned = any(mention.party == bot(app.app_id) for mention in message.mentions)
        if message.sender.kind is PartyKind.APP:
            return mentioned and app.may(MENTIONS_BY_BOTS)
        if chat.kind is ChatKind.P2P:
            return app.may(*PRIVATE_MESSAGES)
        return app.may(ALL_GROUP_MESSAGES) or (mentioned and app.may(*MENTIONS))
