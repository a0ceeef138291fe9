"""What became of messages after a crash, judged by what the platform shows and the command line tells."""

from tests.harness.process_world import ProcessWorld
from tests.harness.shown_card import CARD

from feishu_simulator.model import Message as Said

__all__ = ["judge"]


async def judge(world: ProcessWorld, said: list[Said]) -> list[str]:
    """See that the books add up, that nothing ran or was shown twice, and that what has no answer is in sight.

    Give what became of each message: `answered`, `told` why not, or `held` for its owner to decide.
    """
    held = await _held(world, said)
    if held:
        await _drop(world, list(held.values()))
    answers = [_last_words(world, message) for message in said]
    assert all(answers), answers
    prompts = world.prompts()
    assert len(prompts) == len(set(prompts)), prompts
    return [_outcome(message, texts, message.message_id in held) for message, texts in zip(said, answers, strict=True)]


def _last_words(world: ProcessWorld, message: Said) -> list[str]:
    """Give what answers a message or says why nothing will; that it waits behind another, and progress, is neither."""
    visible = world.platform.visible(world.chat.chat_id)
    mine = [one for one in visible if one.parent_id == message.message_id and not _is_titled(world, one)]
    return [one.text for one in mine if not one.text.startswith("Queued.")]


def _is_titled(world: ProcessWorld, message: Said) -> bool:
    return message.msg_type == CARD and "header" in world.platform.card(message.message_id)


def _outcome(message: Said, answers: list[str], is_held: bool) -> str:
    """Name what became of a message; an answer beside a notice would be one too many."""
    spoken = [text for text in answers if text.startswith("echo: ")]
    assert spoken in ([], answers), answers
    assert spoken in ([], [f"echo: {message.text}"]) or message.text.startswith("[["), answers
    return "held" if is_held else "answered" if spoken else "told"


async def _held(world: ProcessWorld, said: list[Said]) -> dict[str, str]:
    """Give what is held by the message that it is about, as `hongyan owed list` shows it."""
    ledger = await world.adds_up()
    owed = await world.owed() if ledger["owed"] else {}
    held = {message: row["id"] for message, row in owed.items() if row["turn_state"] == "held"}
    assert len(held) == ledger["received"]["classes"]["held"]
    for message in said:
        assert len(_last_words(world, message)) <= 1, world.answers_to(message)
        assert world.answers_to(message) or held, f"{message.text!r} is lost"
    return held


async def _drop(world: ProcessWorld, held: list[str]) -> None:
    """Decide as the owner would; what waited behind it goes on."""
    for request in held:
        await world.command("owed", "act", request, "drop")
    await world.until_settled()
    await world.adds_up()
