"""A message that is edited or taken back while it is on its way to the agent, or there."""

from pathlib import Path

import pytest
from tests.harness import World, open_world
from tests.harness.crash import Pause

from feishu_simulator.people import Speech
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.domain import limits

SECRET = "the recalled words"


def _edit(world: World, message_id: str, text: str) -> None:
    world.platform.people.edit(world.owner.user_id, message_id, Speech(text=text))


@pytest.mark.scenario("M48")
@pytest.mark.parametrize("point", ["admitted", "claimed", "intent", "prompt_sent", "first_event"])
async def test_of_an_edit_around_dispatch_one_text_runs_and_the_person_is_told_which(
    tmp_path: Path, point: str
) -> None:
    async with open_world(tmp_path / "home", bound=False) as world:
        pause = Pause()
        await world.start(pause)
        await world.bind()
        pause.point = point
        said = world.say("the old text")
        await pause.reached.wait()
        _edit(world, said.message_id, "the new text")
        pause.may_go_on.set()
        await world.until_settled(flowing=True)
        [ran] = world.prompts()
        words = world.answers_to(said)
        assert words[0] == f"echo: {ran}"
        told = [word for word in words[1:] if "edited" in word]
        assert told == (
            ["You edited this message after the agent had it. The text from before ran, once: “the old text”"]
            if ran == "the old text"
            else []
        )
        await world.adds_up()


@pytest.mark.scenario("M48")
async def test_an_edit_of_a_message_that_waits_is_what_runs(world: World) -> None:
    world.say("[[say:begun]][[wait:go]] first")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    said = world.say("the old text")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'queued'")
    await world.advance(limits.REREAD_AFTER_MS + 1_000)
    _edit(world, said.message_id, "the new text")
    world.release("go")
    await world.until_settled(flowing=True)
    assert world.prompts()[-1] == "the new text"
    assert world.answers_to(said) == ["echo: the new text"]
    await world.adds_up()


async def _recall_while_running(world: World) -> str:
    said = world.say(f"[[say:an answer]][[wait:go]] {SECRET}")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    world.platform.people.recall(said.message_id)
    await world.until_rows("SELECT 1 FROM requests WHERE code = 'source.recalled'")
    world.release("go")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await world.until_settled(flowing=True)
    assert "an answer" not in world.answers()
    [word] = world.answers()
    assert "kept back for 24 hours" in word
    return said.message_id


async def _quotes(world: World) -> list[str]:
    """Give everything that is shown anywhere."""
    shown = [row.text for row in await list_owed(world.gateway.desk)]
    shown += [text for (text,) in await world.rows("SELECT text FROM messages UNION ALL SELECT text FROM turns")]
    return [*shown, *world.answers(), *(card.words + card.title for card in world.cards())]


@pytest.mark.scenario("M124")
async def test_an_answer_to_a_message_recalled_while_it_ran_waits_for_the_owner(world: World) -> None:
    await _recall_while_running(world)
    [row] = await list_owed(world.gateway.desk)
    assert (row.why, row.actions) == ("source.recalled", (OwedAction.SEND_AGAIN, OwedAction.CLOSE))
    assert not [text for text in await _quotes(world) if SECRET in text]
    await act_on_owed(world.gateway.desk, row.id, OwedAction.SEND_AGAIN, row.version)
    await world.until_settled(flowing=True)
    assert world.answers()[-1] == "an answer"
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("M124")
async def test_an_answer_that_nobody_asks_for_is_withheld_after_a_day(world: World) -> None:
    await _recall_while_running(world)
    await world.advance(limits.KEPT_BACK_MS + limits.SAFETY_SCAN_MS, leap=True)
    await world.until_rows("SELECT 1 FROM requests WHERE closed_as = 'silent' AND code = 'source.recalled'")
    assert await list_owed(world.gateway.desk) == []
    assert "an answer" not in world.answers()
    assert await world.rows("SELECT state FROM parts WHERE code = 'source.recalled'") == [("withheld",)]
    await world.adds_up()
