"""How a simulator is started."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class SimulatorSettings:
    """Where it listens and how it counts time; port 0 takes a free one, `token` None makes a random one.

    `visit` is for a world that is met again: people and chats come from the seed, messages from both. With one seed,
    one visit and a virtual clock two runs of the same acts mint the same ids and times.
    """

    host: str = "127.0.0.1"
    port: int = 0
    ws_port: int = 0
    seed: int = 0
    visit: int = 0
    token: str | None = None
    clock: Literal["real", "virtual"] = "real"
    start_ms: int | None = None
