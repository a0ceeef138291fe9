"""What may go wrong with one write, each as something that happens at a moment of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from feishu_simulator.faults import Effect, Match
from feishu_simulator.model import Message as Said
from tests.matrix import aim
from tests.matrix.paths import WritePath
from tests.matrix.stage import Stage

__all__ = ["FAULTS", "Fault", "Scene"]

HOURS_MS: Final = 3 * 60 * 60 * 1_000
MINUTE_MS: Final = 60_000
FULL_FOR: Final = 3  # commits that a full disk refuses before there is room again


@dataclass(slots=True)
class Scene:
    """One write about to meet one fault."""

    stage: Stage
    path: WritePath
    token: str
    before: frozenset[str] = frozenset()  # the messages that stood there already
    said: Said | None = None

    def rule(self, effect: Effect) -> None:
        """Let the next call of the write go wrong at the platform."""
        self.stage.world.platform.faults.add(Match(self.path.endpoint, times=1), effect)


Act = Callable[[Scene], Awaitable[None]]


async def nothing(_: Scene) -> None:
    """Let it be."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`strikes` happens at `moment` of the write; `follows` when the write has an outcome or the gateway died."""

    name: str
    meaning: str
    strikes: Act
    moment: str = aim.INTENDED
    follows: Act = nothing


def answered_with(**effect: int | bool) -> Act:
    """Let the platform answer the call like this."""

    async def strike(scene: Scene) -> None:
        scene.rule(Effect(**effect))  # type: ignore[arg-type] # each is a field of the effect with its type

    return strike


async def refuse(scene: Scene) -> None:
    scene.rule(Effect(error_code=scene.path.refusal))


async def time_out(scene: Scene, *, acts_first: bool) -> None:
    scene.stage.line.break_once(scene.path.endpoint, acts_first=acts_first)


async def withdraw(scene: Scene) -> None:
    """Delete the message that the write answers, marks or changes."""
    target = scene.stage.aim.met
    if target is None:
        raise AssertionError("the write was met")
    message = target.part.target
    if target.card is not None and target.part.id != target.card.part_id:
        rows = await scene.stage.world.rows("SELECT provider_id FROM parts WHERE id = :id", id=target.card.part_id)
        message = rows[0][0]
    scene.stage.withdraw(message)


async def die(scene: Scene) -> None:
    await scene.stage.die()


async def rise(scene: Scene) -> None:
    await scene.stage.rise()


async def fill_disk(scene: Scene) -> None:
    scene.stage.aim.refused.clear()
    scene.stage.aim.fill()


async def free_disk(scene: Scene) -> None:
    await scene.stage.flow(lambda: len(scene.stage.aim.refused) >= FULL_FOR)
    scene.stage.aim.free()


async def stop_disk(scene: Scene) -> None:
    scene.stage.aim.spins.clear()


async def spin_disk(scene: Scene) -> None:
    """A minute later: long enough for whoever would lose patience."""
    await scene.stage.quiet()
    await scene.stage.world.advance(MINUTE_MS)
    await scene.stage.quiet()
    scene.stage.aim.spins.set()


async def jump(scene: Scene, *, milliseconds: int) -> None:
    scene.stage.world.clock.skew_ms = milliseconds


async def suspend(scene: Scene) -> None:
    await scene.stage.world.advance(HOURS_MS, leap=True)


lose_answer: Final = partial(time_out, acts_first=True)
FAULTS: Final = (
    Fault("refused", "the platform refuses the call for good", refuse),
    Fault("5xx", "HTTP 502, nothing was done", answered_with(http_status=502)),
    Fault("time-out before", "no answer, nothing was done", partial(time_out, acts_first=False)),
    Fault("time-out after", "no answer, it was done", lose_answer),
    Fault("reset", "the connection is cut, nothing was done", answered_with(refuse_connection=True)),
    Fault("429", "the platform asks to wait", answered_with(error_code=99991400)),
    Fault("stale token", "the tenant token is no longer known", answered_with(stale_token=True)),
    Fault("target withdrawn", "the message that is answered, marked or changed is deleted", withdraw),
    Fault("killed before intent", f"SIGKILL {aim.BEFORE_INTENT}", die, aim.BEFORE_INTENT, rise),
    Fault("killed after intent", f"SIGKILL {aim.INTENDED}", die, aim.INTENDED, rise),
    Fault("killed after write", f"SIGKILL {aim.AFTER_WRITE}", die, aim.AFTER_WRITE, rise),
    Fault("killed after receipt", f"SIGKILL {aim.AFTER_RECEIPT}", die, aim.AFTER_RECEIPT, rise),
    Fault("killed during read-back", f"SIGKILL {aim.DURING_READ_BACK}", die, aim.DURING_READ_BACK, rise),
    Fault("disk full", "no commit is taken from the intent on, for a while", fill_disk, follows=free_disk),
    Fault("disk slow", "the receipt's commit takes a minute", stop_disk, aim.AFTER_WRITE, spin_disk),
    Fault(
        "clock +3 h",
        "the answer is lost and the clock jumps ahead",
        lose_answer,
        follows=partial(jump, milliseconds=HOURS_MS),
    ),
    Fault(
        "clock -3 h",
        "the answer is lost and the clock goes back",
        lose_answer,
        follows=partial(jump, milliseconds=-HOURS_MS),
    ),
    Fault("suspended 3 h", "the answer is lost and the machine sleeps", lose_answer, follows=suspend),
)
