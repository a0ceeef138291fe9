"""What people do: they write, answer, correct, take back, react, open a chat and read."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from feishu_simulator.announcements import Announcements
from feishu_simulator.content import ReadForm, read_form, spoken_form
from feishu_simulator.conversation import Conversation
from feishu_simulator.directory import Directory
from feishu_simulator.errors import PlatformError
from feishu_simulator.messages import Placement, Utterance
from feishu_simulator.model import Chat, ChatKind, Message, Party, Reaction, Resource, Withdrawal, person
from feishu_simulator.world import World

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Speech:
    """What a person says: exactly one of text, post (the send form), or an upload."""

    text: str | None = None
    post: Json | None = None
    upload: bytes | None = None
    upload_kind: Literal["image", "file"] = "file"
    upload_name: str = "file"
    reply_to: str | None = None
    in_thread: bool = False


class People:
    """Acts in the name of a person; an act their Feishu would not offer raises PlatformError."""

    def __init__(
        self, world: World, directory: Directory, conversation: Conversation, announcements: Announcements
    ) -> None:
        self._world = world
        self._directory = directory
        self._conversation = conversation
        self._announcements = announcements

    def say(self, user_id: str, chat_id: str, speech: Speech) -> Message:
        """Say something in a chat the person is in."""
        chat = self._joined(user_id, chat_id)
        msg_type, form = self._form(speech)
        return self._conversation.say(Utterance(person(user_id), msg_type, form, self._place(chat, speech)))

    def write(self, user_id: str, app_id: str, text: str) -> Message:
        """Write to a bot in the private chat, which is opened when it is the first time."""
        return self.say(user_id, self._conversation.private_chat(user_id, app_id).chat_id, Speech(text=text))

    def edit(self, user_id: str, message_id: str, speech: Speech) -> Message:
        """Change the words of an own message."""
        message = self._own(user_id, message_id)
        msg_type, form = self._form(speech)
        if msg_type != message.msg_type:
            raise PlatformError(230054)
        self._conversation.rewrite(message, form)
        return message

    def recall(self, message_id: str, *, how: str = "message_owner") -> Message:
        """Take a message back; `how` names in which role."""
        message = self._conversation.messages.usable(message_id)
        self._conversation.withdraw(message, Withdrawal.RECALLED, how)
        return message

    def delete(self, message_id: str) -> Message:
        """Delete a message for everyone, as an administrator does."""
        message = self._conversation.messages.usable(message_id)
        self._conversation.withdraw(message, Withdrawal.DELETED, "enterprise_manager")
        return message

    def react(self, user_id: str, message_id: str, emoji: str) -> Reaction:
        """Put an emoji on a message."""
        message = self._conversation.messages.usable(message_id)
        self._joined(user_id, message.chat_id)
        return self._conversation.react(message, emoji, person(user_id))

    def unreact(self, user_id: str, message_id: str, emoji: str) -> None:
        """Take the own emoji off a message; nothing happens when it is not there."""
        standing = self._conversation.reactions.same(message_id, emoji, person(user_id))
        if standing is not None:
            self._conversation.unreact(standing)

    def enter(self, user_id: str, chat_id: str) -> None:
        """Open the window of a private chat."""
        chat = self._joined(user_id, chat_id)
        said = self._conversation.messages.in_chat(chat_id)
        if chat.kind is ChatKind.P2P:
            self._announcements.entered(chat, person(user_id), said[-1] if said else None)

    def read(self, user_id: str, chat_id: str) -> None:
        """Read what the bot wrote in a private chat."""
        chat = self._joined(user_id, chat_id)
        written = [message for message in self._conversation.messages.in_chat(chat_id) if message.by_bot]
        if chat.kind is ChatKind.P2P and written:
            self._announcements.read(chat, person(user_id), written, self._world.clock.now_ms())

    def _joined(self, user_id: str, chat_id: str) -> Chat:
        chat = self._directory.chat(chat_id)
        if not chat.has(person(user_id)):
            raise PlatformError(230002)
        return chat

    def _own(self, user_id: str, message_id: str) -> Message:
        message = self._conversation.messages.usable(message_id)
        if message.sender != person(user_id):
            raise PlatformError(230071)
        return message

    def _place(self, chat: Chat, speech: Speech) -> Placement:
        messages = self._conversation.messages
        if speech.reply_to is None:
            return messages.top_level(chat)
        target = messages.usable(speech.reply_to)
        if target.chat_id != chat.chat_id:
            raise PlatformError(99992354)
        return messages.beneath(target, chat, in_thread=speech.in_thread)

    def _form(self, speech: Speech) -> tuple[str, ReadForm]:
        if speech.text is not None:
            return "text", spoken_form(speech.text, self._lookup)
        if speech.post is not None:
            post = {"zh_cn": speech.post} if "content" in speech.post else speech.post
            return "post", read_form("post", json.dumps(post), self._lookup)
        if speech.upload is None:
            raise PlatformError(230001, "ext=nothing is said")
        return speech.upload_kind, self._upload(speech.upload, speech)

    def _upload(self, content: bytes, speech: Speech) -> ReadForm:
        is_image = speech.upload_kind == "image"
        key = self._world.ids.resource_key("img" if is_image else "file")
        resource = Resource(key, speech.upload_kind, speech.upload_name, content)
        self._conversation.messages.resources[key] = resource
        fields = {"image_key": key} if is_image else {"file_key": key, "file_name": speech.upload_name}
        return ReadForm(content=json.dumps(fields, ensure_ascii=False))

    def _lookup(self, reference: str) -> tuple[Party, str] | None:
        party = self._directory.party(reference)
        return None if party is None else (party, self._directory.name_of(party))
