"""The machine's clocks."""

import asyncio
import time
from pathlib import Path
from typing import Final

__all__ = ["SystemClock"]

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_BOOT_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # macOS: its monotonic clock counts sleep


class SystemClock:
    """Implement `Clock` with the operating system's clocks."""

    def __init__(self) -> None:
        self._boot_id = _read_boot_id()

    def now(self) -> int:
        """Give the wall clock in UTC milliseconds."""
        return time.time_ns() // 1_000_000

    def boot(self) -> int:
        """Give milliseconds since boot, counting suspended time."""
        return time.clock_gettime_ns(_BOOT_CLOCK) // 1_000_000

    def boot_id(self) -> str:
        """Name this boot; where the system gives no name, the process's start stands for it."""
        return self._boot_id

    async def sleep(self, milliseconds: int) -> None:
        """Return after that time."""
        await asyncio.sleep(milliseconds / 1_000)


def _read_boot_id() -> str:
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return f"process-{time.time_ns()}"
