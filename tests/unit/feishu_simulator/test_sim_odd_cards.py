"""Whatever a bot sends as a card: it is refused with a number or shown, never more."""

import contextlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.feishu_simulator.deck import Json, table

from feishu_simulator.cardkit.card_json import COMPONENTS, LISTS, PIECES
from feishu_simulator.cardkit.controls import ControlError
from feishu_simulator.errors import PlatformError

WORDS = ("text", "title", "content", "header", "label", "name", "extra", "form_action_type", "display_name")
TAGS = st.sampled_from(sorted(COMPONENTS | PIECES | {"note", "action"}))
KEYS = st.sampled_from(sorted({*LISTS, *WORDS, "value", "element_id", "type", "disabled", "required", "initial_index"}))
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "**b**", "md_1", "submit"])


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make lists and tagged objects of what is inside."""
    tagged = st.builds(lambda tag, more: {**more, "tag": tag}, TAGS, st.dictionaries(KEYS, inner, max_size=4))
    return st.lists(inner, max_size=3) | tagged | st.dictionaries(KEYS, inner, max_size=3)


ODD = st.recursive(SCALARS, nested, max_leaves=14)
ELEMENT = st.builds(lambda tag, more: {**more, "tag": tag}, TAGS, st.dictionaries(KEYS, ODD, max_size=5))
BODY = st.fixed_dictionaries({"elements": st.lists(ELEMENT, max_size=3)})
SETTINGS = st.dictionaries(st.sampled_from(["streaming_mode", "summary", "update_multi"]), ODD, max_size=3)
NEW = st.fixed_dictionaries(
    {"schema": st.just("2.0"), "body": BODY},
    optional={"header": st.dictionaries(KEYS, ODD, max_size=3), "config": SETTINGS},
)
OLD = st.fixed_dictionaries({}, optional={"config": ODD, "elements": ODD, "header": ODD, "schema": ODD, "type": ODD})


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.one_of(NEW, OLD))
def test_an_odd_card_is_refused_or_shown_and_can_be_pressed(odd: Json) -> None:
    here = table()
    with contextlib.suppress(PlatformError):
        message = here.send(odd)
        platform = here.town.platform
        assert json.dumps(platform.views.message(message))
        for control in platform.buttons(message.message_id):
            assert isinstance(control.text + control.kind + control.action, str)
        with contextlib.suppress(ControlError):
            here.click(message)
    with contextlib.suppress(PlatformError):
        here.create(odd)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(ODD)
def test_an_odd_answer_is_shown_as_a_number_or_taken(odd: Any) -> None:
    here = table()
    click = here.click(here.send({"schema": "2.0", "body": {"elements": [{"tag": "button", "value": {}}]}}))
    here.answer(odd)
    assert click.ended
    again = here.click(click.message)
    here.answer({"card": {"type": "raw", "data": odd}, "toast": odd})
    assert again.ended
