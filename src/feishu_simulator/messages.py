"""The messages that exist, in the order they were said, and where a reply belongs."""

from collections import defaultdict
from dataclasses import dataclass

from feishu_simulator.cardkit.cards import Card
from feishu_simulator.content import ReadForm
from feishu_simulator.errors import PlatformError
from feishu_simulator.model import Chat, ChatKind, Message, Party, Resource, Withdrawal
from feishu_simulator.world import World


@dataclass(frozen=True, slots=True)
class Placement:
    """Where in a chat a message stands."""

    chat: Chat
    root_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    opens_thread: bool = False


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message about to be said; `card` is what an interactive one carries."""

    sender: Party
    msg_type: str
    form: ReadForm
    place: Placement
    uuid: str | None = None
    card: Card | None = None


class Messages:
    """Stores messages and answers by id, chat and thread."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.by_id: dict[str, Message] = {}
        self._by_chat: defaultdict[str, list[Message]] = defaultdict(list)
        self._by_thread: defaultdict[str, list[Message]] = defaultdict(list)
        self.resources: dict[str, Resource] = {}

    def find(self, message_id: str) -> Message:
        """Return the message, or refuse as the platform does."""
        message = self.by_id.get(message_id)
        if message is None:
            raise PlatformError(99992354)
        return message

    def usable(self, message_id: str) -> Message:
        """Return a message that is still there; a withdrawn one is refused."""
        message = self.find(message_id)
        if message.withdrawn is not None:
            raise PlatformError(230011 if message.withdrawn is Withdrawal.RECALLED else 230110)
        return message

    def in_chat(self, chat_id: str) -> list[Message]:
        """Return every message ever said in the chat, oldest first."""
        return self._by_chat[chat_id]

    def in_thread(self, thread_id: str) -> list[Message]:
        """Return a thread's messages with its root, oldest first."""
        if thread_id not in self._by_thread:
            raise PlatformError(230019)
        return self._by_thread[thread_id]

    def top_level(self, chat: Chat) -> Placement:
        """Place a message that answers nothing; in a topic group it opens a topic."""
        if chat.kind is ChatKind.TOPIC:
            return Placement(chat, thread_id=self._world.ids.thread_id(), opens_thread=True)
        return Placement(chat)

    def beneath(self, target: Message, chat: Chat, *, in_thread: bool) -> Placement:
        """Place a reply: into the target's thread when it has one, into a new one when asked, else beside it."""
        if target.thread_id is not None:
            root_id = self._by_thread[target.thread_id][0].message_id
            return Placement(chat, root_id, root_id, target.thread_id)
        if not in_thread:
            return Placement(chat, target.root_id or target.message_id, target.message_id)
        if not chat.threads_allowed:
            raise PlatformError(230071)
        target.thread_id = self._world.ids.thread_id()
        target.opens_thread = True
        self._by_thread[target.thread_id].append(target)
        return Placement(chat, target.message_id, target.message_id, target.thread_id)

    def append(self, said: Utterance) -> Message:
        """Say a message; it exists from here on."""
        place = said.place
        now_ms = self._world.clock.now_ms()
        message = Message(
            message_id=self._world.ids.message_id(),
            order=len(self.by_id),
            chat_id=place.chat.chat_id,
            sender=said.sender,
            msg_type=said.msg_type,
            content=said.form.content,
            create_ms=now_ms,
            update_ms=now_ms,
            mentions=tuple(said.form.mentions),
            root_id=place.root_id,
            parent_id=place.parent_id,
            thread_id=place.thread_id,
            opens_thread=place.opens_thread,
            uuid=said.uuid,
        )
        self.by_id[message.message_id] = message
        self._by_chat[message.chat_id].append(message)
        if message.thread_id is not None:
            self._by_thread[message.thread_id].append(message)
        return message

    def rewrite(self, message: Message, form: ReadForm) -> None:
        """Replace a message's content after an edit."""
        message.content = form.content
        message.mentions = tuple(form.mentions)
        message.edits += 1
        message.update_ms = self._world.clock.now_ms()

    def redraw(self, message: Message, content: str) -> None:
        """Replace the content of a card's message after the card changed."""
        message.content = content
        message.card_changes += 1
        message.update_ms = self._world.clock.now_ms()

    def withdraw(self, message: Message, how: Withdrawal) -> None:
        """Take a message back; it stays known by its id."""
        message.withdrawn = how
        message.update_ms = self._world.clock.now_ms()
