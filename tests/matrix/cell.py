"""Bring one write and one fault together, and read what became of it."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Final

from feishu_simulator.model import Message as Said
from hongyan.domain.deliveries import Phase
from hongyan.domain.messages import CARD_LOOKS, CARD_POSTS
from tests.harness.shown_card import CARD, see_card
from tests.matrix.faults import Fault, Scene
from tests.matrix.paths import WritePath, reject_all
from tests.matrix.stage import Stage

__all__ = ["End", "play", "release_and_reject"]

PATIENCE_SECONDS: Final = 20.0
ENDS: Final = ("Done in", "Stopped after", "Failed after", "Timed out after", "Continued")
_REPLACEMENTS: Final = """
WITH RECURSIVE after(id) AS (
  SELECT :id UNION SELECT p.id FROM parts p JOIN after a ON p.replaces = a.id
) SELECT state FROM parts WHERE id IN (SELECT id FROM after) ORDER BY rowid
"""
_POSTS: Final = """
SELECT p.state FROM parts p JOIN parts m ON m.id = :id
WHERE p.delivery_id = m.delivery_id AND p.ordinal >= m.ordinal AND p.transport IN ('card', 'card_text')
ORDER BY p.ordinal
"""
_LOOKS: Final = """
SELECT p.state FROM parts p JOIN parts m ON m.id = :id
WHERE p.delivery_id = m.delivery_id AND (p.id = m.id OR (m.state <> 'verified' AND p.ordinal = (
  SELECT max(l.ordinal) FROM parts l WHERE l.delivery_id = m.delivery_id))) ORDER BY p.ordinal
"""
_BOOKS: Final = """
SELECT (SELECT count(*) FROM requests WHERE origin = 'lark'),
  (SELECT count(*) FROM parts
   WHERE transport IN ('text', 'post', 'words_card', 'card', 'card_text') AND provider_id <> '')
"""


@dataclass(frozen=True, slots=True)
class End:
    """Where a cell ends: the states of the part and of what followed it, what stands at the platform, the request."""

    part: str
    shown: str
    request: str

    def __str__(self) -> str:
        return f"{self.part} | {self.shown} | {self.request}"


async def play(stage: Stage, path: WritePath, fault: Fault) -> End:
    """Play one cell to its end; AssertionError when the fault met no such write, or the books do not add up."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await _play(stage, path, fault)
    except TimeoutError:
        raise AssertionError(await stage.explain()) from None


async def _play(stage: Stage, path: WritePath, fault: Fault) -> End:
    scene = Scene(stage, path, stage.token(), before=frozenset(_visible_ids(stage)))

    def arm() -> None:
        stage.aim.at(path.is_meant, path.receipt)
        stage.aim.strikes[fault.moment] = partial(fault.strikes, scene)

    said = scene.said = await path.go(stage, scene.token, arm)
    await stage.flow(lambda: _met(stage, fault))
    await fault.follows(scene)
    await stage.carried()
    await release_and_reject(stage, (scene.token, f"{scene.token}-end"))
    await stage.settle()
    end = End(await _part(stage), _shown(stage, scene), await _request(stage, said))
    await _check_books(stage)
    await stage.tidy()
    return end


def _met(stage: Stage, fault: Fault) -> bool:
    return fault.moment not in stage.aim.strikes and (
        stage.aim.ended.is_set() or stage.crash.dead.is_set() or not stage.aim.spins.is_set() or stage.aim.is_full
    )


async def release_and_reject(stage: Stage, cues: tuple[str, ...]) -> None:
    """Let whatever waits for a cue or for the owner go on."""
    for cue in cues:
        stage.troupe.release(cue)
    await reject_all(stage)


async def _part(stage: Stage) -> str:
    target = stage.aim.met
    if target is None:
        raise AssertionError("no such write was met")
    form = target.part.transport
    query = _POSTS if form in CARD_POSTS else _LOOKS if form in CARD_LOOKS else _REPLACEMENTS
    states = [state for (state,) in await stage.world.rows(query, id=target.part.id)]
    if form in CARD_LOOKS and states[0] == "superseded":
        states = states[1:]  # a newer look came before it was read: only that one tells
    return " → ".join(states)


def _shown(stage: Stage, scene: Scene) -> str:
    """Say what a person sees for the message: the bot's messages by kind, and the marks."""
    said, kinds = scene.said, Counter[str]()
    if said is None:
        raise AssertionError("something was said")
    visible = stage.world.platform.visible(stage.world.chat.chat_id)
    for message in visible:
        if message.by_bot and message.message_id not in scene.before:
            kinds[_kind(stage, message, scene.token)] += 1
    if scene.stage.aim.met is not None and scene.stage.aim.met.delivery.phase is not Phase.PROGRESS:
        kinds.pop("ended progress", None)  # whether a Turn took long enough for one is not what the cell is about
    seen = [kind if amount == 1 else f"{amount} × {kind}" for kind, amount in sorted(kinds.items())]
    marks = stage.world.marks_on(said) if any(one.message_id == said.message_id for one in visible) else []
    return ", ".join([*seen, *marks]) or "nothing"


def _visible_ids(stage: Stage) -> list[str]:
    return [message.message_id for message in stage.world.platform.visible(stage.world.chat.chat_id)]


def _kind(stage: Stage, message: Said, token: str) -> str:
    if message.msg_type == CARD and "header" in stage.world.platform.card(message.message_id):
        return _card_kind(stage, message)
    if message.text.startswith("Working"):
        return "open text"
    if "/stop" in message.text or message.text.startswith(ENDS):
        return "ended text"
    if "yes " in message.text or "Rejected" in message.text:
        return "question in words"
    if token in message.text or "雁" in message.text or message.text.startswith("The answer was"):
        return "answer"
    return "words"


def _card_kind(stage: Stage, message: Said) -> str:
    seen = see_card(stage.world.platform, message)
    if seen.labels or stage.world.platform.streaming(message.message_id):
        return "open card"
    return "ended progress" if seen.title.startswith(ENDS) else "closed card"


async def _request(stage: Stage, said: Said) -> str:
    [(state, closed_as, owed)] = await stage.world.rows(
        "SELECT state, closed_as, owed FROM requests WHERE message_id = :id", id=said.message_id
    )
    return str(closed_as if state == "closed" else state) + (", owed" if owed else "")


async def _check_books(stage: Stage) -> None:
    world = stage.world
    ledger = await world.ledger()
    [(journal, found)] = await world.rows(_BOOKS)
    visible = sum(message.by_bot for message in world.platform.visible(world.chat.chat_id))
    assert ledger.received.balanced, ledger
    assert ledger.writes.balanced, ledger
    assert journal == len(world.platform.said(world.chat.chat_id))
    assert found == visible + stage.withdrawn, (found, visible, stage.withdrawn)
    assert max(Counter(stage.troupe.prompts).values(), default=0) <= 1, "a prompt was sent twice"
