"""What bots and people may do to messages."""

import json

import pytest
from tests.unit.feishu_simulator.town import refused, text_draft, town

from feishu_simulator.bot_calls import EDIT_CAP, Draft
from feishu_simulator.people import Speech

HOUR_MS = 3_600_000


def test_one_uuid_makes_one_message_within_an_hour() -> None:
    here = town()
    first = here.send("once", uuid="key-1")
    here.platform.clock.advance(HOUR_MS - 1)
    assert here.send("again", uuid="key-1") is first
    assert [message.text for message in here.platform.visible(here.chat.chat_id)] == ["once"]


def test_after_the_hour_the_same_uuid_makes_another_message() -> None:
    here = town()
    here.send("once", uuid="key-1")
    here.platform.clock.advance(HOUR_MS)
    here.send("again", uuid="key-1")
    assert [message.text for message in here.platform.visible(here.chat.chat_id)] == ["once", "again"]


def test_a_recalled_uuid_makes_a_new_message_after_the_hour_and_none_before() -> None:
    here = town()
    first = here.send("once", uuid="key-1")
    here.platform.bot_calls.recall(here.app, first.message_id)
    assert here.send("again", uuid="key-1") is first
    here.platform.clock.advance(HOUR_MS)
    assert here.send("again", uuid="key-1") is not first


def test_two_apps_may_use_the_same_uuid() -> None:
    here = town()
    other = here.platform.add_app("Other")
    here.platform.private_chat(here.user, other)
    here.send("ours", uuid="key-1")
    open_id = here.platform.views.user(here.user)["open_ids"][other.app_id]
    sent = here.platform.bot_calls.create(other, "open_id", open_id, text_draft("theirs", uuid="key-1"))
    assert sent.text == "theirs"


def test_a_uuid_of_51_characters_is_refused() -> None:
    with refused(99992402):
        town().send(uuid="x" * 51)


@pytest.mark.parametrize(
    ("msg_type", "limit"),
    [("text", 150 * 1024), ("post", 30 * 1024)],
)
def test_the_size_limit_counts_bytes_of_the_content(msg_type: str, limit: int) -> None:
    here = town()
    shapes = {"text": '{{"text":"{}"}}', "post": '{{"zh_cn":{{"content":[[{{"tag":"text","text":"{}"}}]]}}}}'}
    frame = shapes[msg_type]
    room = limit - len(frame.format(""))
    fitting = frame.format("雁" * (room // 3) + "a" * (room % 3))
    assert here.platform.bot_calls.create(here.app, "chat_id", here.chat.chat_id, Draft(msg_type, fitting))
    with refused(230025):
        here.platform.bot_calls.create(
            here.app, "chat_id", here.chat.chat_id, Draft(msg_type, frame.format("雁" * (room // 3 + 1)))
        )


def test_a_message_can_be_edited_twenty_times() -> None:
    here = town()
    message = here.send("0")
    for count in range(EDIT_CAP):
        here.platform.bot_calls.edit(here.app, message.message_id, text_draft(str(count + 1)))
    assert message.text == "20"
    with refused(230072):
        here.platform.bot_calls.edit(here.app, message.message_id, text_draft("21"))


def test_a_bot_edits_only_its_own_messages() -> None:
    here = town()
    theirs = here.write("mine")
    with refused(230071):
        here.platform.bot_calls.edit(here.app, theirs.message_id, text_draft("yours"))


def test_a_withdrawn_message_can_be_neither_answered_nor_edited() -> None:
    here = town()
    recalled, deleted = here.write("a"), here.send("b")
    here.platform.people.recall(recalled.message_id)
    here.platform.people.delete(deleted.message_id)
    with refused(230011):
        here.platform.bot_calls.reply(here.app, recalled.message_id, text_draft(), in_thread=False)
    with refused(230110):
        here.platform.bot_calls.edit(here.app, deleted.message_id, text_draft())
    assert here.platform.visible(here.chat.chat_id) == []
    assert here.platform.said(here.chat.chat_id) == [recalled]


def test_a_refused_reply_opens_no_thread() -> None:
    here = town()
    target = here.write("a")
    with refused(230001):
        here.platform.bot_calls.reply(here.app, target.message_id, Draft("text", "{}"), in_thread=True)
    assert target.thread_id is None


def test_an_answer_to_an_answer_keeps_the_first_message_as_root() -> None:
    here = town()
    question = here.write("a")
    answer = here.platform.bot_calls.reply(here.app, question.message_id, text_draft(), in_thread=False)
    second = here.write("b", reply_to=answer.message_id)
    assert (second.root_id, second.parent_id, second.thread_id) == (question.message_id, answer.message_id, None)


def test_inside_a_thread_root_and_parent_are_the_threads_first_message() -> None:
    here = town()
    question = here.write("a")
    answer = here.platform.bot_calls.reply(here.app, question.message_id, text_draft(), in_thread=True)
    second = here.write("b", reply_to=answer.message_id)
    assert second.root_id == second.parent_id == question.message_id
    assert second.thread_id == answer.thread_id == question.thread_id
    assert question.thread_id is not None


def test_in_a_topic_group_every_message_opens_a_thread_of_its_own() -> None:
    here = town()
    group = here.platform.add_group("Release", [here.user], [here.app], topics=True)
    first = here.platform.people.say(here.user.user_id, group.chat_id, Speech(text="one"))
    second = here.platform.bot_calls.create(here.app, "chat_id", group.chat_id, text_draft("two"))
    assert first.opens_thread
    assert second.opens_thread
    assert first.thread_id != second.thread_id


def test_a_group_without_threads_refuses_one() -> None:
    here = town()
    here.chat.threads_allowed = False
    target = here.write("a")
    with refused(230071):
        here.platform.bot_calls.reply(here.app, target.message_id, text_draft(), in_thread=True)


def test_a_bot_outside_the_chat_is_refused() -> None:
    here = town()
    group = here.platform.add_group("Release", [here.user], [])
    message = here.platform.people.say(here.user.user_id, group.chat_id, Speech(text="one"))
    with refused(230002):
        here.platform.bot_calls.create(here.app, "chat_id", group.chat_id, text_draft())
    with refused(230002):
        here.platform.bot_calls.get(here.app, message.message_id)


def test_a_person_whom_the_app_does_not_reach_is_refused() -> None:
    here = town()
    here.app.available_to = frozenset()
    with refused(230013):
        here.send()


def test_a_person_who_stopped_the_bot_or_resigned_or_is_a_visitor_is_refused() -> None:
    here = town()
    here.user.stopped_apps.add(here.app.app_id)
    with refused(230053):
        here.send()
    here.user.outside_tenant = True
    with refused(230038):
        here.send()
    here.user.resigned = True
    with refused(230029):
        here.send()


def test_a_muted_chat_refuses_and_a_dissolved_one_is_gone() -> None:
    here = town()
    here.chat.muted = True
    with refused(230018):
        here.send()
    here.chat.dissolved = True
    with refused(232009):
        here.send()


def test_an_open_id_of_another_app_is_told_apart_from_an_unknown_one() -> None:
    here = town()
    other = here.platform.add_app("Other")
    foreign = here.platform.views.user(here.user)["open_ids"][other.app_id]
    with refused(99992361):
        here.platform.bot_calls.create(here.app, "open_id", foreign, text_draft())
    with refused(99992351):
        here.platform.bot_calls.create(here.app, "open_id", "ou_" + "0" * 32, text_draft())
    with refused(230034):
        here.platform.bot_calls.create(here.app, "chat_id", "ou_" + "0" * 32, text_draft())


def test_a_person_edits_without_an_event_and_the_message_shows_it() -> None:
    here = town()
    message = here.write("teh")
    events = len(here.platform.events())
    here.platform.clock.advance(1_000)
    here.platform.people.edit(here.user.user_id, message.message_id, Speech(text="the"))
    assert (message.text, message.edits, message.update_ms - message.create_ms) == ("the", 1, 1_000)
    assert len(here.platform.events()) == events


def test_a_file_a_person_sends_can_be_found_by_its_key() -> None:
    here = town()
    speech = Speech(upload=b"bytes", upload_kind="file", upload_name="a.txt")
    message = here.platform.people.say(here.user.user_id, here.chat.chat_id, speech)
    key = json.loads(message.content)["file_key"]
    assert here.platform.messages.resources[key].content == b"bytes"
    assert message.text == "[a.txt]"


def test_the_same_seed_tells_the_same_story() -> None:
    def story() -> list[str]:
        here = town(seed=7)
        here.write("a")
        here.send("b", uuid="k")
        return [message.message_id for message in here.platform.visible(here.chat.chat_id)]

    assert story() == story()
    assert story()[0] != town(seed=8).write("a").message_id


def test_a_bot_recalls_only_its_own_messages() -> None:
    here = town()
    theirs = here.write("mine")
    with refused(230026):
        here.platform.bot_calls.recall(here.app, theirs.message_id)


def test_a_text_does_not_become_a_post_by_an_edit() -> None:
    here = town()
    message = here.send("text")
    post = Draft("post", json.dumps({"zh_cn": {"content": []}}))
    with refused(230054):
        here.platform.bot_calls.edit(here.app, message.message_id, post)


def test_a_person_changes_only_own_words_in_chats_they_are_in() -> None:
    here = town()
    stranger = here.platform.add_user("Chen Yu")
    message = here.write("mine")
    with refused(230071):
        here.platform.people.edit(stranger.user_id, message.message_id, Speech(text="yours"))
    with refused(230002):
        here.platform.people.react(stranger.user_id, message.message_id, "OK")
    with refused(230002):
        here.platform.people.say(stranger.user_id, here.chat.chat_id, Speech(text="me too"))


def test_a_message_of_another_chat_cannot_be_answered_here() -> None:
    here = town()
    group = here.platform.add_group("Release", [here.user], [here.app])
    elsewhere = here.platform.people.say(here.user.user_id, group.chat_id, Speech(text="there"))
    with refused(99992354):
        here.write("here", reply_to=elsewhere.message_id)


def test_writing_to_a_bot_for_the_first_time_opens_the_private_chat_and_says_so() -> None:
    here = town()
    other = here.platform.add_app("Other")
    message = here.platform.people.write(here.user.user_id, other.app_id, "hello")
    assert here.platform.private_chat(here.user, other).chat_id == message.chat_id
    opened = [change for change in here.platform.journal.since(0) if change.kind == "chat"]
    assert [change.facts["chat_id"] for change in opened] == [here.chat.chat_id, message.chat_id]
