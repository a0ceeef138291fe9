"""Card JSON: what may stand in a card, and with which number the platform refuses it."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from feishu_simulator.errors import PlatformError

Json = dict[str, Any]

CARD_LIMIT_BYTES: Final = 30 * 1024
ELEMENT_LIMIT: Final = 200
TABLE_LIMIT: Final = 5  # table components and Markdown tables together; the platform's own count is not documented

NOT_JSON: Final = 200621
NOT_GENERATED: Final = 200220
TOO_LARGE: Final = 200860
UNKNOWN_TAG: Final = 200861
DOWNGRADED: Final = 200830
DUPLICATE_ID: Final = 300301
NOT_SHARED: Final = 300302
NOT_NEW: Final = 300303
TOO_MANY: Final = 300305
EMPTY: Final = 300307
OVER_LIMIT: Final = 11310  # the number inside 230099 for too many elements or tables

COMPONENTS: Final = frozenset(
    {"column_set", "column", "form", "interactive_container", "collapsible_panel"}
    | {"div", "markdown", "img", "img_combination", "person", "person_list", "chart", "table", "hr", "audio"}
    | {"input", "button", "overflow", "checker", "select_static", "multi_select_static", "select_img"}
    | {"select_person", "multi_select_person", "date_picker", "picker_time", "picker_datetime"}
)
PIECES: Final = frozenset({"plain_text", "lark_md", "text_tag", "standard_icon", "custom_icon"})
LISTS: Final = ("elements", "columns", "actions", "fields", "options", "rows", "behaviors", "text_tag_list")
DATA_KEYS: Final = frozenset({"value", "behaviors", "rows", "chart_spec", "confirm"})  # a bot's own data, no elements
ELEMENT_ID: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
_TABLE_RULE: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*|\s*\|\s*:?-+:?\s*\|\s*")


class CardError(Exception):
    """A card is refused: CardKit's number, and the sentence that says why."""

    def __init__(self, code: int, words: str) -> None:
        self.code = code
        self.words = words
        super().__init__(f"{code} {words}")

    def for_message(self) -> PlatformError:
        """Return the refusal as sending and patching a message gives it: one number, the reason inside."""
        code = OVER_LIMIT if self.code == TOO_MANY else self.code
        return PlatformError(230099, f"ext=ErrCode: {code}; ErrMsg: {self.words};")

    def for_cardkit(self) -> PlatformError:
        """Return the refusal as CardKit gives it."""
        return self.for_message() if self.code == OVER_LIMIT else PlatformError(self.code, self.words)


def parsed(raw: str) -> Json:
    """Return the card of a JSON text."""
    try:
        card = json.loads(raw)
    except ValueError:
        raise CardError(NOT_JSON, "parse card json err, please check whether the card json is correct") from None
    if not isinstance(card, dict):
        raise CardError(NOT_JSON, "parse card json err, the card is not a json object")
    if not card:
        raise CardError(EMPTY, "the card DSL is empty")
    return card


def is_new(card: Json) -> bool:
    """Say whether a card has the 2.0 structure."""
    return card.get("schema") == "2.0"


def config(card: Json) -> Json:
    """Return a card's settings; empty when it has none."""
    found = card.get("config")
    return found if isinstance(found, dict) else {}


def is_streaming(card: Json) -> bool:
    """Say whether the streaming mode is switched on."""
    return config(card).get("streaming_mode") is True


def size_bytes(card: Json) -> int:
    """Return what a card weighs, in UTF-8 without blanks."""
    return len(json.dumps(card, ensure_ascii=False, separators=(",", ":")).encode())


def top_elements(card: Json) -> list[Any]:
    """Return the elements that stand directly in a card of either structure."""
    body = card.get("body") if is_new(card) else card
    found = body.get("elements") if isinstance(body, dict) else None
    return found if isinstance(found, list) else []


def tagged(node: object) -> Iterator[Json]:
    """Walk everything that carries a tag, in the order of the text; what a bot keeps in its values is left out."""
    if isinstance(node, list):
        for item in node:
            yield from tagged(item)
    elif isinstance(node, dict):
        if "tag" in node:
            yield node
        for key, value in node.items():
            if key not in DATA_KEYS:
                yield from tagged(value)


def check(card: Json) -> None:
    """Refuse a card that the platform does not draw; its size is the caller's to judge."""
    if "schema" in card and not is_new(card) and card["schema"] != "1.0":
        raise CardError(NOT_GENERATED, f"unknown schema {card['schema']}")
    if is_new(card):
        _check_structure(card)
        _check_tags(card)
    elif not isinstance(card.get("elements", card.get("i18n_elements", card.get("header"))), list | dict):
        raise CardError(NOT_JSON, "parse card json err, the card has no elements")
    _check_lists(card)
    _check_ids(card)
    _check_counts(card)


def check_entity(card: Json) -> None:
    """Refuse what CardKit does not take: another structure, cards that are not shared, too large ones."""
    if not is_new(card):
        raise CardError(NOT_NEW, "the card is not of schema 2.0")
    if config(card).get("update_multi") is False:
        raise CardError(NOT_SHARED, "config.update_multi is false")
    check(card)
    if size_bytes(card) > CARD_LIMIT_BYTES:
        raise CardError(TOO_LARGE, f"the card has {size_bytes(card)} bytes")


def _check_structure(card: Json) -> None:
    body = card.get("body", {})
    if not isinstance(body, dict) or not isinstance(body.get("elements", []), list):
        raise CardError(NOT_GENERATED, "body.elements is not a list")
    if "elements" in card:
        raise CardError(NOT_GENERATED, "elements of schema 2.0 stand in body")
    for element in _components(card):
        if not isinstance(element, dict) or not isinstance(element.get("tag"), str):
            raise CardError(NOT_GENERATED, "an element has no tag")


def _components(card: Json) -> Iterator[Any]:
    """Walk what stands where a component belongs."""
    waiting = list(top_elements(card))
    while waiting:
        element = waiting.pop(0)
        yield element
        if isinstance(element, dict):
            for name in ("elements", "columns"):
                inner = element.get(name)
                if isinstance(inner, list) and element.get("tag") != "table":
                    waiting.extend(inner)


def _check_tags(card: Json) -> None:
    for node in tagged(card):
        if node["tag"] not in COMPONENTS and node["tag"] not in PIECES:
            words = f"cards of schema V2 no longer support this capability; unsupported tag {node['tag']}"
            raise CardError(UNKNOWN_TAG, words)
    for element in _components(card):
        if element["tag"] not in COMPONENTS:
            raise CardError(UNKNOWN_TAG, f"{element['tag']} is no component")


def _check_lists(card: Json) -> None:
    """Refuse what would not be drawn: settings that are no object, lists that are none or hold anything but objects."""
    for name in ("config", "header"):
        if not isinstance(card.get(name, {}), dict):
            raise CardError(NOT_GENERATED, f"{name} is not an object")
    for node in (card, card.get("header", {}), *tagged(card)):
        for name in LISTS:
            found = node.get(name, [])
            if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
                raise CardError(NOT_GENERATED, f"{name} is not a list of objects")


def _check_ids(card: Json) -> None:
    ids = [node["element_id"] for node in tagged(card) if "element_id" in node]
    for element_id in ids:
        if not isinstance(element_id, str) or not ELEMENT_ID.fullmatch(element_id):
            raise CardError(NOT_GENERATED, f"element_id {element_id!r} is not valid")
    twice = [element_id for element_id, count in Counter(ids).items() if count > 1]
    if twice:
        raise CardError(DUPLICATE_ID, f"element_id {twice[0]} stands twice")


def _check_counts(card: Json) -> None:
    elements = list(tagged(card))
    if len(elements) > ELEMENT_LIMIT:
        raise CardError(TOO_MANY, f"element exceeds the limit, {len(elements)}")
    tables = sum(_tables(element) for element in elements)
    if tables > TABLE_LIMIT:
        raise CardError(OVER_LIMIT, "card table number over limit; ErrorValue: table")


def _tables(element: Json) -> int:
    if element["tag"] == "table":
        return 1
    content = element.get("content")
    if element["tag"] not in ("markdown", "lark_md") or not isinstance(content, str):
        return 0
    return _markdown_tables(content)


def _markdown_tables(content: str) -> int:
    """Count tables outside of fences: a line with bars above a line of dashes."""
    found, fenced, above = 0, False, ""
    for line in content.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and "|" in above and _TABLE_RULE.fullmatch(line):
            found += 1
        above = line
    return found
