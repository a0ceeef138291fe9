"""CardKit: entities, sequences, streaming, settings, elements, batches, and every refusal with its number."""

import json
from typing import Any

import pytest
from tests.unit.feishu_simulator.deck import Json, button, card, markdown, old_card, raw, table
from tests.unit.feishu_simulator.town import refused

from feishu_simulator.cardkit import edits
from feishu_simulator.cardkit.cards import CARD_LIFE_MS, STREAM_MS
from feishu_simulator.cardkit.edits import Edit
from feishu_simulator.cardkit.operations import Order
from feishu_simulator.errors import PlatformError

FORM: Json = {"tag": "form", "name": "f", "element_id": "form", "elements": [markdown(element_id="inner")]}
GRID: Json = {"tag": "table", "element_id": "grid", "columns": [], "rows": []}


def test_an_entity_is_sent_once_and_shows_what_it_holds() -> None:
    here = table()
    entity = here.create(card(markdown("before", "md")))
    here.change(entity, edits.change_element("md", {"content": "after"}))
    message = here.send_entity(entity)
    assert (message.text, len(entity.card_id) <= 20) == ("after", True)
    with pytest.raises(PlatformError, match=r"^230099 .*ext=ErrCode: 200740;"):
        here.send_entity(entity)


def test_another_apps_entity_is_out_of_reach() -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md")))
    other = here.town.platform.add_app("Other")
    with refused(300311):
        here.town.platform.card_operations.stream_text(Order(other, entity.card_id, 1), "md", "x")
    here.town.app, here.town.chat = other, here.town.platform.private_chat(here.town.user, other)
    with pytest.raises(PlatformError, match=r"^230099 .*ext=ErrCode: 300311;"):
        here.send_entity(entity)


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (old_card(markdown()), 300303),
        (card(markdown(), update_multi=False), 300302),
        (card(markdown(element_id="md"), markdown(element_id="md")), 300301),
        (card({"tag": "action", "actions": []}), 200861),
        (card({"content": "no tag"}), 200220),
        (card(*[{"tag": "hr"}] * 201), 300305),
        (card(*[GRID | {"element_id": f"g{number}"} for number in range(6)]), 230099),
        (card(markdown("雁" * 10_300)), 200860),
        ({}, 300307),
    ],
)
def test_what_cardkit_does_not_take(made: Json, code: int) -> None:
    here = table()
    with refused(code):
        here.create(made)


def test_data_that_is_no_card_is_refused() -> None:
    here = table()
    operations, app = here.town.platform.card_operations, here.town.app
    with refused(200621):
        operations.create(app, "no json")
    with refused(10002):
        operations.create(app, "x" * 3_000_001)


def test_an_entity_lives_fourteen_days() -> None:
    here = table()
    entity, unsent = here.create(card(markdown(element_id="md"))), here.create(card(markdown()))
    here.wait(CARD_LIFE_MS)
    here.change(entity, edits.change_element("md", {"content": "still"}))
    here.wait(1)
    with refused(200750):
        here.change(entity, edits.change_element("md", {"content": "too late"}))
    with pytest.raises(PlatformError, match=r"^230099 .*ext=ErrCode: 200750;"):
        here.send_entity(unsent)


def test_text_that_goes_on_is_typed_and_other_text_is_put_there_at_once() -> None:
    here = table()
    entity = here.create(card(markdown("", "md"), streaming=True))
    message = here.send_entity(entity)
    for content in ("Rea", "Reading", "Done"):
        here.stream(entity, content)
    updates = here.town.platform.card_updates(message.message_id)
    assert [(update.sequence, update.typed) for update in updates[1:]] == [(1, True), (2, True), (3, False)]
    assert (message.text, here.town.platform.streaming(message.message_id)) == ("Done", True)
    assert updates[1].card["body"]["elements"][0]["content"] == "Rea"


def test_a_plain_text_inside_an_element_takes_streamed_words() -> None:
    here = table()
    words: Json = {"tag": "plain_text", "content": "", "element_id": "words"}
    entity = here.create(card({"tag": "div", "text": words}, streaming=True))
    here.stream(entity, "hi", "words")
    assert entity.shown["body"]["elements"][0]["text"]["content"] == "hi"


@pytest.mark.parametrize(
    ("element_id", "content", "code"),
    [("gone", "x", 300313), ("press", "x", 300310), ("md", "", 10002), ("md", "x" * 100_001, 10002)],
)
def test_what_cannot_be_streamed(element_id: str, content: str, code: int) -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), button(element_id="press"), streaming=True))
    with refused(code):
        here.stream(entity, content, element_id)


def test_streamed_text_may_not_make_the_card_too_large() -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    with refused(200860):
        here.stream(entity, "雁" * 10_300)
    here.stream(entity, "fits", sequence=1)
    assert entity.shown["body"]["elements"][0]["content"] == "fits"


@pytest.mark.parametrize("sequence", [0, -1, 5, 4])
def test_sequences_only_rise(sequence: int) -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    here.stream(entity, "one", sequence=5)
    with refused(300317):
        here.settings(entity, sequence=sequence)
    here.stream(entity, "one two", sequence=2**31 - 1)


@pytest.mark.parametrize("sequence", [2**31, "1", 1.5, True])
def test_a_sequence_is_a_number_of_32_bits(sequence: Any) -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    with refused(10002):
        here.stream(entity, "one", sequence=sequence)


def test_a_refused_operation_uses_up_neither_its_sequence_nor_its_uuid() -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    with refused(300313):
        here.stream(entity, "x", "gone", sequence=1, uuid="u")
    here.stream(entity, "x", sequence=1, uuid="u")


def test_a_uuid_is_taken_once_a_card() -> None:
    here = table()
    entity, other = (here.create(card(markdown(element_id="md"), streaming=True)) for _ in range(2))
    here.stream(entity, "x", uuid="u")
    with refused(200770):
        here.stream(entity, "x", uuid="u")
    here.stream(other, "x", uuid="u")
    with refused(10002):
        here.stream(entity, "x", uuid="u" * 65)


def test_the_eleventh_operation_within_a_second_is_refused() -> None:
    here = table()
    entity, other = (here.create(card(markdown(element_id="md"), streaming=True)) for _ in range(2))
    for number in range(10):
        here.stream(entity, f"{number}")
    with pytest.raises(PlatformError, match=r"^99991400 ") as refusal:
        here.stream(entity, "eleven")
    assert refusal.value.headers["x-ogw-ratelimit-reset"] == "1"
    here.stream(other, "not counted")
    here.wait(1_000)
    here.stream(entity, "later")


def test_streaming_closes_ten_minutes_after_it_was_opened_whatever_is_streamed() -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    message = here.send_entity(entity)
    here.wait(STREAM_MS - 1)
    here.stream(entity, "still open")
    assert here.town.platform.streaming(message.message_id)
    here.wait(1)
    assert not here.town.platform.streaming(message.message_id)
    with refused(200850):
        here.stream(entity, "too late")
    with refused(300309):
        here.stream(entity, "blind retry")


def test_opening_an_open_stream_again_buys_no_time_and_reopening_a_closed_one_does() -> None:
    here = table()
    open_it = edits.change_settings({"config": {"streaming_mode": True}})
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    here.wait(STREAM_MS - 1)
    here.change(entity, open_it)
    here.wait(1)
    with refused(200850):
        here.stream(entity, "closed")
    here.change(entity, open_it)
    here.wait(STREAM_MS - 1)
    here.stream(entity, "open again")


def test_a_closed_stream_is_said_to_be_closed() -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    message = here.send_entity(entity)
    here.settings(entity)
    with refused(300309):
        here.stream(entity, "x")
    here.wait(STREAM_MS)
    with refused(300309):
        here.stream(entity, "x")
    shown = here.town.platform.views.card(message.message_id)
    assert shown is not None
    assert shown["summary"] == "hello"


def test_a_whole_card_takes_the_place_of_an_entitys() -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), streaming=True))
    message = here.send_entity(entity)
    here.change(entity, edits.replace_card(card(markdown("closed"))))
    assert (message.text, entity.streaming, entity.sequence) == ("closed", False, 1)
    with refused(300303):
        here.change(entity, edits.replace_card(old_card(markdown())))


def test_elements_are_put_before_after_and_at_the_end() -> None:
    here = table()
    entity = here.create(card(markdown("m", "m"), FORM))
    here.change(entity, edits.add_elements("insert_before", "m", [markdown("a")]))
    here.change(entity, edits.add_elements("insert_after", "m", [markdown("b"), markdown("c")]))
    here.change(entity, edits.add_elements("append", "form", [markdown("d")]))
    here.change(entity, edits.add_elements("append", "", [markdown("e")]))
    message = here.send_entity(entity)
    assert message.text.split("\n") == ["a", "m", "b", "c", "hello", "d", "e"]


def test_elements_are_replaced_changed_and_deleted() -> None:
    here = table()
    entity = here.create(card(markdown("a", "a"), FORM))
    here.change(entity, edits.replace_element("a", button("b")))
    here.change(entity, edits.change_element("inner", {"content": "c", "element_id": "renamed"}))
    assert entity.shown["body"]["elements"][0]["element_id"] == "a"
    here.change(entity, edits.change_element("renamed", {"content": "d"}))
    assert here.send_entity(entity).text.split("\n") == ["b", "d"]
    here.change(entity, edits.delete_elements(["form"]))
    assert [element["tag"] for element in entity.shown["body"]["elements"]] == ["button"]


WORDS: Json = {"tag": "div", "text": {"tag": "plain_text", "content": "x", "element_id": "words"}}


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (edits.change_element("gone", {"content": "x"}), 300313),
        (edits.change_element("md", {"tag": "div"}), 300312),
        (edits.change_element("md", {"element_id": "form"}), 300301),
        (edits.replace_element("gone", markdown()), 300121),
        (edits.replace_element("md", {"tag": "note"}), 200861),
        (edits.delete_elements(["gone"]), 300314),
        (edits.delete_elements(["words"]), 300314),
        (edits.add_elements("insert_after", "gone", [markdown()]), 300315),
        (edits.add_elements("insert_after", "words", [markdown()]), 300315),
        (edits.add_elements("append", "md", [markdown()]), 300315),
        (edits.add_elements("append", "grid", [markdown()]), 300315),
        (edits.add_elements("beside", "md", [markdown()]), 300315),
        (edits.add_elements("append", "", [markdown()] * 200), 300305),
        (edits.add_elements("append", "", [markdown("x" * 31_000)]), 200860),
        (edits.change_settings({"config": {"update_multi": False}}), 300302),
        (edits.change_settings({"config": "x"}), 300122),
        (edits.change_settings({"header": {}}), 300122),
    ],
)
def test_an_edit_that_cannot_be_made_changes_nothing(edit: Edit, code: int) -> None:
    here = table()
    entity = here.create(card(markdown(element_id="md"), WORDS, FORM, GRID))
    before = raw(entity.shown)
    with refused(code):
        here.change(entity, edits.change_element("md", {"content": "half"}), edit)
    assert (raw(entity.shown), entity.sequence) == (before, 0)


def test_a_batch_does_all_its_actions_in_order() -> None:
    here = table()
    entity = here.create(card(markdown("a", "a"), markdown("b", "b"), streaming=True))
    actions = [
        {"action": "partial_update_setting", "params": {"settings": {"config": {"streaming_mode": False}}}},
        {
            "action": "add_elements",
            "params": {"type": "insert_after", "target_element_id": "a", "elements": [markdown("new", "new")]},
        },
        {"action": "partial_update_element", "params": {"element_id": "new", "partial_element": {"content": "newer"}}},
        {"action": "update_element", "params": {"element_id": "b", "element": markdown("other")}},
        {"action": "delete_elements", "params": {"element_ids": ["a"]}},
    ]
    here.change(entity, *edits.batch(json.dumps(actions)))
    message = here.send_entity(entity)
    assert (message.text.split("\n"), entity.streaming) == (["newer", "other"], False)


def test_a_sent_card_can_be_operated_on_by_its_message() -> None:
    here = table()
    operations, app = here.town.platform.card_operations, here.town.app
    message = here.send(card(markdown("before", "md")))
    here.change(operations.card_of(app, message.message_id), edits.change_element("md", {"content": "after"}))
    assert message.text == "after"
    with refused(300303):
        operations.card_of(app, here.send(old_card(markdown())).message_id)
    with refused(300302):
        operations.card_of(app, here.send(card(markdown(), update_multi=False)).message_id)
    with refused(300311):
        operations.card_of(here.town.platform.add_app("Other"), message.message_id)
    with refused(200740):
        operations.card_of(app, "om_unknown")


def test_an_unknown_entity_is_said_to_be_unknown() -> None:
    here = table()
    with refused(200740):
        here.town.platform.card_operations.change(Order(here.town.app, "7355", 1), "change", [])
