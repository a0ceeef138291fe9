"""Between the platform's content, JSON in a string, and plain text.

Mentions come as keys (`@_user_1`) with a list beside them; here they become `@Name`. A post keeps what can be said in
plain text: its title, its lines, links, fenced code; a picture in it leaves a mark, for it must not vanish unseen.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from hongyan.domain.messages import MessageKind

__all__ = ["RECALLED", "has_attachment", "kind_of", "plain_text", "text_content"]

RECALLED: Final = "This message was recalled"  # what a list shows as the whole content, not JSON, in place of the words

_KINDS: Final = {
    "text": MessageKind.TEXT,
    "post": MessageKind.POST,
    "image": MessageKind.IMAGE,
    "file": MessageKind.FILE,
    "interactive": MessageKind.CARD,
}


def kind_of(message_type: str) -> MessageKind:
    """Give our kind for the platform's message type."""
    return _KINDS.get(message_type, MessageKind.OTHER)


def text_content(text: str) -> str:
    """Write the content of a text message."""
    return json.dumps({"text": text}, ensure_ascii=False)


def plain_text(kind: MessageKind, content: str, mentions: Mapping[str, str]) -> str | None:
    """Read the words of a text or a post, None when there are none to read. `mentions` gives a name for each key.

    Half a letter, which JSON can spell and no file can hold, becomes a replacement mark.
    """
    words = _read(kind, content, mentions)
    return None if words is None else _NO_LETTER.sub("\ufffd", words)


def has_attachment(kind: MessageKind, content: str) -> bool:
    """Tell whether a post holds a picture or a film beside its words."""
    if kind is not MessageKind.POST:
        return False
    return any(node.get("tag") in _ATTACHED for line in _lines(_body(content)) for node in line)


def _body(content: str) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _read(kind: MessageKind, content: str, mentions: Mapping[str, str]) -> str | None:
    if kind not in {MessageKind.TEXT, MessageKind.POST, MessageKind.CARD} or not (body := _body(content)):
        return None
    if kind is MessageKind.POST:
        return _post(body, mentions)
    if kind is MessageKind.CARD:
        return "\n".join(_card(body))
    text = body.get("text")
    return _named(text, mentions) if isinstance(text, str) else None


def _named(text: str, mentions: Mapping[str, str]) -> str:
    def name(match: re.Match[str]) -> str:
        return f"@{mentions[match[0]]}" if match[0] in mentions else match[0]

    return _MENTION_KEY.sub(name, text)


def _card(body: dict[str, Any]) -> Iterator[str]:
    """Read title, words and buttons, of the card as it was sent or as the platform flattens it."""
    title, inside = body.get("title"), body.get("elements")
    if isinstance(body.get("header"), dict):
        title = body["header"].get("title")
    if isinstance(body.get("body"), dict):
        inside = body["body"].get("elements")
    yield _said(title)
    yield from _element_words(inside)


def _element_words(element: object) -> Iterator[str]:
    if isinstance(element, list):
        for one in element:
            yield from _element_words(one)
    elif isinstance(element, dict):
        own = _said(element.get("content", element.get("text")))
        if own:
            yield own
        for name in ("columns", "elements", "actions"):
            yield from _element_words(element.get(name))


def _said(piece: object) -> str:
    if isinstance(piece, dict):
        piece = piece.get("content")
    return piece if isinstance(piece, str) else ""


def _post(body: dict[str, Any], mentions: Mapping[str, str]) -> str | None:
    title = _in_one_language(body).get("title")
    lines = [title] if isinstance(title, str) and title else []
    lines += ["".join(_node(node, mentions) for node in line) for line in _lines(body)]
    return "\n".join(lines) if lines else None


def _in_one_language(body: dict[str, Any]) -> dict[str, Any]:
    post = body if "content" in body else next(iter(body.values()), None)  # sent posts have a language around them
    return post if isinstance(post, dict) and isinstance(post.get("content"), list) else {}


def _lines(body: dict[str, Any]) -> list[list[dict[str, Any]]]:
    lines = _in_one_language(body).get("content", [])
    return [[node for node in line if isinstance(node, dict)] for line in lines if isinstance(line, list)]


def _node(node: dict[str, Any], mentions: Mapping[str, str]) -> str:
    write = _NODES.get(str(node.get("tag")), _words)
    return write(node, mentions)


def _words(node: dict[str, Any], mentions: Mapping[str, str]) -> str:
    return _named(_string(node, "text"), mentions)


def _link(node: dict[str, Any], _: Mapping[str, str]) -> str:
    text, address = _string(node, "text"), _string(node, "href")
    return address if text in {"", address} else f"[{text}]({address})"


def _mention(node: dict[str, Any], mentions: Mapping[str, str]) -> str:
    key = _string(node, "user_id")
    return f"@{mentions.get(key) or _string(node, 'user_name') or key.removeprefix('@')}"


def _code(node: dict[str, Any], _: Mapping[str, str]) -> str:
    text = _string(node, "text").strip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_string(node, 'language').lower()}\n{text}\n{fence}"


def _mark(word: str) -> "_Writer":
    return lambda _node, _mentions: word


def _emotion(node: dict[str, Any], _: Mapping[str, str]) -> str:
    return f"[{_string(node, 'emoji_type')}]"


def _string(node: dict[str, Any], name: str) -> str:
    value = node.get(name)
    return value if isinstance(value, str) else ""


_Writer = Callable[[dict[str, Any], Mapping[str, str]], str]
_NODES: Final[dict[str, _Writer]] = {
    "a": _link,
    "at": _mention,
    "code_block": _code,
    "emotion": _emotion,
    "hr": _mark("---"),
    "img": _mark("[image]"),
    "media": _mark("[video]"),
}
_ATTACHED: Final = frozenset({"img", "media"})
_MENTION_KEY: Final = re.compile(r"@_user_\d+")
_NO_LETTER: Final = re.compile("[\x00\ud800-\udfff]")
_BACKTICKS: Final = re.compile(r"`{3,}")
