"""The card in the owner's chat: shared lines, clicks that count once, and a last look whatever happens."""

import asyncio
from dataclasses import replace

import pytest
from tests.harness import World
from tests.harness.shown_card import ShownCard

from feishu_simulator.faults import Effect
from hongyan.application.click_card import click_card
from hongyan.application.decide import decide
from hongyan.application.owed import send_again
from hongyan.domain import limits
from hongyan.domain.changes import Changes, Update
from hongyan.domain.decisions import Outcome
from hongyan.domain.errors import RefusedError
from hongyan.domain.identity import AppId, ChatId, MessageId, OpenId
from hongyan.domain.messages import CardClicked, ToastKind
from hongyan.ports import queries

PATCH = "PATCH /open-apis/im/v1/messages/:message_id"
REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
OPEN = "SELECT 1 FROM cards WHERE state = 'visible'"


async def ask(world: World, words: str = "[[ask:rm -r build]]") -> ShownCard:
    """Let the agent ask and give the card that asks."""
    before = len(world.cards())
    world.say(words)
    await world.until(lambda: len(world.cards()) > before)
    await world.until_rows(OPEN)
    return world.cards()[-1]


async def opened(world: World) -> str:
    """Give the id of the one open decision."""
    (decision,) = await world.gateway.desk.store.all(queries.OPEN_DECISIONS)
    return decision.id


async def click_of(world: World, card: ShownCard, label: str = "Allow once") -> CardClicked:
    """Give the event of a press as the gateway gets it."""
    value = card.press(label)["value"]["button"]
    place = (MessageId(card.message_id), ChatId(world.chat.chat_id), OpenId(await owner(world)))
    return CardClicked(world.app_id, "ev", *place, value, 0)


async def owner(world: World) -> str:
    return str((await world.rows("SELECT open_id FROM owners WHERE state = 'active'"))[0][0])


async def test_the_owner_allows_by_a_click_and_sees_it_in_a_toast_and_on_the_card(world: World) -> None:
    card = await ask(world)
    assert "rm -r build" in card.words
    assert card.labels == ["Allow once", "This session", "Reject"]
    assert await world.clicked(card, "Allow once") == "Allowed once"
    await world.until_settled()
    (closed,) = world.cards()
    assert (closed.title, closed.labels) == ("Decided", [])
    assert "Allowed once by you on the card" in closed.words
    assert await world.rows("SELECT decided_where, applied FROM decisions") == [("card", "applied")]
    assert await world.rows("SELECT state FROM cards") == [("closed",)]
    await world.adds_up()


@pytest.mark.scenario("A10", "P43")
async def test_a_double_click_makes_one_decision_and_both_are_answered(world: World) -> None:
    card = await ask(world)
    first, second = world.click(card, "Allow once"), world.click(card, "Reject")
    await world.until(lambda: first.ended and second.ended)
    assert {first.state, second.state} == {"answered"}
    assert "Already decided: Allowed once" in str(second.toast)
    await world.until_settled()
    assert await world.rows("SELECT outcome FROM decisions") == [("allowed_once",)]
    assert await world.rows("SELECT count(*) FROM audit WHERE fact = 'decided'") == [(1,)]


@pytest.mark.scenario("A5", "P42")
async def test_what_the_console_decides_settles_the_card(world: World) -> None:
    card = await ask(world)
    await decide(world.gateway.desk, await opened(world), Outcome.REJECTED, "owner", "console")
    await world.until_settled()
    (closed,) = world.cards()
    assert "Rejected by you in the console" in closed.words
    assert closed.labels == []
    late = await click_card(world.gateway.desk, await click_of(world, card))
    assert late.kind is ToastKind.TOLD
    assert "in the console" in late.text
    said = world.say("and now?")
    await world.until_settled()
    assert world.answers_to(said) == ["echo: and now?"]
    await world.adds_up()


@pytest.mark.scenario("A4", "A16")
async def test_the_card_decides_while_the_console_is_still_asking(world: World) -> None:
    card = await ask(world)
    identity = await opened(world)
    await world.clicked(card, "Reject")
    with pytest.raises(RefusedError) as late:
        await decide(world.gateway.desk, identity, Outcome.ALLOWED_ONCE, "owner", "console")
    assert late.value.code == "decision.settled"
    await world.until_settled()
    assert await world.rows("SELECT outcome, decided_where FROM decisions") == [("rejected", "card")]


@pytest.mark.scenario("P46")
async def test_a_typed_answer_settles_the_card(world: World) -> None:
    await ask(world)
    code = (await world.rows("SELECT code FROM decisions"))[0][0]
    world.say(f"no {code}")
    await world.until_settled()
    assert "Rejected by you in a message" in world.cards()[0].words
    assert world.cards()[0].labels == []


@pytest.mark.scenario("P40", "M45")
async def test_a_click_counts_only_from_the_owner_on_our_card_in_its_chat(world: World) -> None:
    card = await ask(world)
    desk, click = world.gateway.desk, await click_of(world, card)
    strange = [
        replace(click, operator=OpenId("ou_stranger")),
        replace(click, operator=OpenId("")),
        replace(click, chat_id=ChatId("oc_elsewhere")),
        replace(click, message_id=MessageId("om_copied")),
        replace(click, app=AppId("cli_other")),
        replace(click, value="guessed"),
        replace(click, value=""),
    ]
    toasts = [await click_card(desk, one) for one in strange]
    assert [toast.kind for toast in toasts] == [ToastKind.REFUSED] * len(strange)
    assert await world.rows("SELECT state FROM decisions") == [("asked",)]
    assert (await click_card(desk, click)).kind is ToastKind.DONE
    await world.until_settled()


@pytest.mark.scenario("D8")
async def test_a_button_counts_for_the_content_that_it_was_shown_with(world: World) -> None:
    card = await ask(world)
    desk, click = world.gateway.desk, await click_of(world, card)
    digest = (await world.rows("SELECT digest FROM decisions"))[0][0]
    other = Update("decisions", {"digest": digest}, {"digest": "other"})
    await desk.store.commit(Changes("test", (other,)))
    assert (await click_card(desk, click)).kind is ToastKind.REFUSED
    await desk.store.commit(Changes("test", (Update("decisions", {"digest": "other"}, {"digest": digest}),)))
    assert (await click_card(desk, click)).kind is ToastKind.DONE
    await world.until_settled()


@pytest.mark.scenario("A14")
async def test_a_click_after_the_revocation_is_refused_with_the_reason(world: World) -> None:
    card = await ask(world)
    desk, click = world.gateway.desk, await click_of(world, card)
    live = Update("bindings", {"state": "live"}, {"state": "revoked"})
    await desk.store.commit(Changes("test", (live,)))
    toast = await click_card(desk, click)
    assert (toast.kind, toast.text) == (ToastKind.REFUSED, "Access here was revoked; nothing was decided.")
    await world.flow_until(lambda: world.cards()[0].labels == [])  # taking the buttons off needs nobody's leave
    assert await world.rows("SELECT outcome, decided_where FROM decisions") == [("cancelled", "revoked")]


@pytest.mark.scenario("A9")
async def test_parallel_requests_share_one_card_and_each_line_has_its_own_answer(world: World) -> None:
    world.say("[[ask-all:3:make]]")
    await world.until_rows("SELECT 1 FROM cards WHERE lines = 3 AND state = 'visible'")
    await world.until(lambda: len(world.cards()[0].buttons) == 9)
    assert len(world.cards()) == 1
    await world.clicked(world.cards()[0], "Reject", nth=1)
    await world.until(lambda: len(world.cards()[0].buttons) == 6)
    assert await world.rows("SELECT subject FROM decisions WHERE outcome = 'rejected'") == [("make 2",)]
    await world.clicked(world.cards()[0], "Allow once")
    await world.clicked(world.cards()[0], "Allow once", nth=1)
    await world.until_settled()
    assert world.cards()[0].labels == []
    await world.adds_up()


async def test_the_ninth_request_opens_the_next_card(world: World) -> None:
    world.say("[[ask-all:9:make]]")
    await world.until_rows("SELECT count(*) FROM decisions GROUP BY kind HAVING count(*) = 9")
    await world.until(lambda: sorted(len(card.buttons) for card in world.cards()) == [3, 24])
    for decision in await world.gateway.desk.store.all(queries.OPEN_DECISIONS):
        await decide(world.gateway.desk, decision.id, Outcome.REJECTED, "owner", "console")
    await world.until_settled(flowing=True)
    assert [card.labels for card in world.cards()] == [[], []]
    await world.adds_up()


@pytest.mark.scenario("A7")
async def test_a_withdrawn_request_takes_its_buttons_away(world: World) -> None:
    card = await ask(world)
    click = await click_of(world, card)
    world.say("/stop")
    await world.until_settled()
    assert world.cards()[0].labels == []
    assert "Withdrawn" in world.cards()[0].words
    assert (await click_card(world.gateway.desk, click)).kind is ToastKind.TOLD


@pytest.mark.scenario("A18", "A13", "P41")
async def test_after_a_restart_the_card_reads_expired_and_cannot_be_clicked(world: World) -> None:
    card = await ask(world)
    click = await click_of(world, card)
    await world.restart()
    await world.until(lambda: world.cards()[0].labels == [])
    assert "Expired" in world.cards()[0].words
    assert "xpired" in (await click_card(world.gateway.desk, click)).text
    assert await world.rows("SELECT count(*) FROM audit WHERE fact = 'decided'") == [(0,)]
    await world.until_settled()
    await world.adds_up()


@pytest.mark.scenario("P41")
async def test_after_a_day_without_a_decision_it_expires_and_a_late_press_is_told_so(world: World) -> None:
    card = await ask(world)
    click = await click_of(world, card)
    await world.until_asleep(limits.APPROVAL_LOOK_MS)
    await world.advance(limits.APPROVAL_LIFE_MS, leap=True)
    await world.until(lambda: world.cards()[0].labels == [])
    assert "Expired" in world.cards()[0].words
    assert "xpired" in (await click_card(world.gateway.desk, click)).text
    await world.until_settled(flowing=True)
    assert await world.rows("SELECT state, outcome FROM decisions") == [("expired", "")]
    assert await world.rows("SELECT fact FROM audit ORDER BY rowid") == [("asked",), ("expired",)]
    assert world.answers() == ["The answer was: cancelled."]


@pytest.mark.scenario("A11", "D12")
async def test_a_card_whose_answer_was_lost_is_found_and_closed_and_nothing_waits_for_it(world: World) -> None:
    world.fault(REPLY, Effect(lost_response=True))
    world.say("[[ask:rm -r build]]")
    await world.until_rows("SELECT 1 FROM cards WHERE state = 'uncertain'")
    await decide(world.gateway.desk, await opened(world), Outcome.ALLOWED_ONCE, "owner", "console")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await world.until_settled(flowing=True)
    (card,) = world.cards()
    assert card.labels == []
    assert "in the console" in card.words
    await world.adds_up()


@pytest.mark.scenario("L97")
async def test_a_look_whose_answer_was_lost_is_read_back_and_not_repeated(world: World) -> None:
    card = await ask(world)
    world.fault(PATCH, Effect(lost_response=True))
    await world.clicked(card, "Allow once")
    await world.until_settled(flowing=True)
    assert world.cards()[0].labels == []
    assert len(world.platform.requests(PATCH)) == 1
    assert await world.rows("SELECT state FROM parts WHERE transport = 'card_patch'") == [("verified",)]


async def test_a_look_that_never_arrived_is_written_again_after_the_old_one_was_read(world: World) -> None:
    card = await ask(world)
    world.fault(PATCH, Effect(http_status=502))
    await world.clicked(card, "Allow once")
    await world.until_settled(flowing=True)
    assert world.cards()[0].labels == []
    assert len(world.platform.requests(PATCH)) == 2


async def test_a_request_decided_before_its_card_was_written_shows_no_card(world: World) -> None:
    world.fault(REPLY, Effect(http_status=429))
    world.say("[[ask:rm -r build]]")
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'asked'")
    await asyncio.sleep(0)
    await decide(world.gateway.desk, await opened(world), Outcome.ALLOWED_ONCE, "owner", "console")
    await world.until_settled(flowing=True)
    assert all(card.labels == [] for card in world.cards())
    await world.adds_up()


async def test_a_card_is_never_sent_again_with_buttons_that_look_alive(world: World) -> None:
    await ask(world)
    ((part,),) = await world.rows("SELECT id FROM parts WHERE transport = 'card'")
    with pytest.raises(RefusedError) as refused:
        await send_again(world.gateway.desk, part)
    assert refused.value.code == "delivery.card"
    await decide(world.gateway.desk, await opened(world), Outcome.REJECTED, "owner", "console")
    await world.until_settled()
    assert len(world.cards()) == 1
