"""One world in which cells are played one after the other."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from feishu_simulator.announcements import RECALLED
from feishu_simulator.delivery import EventState
from feishu_simulator.faults import Effect
from feishu_simulator.model import Message as Said
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from tests.harness import World, open_world
from tests.harness.crash import Crash
from tests.harness.stillness import stillness
from tests.harness.troupe import Troupe
from tests.harness.waiting import stacks
from tests.matrix.aim import Aim
from tests.matrix.line import Line

__all__ = ["Stage", "open_stage"]

PATIENT_LOOKS: Final = 40
STEPS: Final = 4_000
STEP_MOST_MS: Final = 1_000
HEARD: Final = frozenset({EventState.ACKED, EventState.ABANDONED})
_OPEN_ROWS: Final = """
SELECT * FROM parts WHERE state IN ('planned', 'intended') OR (state IN ('written', 'unknown') AND next_at IS NOT NULL)
"""
_OPEN_PARTS: Final = f"SELECT 1 FROM ({_OPEN_ROWS})"
_OPEN: Final = f"""
SELECT 1 WHERE EXISTS ({_OPEN_PARTS}) OR EXISTS (SELECT 1 FROM cards WHERE state <> 'closed' AND kind <> 'owed')
  OR EXISTS (SELECT 1 FROM requests r LEFT JOIN turns t ON t.id = r.turn_id
    WHERE r.state IN ('captured', 'admitted', 'rejected', 'command') OR (r.state = 'turn' AND t.state <> 'held'))
"""


@dataclass(slots=True)
class Stage:
    """A world with what the matrix needs beside it: agents without processes, an aim, the line, a way to die."""

    world: World
    troupe: Troupe
    aim: Aim
    line: Line
    crash: Crash = field(default_factory=Crash)
    count: int = 0
    withdrawn: int = 0

    def token(self) -> str:
        """Give a word that no other cell says."""
        self.count += 1
        return f"w{self.count}x"

    def say(self, words: str) -> Said:
        """Write to the bot as the owner."""
        return self.world.say(words)

    async def die(self) -> None:
        """End this life of the gateway at this very place, when all else has come as far as it can at this time."""
        await self.quiet()
        self.crash.point = "aimed"
        await self.crash.reach("aimed")

    async def rise(self) -> None:
        """Start the next life on the same files."""
        self.crash = Crash()
        await self.world.crash()
        await self.world.begin(self.crash)
        await self.flow(self.world.has_begun)

    def withdraw(self, message_id: str) -> None:
        """Let somebody delete a message; the event of it is lost, so that the refused write is all that tells."""
        message = next(m for m in self.world.platform.visible(self.world.chat.chat_id) if m.message_id == message_id)
        self.withdrawn += message.by_bot
        if not message.by_bot:
            self.world.fault(f"event:{RECALLED}", Effect(drop=True, no_redelivery=True))
        self.world.platform.people.delete(message_id)

    # --- time ---------------------------------------------------------------------------------

    async def flow(self, done: Callable[[], bool]) -> None:
        """Let work be done and time pass, by turns, until the condition holds."""
        for _ in range(STEPS):
            if done():
                return
            await self.quiet()
            if done():
                return
            await self.world.advance(self.world.clock.next_wake(STEP_MOST_MS))
        raise AssertionError("it never came")

    async def flow_rows(self, sql: str, *, none: bool = False) -> None:
        """Let time pass until a query gives a row, or no more."""
        for _ in range(STEPS):
            await self.quiet()
            if self._all_heard() and bool(await self.world.rows(sql)) is not none:
                return
            await self.world.advance(self.world.clock.next_wake(STEP_MOST_MS))
        raise AssertionError(f"it never came: {sql}")

    def _all_heard(self) -> bool:
        return all(event.state in HEARD for event in self.world.platform.events("im.message.receive_v1"))

    async def carried(self) -> None:
        """Let time pass until every write has an outcome."""
        await self.flow_rows(_OPEN_PARTS, none=True)

    async def quiet(self) -> None:
        """Return when all is done that can be done now: what is left waits for time to pass."""
        await stillness(lambda: self.world.disk.busy + self.line.busy)

    async def explain(self) -> str:
        """Tell what is still open, for a cell that does not end."""
        requests = await self.world.rows("SELECT text, state, code, next_at FROM requests WHERE state <> 'closed'")
        turns = await self.world.rows("SELECT state, text FROM turns WHERE state NOT IN ('completed', 'failed')")
        parts = await self.world.rows(f"SELECT transport, state, code, next_at, attempts FROM ({_OPEN_ROWS})")
        cards = await self.world.rows("SELECT kind, state, carrier FROM cards WHERE state <> 'closed'")
        dead, met = self.crash.dead.is_set(), self.aim.met is not None
        events = self.world.platform.events("im.message.receive_v1")
        heard = [(event.state, [a.outcome for a in event.attempts]) for event in events if event.state not in HEARD]
        return (
            f"now {self.world.clock.now()} {dead=} {met=} {heard=}\n{requests}\n{turns}\n{parts}\n{cards}\n{stacks()}"
        )

    async def is_settled(self) -> bool:
        """Tell whether nothing is open now."""
        return self._all_heard() and not await self.world.rows(_OPEN)

    async def hear(self) -> None:
        """Let what the platform sent be taken in, before time leaps over it."""
        for _ in range(PATIENT_LOOKS):
            await self.quiet()
            if self._all_heard():
                return

    async def waits_for_event(self) -> bool:
        """Tell whether only an event is still to come, which the platform may bring again hours later."""
        return not self._all_heard() and not await self.world.rows(_OPEN)

    async def flow_some(self) -> None:
        """Let a little time pass."""
        for _ in range(10):
            await self.quiet()
            await self.world.advance(self.world.clock.next_wake(STEP_MOST_MS))

    async def settle(self) -> None:
        """Let time pass until nothing is open but a list of what waits, which stays for a day."""
        await self.flow_rows(_OPEN, none=True)

    async def tidy(self) -> None:
        """Leave nothing that the next cell would see."""
        self.world.platform.faults.rules.clear()
        self.world.clock.skew_ms = 0
        self.aim.at(lambda _: False)
        for row in await list_owed(self.world.gateway.desk):
            if OwedAction.CLOSE in row.actions:
                await act_on_owed(self.world.gateway.desk, row.id, OwedAction.CLOSE, row.version)
        await self.settle()
        await self.world.advance(STEP_MOST_MS)  # equal words of one moment are one message under two ids


@asynccontextmanager
async def open_stage(home: Path, line: Line, scopes_missing: str = "") -> AsyncIterator[Stage]:
    """Give a stage whose gateway runs, with the owner paired and the private chat bound."""
    async with open_world(home, bound=False) as world:
        stage = Stage(world, Troupe(), Aim(), line)
        world.disk, world.dress = stage.aim, stage.troupe.dress
        if scopes_missing:
            world.forbid(scopes_missing)
        await world.start(stage.crash)
        await world.bind()
        await stage.settle()
        yield stage
