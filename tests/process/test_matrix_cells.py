"""A sample of the matrix of writes and faults, with real processes and real SIGKILLs: the ends are those of its table.

`scripts/fault-matrix` plays all twenty, a usual run those of the last rows.

Marks under messages are left out here: they would pass the same moments as words and take the kill upon them.
"""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.harness.process_world import ProcessWorld, open_process_world
from tests.matrix.ends import end_of
from tests.matrix.faults import FAULTS
from tests.matrix.paths import PATHS, REPLY, WORDS_REFUSED

from feishu_simulator.faults import Effect, Match
from feishu_simulator.model import Message as Said

pytestmark = pytest.mark.process

PLAYS_ALL: Final = "HONGYAN_KILL_CELLS" in os.environ
MARKS: Final = frozenset({"Get", "OnIt"})
BIG: Final = "[[big:4]]"  # two parts
WORDS: Final = {
    "answer as a text": "[[say:TOKEN]]",
    "answer as a post": "[[say:**bold** TOKEN]]",
    "answer as a card": "[[say:# TOKEN]]",
    "second part of an answer": BIG,
    "notice": "[[crash]] TOKEN",
}
KILLS: Final = {
    "killed before intent": "completed",
    "killed after intent": "part_intended",
    "killed after write": "part_written",
    "killed after receipt": "receipt_saved",
}
EFFECTS: Final = {
    "refused": Effect(error_code=WORDS_REFUSED),
    "5xx": Effect(http_status=502),
    "time-out after": Effect(lost_response=True),
    "reset": Effect(refuse_connection=True),
    "429": Effect(error_code=99991400),
    "stale token": Effect(stale_token=True),
}
SAMPLE: Final = (
    ("answer as a text", "refused", "5xx", "time-out after", "killed before intent", "killed after intent"),
    ("answer as a text", "429", "reset", "stale token", "killed after write", "killed after receipt"),
    ("answer as a post", "time-out after", "killed after write"),
    ("answer as a card", "5xx", "refused", "killed after receipt"),
    ("second part of an answer", "429", "killed after intent", "killed after write"),
    ("notice", "5xx", "killed after write"),
)
PARTS: Final = """
SELECT p.state FROM parts p JOIN deliveries d ON d.id = p.delivery_id JOIN requests r ON r.id = d.request_id
WHERE r.message_id = :message AND d.phase IN ('final', 'notice') AND p.ordinal = :ordinal ORDER BY p.rowid
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """One write and one fault of the table."""

    write: str
    fault: str

    @property
    def nth(self) -> int:
        """Say which part of the answer is meant."""
        return 2 if self.write.startswith("second") else 1

    @property
    def kill(self) -> str:
        """Give the words for the gateway's process; empty for a fault that kills nobody."""
        return f"{KILLS[self.fault]}:{self.nth}:later" if self.fault in KILLS else ""

    @property
    def end(self) -> str:
        """Give the end that stands in the table, without the marks."""
        path = next(path for path in PATHS if path.name == self.write)
        fault = next(fault for fault in FAULTS if fault.name == self.fault)
        part, shown, request = end_of(path, fault).split(" | ")
        kinds = [kind for kind in shown.split(", ") if kind not in MARKS]
        return " | ".join((part, ", ".join(kinds) or "nothing", request))


@pytest.mark.parametrize("row", SAMPLE if PLAYS_ALL else SAMPLE[-3:], ids=lambda row: f"{row[0]}-{row[1]}")
async def test_real_processes_come_to_the_ends_of_the_table(tmp_path: Path, row: tuple[str, ...]) -> None:
    cells = [Cell(row[0], fault) for fault in row[1:]]
    seen = {}
    async with open_process_world(tmp_path / "home") as world:
        await world.start(kill=_next_kill(cells))
        await world.bind()
        for number, cell in enumerate(cells):
            said = await _play(world, cell, f"w{number}x", _next_kill(cells[number + 1 :]))
            seen[cell.fault] = _end(world, cell, said, f"w{number}x")
            await world.adds_up()
    assert seen == {cell.fault: cell.end for cell in cells}


def _next_kill(cells: list[Cell]) -> str:
    return next((cell.kill for cell in cells if cell.kill), "")


async def _play(world: ProcessWorld, cell: Cell, token: str, following: str) -> Said:
    """Let the write meet its fault; give the message that it answers."""
    if not cell.kill:
        world.platform.faults.add(Match(REPLY, times=1, nth=cell.nth), EFFECTS[cell.fault])
        said = world.say(WORDS[cell.write].replace("TOKEN", token))
    else:
        doomed = world.gateway
        doomed.arm()
        said = world.say(WORDS[cell.write].replace("TOKEN", token))
        assert (await doomed.ended()).code == -signal.SIGKILL
        await world.start(kill=following)
    await world.until_settled()
    return said


def _end(world: ProcessWorld, cell: Cell, said: Said, token: str) -> str:
    states = [state for (state,) in world.rows(PARTS, message=said.message_id, ordinal=cell.nth - 1)]
    texts = world.answers_to(said)
    kinds = ["answer" if token in text or cell.write.startswith("second") else "words" for text in texts]
    shown = [kind if kinds.count(kind) == 1 else f"{kinds.count(kind)} × {kind}" for kind in dict.fromkeys(kinds)]
    [(state, closed_as, owed)] = world.rows(
        "SELECT state, closed_as, owed FROM requests WHERE message_id = :message", message=said.message_id
    )
    request = str(closed_as if state == "closed" else state) + (", owed" if owed else "")
    return " | ".join((" → ".join(states), ", ".join(shown) or "nothing", request))
