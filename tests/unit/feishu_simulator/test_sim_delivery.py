"""Events: who hears of what, acknowledgement, and the redelivery ladder."""

import json

from tests.unit.feishu_simulator.town import text_draft, town

from feishu_simulator.connections import CONNECTION_CAP
from feishu_simulator.delivery import ACK_WINDOW_MS, LADDER_MS, EventState
from feishu_simulator.faults import Effect, Match
from feishu_simulator.people import Speech

RECEIVED = "event:im.message.receive_v1"


def test_an_acknowledged_event_is_over() -> None:
    here = town()
    ear = here.listen()
    here.write()
    ear.answer(200)
    here.platform.clock.advance(sum(LADDER_MS) * 2)
    assert len(ear.frames) == 1
    assert here.platform.events()[-1].state is EventState.ACKED


def test_an_event_nobody_acknowledges_is_sent_five_times_on_the_ladder() -> None:
    here = town()
    ear = here.listen()
    message = here.write()
    start_ms = here.platform.clock.now_ms()
    here.platform.clock.advance(sum(LADDER_MS) + 5 * ACK_WINDOW_MS)
    event = here.platform.events()[-1]
    sent_at = [attempt.at_ms - start_ms for attempt in event.attempts]
    assert sent_at == [0, 18_000, 321_000, 3_924_000, 25_527_000]
    assert here.outcomes() == ["timeout"] * 5
    assert event.state is EventState.ABANDONED
    assert {heard["event"]["message"]["message_id"] for heard in ear.heard()} == {message.message_id}
    assert len({heard["header"]["event_id"] for heard in ear.heard()}) == 1


def test_an_answer_other_than_200_is_a_failed_attempt_and_starts_the_ladder_at_once() -> None:
    here = town()
    ear = here.listen()
    here.write()
    ear.answer(500)
    here.platform.clock.advance(LADDER_MS[0])
    ear.answer(200)
    assert here.outcomes() == ["refused", "acked"]


def test_without_a_connection_the_event_waits_on_the_ladder() -> None:
    here = town()
    here.write()
    ear = here.listen()
    assert here.outcomes() == ["no_connection"]
    here.platform.clock.advance(LADDER_MS[0])
    ear.answer(200)
    assert here.outcomes() == ["no_connection", "acked"]


def test_an_event_survives_the_connection_it_was_sent_on() -> None:
    here = town()
    lost = here.listen()
    here.write()
    lost.close(1006)
    again = here.listen()
    here.platform.clock.advance(ACK_WINDOW_MS + LADDER_MS[0])
    assert len(again.heard()) == 1


def test_an_answer_after_three_seconds_comes_too_late() -> None:
    here = town()
    ear = here.listen()
    here.write()
    here.platform.clock.advance(ACK_WINDOW_MS)
    ear.answer(200)
    here.platform.clock.advance(LADDER_MS[0])
    assert here.outcomes() == ["late_ack", "pending"]
    assert len(ear.frames) == 2


def test_each_event_goes_to_one_connection_and_all_get_a_share() -> None:
    here = town()
    ears = [here.listen() for _ in range(3)]
    for _ in range(60):
        here.write()
    shares = [len(ear.heard()) for ear in ears]
    assert sum(shares) == 60
    assert min(shares) > 5


def test_a_duplicate_has_a_new_event_id_and_the_same_message() -> None:
    here = town()
    ear = here.listen()
    here.platform.faults.add(Match(RECEIVED, times=1), Effect(duplicate=True))
    here.write()
    first, second = ear.heard()
    assert first["header"]["event_id"] != second["header"]["event_id"]
    assert first["event"] == second["event"]


def test_an_event_can_be_repeated_after_success() -> None:
    here = town()
    ear = here.listen()
    here.write()
    ear.answer(200)
    here.platform.delivery.repeat(here.platform.events()[-1])
    assert [heard["event"]["message"]["message_id"] for heard in ear.heard()] == [
        here.platform.said(here.chat.chat_id)[0].message_id
    ] * 2


def test_fragments_join_to_the_event_though_cut_inside_a_character() -> None:
    here = town()
    ear = here.listen()
    here.platform.faults.add(Match("event:*"), Effect(fragments=200, fragments_shuffled=True))
    here.write("雁" * 100)
    assert [frame.header("seq") for frame in ear.frames] != [str(part) for part in range(200)]
    parts = sorted(ear.frames, key=lambda frame: int(frame.header("seq") or ""))
    whole = json.loads(b"".join(part.payload or b"" for part in parts))
    assert json.loads(whole["event"]["message"]["content"])["text"] == "雁" * 100
    assert any((part.payload or b"")[:1] > b"\x7f" and (part.payload or b"")[:1] < b"\xc0" for part in parts)
    ear.answer(200)
    assert here.outcomes() == ["acked"]


def test_a_dropped_transmission_is_made_up_by_the_ladder_unless_that_is_off_too() -> None:
    here = town()
    ear = here.listen()
    here.platform.faults.add(Match(RECEIVED, nth=1), Effect(drop=True))
    here.platform.faults.add(Match(RECEIVED, nth=3), Effect(drop=True, no_redelivery=True))
    here.write("late")
    here.platform.clock.advance(ACK_WINDOW_MS + LADDER_MS[0])
    ear.answer(200)
    here.write("never")
    here.platform.clock.advance(sum(LADDER_MS) * 2)
    assert len(ear.heard()) == 1
    assert here.platform.events()[-1].state is EventState.ABANDONED


def test_a_reordered_event_comes_after_the_next_one() -> None:
    here = town()
    ear = here.listen()
    here.platform.faults.add(Match(RECEIVED, nth=1), Effect(reorder=True))
    here.write("first")
    here.write("second")
    assert [json.loads(heard["event"]["message"]["content"])["text"] for heard in ear.heard()] == ["second", "first"]


def test_a_reordered_event_comes_in_the_end_though_no_other_follows() -> None:
    here = town()
    ear = here.listen()
    here.platform.faults.add(Match(RECEIVED, nth=1), Effect(reorder=True))
    here.write("only")
    here.platform.clock.advance(5_000)
    assert len(ear.heard()) == 1


def test_a_half_dead_connection_swallows_events_until_another_takes_them() -> None:
    here = town()
    dead = here.listen(half_dead=True)
    here.write()
    here.platform.clock.advance(ACK_WINDOW_MS)
    assert (dead.frames, here.outcomes()) == ([], ["timeout"])
    dead.close(1000)
    alive = here.listen()
    here.platform.clock.advance(LADDER_MS[0])
    assert len(alive.heard()) == 1


def test_a_fault_can_end_the_connection_after_the_event_was_sent() -> None:
    here = town()
    ear = here.listen()
    here.platform.faults.add(Match(RECEIVED, times=1), Effect(close=1011))
    here.write()
    assert (len(ear.heard()), ear.closed_with) == (1, 1011)


def test_a_private_message_reaches_only_its_own_bot() -> None:
    here = town()
    here.platform.add_app("Other")
    here.write()
    assert [event.app for event in here.platform.events()] == [here.app]


def test_in_a_group_a_bot_hears_all_or_only_mentions_by_its_scopes() -> None:
    here = town()
    group = here.platform.add_group("Release", [here.user], [here.app])
    ear = here.listen()

    def say(text: str) -> None:
        here.platform.people.say(here.user.user_id, group.chat_id, Speech(text=text))

    say("to everyone")
    here.app.scopes = frozenset({"im:message.group_at_msg:readonly"})
    say("again")
    say(f'<at user_id="{here.app.app_id}"></at> you')
    heard = [json.loads(event["event"]["message"]["content"])["text"] for event in ear.heard()]
    assert heard == ["to everyone", "@_user_1 you"]
    mention = ear.heard()[-1]["event"]["message"]["mentions"][0]
    assert (mention["mentioned_type"], mention["id"]["open_id"]) == ("bot", here.app.bot_open_id)


def test_a_bot_hears_nothing_of_its_own_and_of_other_bots_only_mentions() -> None:
    here = town()
    other = here.platform.add_app("Other")
    group = here.platform.add_group("Release", [here.user], [here.app, other])
    ear = here.listen()
    here.platform.bot_calls.create(here.app, "chat_id", group.chat_id, text_draft("own"))
    here.platform.bot_calls.create(other, "chat_id", group.chat_id, text_draft("quiet"))
    mention = text_draft('<at user_id="Hongyan"></at> hello')
    here.platform.bot_calls.create(other, "chat_id", group.chat_id, mention)
    assert [event["event"]["sender"]["sender_type"] for event in ear.heard()] == ["bot"]


def test_each_app_knows_the_person_by_another_id() -> None:
    here = town()
    other = here.platform.add_app("Other")
    group = here.platform.add_group("Release", [here.user], [here.app, other])
    here.platform.people.say(here.user.user_id, group.chat_id, Speech(text="x"))
    ids = [event.body["event"]["sender"]["sender_id"] for event in here.platform.events("im.message.receive_v1")]
    assert ids[0]["open_id"] != ids[1]["open_id"]
    assert ids[0]["union_id"] == ids[1]["union_id"]


def test_an_app_that_does_not_subscribe_or_is_off_gets_no_event() -> None:
    here = town()
    here.app.subscriptions = frozenset({"im.message.recalled_v1"})
    here.write()
    here.app.subscriptions = None
    here.app.enabled = False
    here.write()
    assert here.platform.events() == []


def test_recalls_reactions_membership_visits_and_reading_are_told() -> None:
    here = town()
    group = here.platform.add_group("Release", [here.user], [here.app])
    message = here.write()
    here.send("answer")
    here.platform.people.react(here.user.user_id, message.message_id, "OK")
    here.platform.bot_calls.react(here.app, message.message_id, "DONE")
    here.platform.people.unreact(here.user.user_id, message.message_id, "OK")
    here.platform.people.recall(message.message_id)
    here.platform.people.enter(here.user.user_id, here.chat.chat_id)
    here.platform.people.read(here.user.user_id, here.chat.chat_id)
    here.platform.conversation.bot_leaves(group, here.app.app_id)
    assert [
        (event.event_type.removeprefix("im."), event.body["event"].get("operator_type"))
        for event in here.platform.events()
    ] == [
        ("chat.member.bot.added_v1", None),
        ("message.receive_v1", None),
        ("message.reaction.created_v1", "user"),
        ("message.reaction.created_v1", "app"),
        ("message.reaction.deleted_v1", "user"),
        ("message.recalled_v1", None),
        ("chat.access_event.bot_p2p_chat_entered_v1", None),
        ("message.message_read_v1", None),
        ("chat.member.bot.deleted_v1", None),
    ]


def test_fifty_connections_are_the_most() -> None:
    here = town()
    for _ in range(CONNECTION_CAP - 1):
        here.listen()
    assert not here.platform.connections.full(here.app.app_id)
    last = here.listen()
    assert here.platform.connections.full(here.app.app_id)
    last.close(1000)
    assert not here.platform.connections.full(here.app.app_id)


def test_a_ticket_opens_one_connection() -> None:
    here = town()
    ticket = here.platform.connections.issue_ticket(here.app)
    assert here.platform.connections.redeem(ticket.ticket) == ticket
    assert here.platform.connections.redeem(ticket.ticket) is None


def test_a_reset_forgets_all_but_the_time_and_mints_the_same_ids_again() -> None:
    here = town()
    ear = here.listen()
    here.write()
    here.platform.clock.advance(5)
    now_ms = here.platform.clock.now_ms()
    here.platform.reset()
    assert ear.closed_with is not None
    assert here.platform.add_app("Hongyan").app_id == here.app.app_id
    assert (here.platform.clock.now_ms(), here.platform.clock.next_due_ms()) == (now_ms, None)
    assert here.platform.events() == []
