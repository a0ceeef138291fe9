"""What a bot may do to messages: the rules behind the REST calls, each refusal with the platform's number."""

import json
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Final

from feishu_simulator.cardkit.cards import CARD_LIFE_MS, Card
from feishu_simulator.cardkit.reading import flattened
from feishu_simulator.cardkit.sending import card_to_send, check_patch, check_sendable
from feishu_simulator.content import ReadForm, read_form
from feishu_simulator.conversation import Conversation
from feishu_simulator.directory import Directory
from feishu_simulator.errors import PlatformError, invalid_field
from feishu_simulator.messages import Placement, Utterance
from feishu_simulator.model import App, Chat, ChatKind, Message, Party, Reaction, User, Withdrawal, bot
from feishu_simulator.world import World

UUID_WINDOW_MS: Final = 3_600_000
UUID_LENGTH: Final = 50
EDIT_CAP: Final = 20
EDITABLE: Final = frozenset({"text", "post"})
INTERACTIVE: Final = "interactive"
PATCHES: Final = 5
PATCH_WINDOW_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Draft:
    """What an App asks to send."""

    msg_type: str
    content: str
    uuid: str | None = None


class BotCalls:
    """Acts on messages in the name of an App."""

    def __init__(self, world: World, directory: Directory, conversation: Conversation) -> None:
        self._world = world
        self._directory = directory
        self._conversation = conversation
        self._sent: dict[tuple[str, str], Message] = {}
        self._patched: defaultdict[str, deque[int]] = defaultdict(deque)

    def create(self, app: App, id_type: str, receive_id: str, draft: Draft) -> Message:
        """Send to a chat or a person, once per uuid and hour."""
        chat = self._addressed(app, id_type, receive_id)
        self._check_may_speak(app, chat)
        return self._repeated(app, draft) or self._say(app, draft, self._conversation.messages.top_level(chat))

    def reply(self, app: App, message_id: str, draft: Draft, *, in_thread: bool) -> Message:
        """Answer a message, once per uuid and hour."""
        target = self._conversation.messages.find(message_id)
        chat = self._directory.chat(target.chat_id)
        self._check_may_speak(app, chat)
        if (earlier := self._repeated(app, draft)) is not None:
            return earlier
        self._conversation.messages.usable(message_id)
        self._read(app, draft)  # a refused draft opens no thread
        return self._say(app, draft, self._conversation.messages.beneath(target, chat, in_thread=in_thread))

    def edit(self, app: App, message_id: str, draft: Draft) -> Message:
        """Replace the content of the App's own text or post, at most twenty times."""
        message = self._reachable(app, message_id)
        self._conversation.messages.usable(message_id)
        if message.sender != bot(app.app_id):
            raise PlatformError(230071)
        if draft.msg_type not in EDITABLE or draft.msg_type != message.msg_type:
            raise PlatformError(230054)
        if message.edits >= EDIT_CAP:
            raise PlatformError(230072)
        self._conversation.rewrite(message, self._read(app, draft))
        return message

    def patch(self, app: App, message_id: str, content: str) -> Card:
        """Replace the card of the App's own message, within fourteen days."""
        message = self._reachable(app, message_id)
        self._conversation.messages.usable(message_id)
        if message.sender != bot(app.app_id):
            raise PlatformError(230071)
        card = self._conversation.cards.of(message_id)
        if card is None:
            raise PlatformError(230001, "ext=This message is NOT a card.")
        if self._world.clock.now_ms() - message.create_ms > CARD_LIFE_MS:
            raise PlatformError(230031)
        shown = check_patch(card.shown, content)
        self._count_patch(message_id)
        self._conversation.cards.show(card, shown, "patch")
        return card

    def recall(self, app: App, message_id: str) -> None:
        """Take back the App's own message; a second call is refused as withdrawn."""
        message = self._reachable(app, message_id)
        if message.sender != bot(app.app_id):
            raise PlatformError(230026)
        self._conversation.messages.usable(message_id)
        self._conversation.withdraw(message, Withdrawal.RECALLED, "message_owner")

    def get(self, app: App, message_id: str) -> Message:
        """Read one message of a chat the bot is in."""
        return self._reachable(app, message_id)

    def react(self, app: App, message_id: str, emoji: str) -> Reaction:
        """React to a message of a chat the bot is in."""
        message = self._reactable(app, message_id)
        return self._conversation.react(message, emoji, bot(app.app_id))

    def unreact(self, app: App, message_id: str, reaction_id: str) -> Reaction:
        """Remove the App's own reaction."""
        self._reactable(app, message_id)
        reaction = self._conversation.reactions.find(message_id, reaction_id)
        if reaction.party != bot(app.app_id):
            raise PlatformError(231007)
        self._conversation.unreact(reaction)
        return reaction

    def reactions(self, app: App, message_id: str, emoji: str | None) -> list[Reaction]:
        """Read a message's reactions."""
        self._reactable(app, message_id)
        return self._conversation.reactions.on(message_id, emoji)

    def _addressed(self, app: App, id_type: str, receive_id: str) -> Chat:
        if id_type == "chat_id":
            if not receive_id.startswith("oc_"):
                raise PlatformError(230034)
            return self._directory.chat(receive_id)
        if id_type not in ("open_id", "union_id", "user_id"):
            raise invalid_field("receive_id_type", id_type, "it is not in the options")
        if id_type == "open_id" and not receive_id.startswith("ou_"):
            raise PlatformError(230034)
        user = self._directory.person_as(app, id_type, receive_id)
        self._check_reaches(app, user)
        return self._conversation.private_chat(user.user_id, app.app_id)

    def _check_may_speak(self, app: App, chat: Chat) -> None:
        if not chat.has(bot(app.app_id)):
            raise PlatformError(230002)
        if chat.muted:
            raise PlatformError(230018)
        if chat.kind is ChatKind.P2P:
            self._check_reaches(app, self._directory.users[chat.users[0]])

    def _check_reaches(self, app: App, user: User) -> None:
        if user.resigned:
            raise PlatformError(230029)
        if user.outside_tenant:
            raise PlatformError(230038)
        if not app.reaches(user.user_id):
            raise PlatformError(230013)
        if app.app_id in user.stopped_apps:
            raise PlatformError(230053)

    def _repeated(self, app: App, draft: Draft) -> Message | None:
        """Return the message an earlier call with the same uuid made within the hour."""
        if draft.uuid is None:
            return None
        if len(draft.uuid) > UUID_LENGTH:
            raise invalid_field("uuid", draft.uuid, "the max len is 50")
        earlier = self._sent.get((app.app_id, draft.uuid))
        if earlier is None or self._world.clock.now_ms() - earlier.create_ms >= UUID_WINDOW_MS:
            return None
        return earlier

    def _say(self, app: App, draft: Draft, place: Placement) -> Message:
        form = self._read(app, draft)
        cards = self._conversation.cards
        card = card_to_send(cards, app, draft.content) if draft.msg_type == INTERACTIVE else None
        utterance = Utterance(bot(app.app_id), draft.msg_type, form, place, draft.uuid, card)
        message = self._conversation.say(utterance)
        if draft.uuid is not None:
            self._sent[app.app_id, draft.uuid] = message
        return message

    def _read(self, app: App, draft: Draft) -> ReadForm:
        def lookup(reference: str) -> tuple[Party, str] | None:
            party = self._directory.party(reference)
            return None if party is None else (party, self._directory.name_of(party))

        if draft.msg_type == INTERACTIVE:
            shown = check_sendable(self._conversation.cards, app, draft.content)
            return ReadForm(json.dumps(flattened(shown), ensure_ascii=False))
        return read_form(draft.msg_type, draft.content, lookup)

    def _count_patch(self, message_id: str) -> None:
        """Refuse the sixth change of a card within a second; a clock that stands still knows no rate."""
        clock = self._world.clock
        if clock.virtual:
            return
        recent, now_ms = self._patched[message_id], clock.now_ms()
        while recent and recent[0] <= now_ms - PATCH_WINDOW_MS:
            recent.popleft()
        if len(recent) >= PATCHES:
            raise PlatformError(230020)
        recent.append(now_ms)

    def _reachable(self, app: App, message_id: str) -> Message:
        message = self._conversation.messages.find(message_id)
        chat = self._directory.chat(message.chat_id)
        if not chat.has(bot(app.app_id)):
            raise PlatformError(230002)
        return message

    def _reactable(self, app: App, message_id: str) -> Message:
        message = self._conversation.messages.by_id.get(message_id)
        if message is None or message.withdrawn is not None:
            raise PlatformError(231003)
        if not self._directory.chat(message.chat_id).has(bot(app.app_id)):
            raise PlatformError(231002)
        return message
