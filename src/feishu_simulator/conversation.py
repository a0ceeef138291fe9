"""What happens in chats whoever does it: a message is said, changed, taken back, reacted to, a bot joins or leaves.

People (`people.py`) and bots (`bot_calls.py`) check their own right to act and then come here.
"""

import json

from feishu_simulator.announcements import Announcements
from feishu_simulator.cardkit.cards import Card, Cards
from feishu_simulator.cardkit.reading import flattened
from feishu_simulator.content import ReadForm
from feishu_simulator.directory import Directory, NewChat
from feishu_simulator.messages import Messages, Utterance
from feishu_simulator.model import Chat, ChatKind, Message, Party, Reaction, Withdrawal, person
from feishu_simulator.reactions import Reactions
from feishu_simulator.views import Views
from feishu_simulator.world import World


class Conversation:
    """Changes chats, records each change and announces it to the bots."""

    def __init__(
        self, world: World, directory: Directory, announcements: Announcements, messages: Messages, reactions: Reactions
    ) -> None:
        self._world = world
        self._directory = directory
        self._announcements = announcements
        self.messages = messages
        self.reactions = reactions
        self.cards = Cards(world)
        self.cards.watch(self._redraw)
        self.views = Views(directory, messages, reactions, self.cards)

    def say(self, utterance: Utterance) -> Message:
        """Say a message."""
        message = self.messages.append(utterance)
        if utterance.card is not None:
            self.cards.attach(utterance.card, message.message_id)
        self._record_message("said", message)
        self._announcements.said(message, utterance.place.chat)
        return message

    def rewrite(self, message: Message, form: ReadForm) -> None:
        """Change a message; the platform sends no event for it."""
        self.messages.rewrite(message, form)
        self._record_message("edited", message)

    def withdraw(self, message: Message, withdrawal: Withdrawal, how: str) -> None:
        """Take a message back."""
        self.messages.withdraw(message, withdrawal)
        self._record_message("withdrawn", message)
        self._announcements.recalled(message, self._directory.chats[message.chat_id], how)

    def react(self, message: Message, emoji: str, party: Party) -> Reaction:
        """Put a reaction on a message; the same one twice stays one and is announced once."""
        standing = self.reactions.same(message.message_id, emoji, party)
        if standing is not None:
            return standing
        reaction = self.reactions.add(message.message_id, emoji, party)
        self._record_reaction("added", reaction)
        self._announcements.reacted(reaction, self._directory.chats[message.chat_id])
        return reaction

    def unreact(self, reaction: Reaction) -> None:
        """Take a reaction off."""
        self.reactions.remove(reaction)
        self._record_reaction("removed", reaction)
        message = self.messages.find(reaction.message_id)
        now_ms = self._world.clock.now_ms()
        self._announcements.unreacted(reaction, self._directory.chats[message.chat_id], now_ms)

    def open_chat(self, new: NewChat) -> Chat:
        """Create a chat; bots that start in a group hear that they were added."""
        chat = self._directory.add_chat(new)
        self.record_chat(chat)
        if chat.kind is not ChatKind.P2P:
            for app_id in chat.bots:
                self._announce_join(chat, app_id)
        return chat

    def private_chat(self, user_id: str, app_id: str) -> Chat:
        """Return the private chat of a person and a bot, opened when it is the first time."""
        existed = len(self._directory.chats)
        chat = self._directory.private_chat(user_id, app_id)
        if len(self._directory.chats) > existed:
            self.record_chat(chat)
        return chat

    def bot_joins(self, chat: Chat, app_id: str) -> None:
        """Add a bot to a group; no change when it is in."""
        if app_id not in chat.bots:
            chat.bots.append(app_id)
            self.record_chat(chat)
            self._announce_join(chat, app_id)

    def bot_leaves(self, chat: Chat, app_id: str) -> None:
        """Remove a bot from a group; no change when it is out."""
        if app_id in chat.bots:
            chat.bots.remove(app_id)
            self.record_chat(chat)
            self._announcements.bot_left(self._directory.apps[app_id], chat, self._operator(chat))

    def record_chat(self, chat: Chat) -> None:
        """Note in the journal how a chat is now."""
        self._world.journal.record("chat", self.views.chat(chat))

    def _redraw(self, card: Card) -> None:
        """Let the message of a card read as the card now looks."""
        if card.message_id is None:
            return
        message = self.messages.find(card.message_id)
        self.messages.redraw(message, json.dumps(flattened(card.shown), ensure_ascii=False))
        facts = {"action": "redrawn", **self.views.message(message)}
        self._world.journal.record("message", facts, subject=message.message_id)

    def _announce_join(self, chat: Chat, app_id: str) -> None:
        self._announcements.bot_joined(self._directory.apps[app_id], chat, self._operator(chat))

    def _operator(self, chat: Chat) -> Party:
        """Return who manages the group: its owner, else the first person of the tenant."""
        return person(chat.owner or next(iter(self._directory.users)))

    def _record_message(self, action: str, message: Message) -> None:
        self._world.journal.record("message", {"action": action, **self.views.message(message)})

    def _record_reaction(self, action: str, reaction: Reaction) -> None:
        self._world.journal.record("reaction", {"action": action, **self.views.reaction(reaction)})
