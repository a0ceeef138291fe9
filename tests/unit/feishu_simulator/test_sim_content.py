"""Content as it is sent and as it is read back."""

import json
from typing import Any

import pytest
from tests.unit.feishu_simulator.town import refused

from feishu_simulator.content import ReadForm, read_form, spoken_form
from feishu_simulator.model import Party, person


def lookup(reference: str) -> tuple[Party, str] | None:
    return (person("u1"), "Lin Yan") if reference == "ou_lin" else None


def read_back(form: ReadForm) -> Any:
    return json.loads(form.content)


def sent(msg_type: str, content: object) -> ReadForm:
    return read_form(msg_type, json.dumps(content, ensure_ascii=False), lookup)


def test_an_at_in_text_becomes_a_key_and_a_mention() -> None:
    form = sent("text", {"text": '<at user_id="ou_lin">N</at> and <at user_id="all"></at>'})
    assert read_back(form) == {"text": "@_user_1 and @_all"}
    assert [(mention.key, mention.party, mention.name) for mention in form.mentions] == [
        ("@_user_1", person("u1"), "Lin Yan")
    ]


def test_an_at_of_nobody_stays_literal() -> None:
    text = '<at user_id="ou_nobody">N</at>'
    assert read_back(sent("text", {"text": text})) == {"text": text}


def test_balanced_styles_are_dropped_from_a_bots_text_and_unbalanced_ones_stay() -> None:
    assert read_back(sent("text", {"text": "<b>a <i>b</i></b> <u>c"})) == {"text": "a b <u>c"}


def test_what_a_person_types_stays_as_it_is() -> None:
    assert read_back(spoken_form("<b>not bold</b>", lookup)) == {"text": "<b>not bold</b>"}


def test_a_post_loses_its_locale_and_its_markdown() -> None:
    markdown = "a **b** [c](https://d.example)\n```py\nprint()\n```\nlast"
    form = sent("post", {"zh_cn": {"title": "T", "content": [[{"tag": "md", "text": markdown}], [{"tag": "hr"}]]}})
    assert read_back(form) == {
        "title": "T",
        "content": [
            [
                {"tag": "text", "text": "a ", "style": []},
                {"tag": "text", "text": "b", "style": ["bold"]},
                {"tag": "text", "text": " ", "style": []},
                {"tag": "a", "text": "c", "href": "https://d.example", "style": []},
            ],
            [{"tag": "code_block", "language": "PY", "text": "print()"}],
            [{"tag": "text", "text": "last", "style": []}],
            [{"tag": "hr"}],
        ],
    }


def test_an_unfinished_fence_is_read_back_line_by_line() -> None:
    form = sent("post", {"zh_cn": {"content": [[{"tag": "md", "text": "```py\na"}]]}})
    assert [[node["text"] for node in line] for line in read_back(form)["content"]] == [["```py"], ["a"]]


def test_an_at_in_a_post_becomes_a_key() -> None:
    form = sent("post", {"zh_cn": {"content": [[{"tag": "at", "user_id": "ou_lin"}]]}})
    assert read_back(form)["content"][0][0]["user_id"] == "@_user_1"


@pytest.mark.parametrize(
    ("msg_type", "content"),
    [
        ("text", {}),
        ("text", {"text": ""}),
        ("text", []),
        ("post", {"post": {"zh_cn": {"content": []}}}),
        ("post", {"zh_cn": {"content": [[{"tag": "md", "text": "a"}, {"tag": "text", "text": "b"}]]}}),
        ("post", {"zh_cn": {"content": [[{"tag": "marquee"}]]}}),
        ("post", {"zh_cn": {"content": [[{"tag": "at", "user_id": "ou_nobody"}]]}}),
        ("image", {}),
        ("sticker", {"file_key": "x"}),
    ],
)
def test_content_that_does_not_fit_its_type_is_refused(msg_type: str, content: object) -> None:
    with refused(230001):
        sent(msg_type, content)


def test_content_that_is_not_json_is_refused() -> None:
    with refused(230001):
        read_form("text", "hello", lookup)


def shown(markdown: str) -> list[list[tuple[str, str]]]:
    """Read an md node back: each paragraph as words with their styles."""
    form = sent("post", {"zh_cn": {"content": [[{"tag": "md", "text": markdown}]]}})
    return [[(node["text"], "+".join(node["style"])) for node in line] for line in read_back(form)["content"]]


@pytest.mark.parametrize(
    ("markdown", "line"),
    [
        ("**bold** *slanted* ~~gone~~ ~under~", "bold|bold  | slanted|italic  | gone|lineThrough  | under|underline"),
        ("**done.**next", "**done.**next|"),
        ("**标题：**正文", "**标题：**正文|"),
        ("**done**.next", "done|bold .next|"),
        ("**a *b* c**", "a |bold b|bold+italic  c|bold"),
        ("## heading", "## heading|"),
        ("`**code**`", "`**code**`|"),
        ("- item", "- item|"),
        ("> quoted", "quoted|"),
        ("2 * 3 * 4 \\*x\\*", "2 * 3 * 4 | *| x| *|"),
    ],
)
def test_a_post_draws_the_markdown_it_knows_and_shows_the_rest(markdown: str, line: str) -> None:
    assert " ".join(f"{words}|{style}" for words, style in shown(markdown)[0]) == line


def test_a_table_in_a_post_shows_nothing() -> None:
    assert shown("before\n| a | b |\n|---|---|\n| 1 | 2 |\nafter") == [[("before", "")], [("", "")], [("after", "")]]


def test_a_fence_that_stands_further_in_is_no_fence() -> None:
    assert [line[0][0] for line in shown("  ```py\n  x\n  ```")] == ["  ```py", "  x", "  ```"]
