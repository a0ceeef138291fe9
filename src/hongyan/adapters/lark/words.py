"""Words on the wire: as a text, as a post with one piece of Markdown, or as a card that carries nothing else."""

import json
import re
from typing import Any, Final

from hongyan.adapters.lark.content import text_content
from hongyan.domain.markdown.forms import elements_of
from hongyan.domain.messages import Outbound, Transport

__all__ = ["words_body"]

SUMMARY_LETTERS: Final = 80  # the line in the list of chats


def words_body(outbound: Outbound) -> dict[str, object]:
    """Write kind, content and key of a message of words."""
    kind, content = _content(outbound.form, outbound.text)
    return {"msg_type": kind, "uuid": outbound.key, "content": content}


def _content(form: Transport, text: str) -> tuple[str, str]:
    if form is Transport.POST:
        return "post", _json({"zh_cn": {"content": [[{"tag": "md", "text": text}]]}})
    if form is Transport.WORDS_CARD:
        return "interactive", _json(_card(elements_of(text)))
    return "text", text_content(text)


def _card(elements: tuple[str, ...]) -> dict[str, Any]:
    return {
        "schema": "2.0",
        "config": {"update_multi": True, "summary": {"content": _summary(elements[0])}},
        "body": {"elements": [{"tag": "markdown", "content": element} for element in elements]},
    }


def _summary(markdown: str) -> str:
    first = next((line for line in markdown.split("\n") if _MARKS.sub("", line).strip()), "")
    return _MARKS.sub("", first).strip()[:SUMMARY_LETTERS]


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


_MARKS: Final = re.compile(r"[#*`>|~]+")
