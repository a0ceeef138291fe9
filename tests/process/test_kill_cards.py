"""Killed around a card: afterwards no button looks alive, no card is left open, and a press counted once or not at all.

`HONGYAN_KILL_ROUNDS` sets how many rounds each moment gets.
"""

import os
import signal
from pathlib import Path
from typing import Final

import pytest
from tests.harness.killed_daemon import ROTATES_VARIABLE
from tests.harness.process_world import Plan, ProcessWorld, open_process_world
from tests.harness.shown_card import CARD, ShownCard, see_card

pytestmark = pytest.mark.process

ROUNDS: Final = int(os.environ.get("HONGYAN_KILL_ROUNDS", "1"))
SECONDS_A_ROUND: Final = 60
WHILE_ASKED: Final = ("asked", "card_intended", "card_written", "card_saved")
AFTER_THE_PRESS: Final = ("decided", "answering", "card_closing", "look_intended", "look_written", "look_saved")
ON_PROGRESS: Final = ("card_intended", "entity_created", "entity_saved", "card_written", "card_saved")
AT_ITS_END: Final = ("card_closing", "look_intended", "look_written", "look_saved")
ON_A_NEW_CARD: Final = ("rotating", "entity_saved", "card_written")
SHOWN: Final = "SELECT 1 FROM cards WHERE state = 'visible'"
READ_BACK: Final = "SELECT 1 FROM parts WHERE transport = 'card' AND state = 'verified'"


def cards(world: ProcessWorld) -> list[ShownCard]:
    """Give the cards that a person sees now."""
    visible = world.platform.visible(world.chat.chat_id)
    return [see_card(world.platform, one) for one in visible if one.by_bot and one.msg_type == CARD]


def lifeless(world: ProcessWorld) -> bool:
    """Tell whether nothing on any card can be pressed or still streams."""
    shown = cards(world)
    return not any(card.labels or world.platform.streaming(card.message_id) for card in shown)


async def all_over(world: ProcessWorld, most: int = 1) -> None:
    """See every card closed in the records and on the platform, and the books add up."""
    await world.until_settled()
    await world.until_rows("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM cards WHERE state <> 'closed')")
    await world.until(lambda: lifeless(world))
    assert len(cards(world)) <= most
    await world.adds_up()


@pytest.mark.timeout(SECONDS_A_ROUND * (ROUNDS + 1))
@pytest.mark.scenario("A18", "P41", "D12")
@pytest.mark.parametrize("point", WHILE_ASKED)
async def test_killed_while_a_card_asks_the_request_expires_and_no_button_is_left(tmp_path: Path, point: str) -> None:
    for number in range(ROUNDS):
        async with open_process_world(tmp_path / f"home-{number}", Plan()) as world:
            doomed = await world.start(kill=f"{point}:1")
            await world.bind()
            world.say("[[ask:rm -r build]]")
            assert (await doomed.ended()).code == -signal.SIGKILL
            await world.start()
            await all_over(world)
            assert world.rows("SELECT state FROM decisions") == [("expired",)]
            assert [fact for (fact,) in world.rows("SELECT fact FROM audit ORDER BY rowid")] == ["asked", "expired"]


@pytest.mark.timeout(SECONDS_A_ROUND * (ROUNDS + 1))
@pytest.mark.scenario("D7", "P43")
@pytest.mark.parametrize("point", AFTER_THE_PRESS)
async def test_killed_after_a_press_there_is_one_decision_and_one_account_of_it(tmp_path: Path, point: str) -> None:
    for number in range(ROUNDS):
        async with open_process_world(tmp_path / f"home-{number}", Plan()) as world:
            doomed = await world.start(kill=f"{point}:1:later")
            await world.bind()
            world.say("[[ask:rm -r build]]")
            await world.until_rows(SHOWN)
            await world.until_rows(READ_BACK)
            doomed.arm()
            (card,) = cards(world)
            click = world.platform.click(world.owner, card.message_id, **card.press("Allow once", 0))
            assert (await doomed.ended()).code == -signal.SIGKILL
            world.platform.clicks.give_up(click)
            await world.start()
            await all_over(world)
            assert world.rows("SELECT outcome, decided_where FROM decisions") == [("allowed_once", "card")]
            facts = [fact for (fact,) in world.rows("SELECT fact FROM audit")]
            assert facts.count("decided") == 1
            assert len([fact for fact in facts if fact in {"applied", "not_applied"}]) == 1


@pytest.mark.timeout(SECONDS_A_ROUND * (ROUNDS + 1))
@pytest.mark.scenario("P32", "D12")
@pytest.mark.parametrize("point", ON_PROGRESS)
async def test_killed_while_progress_opens_no_card_is_left_thinking(tmp_path: Path, point: str) -> None:
    for number in range(ROUNDS):
        async with open_process_world(tmp_path / f"home-{number}", Plan()) as world:
            doomed = await world.start(kill=f"{point}:1")
            await world.bind()
            world.say("[[tool:a]] [[hang]]")
            assert (await doomed.ended()).code == -signal.SIGKILL
            await world.start()
            await all_over(world)


@pytest.mark.timeout(SECONDS_A_ROUND * (ROUNDS + 1))
@pytest.mark.scenario("P32", "D12")
@pytest.mark.parametrize("point", AT_ITS_END)
async def test_killed_while_progress_closes_the_answer_comes_once_and_the_card_ends(tmp_path: Path, point: str) -> None:
    for number in range(ROUNDS):
        async with open_process_world(tmp_path / f"home-{number}", Plan()) as world:
            doomed = await world.start(kill=f"{point}:1:later")
            await world.bind()
            said = world.say("[[tool:a]] [[wait:go]] [[say:the answer]]")
            await world.until_rows(SHOWN)
            await world.until_rows(READ_BACK)
            doomed.arm()
            world.release("go")
            assert (await doomed.ended()).code == -signal.SIGKILL
            await world.start()
            await all_over(world)
            assert len([text for text in world.answers_to(said) if "the answer" in text]) == 1


@pytest.mark.timeout(SECONDS_A_ROUND * (ROUNDS + 1))
@pytest.mark.scenario("P32", "D12")
@pytest.mark.parametrize("point", ON_A_NEW_CARD)
async def test_killed_while_a_long_turn_changes_to_a_new_card_both_end(tmp_path: Path, point: str) -> None:
    soon = Plan(environ={ROTATES_VARIABLE: "3000"})
    for number in range(ROUNDS):
        async with open_process_world(tmp_path / f"home-{number}", soon) as world:
            doomed = await world.start(kill=f"{point}:1:later")
            await world.bind()
            world.say("[[tool:a]] [[hang]]")
            await world.until_rows(READ_BACK)
            doomed.arm()
            assert (await doomed.ended()).code == -signal.SIGKILL
            assert world.rows("SELECT count(*) FROM cards") == [(2,)]
            await world.start(plan=Plan())
            await all_over(world, most=2)
