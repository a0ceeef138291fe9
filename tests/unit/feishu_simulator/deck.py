"""Cards to play with in the tests, and the town's bot that sends and changes them."""

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from tests.unit.feishu_simulator.town import Ear, Town, town

from feishu_simulator.bot_calls import Draft
from feishu_simulator.cardkit import edits
from feishu_simulator.cardkit.cards import Card
from feishu_simulator.cardkit.edits import Edit
from feishu_simulator.cardkit.operations import Order
from feishu_simulator.clicks import Click
from feishu_simulator.frames import Frame, decode
from feishu_simulator.model import Message

Json = dict[str, Any]


def markdown(content: str = "hello", element_id: str | None = None) -> Json:
    """Make a Markdown element."""
    element = {"tag": "markdown", "content": content}
    return element if element_id is None else {**element, "element_id": element_id}


def button(text: str = "Allow once", value: Any = None, **more: Any) -> Json:
    """Make a button that calls back."""
    behaviors = [{"type": "callback", "value": value if value is not None else {"decision": text}}]
    return {"tag": "button", "text": {"tag": "plain_text", "content": text}, "behaviors": behaviors, **more}


def card(*elements: Json, streaming: bool = False, title: str = "", **config: Any) -> Json:
    """Make a card of the 2.0 structure that everyone sees alike."""
    made: Json = {"schema": "2.0", "config": {"update_multi": True, **config}, "body": {"elements": list(elements)}}
    if streaming:
        made["config"]["streaming_mode"] = True
    if title:
        made["header"] = {"title": {"tag": "plain_text", "content": title}, "template": "blue"}
    return made


def old_card(*elements: Json, **config: Any) -> Json:
    """Make a card of the 1.0 structure."""
    return {"config": {"update_multi": True, **config}, "elements": list(elements)}


def raw(made: Json) -> str:
    """Write a card as JSON text."""
    return json.dumps(made, ensure_ascii=False)


@dataclass
class Table:
    """A town whose bot plays cards; sequences count up by themselves unless one is given."""

    town: Town
    sequence: int = 0
    ear: Ear | None = field(default=None)

    def send(self, made: Json, *, uuid: str | None = None) -> Message:
        """Send a card whole."""
        return self.send_content(raw(made), uuid=uuid)

    def send_content(self, content: str, *, uuid: str | None = None) -> Message:
        """Send an interactive message with that content."""
        draft = Draft("interactive", content, uuid)
        return self.town.platform.bot_calls.create(self.town.app, "chat_id", self.town.chat.chat_id, draft)

    def create(self, made: Json) -> Card:
        """Make an entity."""
        return self.town.platform.card_operations.create(self.town.app, raw(made))

    def send_entity(self, entity: Card) -> Message:
        """Send an entity."""
        return self.send_content(json.dumps({"type": "card", "data": {"card_id": entity.card_id}}))

    def order(self, entity: Card, sequence: object = None, uuid: str | None = None) -> Order:
        """Make the next order for an entity."""
        self.sequence += 1
        return Order(self.town.app, entity.card_id, self.sequence if sequence is None else sequence, uuid)

    def stream(self, entity: Card, content: str, element_id: str = "md", **order: Any) -> None:
        """Stream text into an element."""
        self.town.platform.card_operations.stream_text(self.order(entity, **order), element_id, content)

    def change(self, entity: Card, *changes: Edit, **order: Any) -> None:
        """Make changes to an entity."""
        self.town.platform.card_operations.change(self.order(entity, **order), "change", list(changes))

    def settings(self, entity: Card, **order: Any) -> None:
        """Close the streaming mode."""
        self.change(entity, edits.change_settings({"config": {"streaming_mode": False}}), **order)

    def click(self, message: Message, **press: Any) -> Click:
        """Let the person use a control."""
        return self.town.platform.click(self.town.user, message.message_id, **press)

    def heard(self) -> Json:
        """Return the latest callback that the bot was sent."""
        assert self.ear is not None
        return self.ear.heard("card.action.trigger")[-1]

    def answer(self, body: object = None, *, code: int = 200, data: str | None = None) -> None:
        """Acknowledge the latest callback with an answer."""
        assert self.ear is not None
        assert self.ear.connection is not None
        reply: Json = {"code": code}
        if data is not None or body is not None:
            reply["data"] = data if data is not None else base64.b64encode(json.dumps(body).encode()).decode()
        frame = Frame(1, [*self.ear.frames[-1].headers, ("biz_rt", "1")], json.dumps(reply).encode())
        self.town.platform.delivery.acknowledge(self.ear.connection, decode(frame.encode()))

    def wait(self, milliseconds: int) -> None:
        """Let time pass."""
        self.town.platform.clock.advance(milliseconds)


def table(*, listening: bool = True) -> Table:
    """Build a town with its bot at the table."""
    here = Table(town())
    if listening:
        here.ear = here.town.listen()
    return here
