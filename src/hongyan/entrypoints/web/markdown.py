"""An agent's Markdown becomes a fragment of HTML in which nothing executes and nothing is fetched.

HTML in the text stays text, a picture becomes a link to it, and a link says which host it leads to.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

__all__ = ["render"]

_TEXTS_KEPT: Final = 64
_TAGS: Final = frozenset(
    {"a", "blockquote", "br", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol"}
) | {*("p", "pre", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul")}
_ATTRIBUTES: Final = {
    "a": {"href", "title", "target"},
    "code": {"class"},
    "div": {"class", "tabindex", "data-language"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"class"},
}


@lru_cache(_TEXTS_KEPT)
def render(text: str) -> str:
    """Give the fragment of a text."""
    return nh3.clean(
        _parser().render(text),
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


@lru_cache(1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.core.ruler.push("own_links", _own_links)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("host", _host)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    for name in ("heading_open", "heading_close"):
        parser.add_render_rule(name, _heading)
    return parser


def _own_links(state: StateCore) -> None:
    """Let every link to another host open beside this page and be followed by the host's name."""
    for block in state.tokens:
        if block.type == "inline" and block.children:
            block.children = _with_hosts(block.children)


def _with_hosts(tokens: Sequence[Token]) -> list[Token]:
    told: list[Token] = []
    host = ""
    for token in tokens:
        told.append(token)
        if token.type == "link_open":
            host = urlsplit(str(token.attrGet("href") or "")).hostname or ""
            token.attrSet("target", "_blank")
        elif token.type == "link_close" and host:
            told.append(Token("host", "", 0, content=host))
            host = ""
    return told


def _host(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return f' <span class="host">({escapeHtml(tokens[place].content)})</span>'


def _image(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    token = tokens[place]
    source = str(token.attrGet("src") or "")
    words = escapeHtml(token.content or source)
    host = urlsplit(source).hostname
    told = f' <span class="host">({escapeHtml(host)})</span>' if host else ""
    return f'<a href="{escapeHtml(source)}" target="_blank">{words}</a>{told}'


def _fence(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    token = tokens[place]
    language = escapeHtml(token.info.strip().partition(" ")[0])
    code = escapeHtml(token.content)
    return f'<div class="code" data-language="{language}"><pre tabindex="0"><code>{code}</code></pre></div>\n'


def _table_open(*_: Any) -> str:
    return '<div class="table" tabindex="0"><table>'


def _table_close(*_: Any) -> str:
    return "</table></div>"


def _heading(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    """Headings of an answer stand below those of the page."""
    token = tokens[place]
    level = min(int(token.tag[1]) + 2, 6)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"
