"""How a start ends when it fails: its exit code, one sentence with the code, and the mend."""

import sys
from enum import IntEnum
from typing import Final

from hongyan.domain.errors import (
    BlockedError,
    BusyError,
    ConfigurationError,
    HongyanError,
    StoreError,
)

__all__ = ["ExitCode", "UsageError", "exit_code_of", "tell"]


class ExitCode(IntEnum):
    """What the exit code of the process means."""

    DONE = 0
    INTERNAL = 1
    USAGE = 2
    BLOCKED = 5
    BUSY = 7


class UsageError(ConfigurationError):
    """The command cannot be carried out as it was given."""


_BY_CLASS: Final = (
    (ConfigurationError, ExitCode.USAGE),
    (BlockedError, ExitCode.BLOCKED),
    (StoreError, ExitCode.BLOCKED),
    (BusyError, ExitCode.BUSY),
)


def exit_code_of(error: HongyanError) -> ExitCode:
    """Give the exit code of an error."""
    return next((code for kind, code in _BY_CLASS if isinstance(error, kind)), ExitCode.INTERNAL)


def tell(error: HongyanError) -> ExitCode:
    """Say on stderr what happened and how to mend it; give the exit code."""
    print(f"{error.message} ({error.code})", file=sys.stderr)
    if error.hint:
        print(f"  → {error.hint}", file=sys.stderr)
    return exit_code_of(error)
