"""CardKit over REST, and the later update of a card that somebody clicked."""

from collections.abc import Callable

from feishu_simulator.cardkit import edits
from feishu_simulator.cardkit.card_json import CardError, parsed
from feishu_simulator.cardkit.cards import Card
from feishu_simulator.cardkit.edits import Edit
from feishu_simulator.cardkit.operations import Order
from feishu_simulator.errors import PlatformError, invalid_field
from feishu_simulator.rest.call import Call, Json, Whole


def create(call: Call) -> Json:
    """Make a card entity."""
    kind = call.text("type")
    if kind != "card_json":
        raise PlatformError(10002, f"type {kind} is not simulated, only card_json is")
    card = call.platform.card_operations.create(call.app, call.text("data"))
    return {"card_id": _noted(call, card).card_id}


def replace(call: Call) -> Json:
    """Put a whole card in the place of an entity's."""
    card = call.body.get("card")
    if not isinstance(card, dict) or card.get("type") != "card_json":
        raise invalid_field("card", card, "card.type is card_json")
    raw = str(card.get("data") or "")
    return _change(call, "update", lambda: [edits.replace_card(parsed(raw or "{}"))])


def settings(call: Call) -> Json:
    """Change an entity's settings, the streaming mode among them."""
    raw = call.text("settings")
    return _change(call, "settings", lambda: [edits.change_settings(edits.parsed_object(raw, edits.NOT_CONFIGURED))])


def batch_update(call: Call) -> Json:
    """Make several changes in one step."""
    raw = call.text("actions")
    return _change(call, "batch_update", lambda: edits.batch(raw))


def add_elements(call: Call) -> Json:
    """Add elements."""
    where, target = call.text("type"), call.optional_text("target_element_id") or ""
    raw = call.text("elements")
    return _change(
        call, "add_elements", lambda: [edits.add_elements(where, target, edits.parsed_list(raw, edits.NOT_ADDED))]
    )


def replace_element(call: Call) -> Json:
    """Put another element in the place of one."""
    raw, element_id = call.text("element"), call.path["element_id"]
    return _change(
        call,
        "update_element",
        lambda: [edits.replace_element(element_id, edits.parsed_object(raw, edits.NOT_REPLACED))],
    )


def change_element(call: Call) -> Json:
    """Change some of an element's properties."""
    raw, element_id = call.text("partial_element"), call.path["element_id"]
    return _change(
        call,
        "partial_update_element",
        lambda: [edits.change_element(element_id, edits.parsed_object(raw, edits.NOT_UPDATED))],
    )


def delete_element(call: Call) -> Json:
    """Take an element out."""
    return _change(call, "delete_elements", lambda: [edits.delete_elements([call.path["element_id"]])])


def stream_text(call: Call) -> Json:
    """Give a text element its words as they are now."""
    order, content = _order(call), call.text("content")
    _noted(call, call.platform.card_operations.stream_text(order, call.path["element_id"], content))
    return {}


def id_convert(call: Call) -> Json:
    """Name the card of a message, so that it can be operated on."""
    card = call.platform.card_operations.card_of(call.app, call.text("message_id"))
    return {"card_id": _noted(call, card).card_id}


def update_later(call: Call) -> Whole:
    """Change the card of an answered click with the token of its callback."""
    call.platform.clicks.update_later(call.app, call.text("token"), call.body.get("card"))
    return Whole({"code": 0, "msg": "ok"})


def _order(call: Call) -> Order:
    uuid = call.optional_text("uuid")
    sequence = call.body.get("sequence")
    call.request.uuid = uuid
    call.request.card_id = call.path["card_id"]
    call.request.sequence = sequence if isinstance(sequence, int) else None
    if sequence is None:
        raise invalid_field("sequence", sequence, "sequence is required")
    return Order(call.app, call.path["card_id"], sequence, uuid)


def _change(call: Call, action: str, changes: Callable[[], list[Edit]]) -> Json:
    order = _order(call)
    try:
        edits_to_make = changes()
    except CardError as error:
        raise error.for_cardkit() from None
    _noted(call, call.platform.card_operations.change(order, action, edits_to_make))
    return {}


def _noted(call: Call, card: Card) -> Card:
    call.request.card_id = card.card_id
    call.request.message_id = card.message_id
    return card
