"""Reads an event of the long connection as one of those that the gateway uses."""

from typing import Final

from pydantic import ValidationError

from hongyan.adapters.lark.cards import ClickEvent
from hongyan.adapters.lark.wire import Envelope, RecallEvent, ReceiveEvent
from hongyan.domain.identity import AppId
from hongyan.ports.chat import ChatEvent

__all__ = ["ForeignEventError", "UnreadableEventError", "decode"]


class UnreadableEventError(Exception):
    """The event is of a kind that the gateway uses, or claims to be one, and lacks what it needs."""


class ForeignEventError(Exception):
    """The event belongs to another App."""


def decode(app: AppId, payload: bytes) -> ChatEvent | None:
    """Give the event in our words, None for a kind that the gateway does not use.

    Raise UnreadableEventError or ForeignEventError.
    """
    try:
        envelope = Envelope.model_validate_json(payload)
        wire = _USED.get(envelope.header.event_type)
        if wire is None:
            return None
        if envelope.header.app_id != app:
            raise ForeignEventError
        read = wire.model_validate(envelope.event)
        if isinstance(read, ClickEvent):
            return read.to_domain(app, envelope.header.event_id, envelope.header.create_time)
        return read.to_domain(app, envelope.header.event_id)
    except ValidationError as error:
        raise UnreadableEventError from error


_USED: Final[dict[str, type[ReceiveEvent] | type[RecallEvent] | type[ClickEvent]]] = {
    "im.message.receive_v1": ReceiveEvent,
    "im.message.recalled_v1": RecallEvent,
    "card.action.trigger": ClickEvent,
}
