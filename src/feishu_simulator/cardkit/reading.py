"""How a card reads: the flattened form that messages are read back in, its words, its line in the list of chats."""

from typing import Any, Final

from feishu_simulator.cardkit.card_json import config, is_streaming, top_elements

Json = dict[str, Any]

GENERATING: Final = "[生成中...]"
CARD_WORDS: Final = "[card]"


def flattened(card: Json) -> Json:
    """Return title and elements as a message's content is read back: a list of lines, each a list of texts."""
    lines = [line for element in top_elements(card) for line in _lines(element)]
    return {"title": title(card), "elements": lines}


def title(card: Json) -> str:
    """Return the words of the header."""
    header = card.get("header")
    return text_of(header.get("title")) if isinstance(header, dict) else ""


def summary(card: Json) -> str:
    """Return the line that stands for the card where only a line is shown."""
    found = config(card).get("summary")
    given = found.get("content") if isinstance(found, dict) else None
    if isinstance(given, str) and given:
        return given
    if is_streaming(card):
        return GENERATING
    words = (node["text"] for line in flattened(card)["elements"] for node in line if node.get("text"))
    return title(card) or next(words, CARD_WORDS)


def text_of(piece: object) -> str:
    """Return the words of a text object, of a plain string, or nothing."""
    if isinstance(piece, dict):
        piece = piece.get("content")
    return piece if isinstance(piece, str) else ""


def _lines(element: object) -> list[list[Json]]:
    if not isinstance(element, dict):
        return []
    tag = element.get("tag")
    if tag == "div":
        pieces = [element.get("text"), *(element.get("fields") or [])]
        return [[_text(piece.get("text", piece))] for piece in pieces if isinstance(piece, dict)]
    if tag == "table":
        return _table(element)
    node = _node(element)
    return _inside(element) if node is None else [[node]]


def _node(element: Json) -> Json | None:
    """Return what an element without inner ones reads as."""
    match element.get("tag"):
        case "markdown":
            return _text(element)
        case "button":
            words = text_of(element.get("text"))
            return {"tag": "button", "text": words, "type": element.get("type", "default")}
        case "checker":
            return _text(element.get("text"))
        case "img":
            return {"tag": "img", "image_key": element.get("img_key", "")}
        case "hr":
            return {"tag": "hr"}
        case _:
            return None


def _inside(element: Json) -> list[list[Json]]:
    """Return the lines of a container, its own heading first."""
    header = element.get("header")
    heading = [[_text(header.get("title"))]] if isinstance(header, dict) else []
    if element.get("tag") in ("note", "plain_text", "lark_md"):
        words = [_text(item) for item in element.get("elements", [element]) if isinstance(item, dict)]
        return [words]
    inner = [item for name in ("columns", "elements", "actions") for item in element.get(name) or []]
    return heading + [line for item in inner for line in _lines(item)]


def _table(element: Json) -> list[list[Json]]:
    columns = [column for column in element.get("columns") or [] if isinstance(column, dict)]
    heads = [str(column.get("display_name", "")) for column in columns]
    rows = [
        [_cell(row.get(str(column.get("name")))) for column in columns]
        for row in element.get("rows") or []
        if isinstance(row, dict)
    ]
    return [[{"tag": "text", "text": " | ".join(cells)}] for cells in [heads, *rows]]


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(text_of(item.get("text")) if isinstance(item, dict) else str(item) for item in value)
    return "" if value is None else str(value)


def _text(piece: object) -> Json:
    return {"tag": "text", "text": text_of(piece)}
