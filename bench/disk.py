"""What one sync of this disk costs, measured in the same run as what is compared with it."""

import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

__all__ = ["Percentiles", "fdatasync_ms", "fdatasync_seconds", "median_of", "percentiles", "rounded"]

_BLOCK: Final = b"x" * 4096  # a page of SQLite


@dataclass(frozen=True, slots=True)
class Percentiles:
    """The middle and the slow end of a series, in milliseconds."""

    p50: float
    p99: float


def percentiles(seconds: Sequence[float]) -> Percentiles:
    """Give the percentiles of a series of durations in seconds."""
    ordered = sorted(seconds)
    return Percentiles(*(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 for share in (0.5, 0.99)))


def median_of(series: Sequence[Percentiles]) -> Percentiles:
    """Give the median of each percentile over several rounds: one disturbed round decides nothing."""
    return Percentiles(statistics.median(one.p50 for one in series), statistics.median(one.p99 for one in series))


def rounded(found: Percentiles) -> dict[str, float]:
    """Give the percentiles with three digits, for a report."""
    return {name: round(value, 3) for name, value in asdict(found).items()}


def fdatasync_ms(folder: Path | None = None, *, count: int = 300) -> Percentiles:
    """Write and sync one page `count` times in `folder` (the temporary folder without one)."""
    return percentiles(fdatasync_seconds(folder, count))


def fdatasync_seconds(folder: Path | None, count: int) -> list[float]:
    """Give how long each of `count` syncs of one page took."""
    durations: list[float] = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        os.pwrite(file.fileno(), _BLOCK * count, 0)  # the file has its size: only data is synced below
        os.fsync(file.fileno())
        for number in range(count):
            start = time.perf_counter()
            os.pwrite(file.fileno(), _BLOCK, number * len(_BLOCK))
            os.fdatasync(file.fileno())
            durations.append(time.perf_counter() - start)
    return durations
