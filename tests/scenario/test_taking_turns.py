"""Many words at once: in order within a conversation, in turn between chats, and nobody waits for another's wait."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.harness import World, open_world

from feishu_simulator.faults import Effect, Match
from hongyan.application.desk import OUTBOX
from hongyan.domain.changes import Changes
from hongyan.domain.deliveries import Phase, Route, Words, say
from hongyan.domain.identity import AppId, ChatId, SessionId, TurnId
from hongyan.domain.requests import ClosedAs
from hongyan.ports import queries

CREATE = "POST /open-apis/im/v1/messages"
BURST = 200
A_SECOND = 5  # messages that the platform takes into one chat


def route(world: World, chat_id: str, turn: str, session: str | None = None, app_id: str = "") -> Route:
    """Give the way into a chat, for words that answer nothing."""
    return Route(
        app=AppId(app_id or world.app_id),
        chat_id=ChatId(chat_id),
        reply_to="",
        in_thread=False,
        request_id=None,
        turn_id=TurnId(turn),
        session_id=SessionId(session) if session else None,
        binding_id=None,
        binding_revision=0,
    )


async def plan(world: World, phase: Phase, planned: Sequence[tuple[Route, str]]) -> None:
    """Plan words in this order, and wake nobody."""
    desk = world.gateway.desk
    steps = [step for way, text in planned for step in say(way, Words(phase, text, ClosedAs.OPEN), desk.stamp())]
    await desk.store.commit(Changes("plan", tuple(steps)))


def seen(world: World, chat_id: str) -> list[str]:
    """Give what the bot said in a chat."""
    return [message.text for message in world.platform.visible(chat_id) if message.by_bot]


async def test_a_burst_of_answers_drains_in_order_as_fast_as_the_chat_takes_them(world: World) -> None:
    chat_id = world.chat.chat_id
    burst = [(route(world, chat_id, f"turn-{number}", "session"), f"answer {number}") for number in range(BURST)]
    await plan(world, Phase.FINAL, burst)
    world.gateway.desk.wakeup.wake(OUTBOX)
    for second in range(1, BURST // A_SECOND + 1):
        await world.until(lambda: len(seen(world, chat_id)) >= second * A_SECOND)  # noqa: B023  # met before the next
        await world.advance(1_000)
    await world.until_settled(flowing=True)
    assert seen(world, chat_id) == [f"answer {number}" for number in range(BURST)]
    assert len(world.platform.requests(CREATE)) == BURST
    assert {request.code for request in world.platform.requests(CREATE)} == {0}


@pytest.mark.scenario("L111")
async def test_a_chat_with_much_to_say_makes_no_other_wait(world: World) -> None:
    loud, quiet = world.chat.chat_id, world.platform.private_chat(world.colleague, world.app).chat_id
    many = [(route(world, loud, f"turn-{number}"), f"word {number}") for number in range(100)]
    await plan(world, Phase.NOTICE, [*many, (route(world, quiet, "turn-quiet"), "my turn")])
    world.gateway.desk.wakeup.wake(OUTBOX)
    await world.until(lambda: seen(world, quiet) == ["my turn"])  # while time stands still
    arrived = "SELECT 1 FROM parts WHERE chat_id = :chat AND state = 'verified' GROUP BY chat_id HAVING count(*) = 5"
    await world.until_rows(arrived, chat=loud)
    await plan(world, Phase.NOTICE, [(route(world, quiet, "turn-later"), "mine again")])
    world.gateway.desk.wakeup.wake(OUTBOX)
    await world.until(lambda: len(seen(world, quiet)) == 2)
    begun = "SELECT count(*) FROM parts WHERE chat_id = :chat AND attempts > 0"
    assert await world.rows(begun, chat=loud) == [(A_SECOND,)]
    await world.advance(1_000)
    await world.until(lambda: len(seen(world, loud)) == 2 * A_SECOND)
    assert sorted(seen(world, loud), key=lambda text: int(text.split()[1])) == [f"word {n}" for n in range(10)]


@pytest.mark.scenario("L111")
async def test_who_was_told_to_wait_keeps_its_place_and_holds_nobody_up(world: World) -> None:
    told, other = world.chat.chat_id, world.platform.private_chat(world.colleague, world.app).chat_id
    world.fault(CREATE, Effect(error_code=230020))
    await plan(world, Phase.FINAL, [(route(world, told, f"turn-{n}", "session"), f"told {n}") for n in range(3)])
    world.gateway.desk.wakeup.wake(OUTBOX)
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'planned' AND code = 'chat.throttled'")
    await plan(world, Phase.NOTICE, [(route(world, other, "turn-other"), "meanwhile")])
    world.gateway.desk.wakeup.wake(OUTBOX)
    await world.until(lambda: seen(world, other) == ["meanwhile"])
    assert seen(world, told) == []
    await world.until_settled(flowing=True)
    assert seen(world, told) == ["told 0", "told 1", "told 2"]


@pytest.mark.scenario("L112")
async def test_an_app_whose_platform_is_slow_holds_up_no_other_app(tmp_path: Path) -> None:
    async with open_world(tmp_path / "home", bound=False) as world:
        other = world.platform.add_app("Second")
        world.more_apps.append(other)
        await world.start()
        world.platform.faults.add(Match(CREATE, app_id=world.app.app_id), Effect(delay_ms=1_500))
        people = [world.owner, world.colleague, *(world.platform.add_user(f"Lin Yan {n}") for n in range(4))]
        slow = [world.platform.private_chat(person, world.app).chat_id for person in people]
        quick = world.platform.private_chat(world.owner, other).chat_id
        await plan(
            world, Phase.NOTICE, [(route(world, slow[n % len(slow)], f"turn-{n}"), f"slow {n}") for n in range(8)]
        )
        world.gateway.desk.wakeup.wake(OUTBOX)
        await world.until_rows("SELECT 1 FROM parts WHERE state = 'intended'")
        await plan(world, Phase.NOTICE, [(route(world, quick, "turn-quick", app_id=other.app_id), "quick")])
        world.gateway.desk.wakeup.wake(OUTBOX)
        await world.until(lambda: seen(world, quick) == ["quick"])
        assert [text for chat_id in slow for text in seen(world, chat_id)] == []


@pytest.mark.scenario("L109")
async def test_words_that_are_planned_during_a_scan_are_found_without_time_passing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, chat_id = world.gateway.desk.store, world.chat.chat_id
    look = store.all
    planned = False

    async def all_rows(query: Any, **arguments: Any) -> Any:
        nonlocal planned
        rows = await look(query, **arguments)
        if query is queries.DUE_WORDS and not planned:
            planned = True
            await plan(world, Phase.NOTICE, [(route(world, chat_id, "turn-late"), "just in time")])
            world.gateway.desk.wakeup.wake(OUTBOX)
        return rows

    monkeypatch.setattr(store, "all", all_rows)
    world.gateway.desk.wakeup.wake(OUTBOX)
    await world.until(lambda: seen(world, chat_id) == ["just in time"])


@pytest.mark.scenario("L110")
@pytest.mark.parametrize("lost", [1.0, 0.5])
@pytest.mark.parametrize("seed", range(3))
async def test_a_wake_up_that_is_lost_or_comes_early_loses_no_work(
    world: World, monkeypatch: pytest.MonkeyPatch, lost: float, seed: int
) -> None:
    wakeup, chance = world.gateway.desk.wakeup, Random(seed)
    wake: Callable[[str], None] = wakeup.wake

    def unreliable(topic: str) -> None:
        if chance.random() >= lost:
            wake(chance.choice(["admission", "lanes", "outbox", topic]))

    monkeypatch.setattr(wakeup, "wake", unreliable)
    began = world.clock.now()
    said = [world.say(f"message {number}") for number in range(3)]
    await world.until_settled(flowing=True)
    assert [world.answers_to(message) for message in said] == [[f"echo: message {number}"] for number in range(3)]
    assert world.clock.now() - began < 30_000
    await world.adds_up()
