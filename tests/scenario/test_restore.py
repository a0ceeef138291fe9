"""A backup that was put back does not know what came after it: the chats are read before anything is said or run."""

import asyncio

import pytest
from tests.harness import World
from tests.harness.crash import Pause
from tests.harness.missed import ACK_WINDOW_MS, LIST, LOST, RECEIVE, keep_own_rhythm, missed

from feishu_simulator.faults import Effect, Match
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.bootstrap import restore_home

ANSWERED = "SELECT count(*) FROM requests WHERE closed_as = 'answered' AND code = 'source.answered_before'"
REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"


@pytest.fixture(autouse=True)
def own_rhythm(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_own_rhythm(monkeypatch)


async def _backup(world: World) -> None:
    await world.gateway.backup(world.home / "copy.db")


async def _put_back(world: World) -> None:
    await restore_home(world.home, world.home / "copy.db")


@pytest.mark.scenario("M21")
async def test_what_was_answered_after_the_backup_is_not_answered_again(world: World) -> None:
    world.say("before the backup")
    await world.until_settled()
    await _backup(world)
    said = [world.say(f"after it {n}") for n in range(3)]
    await world.until_settled()
    world.fault(RECEIVE, LOST)
    lost = world.say("its event was lost")
    await world.advance(ACK_WINDOW_MS)
    await world.stop()
    await _put_back(world)
    written, prompts = len(world.answers()), world.prompts()
    await world.start()
    await world.until_settled(flowing=True)
    assert await world.rows(ANSWERED) == [(3,)]
    assert len(world.answers()) == written
    assert world.prompts() == prompts
    [owed] = await missed(world)
    assert owed.text == lost.text
    await act_on_owed(world.gateway.desk, owed.id, OwedAction.RUN, owed.version)
    await world.until_settled()
    assert world.answers_to(lost) == [f"echo: {lost.text}"]
    assert [len(world.answers_to(one)) for one in said] == [1, 1, 1]


@pytest.mark.scenario("M21")
async def test_what_waited_at_the_backup_and_ran_since_does_not_run_again(world: World) -> None:
    running = world.say("[[say:begun]][[wait:go]] slow")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    queued = world.say("behind it")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    await _backup(world)
    world.release("go")
    await world.until_settled()
    await world.stop()
    await _put_back(world)
    before, prompts = world.answers(), world.prompts()
    await world.start()
    await world.until_settled(flowing=True)
    assert await world.rows(ANSWERED) == [(2,)]
    assert (world.answers(), world.prompts()) == (before, prompts)
    assert [len(world.answers_to(one)) for one in (running, queued)] == [1, 1]
    after = world.say("and on")
    await world.until_settled()
    assert world.answers_to(after) == ["echo: and on"]


@pytest.mark.scenario("M21")
async def test_what_waited_at_the_backup_and_never_ran_is_owed_and_runs_by_the_owners_word(world: World) -> None:
    world.say("[[say:begun]][[hang]] slow")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    queued = world.say("behind it")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    await _backup(world)
    await world.crash()
    await _put_back(world)
    await world.start()
    await world.until_settled(flowing=True)
    assert all("a backup was put back" in words for words in world.answers_to(queued))
    assert len(world.prompts()) == 1
    owed = {row.text: row for row in await list_owed(world.gateway.desk)}
    row = owed["behind it"]
    assert OwedAction.RUN_AGAIN in row.actions
    await act_on_owed(world.gateway.desk, row.id, OwedAction.RUN_AGAIN, row.version)
    await world.until_settled()
    assert world.answers_to(queued)[-1] == "echo: behind it"
    await world.adds_up()


@pytest.mark.scenario("M21")
async def test_nothing_is_written_or_run_before_the_history_could_be_read(world: World) -> None:
    pause = Pause("part_intended")
    await world.restart(pause)
    said = world.say("the answer was planned at the backup")
    await pause.reached.wait()
    await _backup(world)
    pause.may_go_on.set()
    await world.until_settled()
    await world.stop()
    await _put_back(world)
    down = world.platform.faults.add(Match(LIST), Effect(http_status=503))
    written = len(world.platform.requests(REPLY))
    begin = asyncio.create_task(world.start())
    await world.until(lambda: bool(world.platform.requests(LIST)))
    await world.advance(10_000)
    assert len(world.platform.requests(REPLY)) == written
    assert [view.state for view in world.gateway.listeners()] == ["retrying"]
    world.platform.faults.remove(down.rule_id)
    await world.advance(60_000)
    await begin
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == [f"echo: {said.text}"]
    assert await world.rows(ANSWERED) == [(1,)]
