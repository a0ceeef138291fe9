"""The whole platform as one object: its parts for the wire, and what tests may ask as a witness."""

from typing import Any

from feishu_simulator.announcements import Announcements
from feishu_simulator.bot_calls import BotCalls
from feishu_simulator.cardkit.cards import Card, CardUpdate
from feishu_simulator.cardkit.controls import Control, Press, buttons
from feishu_simulator.cardkit.operations import CardOperations
from feishu_simulator.clicks import Click, Clicks
from feishu_simulator.clock import SimClock
from feishu_simulator.connections import Connections
from feishu_simulator.conversation import Conversation
from feishu_simulator.delivery import Delivery, Event
from feishu_simulator.directory import Directory, NewChat
from feishu_simulator.faults import FaultRules, matches
from feishu_simulator.ids import IdMint
from feishu_simulator.journal import Journal
from feishu_simulator.messages import Messages
from feishu_simulator.model import App, Chat, ChatKind, Message, Reaction, User
from feishu_simulator.people import People
from feishu_simulator.reactions import Reactions
from feishu_simulator.request_log import Request, RequestLog
from feishu_simulator.settings import SimulatorSettings
from feishu_simulator.tokens import Tokens
from feishu_simulator.world import World

Json = dict[str, Any]

LOST_LINE_CODE = 1001


class Platform:
    """Apps, people, chats and everything between them. Synchronous: every act is done when the call returns."""

    def __init__(self, settings: SimulatorSettings) -> None:
        self._seed, self._visit = settings.seed, settings.visit
        self.clock = SimClock(virtual=settings.clock == "virtual", start_ms=settings.start_ms)
        self.journal = Journal(self.clock.now_ms)
        self.clock.watch(lambda now_ms: self.journal.record("clock", {"now_ms": now_ms}))
        self._build()

    def _build(self) -> None:
        world = World(self.clock, IdMint(self._seed, self._visit), self.journal)
        self.ids = world.ids
        self.directory = Directory(world)
        self.tokens = Tokens(world)
        self.faults = FaultRules(world)
        self.connections = Connections(world)
        self.delivery = Delivery(world, self.connections, self.faults)
        self.messages = Messages(world)
        self._reactions = Reactions(world)
        announcements = Announcements(self.directory, self.delivery)
        conversation = Conversation(world, self.directory, announcements, self.messages, self._reactions)
        self.conversation = conversation
        self.bot_calls = BotCalls(world, self.directory, conversation)
        self.people = People(world, self.directory, conversation, announcements)
        self.request_log = RequestLog(self.journal)
        self.views = conversation.views
        self.cards = conversation.cards
        self.card_operations = CardOperations(world, self.cards)
        self.clicks = Clicks(world, self.directory, conversation, self.delivery)

    def reset(self) -> None:
        """Forget everything but the time: connections close, ids start over from the seed."""
        for connection in self.connections.all.values():
            if connection.live:
                connection.link.close(LOST_LINE_CODE)
                self.connections.closed(connection, LOST_LINE_CODE)
        self.clock.cancel_all()
        self._build()
        self.journal.record("reset", {})

    def add_app(self, name: str = "Hongyan", *, app_id: str | None = None, secret: str | None = None) -> App:
        """Create an App with a bot that everyone may use and that holds every scope."""
        app = self.directory.add_app(name, app_id=app_id, secret=secret)
        self.journal.record("app", self.views.app(app))
        return app

    def add_user(self, name: str = "Lin Yan", *, user_id: str | None = None, outside_tenant: bool = False) -> User:
        """Create a person."""
        user = self.directory.add_user(name, user_id=user_id, outside_tenant=outside_tenant)
        self.journal.record("user", self.views.user(user))
        return user

    def add_group(self, name: str, users: list[User], bots: list[App], *, topics: bool = False) -> Chat:
        """Create a group; with `topics` every message opens a topic."""
        members = tuple(user.user_id for user in users)
        kind = ChatKind.TOPIC if topics else ChatKind.GROUP
        return self.conversation.open_chat(NewChat(kind, name, members, tuple(app.app_id for app in bots)))

    def private_chat(self, user: User, app: App) -> Chat:
        """Return the private chat of a person and a bot, created when it is the first time."""
        return self.conversation.private_chat(user.user_id, app.app_id)

    def said(self, chat_id: str) -> list[Message]:
        """Return everything people said in a chat, taken back or not, oldest first."""
        return [message for message in self.messages.in_chat(chat_id) if not message.by_bot]

    def visible(self, chat_id: str) -> list[Message]:
        """Return what a reader of the chat sees, threads included, oldest first."""
        return [message for message in self.messages.in_chat(chat_id) if message.withdrawn is None]

    def reactions(self, message_id: str) -> list[Reaction]:
        """Return a message's reactions, oldest first."""
        return self._reactions.on(message_id)

    def card(self, message_id: str) -> Json:
        """Return the card that a message shows now; KeyError when it carries none."""
        return self._card(message_id).shown

    def card_updates(self, message_id: str) -> list[CardUpdate]:
        """Return every look that a message's card had, oldest first, the first one included."""
        return list(self._card(message_id).updates)

    def buttons(self, message_id: str) -> list[Control]:
        """Return the buttons that a message's card shows now, in the order of its text."""
        return buttons(self.card(message_id))

    def streaming(self, message_id: str) -> bool:
        """Say whether text is being streamed into a message's card."""
        return self._card(message_id).streaming

    def click(self, user: User, message_id: str, **press: Any) -> Click:
        """Use a control of a message's card as a person; the keywords are fields of `Press`."""
        return self.clicks.press(user.user_id, message_id, Press(**press))

    def requests(self, pattern: str = "*") -> list[Request]:
        """Return the calls whose endpoint matches, as fault rules match, oldest first."""
        return [request for request in self.request_log.requests if matches(pattern, request.endpoint)]

    def events(self, event_type: str | None = None) -> list[Event]:
        """Return the events, of one type or all, oldest first."""
        return [event for event in self.delivery.events if event_type in (None, event.event_type)]

    def _card(self, message_id: str) -> Card:
        card = self.cards.of(message_id)
        if card is None:
            raise KeyError(message_id)
        return card
