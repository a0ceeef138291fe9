"""Interactive messages: which cards go out, which are refused, how they are patched and how they read."""

import json
from typing import Any

import pytest
from tests.unit.feishu_simulator.deck import Json, button, card, markdown, old_card, raw, table
from tests.unit.feishu_simulator.town import furnish, refused

from feishu_simulator import SimulatorSettings
from feishu_simulator.bot_calls import Draft
from feishu_simulator.cardkit.cards import CARD_LIFE_MS
from feishu_simulator.errors import PlatformError
from feishu_simulator.platform import Platform

TABLE_OF_TWO = "\n".join(("| a | b |", "|---|---|", "| 1 | 2 |"))
GRID: Json = {"tag": "table", "columns": [{"name": "a", "display_name": "A"}], "rows": [{"a": "1"}]}


def inner(code: int) -> Any:
    """Expect the refusal of a card with that number inside."""
    return pytest.raises(PlatformError, match=f"^230099 .*ext=ErrCode: {code};")


def test_a_card_goes_out_whole_and_reads_back_as_flattened_text() -> None:
    here = table()
    shown = card(markdown("**Read** retry.py"), {"tag": "hr"}, button("Stop"), title="Working")
    message = here.send(shown)
    assert here.town.platform.card(message.message_id) == shown
    assert json.loads(message.content) == {
        "title": "Working",
        "elements": [
            [{"tag": "text", "text": "**Read** retry.py"}],
            [{"tag": "hr"}],
            [{"tag": "button", "text": "Stop", "type": "default"}],
        ],
    }
    assert message.text == "Working\n**Read** retry.py\n---\nStop"


def test_containers_and_tables_are_flattened_line_by_line() -> None:
    here = table()
    columns = {"tag": "column_set", "columns": [{"tag": "column", "elements": [markdown("left")]}]}
    panel: Json = {
        "tag": "collapsible_panel",
        "header": {"title": {"tag": "plain_text", "content": "More"}},
        "elements": [{"tag": "div", "text": {"tag": "plain_text", "content": "inside"}}],
    }
    checker = {"tag": "checker", "text": {"tag": "plain_text", "content": "done"}}
    message = here.send(card(columns, panel, GRID, checker, {"tag": "img", "img_key": "img_v3_1"}))
    assert message.text.split("\n") == ["left", "More", "inside", "A", "1", "done", "[image]"]


def test_an_old_card_is_taken_with_the_elements_that_2_0_gave_up() -> None:
    here = table()
    note = {"tag": "note", "elements": [{"tag": "plain_text", "content": "small"}]}
    action = {"tag": "action", "actions": [button("Go")]}
    message = here.send(old_card({"tag": "div", "text": {"tag": "lark_md", "content": "hi"}}, note, action))
    assert message.text == "hi\nsmall\nGo"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("no json", 200621),
        ("[1]", 200621),
        ("{}", 300307),
        (json.dumps({"card_id": "7355"}), 200621),
        (json.dumps({"type": "card", "data": {}}), 200621),
        (json.dumps({"type": "card", "data": {"card_id": "7355"}}), 200740),
        (json.dumps({"type": "template", "data": {"template_id": "AA"}}), 200380),
        (json.dumps({"config": {}}), 200621),
        (raw({"schema": "3.0", "body": {}}), 200220),
        (raw({"schema": "2.0", "elements": []}), 200220),
        (raw({"schema": "2.0", "body": {"elements": "x"}}), 200220),
        (raw({"schema": "2.0", "header": "x", "body": {}}), 200220),
        (raw(card({"content": "no tag"})), 200220),
        (raw(card(markdown(element_id="1st"))), 200220),
        (raw(card(markdown(element_id="a" * 21))), 200220),
        (raw(card(markdown(element_id="md"), markdown(element_id="md"))), 300301),
        (raw(card({"tag": "note", "elements": []})), 200861),
        (raw(card({"tag": "div", "text": {"tag": "rich", "content": ""}})), 200861),
        (raw(card({"tag": "plain_text", "content": "alone"})), 200861),
    ],
)
def test_a_bad_card_is_refused_with_the_reason_inside_the_number(content: str, code: int) -> None:
    here = table()
    with inner(code):
        here.send_content(content)
    assert here.town.platform.visible(here.town.chat.chat_id) == []


def test_thirty_kilobytes_are_counted_in_bytes() -> None:
    here = table()
    room = 30 * 1024 - len(raw(card(markdown(""))).encode())
    here.send(card(markdown("雁" * (room // 3))))
    with refused(230025):
        here.send(card(markdown("雁" * (room // 3 + 1))))


def test_two_hundred_elements_are_the_most() -> None:
    here = table()
    here.send(card(*[button(value={"n": 1}) for _ in range(100)]))  # a button and its words count as two
    with inner(11310):
        here.send(card(*[button(value={"n": 1}) for _ in range(100)], markdown()))


def test_a_bots_own_values_are_no_elements() -> None:
    here = table()
    here.send(card(button(value={"tag": "nothing known", "element_id": "1"})))


@pytest.mark.parametrize(
    ("five", "sixth"),
    [([GRID] * 5, GRID), ([markdown("\n\n".join([TABLE_OF_TWO] * 5))], GRID), ([GRID] * 5, markdown(TABLE_OF_TWO))],
)
def test_more_than_five_tables_are_refused_of_either_kind(five: list[Json], sixth: Json) -> None:
    here = table()
    here.send(card(*five))
    with inner(11310):
        here.send(card(*five, sixth))


def test_a_table_in_a_fence_is_text() -> None:
    here = table()
    here.send(card(markdown(f"```\n{TABLE_OF_TWO}\n```\n" * 6)))


def test_one_uuid_makes_one_card_message() -> None:
    here = table()
    assert here.send(card(markdown()), uuid="u").message_id == here.send(card(markdown()), uuid="u").message_id
    assert len(here.town.platform.visible(here.town.chat.chat_id)) == 1


def test_a_card_answers_a_message() -> None:
    here = table()
    question = here.town.write()
    draft = Draft("interactive", raw(card(markdown("yes"))))
    reply = here.town.platform.bot_calls.reply(here.town.app, question.message_id, draft, in_thread=False)
    assert (reply.parent_id, here.town.platform.card(reply.message_id)) == (question.message_id, card(markdown("yes")))


def test_a_patch_shows_another_card_and_marks_the_message_as_updated() -> None:
    here = table()
    platform, app = here.town.platform, here.town.app
    message = here.send(card(markdown("before")))
    here.wait(1_000)
    platform.bot_calls.patch(app, message.message_id, raw(card(markdown("after"))))
    assert (message.text, message.card_changes, message.edits) == ("after", 1, 0)
    assert message.update_ms - message.create_ms == 1_000
    assert [update.action for update in platform.card_updates(message.message_id)] == ["created", "patch"]


@pytest.mark.parametrize("never", [{"update_multi": False}, {"update_multi": None}])
def test_a_patch_needs_both_cards_shared(never: Json) -> None:
    here = table()
    patch = here.town.platform.bot_calls.patch
    shared, alone = here.send(card(markdown())), here.send(card(markdown(), **never))
    with refused(230001):
        patch(here.town.app, shared.message_id, raw(card(markdown(), **never)))
    with refused(230001):
        patch(here.town.app, alone.message_id, raw(card(markdown())))


def test_a_patch_reaches_no_card_older_than_fourteen_days() -> None:
    here = table()
    message = here.send(card(markdown()))
    here.wait(CARD_LIFE_MS)
    here.town.platform.bot_calls.patch(here.town.app, message.message_id, raw(card(markdown())))
    here.wait(1)
    with refused(230031):
        here.town.platform.bot_calls.patch(here.town.app, message.message_id, raw(card(markdown())))


def test_a_patch_keeps_the_rules_of_cards() -> None:
    here = table()
    message = here.send(card(markdown()))
    patch = here.town.platform.bot_calls.patch
    with inner(200830):
        patch(here.town.app, message.message_id, raw(old_card(markdown())))
    with inner(200861):
        patch(here.town.app, message.message_id, raw(card({"tag": "note"})))
    with inner(200621):
        patch(here.town.app, message.message_id, json.dumps({"type": "card", "data": {"card_id": "7"}}))
    with refused(230025):
        patch(here.town.app, message.message_id, raw(card(markdown("a" * 31_000))))


def test_only_the_sender_patches_and_only_a_card_that_is_there() -> None:
    here = table()
    platform = here.town.platform
    other = platform.add_app("Other")
    group = platform.add_group("Release", [here.town.user], [here.town.app, other])
    draft = Draft("interactive", raw(card(markdown())))
    message = platform.bot_calls.create(here.town.app, "chat_id", group.chat_id, draft)
    with refused(230071):
        platform.bot_calls.patch(other, message.message_id, raw(card(markdown())))
    with refused(230001):
        platform.bot_calls.patch(here.town.app, here.town.send().message_id, raw(card(markdown())))
    platform.bot_calls.recall(here.town.app, message.message_id)
    with refused(230011):
        platform.bot_calls.patch(here.town.app, message.message_id, raw(card(markdown())))


def test_the_sixth_patch_within_a_second_is_refused_on_a_real_clock() -> None:
    here = furnish(Platform(SimulatorSettings()))
    draft = Draft("interactive", raw(card(markdown())))
    message = here.platform.bot_calls.create(here.app, "chat_id", here.chat.chat_id, draft)
    for _ in range(5):
        here.platform.bot_calls.patch(here.app, message.message_id, raw(card(markdown())))
    with refused(230020):
        here.platform.bot_calls.patch(here.app, message.message_id, raw(card(markdown())))


def test_a_card_cannot_be_edited_as_text() -> None:
    here = table()
    message = here.send(card(markdown()))
    with refused(230054):
        here.town.platform.bot_calls.edit(here.town.app, message.message_id, Draft("text", '{"text":"x"}'))


def test_the_journal_keeps_only_the_last_look_of_a_card_that_changes() -> None:
    here = table()
    message = here.send(card(markdown("first")))
    for words in ("second", "third"):
        here.town.platform.bot_calls.patch(here.town.app, message.message_id, raw(card(markdown(words))))
    told = [change.facts for change in here.town.platform.journal.since(0) if change.kind == "message"]
    assert [facts["action"] for facts in told] == ["said", "superseded", "redrawn"]
    assert (told[0]["text"], told[2]["text"]) == ("first", "third")


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        (card(markdown("first"), title="Title"), "Title"),
        (card(markdown("first")), "first"),
        (card({"tag": "hr"}), "[card]"),
        (card(markdown("first"), title="Title", streaming=True), "[生成中...]"),
        (card(markdown("first"), streaming=True, summary={"content": "Working"}), "Working"),
        (card(markdown("first"), streaming=True, summary={"content": ""}), "[生成中...]"),
    ],
)
def test_one_line_stands_for_a_card_in_the_list_of_chats(shown: Json, line: str) -> None:
    here = table()
    message = here.send(shown)
    found = here.town.platform.views.card(message.message_id)
    assert found is not None
    assert found["summary"] == line
