"""What a bot answers to a card callback, read as the person's Feishu reads it."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Final

from feishu_simulator.cardkit.card_json import CARD_LIMIT_BYTES, DOWNGRADED, CardError, check, is_new, size_bytes

Json = dict[str, Any]

NOBODY: Final = 200340
TIMED_OUT: Final = 200341
NOT_200: Final = 200671
BAD_BODY: Final = 200672
BAD_CARD: Final = 200673
TOASTS: Final = frozenset({"info", "success", "error", "warning"})

PROBLEMS: Final = {
    NOBODY: "nobody is connected that hears callbacks",
    TIMED_OUT: "no answer within three seconds",
    NOT_200: "the answer is not 200",
    BAD_BODY: "the answer's body is not understood",
    BAD_CARD: "the answer's card is not a card",
    DOWNGRADED: "a card of schema 2.0 stays one",
    200530: "the form, or a control in it, has no name",
}


class AnswerError(Exception):
    """The person sees an error; `code` is the number in it, `detail` what was wrong."""

    def __init__(self, code: int, detail: str = "") -> None:
        self.code = code
        self.words = f"{PROBLEMS[code]}: {detail}" if detail else PROBLEMS[code]
        super().__init__(f"{code} {self.words}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the bot wants shown: a toast, another card, both or nothing."""

    toast: Json | None = None
    card: Json | None = None


def read_answer(payload: bytes | None, shown: Json) -> Answer:
    """Return the answer in the acknowledgement of a callback on the card that is shown."""
    body = _body(payload)
    toast, card = body.get("toast"), body.get("card")
    return Answer(_toast(toast) if toast else None, _card(card, shown) if card else None)


def check_update(card: object, shown: Json) -> Json:
    """Return a card that may take the place of the one that is shown."""
    if not isinstance(card, dict):
        raise AnswerError(BAD_CARD, "it is not an object")
    if is_new(shown) and not is_new(card):
        raise AnswerError(DOWNGRADED)
    if size_bytes(card) > CARD_LIMIT_BYTES:
        raise AnswerError(BAD_CARD, f"it has {size_bytes(card)} bytes")
    try:
        check(card)
    except CardError as fault:
        raise AnswerError(BAD_CARD, str(fault)) from None
    return card


def _body(payload: bytes | None) -> Json:
    try:
        reply = json.loads(payload or b"{}")
        if not isinstance(reply, dict) or reply.get("code") != 200:
            raise AnswerError(NOT_200)
        data = reply.get("data")
        body = json.loads(base64.b64decode(data, validate=True)) if data else {}
    except (ValueError, TypeError, binascii.Error):
        raise AnswerError(BAD_BODY) from None
    if body is None:
        return {}
    if not isinstance(body, dict):
        raise AnswerError(BAD_BODY, "it is not an object")
    return body


def _toast(toast: object) -> Json:
    if not isinstance(toast, dict):
        raise AnswerError(BAD_BODY, "the toast is not an object")
    kind, content, i18n = toast.get("type") or "info", toast.get("content") or "", toast.get("i18n") or {}
    if not isinstance(kind, str) or kind not in TOASTS or not isinstance(content, str) or not isinstance(i18n, dict):
        raise AnswerError(BAD_BODY, "the toast has no known type or no text")
    return {"type": kind, "content": content, "i18n": i18n}


def _card(card: object, shown: Json) -> Json:
    if not isinstance(card, dict) or card.get("type") != "raw":
        raise AnswerError(BAD_CARD, "only cards of type raw are simulated")
    return check_update(card.get("data"), shown)
