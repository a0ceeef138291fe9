"""Message content: what may be sent, and the form in which it is read back."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from feishu_simulator.errors import PlatformError
from feishu_simulator.markdown import paragraphs
from feishu_simulator.model import Mention, Party

Json = dict[str, Any]
Lookup = Callable[[str], tuple[Party, str] | None]  # an id in an `@` to whom it means and their name

TEXT_LIMIT_BYTES: Final = 150 * 1024
RICH_LIMIT_BYTES: Final = 30 * 1024
EVERYONE: Final = "@_all"
SENDABLE: Final = frozenset({"text", "post", "image", "file"})
LOCALES: Final = ("zh_cn", "en_us", "ja_jp")
ALONE: Final = frozenset({"img", "media", "md"})

_AT = re.compile(r'<at\s+user_id\s*=\s*"([^"]*)"\s*>(.*?)</at>', re.DOTALL)
_STYLE = re.compile(r"<(b|i|u|s)>(.*?)</\1>", re.DOTALL)


@dataclass(slots=True)
class ReadForm:
    """Content as it is read back, with the mentions collected on the way."""

    content: str = ""
    mentions: list[Mention] = field(default_factory=list)

    def mention(self, party: Party, name: str) -> str:
        """Note an `@` and return the key that stands for it."""
        key = f"@_user_{len(self.mentions) + 1}"
        self.mentions.append(Mention(key, party, name))
        return key


def read_form(msg_type: str, raw: str, lookup: Lookup) -> ReadForm:
    """Check content as the platform does and return how it is read back."""
    limit = TEXT_LIMIT_BYTES if msg_type == "text" else RICH_LIMIT_BYTES
    if len(raw.encode()) > limit:
        raise PlatformError(230025)
    content = _parsed(raw)
    form = ReadForm()
    match msg_type:
        case "text":
            content = {"text": _text(_required(content, "text"), form, lookup)}
        case "post":
            content = _post(content, form, lookup)
        case "image":
            content = {"image_key": _required(content, "image_key")}
        case "file":
            content = {"file_key": _required(content, "file_key"), **_only(content, "file_name")}
        case _:
            raise PlatformError(230001, f"ext=unsupported msg_type {msg_type}")
    form.content = json.dumps(content, ensure_ascii=False)
    return form


def spoken_form(text: str, lookup: Lookup) -> ReadForm:
    """Return the read form of what a person types: mentions become keys, everything else stays literal."""
    form = ReadForm()
    form.content = json.dumps({"text": _with_keys(text, form, lookup)}, ensure_ascii=False)
    return form


def _parsed(raw: str) -> Json:
    try:
        content = json.loads(raw)
    except ValueError:
        raise PlatformError(230001, "ext=content is not a string in json format") from None
    if not isinstance(content, dict):
        raise PlatformError(230001, "ext=content is not a json object")
    return content


def _required(content: Json, name: str) -> str:
    value = content.get(name)
    if not isinstance(value, str) or not value:
        raise PlatformError(230001, f"ext={name} is empty")
    return value


def _only(content: Json, *names: str) -> Json:
    return {name: content[name] for name in names if name in content}


def _text(text: str, form: ReadForm, lookup: Lookup) -> str:
    text = _with_keys(text, form, lookup)
    while (plain := _STYLE.sub(r"\2", text)) != text:
        text = plain
    return text


def _with_keys(text: str, form: ReadForm, lookup: Lookup) -> str:
    def replace(match: re.Match[str]) -> str:
        if match[1] == "all":
            return EVERYONE
        found = lookup(match[1])
        return form.mention(*found) if found else match[0]

    return _AT.sub(replace, text)


def _post(content: Json, form: ReadForm, lookup: Lookup) -> Json:
    """Unwrap the locale and turn every paragraph into its read form."""
    body = next((content[locale] for locale in LOCALES if locale in content), None)
    if not isinstance(body, dict) or not isinstance(body.get("content"), list):
        raise PlatformError(230001, "ext=post content has no locale")
    lines: list[list[Json]] = []
    for paragraph in body["content"]:
        _check_paragraph(paragraph)
        if len(paragraph) == 1 and paragraph[0].get("tag") == "md":
            source = str(paragraph[0].get("text", ""))
            lines.extend(paragraphs(source, lambda reference: _at_node(reference, form, lookup)))
        else:
            lines.append([_node(node, form, lookup) for node in paragraph])
    return {"title": str(body.get("title", "")), "content": lines}


def _check_paragraph(paragraph: object) -> None:
    if not isinstance(paragraph, list) or not all(isinstance(node, dict) for node in paragraph):
        raise PlatformError(230001, "ext=a paragraph is a list of nodes")
    if len(paragraph) > 1 and any(node.get("tag") in ALONE for node in paragraph):
        raise PlatformError(230001, "ext=img, media and md stand alone in a paragraph")


def _node(node: Json, form: ReadForm, lookup: Lookup) -> Json:
    match node.get("tag"):
        case "at":
            return _at_node(str(node.get("user_id", "")), form, lookup)
        case "text":
            return {"tag": "text", "text": str(node.get("text", "")), "style": node.get("style", [])}
        case "a" | "img" | "media" | "emotion" | "code_block" | "hr":
            return dict(node)
        case tag:
            raise PlatformError(230001, f"ext=unknown tag {tag}")


def _at_node(reference: str, form: ReadForm, lookup: Lookup) -> Json:
    if reference == "all":
        return {"tag": "at", "user_id": EVERYONE, "user_name": "all", "style": []}
    found = lookup(reference)
    if found is None:
        raise PlatformError(230001, "ext=invalid user in at")
    return {"tag": "at", "user_id": form.mention(*found), "user_name": found[1], "style": []}
