"""The gateway's process, which ends itself by SIGKILL at a named moment.

    HONGYAN_TEST_KILL=part_written:1 python -m tests.harness.killed_daemon --home DIR --no-simulator

The moments are those of `kill_points`; the number counts their passings. A third word `later` lets nothing count before
the process gets SIGUSR1, so that a home can be set up first. HONGYAN_TEST_ROTATES_MS lets a card be replaced by a new
one sooner than after eight minutes. Only this module reads the variables.
"""

import os
import signal
import sys
from typing import Final

from hongyan.bootstrap import Wiring
from hongyan.domain import limits
from hongyan.entrypoints.daemon.main import run
from tests.harness.kill_points import CARD_POINTS, KILL_POINTS, wrap_ports

__all__ = ["KILL_VARIABLE", "ROTATES_VARIABLE", "SelfKill"]

KILL_VARIABLE: Final = "HONGYAN_TEST_KILL"
ROTATES_VARIABLE: Final = "HONGYAN_TEST_ROTATES_MS"
LATER: Final = "later"


class SelfKill:
    """A trigger that ends its own process; nothing of it runs after that, and nobody is told."""

    def __init__(self, point: str, nth: int, *, armed: bool) -> None:
        if point not in {*KILL_POINTS, *CARD_POINTS}:
            raise ValueError(f"{point!r} is no kill point")
        self._point, self._left, self._armed = point, nth, armed

    @classmethod
    def of(cls, words: str) -> "SelfKill":
        """Read `POINT:NTH` or `POINT:NTH:later`."""
        point, nth, *when = words.split(":")
        return cls(point, int(nth), armed=when != [LATER])

    def arm(self) -> None:
        """Count from now on."""
        self._armed = True

    async def reach(self, point: str) -> None:
        """Pass the moment, or die in it."""
        self.mark(point)

    def mark(self, point: str) -> None:
        """Pass the moment, or die in it."""
        if self._armed and point == self._point:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    async def gate(self) -> None:
        """Let every call through: whoever could be stopped here is dead."""


def main() -> int:
    """Run the gateway with the trigger around its ports."""
    if ROTATES_VARIABLE in os.environ:
        vars(limits)["CARD_ROTATES_MS"] = int(os.environ[ROTATES_VARIABLE])
    trigger = SelfKill.of(os.environ[KILL_VARIABLE])
    signal.signal(signal.SIGUSR1, lambda *_: trigger.arm())
    return run(sys.argv[1:], Wiring(wrap=lambda desk: wrap_ports(desk, trigger)))


if __name__ == "__main__":
    sys.exit(main())
