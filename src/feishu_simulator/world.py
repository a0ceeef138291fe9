"""What every part of the platform shares: time, ids and the journal of changes."""

from dataclasses import dataclass

from feishu_simulator.clock import SimClock
from feishu_simulator.ids import IdMint
from feishu_simulator.journal import Journal


@dataclass(frozen=True, slots=True)
class World:
    """One run's clock, ids and journal."""

    clock: SimClock
    ids: IdMint
    journal: Journal
