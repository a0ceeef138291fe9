"""Cards on the wire: JSON 2.0 out, a card that was read back, a click, and the toast that answers it."""

import json
from collections.abc import Iterator
from typing import Any, Final

from pydantic import Field

from hongyan.adapters.lark.wire import Wire
from hongyan.domain.cards import Block as CardBlock
from hongyan.domain.cards import Button, Buttons, Card, Note, Stream, Style, Tone, block_words
from hongyan.domain.identity import AppId, ChatId, MessageId, OpenId
from hongyan.domain.messages import CardClicked, Toast, ToastKind

__all__ = ["STREAM_ELEMENT", "ClickEvent", "card_content", "toast_answer"]

VALUE_KEY: Final = "button"
STREAM_ELEMENT: Final = "answer"  # the one element of a card that text is streamed into
MICROSECONDS: Final = 1_000  # of which one millisecond has a thousand: this event alone counts in them

_TEMPLATES: Final = {
    Tone.ASKING: "orange",
    Tone.WORKING: "blue",
    Tone.DONE: "green",
    Tone.REFUSED: "red",
    Tone.OVER: "grey",
}
_BUTTONS: Final = {Style.PRIMARY: "primary", Style.PLAIN: "default", Style.DANGER: "danger"}
_TOASTS: Final = {ToastKind.DONE: "success", ToastKind.TOLD: "info", ToastKind.REFUSED: "error"}


def card_content(card: Card, *, streaming: bool | None = None) -> str:
    """Write a card as JSON; every person sees the same, so that it can be changed.

    `streaming` says whether text may be streamed into it, None for a card that is no entity of its own.
    """
    mode = {} if streaming is None else {"streaming_mode": streaming}
    drawn = {
        "schema": "2.0",
        "config": {"update_multi": True, **mode, "summary": {"content": card.title}},
        "header": {"title": {"tag": "plain_text", "content": card.title}, "template": _TEMPLATES[card.tone]},
        "body": {"elements": [element for block in card.blocks for element in _elements(block)]},
    }
    return json.dumps(drawn, ensure_ascii=False, separators=(",", ":"))


def _elements(block: CardBlock) -> Iterator[dict[str, Any]]:
    if isinstance(block, Stream):
        words = {"tag": "plain_text", "content": block_words(block), "element_id": STREAM_ELEMENT}
        yield {"tag": "div", "text": words}
    elif not isinstance(block, Buttons):
        size = "notation" if isinstance(block, Note) else "normal"
        yield {"tag": "markdown", "content": block_words(block), "text_size": size}
    elif block.buttons:
        columns = [{"tag": "column", "width": "auto", "elements": [_button(button)]} for button in block.buttons]
        yield {"tag": "column_set", "flex_mode": "flow", "columns": columns}


def _button(button: Button) -> dict[str, Any]:
    return {
        "tag": "button",
        "text": {"tag": "plain_text", "content": button.label},
        "type": _BUTTONS[button.style],
        "behaviors": [{"type": "callback", "value": {VALUE_KEY: button.value}}],
    }


class Operator(Wire):
    """Who pressed."""

    open_id: OpenId = OpenId("")


class Pressed(Wire):
    """What was pressed; our buttons carry an object, other controls carry what they like."""

    value: Any = None


class Context(Wire):
    """Where the card stands."""

    open_message_id: MessageId
    open_chat_id: ChatId = ChatId("")


class ClickEvent(Wire):
    """`card.action.trigger`."""

    operator: Operator = Operator()
    action: Pressed = Field(default=Pressed())
    context: Context

    def to_domain(self, app: AppId, event_id: str, create_time: int) -> CardClicked:
        """Say it in our words."""
        value = self.action.value
        pressed = value.get(VALUE_KEY) if isinstance(value, dict) else None
        return CardClicked(
            app=app,
            event_id=event_id,
            message_id=self.context.open_message_id,
            chat_id=self.context.open_chat_id,
            operator=self.operator.open_id,
            value=pressed if isinstance(pressed, str) else "",
            clicked_at=create_time // MICROSECONDS,
        )


def toast_answer(toast: Toast) -> dict[str, Any]:
    """Write what the platform shows to the person who pressed."""
    return {"toast": {"type": _TOASTS[toast.kind], "content": toast.text}}
