"""Messages that never arrived: told, and run only by the owner's word."""

import sqlite3

import pytest
from tests.harness import World
from tests.harness.missed import (
    ACK_WINDOW_MS,
    ENDPOINT,
    HOUR,
    LIST,
    LOST,
    RECEIVE,
    act,
    keep_own_rhythm,
    missed,
    repeat_every_event,
    report,
    rounds,
    seen,
)
from tests.scenario.test_owed_card import as_now, ask_for_list

from feishu_simulator.faults import Effect
from hongyan.application.owed import OwedAction
from hongyan.domain import limits
from hongyan.domain.coverage import CoverageStatus
from hongyan.domain.errors import NotFoundError, RefusedError


@pytest.fixture(autouse=True)
def own_rhythm(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_own_rhythm(monkeypatch)


@pytest.mark.scenario("L136")
async def test_a_missed_message_runs_only_by_the_owners_word_and_its_late_event_is_the_same_turn(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    said = world.say("did this arrive?")
    await rounds(world, 5)
    assert (world.prompts(), world.answers()) == ([], [])
    (row,) = await missed(world)
    assert (row.text, row.actions) == ("did this arrive?", (OwedAction.RUN, OwedAction.IGNORE))
    assert (await report(world)).status is CoverageStatus.GAPS
    await act(world, row, OwedAction.RUN)
    await world.until_settled()
    await repeat_every_event(world)
    assert world.answers_to(said) == ["echo: did this arrive?"]
    assert world.prompts() == ["did this arrive?"]
    assert await missed(world) == []
    await rounds(world, 2)
    assert (await report(world)).status is CoverageStatus.CHECKED
    await world.adds_up()


@pytest.mark.scenario("L136")
async def test_an_ignored_message_is_accounted_for_and_its_late_event_runs_nothing(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("never mind")
    await rounds(world, 2)
    (row,) = await missed(world)
    await act(world, row, OwedAction.IGNORE)
    await repeat_every_event(world)
    with pytest.raises(NotFoundError):
        await act(world, row, OwedAction.RUN)
    assert (world.prompts(), world.answers()) == ([], [])
    assert await world.rows("SELECT closed_as FROM requests WHERE code = 'source.ignored'") == [("silent",)]
    await world.adds_up()


@pytest.mark.scenario("D9")
async def test_a_message_seen_before_its_slow_event_is_no_gap_and_runs_once(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, Effect(drop=True))
    await world.advance(limits.COVERAGE_PERIOD_MS - 1_000)
    said = world.say("slow but on its way")
    await world.advance(1_000)
    await world.until_rows("SELECT 1 FROM gaps WHERE state = 'suspected'")
    assert await missed(world) == []
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    await world.advance(ACK_WINDOW_MS + 15_000)
    await world.until_settled()
    assert await world.rows("SELECT id FROM gaps") == []
    await world.advance(limits.COVERAGE_PERIOD_MS - ACK_WINDOW_MS - 15_000)
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    await rounds(world, 2)
    assert await missed(world) == []
    assert world.answers_to(said) == ["echo: slow but on its way"]
    assert len(world.platform.requests(ENDPOINT)) == 1
    await world.adds_up()


@pytest.mark.scenario("L136")
async def test_a_new_live_gap_renews_the_connection_once_and_an_old_one_never(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("missed while listening")
    await rounds(world, 6)
    assert len(world.platform.requests(ENDPOINT)) == 2
    assert len(await missed(world)) == 1
    await world.crash()
    world.say("missed while nobody listened")
    await world.advance(8 * HOUR, leap=True)
    await world.start()
    await rounds(world, 6)
    assert len(world.platform.requests(ENDPOINT)) == 3
    assert len(await missed(world)) == 2


@pytest.mark.scenario("P39")
async def test_a_connection_that_brings_nothing_any_more_is_replaced_and_brings_the_next_message(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, Effect(half_dead=True, no_redelivery=True))
    world.say("into the void")
    await rounds(world, 3)
    heard = world.say("over the new connection")
    await world.until(lambda: world.answers_to(heard) == ["echo: over the new connection"])
    (row,) = await missed(world)
    assert row.text == "into the void"


@pytest.mark.scenario("L133")
async def test_after_two_days_away_every_message_is_listed_none_ran_and_one_run_is_one_turn(world: World) -> None:
    await rounds(world)
    await world.crash()
    texts = [f"message {n}" for n in range(8)]
    for text in texts:
        world.say(text)
        await world.advance(6 * HOUR, leap=True)
    asked_before = len(world.platform.requests(LIST))
    await world.start()
    assert (await report(world)).status is CoverageStatus.UNCHECKED
    await rounds(world)
    assert (await report(world)).status is CoverageStatus.UNCHECKED
    assert (await seen(world)).history_cursor < (await seen(world)).history_until
    await rounds(world, 5)
    rows = await missed(world)
    assert [row.text for row in rows] == texts
    assert [OwedAction.RUN in row.actions for row in rows] == [False] * 5 + [True] * 3
    assert (world.prompts(), world.answers()) == ([], [])
    assert (await report(world)).status is CoverageStatus.GAPS
    for request in world.platform.requests(LIST)[asked_before:]:
        assert _asked_seconds(request.query) <= limits.COVERAGE_WINDOW_MS // 1_000 + 1
    with pytest.raises(RefusedError) as refused:
        await act(world, rows[0], OwedAction.RUN)
    assert refused.value.code == "owed.not_possible"
    await act(world, rows[-1], OwedAction.RUN)
    for row in rows[:-1]:
        await act(world, row, OwedAction.IGNORE)
    await world.until(lambda: len(world.answers()) == 2)
    await world.advance(8 * HOUR, leap=True)  # until the platform has given up on every event
    await world.until_settled()
    await repeat_every_event(world)
    assert world.prompts() == [texts[-1]]
    late = "This message arrived 6 hours after it was written. It runs now, once."
    assert sorted(world.answers()) == [late, f"echo: {texts[-1]}"]
    await world.adds_up()


def _asked_seconds(query: str) -> int:
    given = dict(pair.split("=") for pair in query.split("&"))
    return int(given["end_time"]) - int(given["start_time"])


async def test_a_message_that_was_recalled_before_it_was_found_is_not_missed(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    said = world.say("forget it")
    world.platform.people.recall(said.message_id)
    await rounds(world, 3)
    assert await missed(world) == []


async def test_a_message_under_which_our_answer_stands_is_closed_and_not_run_again(world: World) -> None:
    await rounds(world)
    said = world.say("answered before the backup was put back")
    await world.until_settled()
    await world.crash()
    with sqlite3.connect(world.home / "hongyan.db") as database:  # as if it stood behind the backup
        database.execute("DELETE FROM requests WHERE message_id = ?", (said.message_id,))
        database.commit()
    await world.start()
    await rounds(world, 2)
    assert await missed(world) == []
    assert await world.rows("SELECT closed_as, code FROM requests WHERE message_id = :id", id=said.message_id) == [
        ("answered", "source.answered_before")
    ]
    await repeat_every_event(world)
    assert world.answers_to(said) == [f"echo: {said.text}"]
    assert len(world.prompts()) == 1


@pytest.mark.scenario("L136")
async def test_a_late_event_runs_its_message_once_and_takes_the_offer_back(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, Effect(drop=True), times=2)
    said = world.say("the third try brings it")
    await rounds(world, 3)
    (row,) = await missed(world)
    third_try = 2 * (ACK_WINDOW_MS - 1) + 15_000 + 300_000
    await world.advance(third_try - 3 * limits.COVERAGE_PERIOD_MS)
    await world.until_settled()
    assert await missed(world) == []
    with pytest.raises(NotFoundError):
        await act(world, row, OwedAction.RUN)
    assert world.answers_to(said) == ["echo: the third try brings it"]
    await world.adds_up()


async def test_what_was_missed_while_the_machine_slept_is_found(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    world.say("while you slept")
    await world.advance(3 * HOUR, leap=True)
    await world.until_asleep(limits.COVERAGE_PERIOD_MS)
    await rounds(world, 3)
    (row,) = await missed(world)
    assert (row.text, world.prompts()) == ("while you slept", [])


@pytest.mark.scenario("M27", "L136")
async def test_a_missed_message_stands_in_the_owners_list_and_a_press_runs_it_once(world: World) -> None:
    await rounds(world)
    world.fault(RECEIVE, LOST)
    said = world.say("run me from the list")
    await rounds(world, 2)
    card = await ask_for_list(world)
    assert "run me from the list" in card.words
    assert (card.title, card.labels) == ("Waits for you: 1", ["Run", "Ignore"])
    assert await world.clicked(card, "Run") == "Runs"
    await world.until(lambda: world.answers_to(said) == ["echo: run me from the list"])
    await world.until_settled()
    assert (as_now(world, card).labels, await missed(world)) == ([], [])
    assert "Runs by you on the card" in as_now(world, card).words
    assert world.prompts() == ["run me from the list"]
    await world.adds_up()
