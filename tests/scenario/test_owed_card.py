"""`/owed` in the owner's chat: what waits, with buttons that do what the console does, once."""

from dataclasses import replace
from typing import Final

import pytest
from tests.harness import World
from tests.harness.crash import Crash
from tests.harness.shown_card import ShownCard
from tests.scenario.test_approval_cards import ask, click_of

from feishu_simulator.faults import Effect
from hongyan.application.click_card import click_card
from hongyan.application.decide import decide
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.application.send_text import send_text
from hongyan.application.sessions import open_local_session
from hongyan.domain import limits
from hongyan.domain.decisions import Outcome
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.domain.identity import OpenId
from hongyan.domain.messages import ToastKind

REPLY: Final = "POST /open-apis/im/v1/messages/:message_id/reply"
REFUSED: Final = Effect(error_code=230099, error_message="ext=ErrCode: 11310; ErrMsg: card table number over limit;")
LISTS: Final = "SELECT 1 FROM cards WHERE kind = 'owed' AND state = 'visible'"
WRITING: Final = ("admitted", "card_intended", "card_written", "card_saved", "verified")
PRESSING: Final = ("acted", "card_closing", "look_intended", "look_written", "look_saved")


async def fail(world: World, words: str = "[[crash]]") -> None:
    """Let a message fail, so that it is owed."""
    world.say(words)
    await world.until_settled()


async def ask_for_list(world: World, word: str = "/owed") -> ShownCard:
    """Say `/owed` and give the card that answers."""
    said = world.say(word)
    await world.until(lambda: any(card.parent_id == said.message_id for card in world.cards()))
    await world.until_rows(LISTS)
    return next(card for card in world.cards() if card.parent_id == said.message_id)


def as_now(world: World, card: ShownCard) -> ShownCard:
    """Give a card as it is seen now."""
    return next(one for one in world.cards() if one.message_id == card.message_id)


@pytest.mark.scenario("M27")
async def test_with_nothing_owed_it_says_so(world: World) -> None:
    said, too = world.say("/owed"), world.say("/待处理")
    await world.until_settled()
    assert (world.answers_to(said), world.answers_to(too)) == (["Nothing waits for you."], ["没有等你处理的事。"])
    await world.adds_up()


@pytest.mark.scenario("M27")
async def test_a_press_does_what_the_console_does_and_the_card_says_what_was_done(world: World) -> None:
    await fail(world)
    card = await ask_for_list(world)
    assert (card.title, card.labels) == ("Waits for you: 1", ["Run again", "Close without answer"])
    assert "agent.lost" in card.words
    assert await world.clicked(card, "Close without answer") == "Closed without answer"
    await world.until_settled()
    assert await list_owed(world.gateway.desk) == []
    done = as_now(world, card)
    assert (done.title, done.labels) == ("Nothing here waits any more", [])
    assert "Closed without answer by you on the card" in done.words
    ledger = await world.adds_up()
    assert (ledger.received.classes["answered"], ledger.received.classes["told"]) == (1, 1)


@pytest.mark.scenario("M27")
async def test_the_first_act_counts_wherever_it_was_and_the_card_names_the_place(world: World) -> None:
    await fail(world)
    card = await ask_for_list(world)
    click = await click_of(world, card, "Run again")
    [row] = await list_owed(world.gateway.desk)
    await act_on_owed(world.gateway.desk, row.id, OwedAction.CLOSE, row.version, "console")
    late = await click_card(world.gateway.desk, click)
    assert (late.kind, late.text) == (ToastKind.TOLD, "Changed meanwhile; nothing was done.")
    await world.until_settled()
    assert "Closed without answer by you in the console" in as_now(world, card).words
    assert await world.rows("SELECT count(*) FROM turns") == [(1,)]
    await world.adds_up()


async def test_a_press_settles_it_for_the_console(world: World) -> None:
    await fail(world)
    card = await ask_for_list(world)
    [row] = await list_owed(world.gateway.desk)
    assert await world.clicked(card, "Run again") == "Runs again"
    with pytest.raises((RefusedError, NotFoundError)):
        await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    await world.until_settled()
    assert await world.rows("SELECT count(*) FROM turns") == [(2,)]
    await world.adds_up()


@pytest.mark.scenario("M27")
async def test_an_approval_in_the_list_is_the_same_decision_as_on_its_own_card(world: World) -> None:
    own = await ask(world)
    listed = await ask_for_list(world)
    assert "rm -r build" in listed.words
    assert listed.labels == ["Allow once", "Reject"]
    assert await world.clicked(listed, "Reject") == "Rejected"
    await world.until_settled()
    assert await world.rows("SELECT outcome, decided_where FROM decisions") == [("rejected", "card")]
    for card in (own, listed):
        assert as_now(world, card).labels == []
        assert "Rejected by you on the card" in as_now(world, card).words
    await world.adds_up()


async def test_what_this_machine_asks_can_be_decided_from_the_phone(world: World) -> None:
    desk = world.gateway.desk
    session = await open_local_session(desk, "work", "rehearsal")
    await send_text(desk, session.id, "[[ask:rm -r build]]", "one")
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'asked'")
    card = await ask_for_list(world)
    assert await world.clicked(card, "Allow once") == "Allowed once"
    await world.until_settled()
    assert await world.rows("SELECT outcome, applied FROM decisions") == [("allowed_once", "applied")]


@pytest.mark.scenario("M27")
async def test_it_lists_ten_at_most_and_says_how_many_more_wait(world: World) -> None:
    world.say(f"[[ask-all:{limits.OWED_ROWS + 2}:make]]")
    await world.until_rows("SELECT count(*) FROM decisions GROUP BY kind HAVING count(*) = 12")
    card = await ask_for_list(world)
    assert card.title == "Waits for you: 12"
    assert len(card.labels) == 2 * limits.OWED_ROWS
    assert "2 more" in card.words
    world.say("/stop")
    await world.until_settled(flowing=True)
    assert as_now(world, card).labels == []
    await world.adds_up()


@pytest.mark.scenario("M27")
async def test_anybody_else_is_refused_with_a_toast_and_nothing_is_done(world: World) -> None:
    await fail(world)
    card = await ask_for_list(world)
    click = await click_of(world, card, "Run again")
    for operator in ("ou_stranger", ""):
        toast = await click_card(world.gateway.desk, replace(click, operator=OpenId(operator)))
        assert toast.kind is ToastKind.REFUSED
    assert len(await list_owed(world.gateway.desk)) == 1
    assert await world.rows("SELECT count(*) FROM turns") == [(1,)]


async def test_a_newer_list_takes_the_buttons_of_the_older_one_away(world: World) -> None:
    await fail(world)
    older = await ask_for_list(world)
    newer = await ask_for_list(world, "/owed ")
    await world.until(lambda: as_now(world, older).labels == [])
    assert as_now(world, older).title == "An older list; /owed shows what waits now"
    assert await world.clicked(newer, "Close without answer") == "Closed without answer"
    await world.until_settled()
    await world.adds_up()


async def test_a_list_that_nobody_used_loses_its_buttons_after_a_day(world: World) -> None:
    await fail(world)
    card = await ask_for_list(world)
    await world.advance(limits.OWED_CARD_LIFE_MS, leap=True)
    await world.until(lambda: as_now(world, card).labels == [])


async def test_what_cannot_be_done_now_stays_and_says_why(world: World) -> None:
    await fail(world)
    card = await ask_for_list(world)
    for number in range(limits.QUEUE_TURNS + 1):
        world.say(f"[[wait:go]]{number}")
    await world.until_rows("SELECT 1 FROM sessions WHERE queued = :most", most=limits.QUEUE_TURNS)
    assert await world.clicked(card, "Run again") == "Not possible now (queue.full)."
    assert as_now(world, card).labels == ["Run again", "Close without answer"]
    assert len(await list_owed(world.gateway.desk)) == 1


@pytest.mark.scenario("M27", "D12")
@pytest.mark.parametrize("point", WRITING)
async def test_a_crash_while_the_list_is_written_ends_in_one_list(world: World, point: str) -> None:
    await fail(world)
    await world.stop()
    crash = Crash(point)
    await world.start(crash)
    world.say("/owed")
    await world.until(crash.dead.is_set)
    await world.restart()
    await world.until_rows(LISTS)
    [card] = world.cards()
    await world.until_settled(but=("delivering",), cards=False)
    assert await world.clicked(card, "Close without answer") == "Closed without answer"
    await world.until_settled(flowing=True)
    assert [card.labels for card in world.cards()] == [[]]
    await world.adds_up()


@pytest.mark.scenario("M27", "P43")
@pytest.mark.parametrize("point", PRESSING)
async def test_a_crash_after_a_press_does_it_once(world: World, point: str) -> None:
    await fail(world)
    card = await ask_for_list(world)
    await world.until_settled(cards=False)
    crash = Crash(point)
    await world.restart(crash)
    click = world.click(card, "Run again")
    await world.until(crash.dead.is_set)
    world.platform.clicks.give_up(click)
    await world.restart()
    await world.until_settled(flowing=True)
    assert await world.rows("SELECT count(*) FROM turns") == [(2,)]
    assert await world.rows("SELECT fact FROM audit") == [("act.run_again",)]
    assert "Runs again by you on the card" in as_now(world, card).words
    assert as_now(world, card).labels == []
    await world.adds_up()


async def test_a_decision_elsewhere_and_an_act_share_one_list(world: World) -> None:
    await fail(world)
    await ask(world)
    card = await ask_for_list(world)
    assert card.labels == ["Allow once", "Reject", "Run again", "Close without answer"]
    ((identity,),) = await world.rows("SELECT id FROM decisions")
    await decide(world.gateway.desk, identity, Outcome.ALLOWED_ONCE, "owner", "cli")
    await world.until(lambda: as_now(world, card).labels == ["Run again", "Close without answer"])
    assert as_now(world, card).title == "Waits for you: 1"
    await world.clicked(card, "Close without answer")
    await world.until_settled()
    assert as_now(world, card).labels == []
    await world.adds_up()


@pytest.mark.scenario("M27", "P30")
async def test_a_list_that_no_card_can_show_is_said_in_words_and_counts_as_answered(world: World) -> None:
    await fail(world)
    world.fault(REPLY, REFUSED, nth=1)
    said = world.say("/owed")
    await world.until(lambda: bool(world.answers_to(said)))
    (words,) = world.answers_to(said)
    assert words.startswith("Waits for you: 1")
    assert "agent.lost" in words
    await world.until_settled(cards=False)
    ledger = await world.adds_up()
    assert (ledger.received.classes["answered"], ledger.received.classes["undelivered"]) == (1, 0)


async def test_a_list_that_nothing_can_say_is_undelivered_and_owed(world: World) -> None:
    await fail(world)
    world.fault(REPLY, REFUSED, times=2)
    world.say("/owed")
    await world.until_rows("SELECT 1 FROM requests WHERE closed_as = 'undelivered'")
    await world.until_settled(cards=False)
    assert len(await list_owed(world.gateway.desk)) == 2
    assert (await world.ledger()).received.balanced
