"""Changes to a card's JSON, alone or in a batch. Each works on a copy and raises CardError when it cannot be made."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from feishu_simulator.cardkit.card_json import DATA_KEYS, EMPTY, NOT_GENERATED, NOT_SHARED, CardError, is_new

Json = dict[str, Any]
Edit = Callable[[Json], None]

NOT_REPLACED: Final = 300121
NOT_CONFIGURED: Final = 300122
NOT_TEXT: Final = 300310
TAG_CHANGED: Final = 300312
NOT_UPDATED: Final = 300313
NOT_DELETED: Final = 300314
NOT_ADDED: Final = 300315
BAD_PARAMETER: Final = 10002
TEXTS: Final = frozenset({"markdown", "plain_text", "lark_md"})
SETTINGS: Final = frozenset({"config", "card_link"})
CHILDREN: Final = ("elements", "columns")
PLACES: Final = frozenset({"insert_before", "insert_after", "append"})
_ID = re.compile(r".{1,20}")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an element stands: in a list under its index, or as the text of another element under a name."""

    parent: Any
    key: Any

    @property
    def element(self) -> Json:
        """Return the element."""
        found: Json = self.parent[self.key]
        return found


def find(node: Any, element_id: str) -> Spot | None:
    """Find the element of that id, at any depth."""
    pairs = enumerate(node) if isinstance(node, list) else node.items() if isinstance(node, dict) else ()
    for key, inner in list(pairs):
        if key in DATA_KEYS:
            continue
        if isinstance(inner, dict) and inner.get("element_id") == element_id:
            return Spot(node, key)
        if (spot := find(inner, element_id)) is not None:
            return spot
    return None


def parsed_list(raw: object, code: int) -> list[Json]:
    """Return a list of objects given as JSON text or as it is."""
    found = _loaded(raw, code)
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise CardError(code, "it is not a list of objects")
    if not found:
        raise CardError(EMPTY, "the list is empty")
    return found


def parsed_object(raw: object, code: int) -> Json:
    """Return an object given as JSON text or as it is."""
    found = _loaded(raw, code)
    if not isinstance(found, dict):
        raise CardError(code, "it is not an object")
    if not found:
        raise CardError(EMPTY, "the object is empty")
    return found


def stream_text(element_id: str, content: str) -> Edit:
    """Replace the words of a text element."""

    def edit(card: Json) -> None:
        spot = _spot(card, element_id, NOT_UPDATED)
        if spot.element.get("tag") not in TEXTS:
            raise CardError(NOT_TEXT, f"{spot.element.get('tag')} has no text to stream into")
        spot.element["content"] = content

    return edit


def change_settings(settings: Json) -> Edit:
    """Set what is given of `config`, and `card_link`."""

    def edit(card: Json) -> None:
        if not settings.keys() <= SETTINGS:
            raise CardError(NOT_CONFIGURED, "only config and card_link can be set")
        config = settings.get("config", {})
        if not isinstance(config, dict):
            raise CardError(NOT_CONFIGURED, "config is not an object")
        if config.get("update_multi") is False:
            raise CardError(NOT_SHARED, "config.update_multi is false")
        card["config"] = {**card.get("config", {}), **config}
        if "card_link" in settings:
            card["card_link"] = settings["card_link"]

    return edit


def add_elements(where: str, target: str, elements: list[Json]) -> Edit:
    """Put elements before or after another one, or at the end of a container or of the card."""

    def edit(card: Json) -> None:
        if where not in PLACES:
            raise CardError(NOT_ADDED, f"type {where!r} is not in the options")
        if not target:
            card.setdefault("body", {}).setdefault("elements", []).extend(elements)
            return
        spot = _spot(card, target, NOT_ADDED)
        if where == "append":
            _children(spot.element).extend(elements)
        elif isinstance(spot.parent, list):
            at = spot.key + (where == "insert_after")
            spot.parent[at:at] = elements
        else:
            raise CardError(NOT_ADDED, f"nothing stands beside {target}")

    return edit


def replace_element(element_id: str, element: Json) -> Edit:
    """Put another element in the place of one; without an id of its own it keeps the old one."""

    def edit(card: Json) -> None:
        spot = _spot(card, element_id, NOT_REPLACED)
        spot.parent[spot.key] = {"element_id": element_id, **element}

    return edit


def change_element(element_id: str, changes: Json) -> Edit:
    """Set what is given of an element; its tag stays."""

    def edit(card: Json) -> None:
        spot = _spot(card, element_id, NOT_UPDATED)
        if changes.get("tag", spot.element.get("tag")) != spot.element.get("tag"):
            raise CardError(TAG_CHANGED, "an element keeps its tag")
        spot.element.update(changes)

    return edit


def delete_elements(element_ids: list[str]) -> Edit:
    """Take elements out, with everything in them."""

    def edit(card: Json) -> None:
        for element_id in element_ids:
            spot = _spot(card, element_id, NOT_DELETED)
            if not isinstance(spot.parent, list):
                raise CardError(NOT_DELETED, f"{element_id} is part of another element")
            del spot.parent[spot.key]

    return edit


def replace_card(new: Json) -> Edit:
    """Put a whole card in the place of another."""

    def edit(card: Json) -> None:
        card.clear()
        card.update(new)

    return edit


def batch(actions: object) -> list[Edit]:
    """Return the edits of a batch in their order."""
    return [_action(item) for item in parsed_list(actions, BAD_PARAMETER)]


def _action(item: Json) -> Edit:
    params = item.get("params")
    if not isinstance(params, dict):
        raise CardError(BAD_PARAMETER, "an action has no params")
    match item.get("action"):
        case "partial_update_setting":
            return change_settings(parsed_object(params.get("settings"), NOT_CONFIGURED))
        case "add_elements":
            elements = parsed_list(params.get("elements"), NOT_ADDED)
            return add_elements(str(params.get("type", "")), str(params.get("target_element_id") or ""), elements)
        case "delete_elements":
            return delete_elements([str(item) for item in params.get("element_ids") or []])
        case "partial_update_element":
            changes = parsed_object(params.get("partial_element"), NOT_UPDATED)
            return change_element(str(params.get("element_id", "")), changes)
        case "update_element":
            element = parsed_object(params.get("element"), NOT_REPLACED)
            return replace_element(str(params.get("element_id", "")), element)
        case other:
            raise CardError(BAD_PARAMETER, f"unknown action {other}")


def _spot(card: Json, element_id: str, code: int) -> Spot:
    if not is_new(card):
        raise CardError(NOT_GENERATED, "the card is not of schema 2.0")
    spot = find(card.get("body", {}), element_id) if _ID.fullmatch(element_id) else None
    if spot is None:
        raise CardError(code, f"element_id {element_id} is not in the card")
    return spot


def _children(element: Json) -> list[Json]:
    for name in CHILDREN:
        inner = element.get(name)
        if isinstance(inner, list) and element.get("tag") != "table":
            return inner
    raise CardError(NOT_ADDED, f"{element.get('tag')} is no container")


def _loaded(raw: object, code: int) -> Any:
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except ValueError:
        raise CardError(code, "it is not JSON") from None
