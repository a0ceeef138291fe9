"""The cards that the page is looked at with."""

import json
from typing import Any, Final

Json = dict[str, Any]

DIFF: Final = """Keep the part's own key for every attempt, and stop after 50 minutes.
```diff
-key = entropy.uuid()
+if now - part.first_attempt > WINDOW:
+    return Outcome.unknown(part)
```"""
REPORT: Final = """# Release 2.4
## What changed
Retries keep **their own key**, *within* the ~~day~~ window; see `retry.py` and [the note](https://example.test/a).
Not a link: [press](javascript:alert(1)). <font color='red'>Two risks</font> remain, <at id=ou_lin></at> decides.
1. Read the log
    - first the errors
    - then `entropy.uuid`
2. Run the tests
> Nothing is sent twice.
> That is the promise.

---
| Suite | Tests | Time |
|:--|--:|:-:|
| unit | 214 | 3.1 s |
| scenario | 98 | 41 s |
```python
def retry(part: Part) -> Outcome:
    return Outcome.unknown(part)
```
**标题：**正文 stays literal, **标题** 正文 does not."""


def text(words: str) -> Json:
    """Make a plain text."""
    return {"tag": "plain_text", "content": words}


def markdown(content: str, **more: Any) -> Json:
    """Make a Markdown element."""
    return {"tag": "markdown", "content": content, **more}


def button(words: str, value: Json, kind: str = "default", **more: Any) -> Json:
    """Make a button that calls back."""
    behaviors = [{"type": "callback", "value": value}]
    return {"tag": "button", "type": kind, "text": text(words), "behaviors": behaviors, **more}


def card(*elements: Json, title: str = "", template: str = "blue", **config: Any) -> Json:
    """Make a card."""
    made: Json = {"schema": "2.0", "config": {"update_multi": True, **config}, "body": {"elements": list(elements)}}
    if title:
        made["header"] = {"title": text(title), "template": template}
    return made


def approval(title: str, *, chinese: bool = False) -> Json:
    """Make a card that asks for a decision."""
    words = ("允许一次", "本次会话", "拒绝") if chinese else ("Allow once", "This session", "Reject")
    kinds = ("primary", "default", "danger")
    pressed = [
        button(word, {"decision": kind}, kind, element_id=f"b{kind}") for word, kind in zip(words, kinds, strict=True)
    ]
    about = "每次尝试沿用该段自己的 key，超过 50 分钟就不再发送。" if chinese else DIFF.partition("\n")[0]
    what = markdown(about + "\n" + DIFF.partition("\n")[2])
    note = markdown("gateway · 显示全部参数" if chinese else "gateway · show all arguments", text_size="notation")
    return card(what, *pressed, note, title=title, template="orange")


def progress(words: str, *, stop: str = "Stop", title: str = "Working, 0:41") -> Json:
    """Make a card that streams."""
    steps = markdown(words, element_id="steps")
    return card(steps, button(stop, {"stop": 1}, size="small"), title=title, streaming_mode=True)


def form() -> Json:
    """Make a card with a form in it."""
    levels = [{"text": text(level), "value": level} for level in ("low", "medium", "high")]
    fields: list[Json] = [
        {"tag": "input", "name": "reason", "label": text("Reason"), "required": True, "placeholder": text("why")},
        {
            "tag": "input",
            "name": "note",
            "label": text("Note"),
            "input_type": "multiline_text",
            "default_value": "none",
        },
        {"tag": "select_static", "name": "risk", "label": text("Risk"), "options": levels, "initial_index": 1},
        {"tag": "multi_select_static", "name": "files", "label": text("Files"), "options": levels},
        {"tag": "checker", "name": "sure", "text": text("I have read it")},
        {"tag": "date_picker", "name": "day", "placeholder": text("Day")},
    ]
    send = button("Send", {"form": 1}, "primary", name="send", form_action_type="submit")
    clear = button("Clear", {"form": 0}, name="clear", form_action_type="reset")
    return card({"tag": "form", "name": "ask", "elements": [*fields, send, clear]}, title="Before it goes out")


def table() -> Json:
    """Make a card with a table, columns, a folded panel and small print."""
    heads: list[Json] = [
        {"name": "what", "display_name": "What", "data_type": "text"},
        {"name": "n", "display_name": "Times", "data_type": "number"},
        {"name": "state", "display_name": "State", "data_type": "options"},
    ]
    rows: list[Json] = [
        {"what": "sent, verified", "n": 41, "state": [{"text": "fine", "color": "green"}]},
        {"what": "not delivered", "n": 1, "state": [{"text": "owed", "color": "red"}]},
    ]
    columns = [
        {"tag": "column", "width": "weighted", "weight": weight, "elements": [markdown(f"**{name}**\n{value}")]}
        for name, value, weight in (("Since", "10:31", 1), ("Session", "retry of the outbox", 2))
    ]
    panel: Json = {
        "tag": "collapsible_panel",
        "header": {"title": text("All arguments")},
        "elements": [markdown("```json\n" + json.dumps({"path": "src/outbox/retry.py"}, indent=2) + "\n```")],
    }
    folded: Json = {"tag": "overflow", "options": [{"text": text("Open the ledger"), "value": "ledger"}]}
    grid: Json = {"tag": "table", "columns": heads, "rows": rows}
    return card(
        {"tag": "column_set", "columns": columns, "background_style": "grey"},
        grid,
        panel,
        button("More", {"more": 1}, disabled=True),
        folded,
        title="The ledger adds up",
        template="green",
    )
