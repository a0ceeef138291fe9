"""The table of ends: what each cell has to come to, and which cells cannot be."""

import tomllib
from pathlib import Path
from typing import Final

from tests.matrix.faults import FAULTS, Fault
from tests.matrix.paths import PATHS, WritePath

__all__ = ["IMPOSSIBLE", "cells", "end_of"]

IMPOSSIBLE: Final = "impossible: "
_FILE: Final = Path(__file__).with_name("ends.toml")
_ENDS: Final[dict[str, dict[str, str]]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))


def end_of(path: WritePath, fault: Fault) -> str:
    """Give the expected end of a cell, or why it cannot be; empty for a cell that nobody thought of."""
    return _ENDS.get(path.name, {}).get(fault.name, "").strip()


def cells() -> list[tuple[WritePath, Fault]]:
    """List every cell that can be."""
    return [(path, fault) for path in PATHS for fault in FAULTS if not end_of(path, fault).startswith(IMPOSSIBLE)]
