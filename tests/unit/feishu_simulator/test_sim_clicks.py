"""Clicks on cards: the callback that the bot gets, its answer within three seconds, and what the person sees."""

import json
from typing import Any

import pytest
from tests.unit.feishu_simulator.deck import Json, Table, button, card, markdown, old_card, table
from tests.unit.feishu_simulator.town import refused

from feishu_simulator.cardkit import edits
from feishu_simulator.cardkit.controls import ControlError
from feishu_simulator.delivery import LADDER_MS, EventState
from feishu_simulator.faults import Effect, Match

CALLBACK = "card.action.trigger"
ASKING = card(markdown("Edit retry.py?"), button("Allow once", {"id": 7}, element_id="allow"), button("Reject"))
WORDS: Json = {"tag": "plain_text", "content": "x"}


def field(tag: str, name: str | None = None, **more: Any) -> Json:
    """Make a control of a form."""
    return {"tag": tag, **({} if name is None else {"name": name}), **more}


def submit(**more: Any) -> Json:
    """Make the button that sends a form."""
    return button("Send", {"form": 1}, form_action_type="submit", **{"name": "send", **more})


def form(*fields: Json, **more: Any) -> Json:
    """Make a form."""
    return {"tag": "form", "name": "form", "elements": [*fields, submit()], **more}


def test_a_click_calls_the_bot_back_with_who_where_and_what() -> None:
    here = table()
    message = here.send(ASKING)
    click = here.click(message, element="allow")
    callback = here.heard()
    event, platform = callback["event"], here.town.platform
    assert event["operator"] == {
        "tenant_key": here.town.user.tenant_key,
        "union_id": here.town.user.union_id,
        "open_id": platform.ids.open_id(here.town.app.app_id, here.town.user.user_id),
        "user_id": here.town.user.user_id,
    }
    assert event["action"] == {"value": {"id": 7}, "tag": "button"}
    assert event["context"] == {"open_message_id": message.message_id, "open_chat_id": here.town.chat.chat_id}
    assert (event["host"], event["token"]) == ("im_message", click.token)
    assert click.token.startswith("c-")
    assert callback["header"]["create_time"] == str(platform.clock.now_ms() * 1000)
    assert here.ear is not None
    assert here.ear.frames[-1].header("type") == "event"


def test_a_toast_is_the_answer_to_the_clicker() -> None:
    here = table()
    click = here.click(here.send(ASKING), text="Allow once")
    assert click.state == "waiting"
    here.wait(2_999)
    here.answer({"toast": {"type": "success", "content": "Allowed", "i18n": {"zh_cn": "已允许"}}})
    assert (click.state, click.code) == ("answered", None)
    assert click.toast == {"type": "success", "content": "Allowed", "i18n": {"zh_cn": "已允许"}}
    assert here.town.platform.events(CALLBACK)[-1].state is EventState.ACKED


def test_the_answers_card_takes_the_place_of_the_clicked_one() -> None:
    here = table()
    message = here.send(ASKING)
    click = here.click(message)
    settled = card(markdown("Allowed by Lin Yan"))
    here.answer({"card": {"type": "raw", "data": settled}})
    assert (click.card_updated, here.town.platform.card(message.message_id)) == (True, settled)
    assert here.town.platform.card_updates(message.message_id)[-1].action == "callback"


@pytest.mark.parametrize("body", [None, {}, {"toast": None}])
def test_an_empty_answer_keeps_everything(body: object) -> None:
    here = table()
    message = here.send(ASKING)
    click = here.click(message)
    here.answer(body)
    assert (click.state, click.toast, click.card_updated) == ("answered", None, False)
    assert here.town.platform.card(message.message_id) == ASKING


def test_without_an_answer_in_three_seconds_the_clicker_sees_a_timeout_and_nothing_is_retried() -> None:
    here = table()
    click = here.click(here.send(ASKING))
    here.wait(3_000)
    assert (click.state, click.code) == ("failed", 200341)
    here.wait(sum(LADDER_MS))
    assert here.ear is not None
    assert len(here.ear.heard(CALLBACK)) == 1
    here.answer({"toast": {"content": "too late"}})
    assert (click.code, click.toast) == (200341, None)


@pytest.mark.parametrize("why", ["nobody", "unsubscribed", "disabled"])
def test_where_nobody_hears_the_clicker_sees_so_at_once(why: str) -> None:
    here = table(listening=why != "nobody")
    message = here.send(ASKING)
    if why == "unsubscribed":
        here.town.app.subscriptions = frozenset({"im.message.receive_v1"})
    here.town.app.enabled = why != "disabled"
    click = here.click(message)
    assert (click.state, click.code) == ("failed", 200340)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"code": 500}, 200671),
        ({"data": "not base64!"}, 200672),
        ({"data": "bm8ganNvbg=="}, 200672),
        ({"body": "no CALLBACK event handle"}, 200672),
        ({"body": {"toast": "Allowed"}}, 200672),
        ({"body": {"toast": {"type": "shout", "content": "x"}}}, 200672),
        ({"body": {"card": card(markdown())}}, 200673),
        ({"body": {"card": {"type": "template", "data": {"template_id": "A"}}}}, 200673),
        ({"body": {"card": {"type": "raw", "data": card({"tag": "note"})}}}, 200673),
        ({"body": {"card": {"type": "raw", "data": card(markdown("x" * 31_000))}}}, 200673),
        ({"body": {"card": {"type": "raw", "data": old_card(markdown())}}}, 200830),
    ],
)
def test_an_answer_that_is_not_understood_is_shown_as_its_number(answer: Json, code: int) -> None:
    here = table()
    message = here.send(ASKING)
    click = here.click(message)
    here.answer(**answer)
    assert (click.state, click.code, click.toast) == ("failed", code, None)
    assert here.town.platform.card(message.message_id) == ASKING


@pytest.mark.parametrize(
    ("effect", "code"), [(Effect(drop=True), 200341), (Effect(half_dead=True), 200341), (Effect(close=1006), 200341)]
)
def test_faults_strike_callbacks_too(effect: Effect, code: int) -> None:
    here = table()
    here.town.platform.faults.add(Match(f"event:{CALLBACK}"), effect)
    click = here.click(here.send(ASKING))
    here.wait(3_000)
    assert click.code == code


def test_a_repeated_callback_is_not_the_clicks_own() -> None:
    here = table()
    here.town.platform.faults.add(Match(f"event:{CALLBACK}", times=1), Effect(duplicate=True))
    click = here.click(here.send(ASKING))
    assert here.ear is not None
    first, second = here.ear.heard(CALLBACK)
    assert first["event"] == second["event"]
    assert second["header"]["create_time"] == first["header"]["create_time"]
    here.answer({"toast": {"content": "twice"}})
    assert click.state == "waiting"


def test_the_first_control_with_all_the_marks_is_meant() -> None:
    here = table()
    message = here.send(card(button("Go", {"n": 1}), button("Go", {"n": 2}), button("Stop", {"n": 2}, name="stop")))
    marks: list[Json] = [{}, {"text": "Go", "value": {"n": 2}}, {"value": {"n": 2}, "name": "stop"}, {"tag": "button"}]
    found = [here.click(message, **press).control for press in marks]
    assert [(control.text, control.value["n"]) for control in found] == [("Go", 1), ("Go", 2), ("Stop", 2), ("Go", 1)]


def test_what_the_persons_client_would_not_offer_is_refused() -> None:
    here = table()
    message = here.send(card(button("Go", disabled=True)))
    with pytest.raises(ControlError, match="disabled"):
        here.click(message)
    with pytest.raises(ControlError, match="no such"):
        here.click(message, text="Stop")
    with pytest.raises(ControlError, match="no card"):
        here.click(here.town.write())
    here.town.platform.bot_calls.recall(here.town.app, message.message_id)
    with refused(230011):
        here.click(message)


def test_a_stranger_to_the_chat_cannot_click() -> None:
    here = table()
    message = here.send(ASKING)
    stranger = here.town.platform.add_user("Chen Yu")
    with refused(230002):
        here.town.platform.click(stranger, message.message_id)


def test_an_old_buttons_value_goes_back_to_the_bot() -> None:
    here = table()
    old = {"tag": "button", "text": WORDS, "value": {"k": "v"}}
    here.click(here.send(old_card({"tag": "action", "actions": [old]})))
    assert here.heard()["event"]["action"]["value"] == {"k": "v"}


@pytest.mark.parametrize(
    ("control", "press", "expected"),
    [
        (field("select_static", behaviors=[{"type": "callback"}]), {"option": "b"}, {"option": "b"}),
        (field("overflow", options=[]), {"option": "b"}, {"option": "b"}),
        (field("multi_select_static", value={"k": 1}), {"options": ["a", "b"]}, {"options": ["a", "b"]}),
        (field("input", behaviors=[{"type": "callback"}]), {"input_value": "why"}, {"input_value": "why"}),
        (field("checker", behaviors=[{"type": "callback"}]), {"checked": True}, {"checked": True}),
        (field("picker_time", value={"k": 1}), {"option": "10:00 +0800"}, {"timezone": "Asia/Shanghai"}),
    ],
)
def test_controls_outside_of_forms_send_what_was_put_in(control: Json, press: Json, expected: Json) -> None:
    here = table()
    here.click(here.send(card(control)), **press)
    action = here.heard()["event"]["action"]
    assert action["tag"] == control["tag"]
    assert expected.items() <= action.items()


def test_a_form_sends_what_it_held_and_what_was_filled_in() -> None:
    here = table()
    options = [{"text": WORDS, "value": "low"}, {"text": WORDS, "value": "high"}]
    fields = (
        field("input", "reason", default_value="because"),
        field("input", "empty"),
        field("select_static", "risk", options=options, initial_index=2),
        field("multi_select_static", "files", selected_values=["a"]),
        {"tag": "column_set", "columns": [{"tag": "column", "elements": [field("checker", "sure", checked=True)]}]},
        field("date_picker", "day", initial_date="2030-01-01"),
    )
    here.click(here.send(card(form(*fields))), name="send", form_value={"reason": "tests", "files": ["b", "c"]})
    action = here.heard()["event"]["action"]
    assert action == {
        "tag": "button",
        "name": "send",
        "value": {"form": 1},
        "form_value": {"reason": "tests", "risk": "high", "files": ["b", "c"], "sure": True, "day": "2030-01-01"},
    }


def test_an_empty_required_field_keeps_the_form_here() -> None:
    here = table()
    message = here.send(card(form(field("input", "reason", required=True))))
    with pytest.raises(ControlError, match="reason is required"):
        here.click(message, name="send")
    with pytest.raises(ControlError, match="no other"):
        here.click(message, name="send", form_value={"reason": "x", "other": "y"})
    assert here.town.platform.events(CALLBACK) == []


@pytest.mark.parametrize("nameless", [form(field("input")), form(field("input", "a"), name="")])
def test_a_form_without_names_cannot_be_sent(nameless: Json) -> None:
    here = table()
    click = here.click(here.send(card(nameless)), name="send")
    assert (click.state, click.code, here.town.platform.events(CALLBACK)) == ("failed", 200530, [])


@pytest.mark.parametrize(
    "control",
    [
        {"tag": "button", "text": WORDS, "behaviors": [{"type": "open_url", "default_url": "https://a.example"}]},
        {"tag": "checker", "text": WORDS},
        {"tag": "form", "name": "f", "elements": [field("input", "a"), button("Clear", form_action_type="reset")]},
    ],
)
def test_what_the_bot_does_not_hear_stays_here(control: Json) -> None:
    here = table()
    press = {"text": "Clear"} if control["tag"] == "form" else {}
    click = here.click(here.send(card(control)), **press)
    assert (click.state, here.town.platform.events(CALLBACK)) == ("local", [])


def streaming_table() -> tuple[Table, Any, Any]:
    """Send a streaming entity with a Stop button."""
    here = table()
    entity = here.create(card(markdown("Working", "md"), button("Stop"), streaming=True))
    return here, entity, here.send_entity(entity)


def test_while_a_callback_is_handled_cardkit_waits() -> None:
    here, entity, message = streaming_table()
    here.click(message)
    with refused(200810):
        here.stream(entity, "Working on")
    here.answer({})
    here.stream(entity, "Working on")
    here.click(message)
    here.wait(3_000)
    here.settings(entity)


def test_the_answers_card_is_not_taken_while_text_streams() -> None:
    here, entity, message = streaming_table()
    click = here.click(message)
    here.answer({"toast": {"content": "Stopping"}, "card": {"type": "raw", "data": card(markdown("Stopped"))}})
    assert (click.state, click.card_updated, click.toast and click.toast["content"]) == ("answered", False, "Stopping")
    assert entity.shown["body"]["elements"][0]["content"] == "Working"
    here.settings(entity)
    here.click(message)
    here.answer({"card": {"type": "raw", "data": card(markdown("Stopped"))}})
    assert message.text == "Stopped"


def test_the_callbacks_token_updates_the_card_twice_after_the_answer() -> None:
    here = table()
    message = here.send(ASKING)
    click = here.click(message)
    later = here.town.platform.clicks.update_later
    with refused(10002):
        later(here.town.app, click.token, card(markdown("before the answer")))
    here.answer({})
    for words in ("Applying", "Applied"):
        later(here.town.app, click.token, card(markdown(words)))
        assert message.text == words
    with refused(10002):
        later(here.town.app, click.token, card(markdown("third")))


def test_the_callbacks_token_lives_half_an_hour_and_belongs_to_its_app() -> None:
    here = table()
    click = here.click(here.send(ASKING))
    here.answer({})
    later = here.town.platform.clicks.update_later
    with refused(10002):
        later(here.town.platform.add_app("Other"), click.token, card(markdown()))
    with refused(10002):
        later(here.town.app, "c-unknown", card(markdown()))
    with refused(200830):
        later(here.town.app, click.token, old_card(markdown()))
    here.wait(1_800_000)
    later(here.town.app, click.token, card(markdown("just in time")))
    here.wait(1)
    with refused(10002):
        later(here.town.app, click.token, card(markdown()))


def test_an_old_card_is_updated_for_named_people_only() -> None:
    here = table()
    message = here.send(old_card({"tag": "action", "actions": [button("Go")]}))
    click = here.click(message)
    here.answer({})
    later = here.town.platform.clicks.update_later
    with refused(300090):
        later(here.town.app, click.token, old_card(markdown("gone")))
    later(here.town.app, click.token, {**old_card(markdown("gone")), "open_ids": ["ou_1"]})
    assert here.town.platform.card(message.message_id) == old_card(markdown("gone"))


def test_a_click_is_told_in_the_journal_from_its_start_to_its_end() -> None:
    here = table()
    here.click(here.send(ASKING))
    here.answer({"toast": {"content": "Allowed"}})
    told = [change.facts for change in here.town.platform.journal.since(0) if change.kind == "click"]
    assert [facts["state"] for facts in told] == ["waiting", "answered"]
    assert {facts["event_id"] for facts in told} == {here.town.platform.events(CALLBACK)[-1].event_id}
    assert told[-1]["toast"]["content"] == "Allowed"
    assert json.dumps(told)


def test_the_witness_names_the_buttons_that_are_shown() -> None:
    here = table()
    entity = here.create(card(markdown("x", "x"), button("Go", {"n": 1}, element_id="go", type="primary")))
    message = here.send_entity(entity)
    (shown,) = here.town.platform.buttons(message.message_id)
    assert (shown.text, shown.value, shown.kind, shown.disabled) == ("Go", {"n": 1}, "primary", False)
    here.change(entity, edits.change_element("go", {"disabled": True}))
    assert here.town.platform.buttons(message.message_id)[0].disabled
    with pytest.raises(KeyError):
        here.town.platform.card(here.town.send().message_id)
