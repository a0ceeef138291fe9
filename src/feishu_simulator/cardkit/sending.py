"""The card in the content of an interactive message: whole, or an entity that is sent once."""

import json
from typing import Any, Final

from feishu_simulator.cardkit.card_json import (
    CARD_LIMIT_BYTES,
    NOT_JSON,
    CardError,
    check,
    check_entity,
    config,
    parsed,
)
from feishu_simulator.cardkit.cards import Card, Cards
from feishu_simulator.errors import PlatformError
from feishu_simulator.model import App

Json = dict[str, Any]

NO_TEMPLATE: Final = 200380
SENT_BEFORE: Final = 200740  # which number the platform gives for a second send is not documented


def check_sendable(cards: Cards, app: App, content: str) -> Json:
    """Return the card that a message would show; refuse as sending does."""
    if len(content.encode()) > CARD_LIMIT_BYTES:
        raise PlatformError(230025)
    try:
        found = parsed(content)
        entity_id = _entity_id(found)
        if entity_id is not None:
            return _sendable(cards, app, entity_id).shown
        check(found)
    except CardError as fault:
        raise fault.for_message() from None
    return found


def card_to_send(cards: Cards, app: App, content: str) -> Card:
    """Return the card that goes out with content that was checked: the entity named in it, or a new one."""
    found = json.loads(content)
    entity_id = _entity_id(found)
    return cards.add(app, found) if entity_id is None else cards.by_id[entity_id]


def check_patch(shown: Json, content: str) -> Json:
    """Return the card that a PATCH puts in the place of the one shown; both say that they are shared."""
    if len(content.encode()) > CARD_LIMIT_BYTES:
        raise PlatformError(230025)
    try:
        card = parsed(content)
        if _entity_id(card) is not None:
            raise CardError(NOT_JSON, "an entity cannot take the place of a card")
        check(card)
    except CardError as fault:
        raise fault.for_message() from None
    if shown.get("schema") == "2.0" and card.get("schema") != "2.0":
        raise CardError(200830, "schemaV2 card can not change schemaV1").for_message()
    if any(config(item).get("update_multi") is not True for item in (shown, card)):
        raise PlatformError(230001, "ext=the card before and after needs config.update_multi true")
    return card


def _entity_id(content: Json) -> str | None:
    """Return the id of the entity that the content names, None when it is a card itself."""
    if "template_id" in content or content.get("type") == "template":
        raise CardError(NO_TEMPLATE, "templates are not simulated")
    if content.keys() == {"card_id"}:
        raise CardError(NOT_JSON, "parse card json err, an entity is named as type and data")
    if content.get("type") != "card":
        return None
    data = content.get("data")
    card_id = data.get("card_id") if isinstance(data, dict) else None
    if not isinstance(card_id, str):
        raise CardError(NOT_JSON, "parse card json err, card_id is required")
    return card_id


def _sendable(cards: Cards, app: App, card_id: str) -> Card:
    card = cards.by_id.get(card_id)
    if card is None:
        raise CardError(200740, "the card entity does not exist")
    if card.app_id != app.app_id:
        raise CardError(300311, "the card entity belongs to another app")
    if cards.expired(card):
        raise CardError(200750, "the card entity has expired")
    if card.message_id is not None:
        raise CardError(SENT_BEFORE, "the card entity was sent before")
    check_entity(card.shown)
    return card
