"""How a command ends: its exit code, and what is said when it failed."""

import json
import sys
from collections.abc import Mapping
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import Final

from hongyan.domain.errors import (
    BlockedError,
    BusyError,
    ConfigurationError,
    HongyanError,
    NotFoundError,
    RefusedError,
    StoreError,
)
from hongyan.entrypoints.cli.records import plain

__all__ = ["ExitCode", "Failure", "exit_code_of", "tell"]


class ExitCode(IntEnum):
    """What the exit code of a command means."""

    DONE = 0
    INTERNAL = 1
    USAGE = 2
    REFUSED = 3
    NOT_YET = 4
    BLOCKED = 5
    UNKNOWN = 6
    BUSY = 7
    CANCELLED = 130  # Ctrl-C, as every shell knows it


# The first pattern that fits decides; an exact code stands before the family it leaves.
BY_CODE: Final = (
    ("internal.*", ExitCode.INTERNAL),
    ("config.secret_missing", ExitCode.BLOCKED),
    ("config.*", ExitCode.USAGE),
    ("cli.*", ExitCode.USAGE),
    ("request.*", ExitCode.USAGE),
    ("chat.not_found", ExitCode.REFUSED),
    ("*.not_found", ExitCode.USAGE),
    ("agent.held", ExitCode.BLOCKED),
    ("*.not_claimed", ExitCode.NOT_YET),
    ("gateway.stopping", ExitCode.NOT_YET),
    ("turn.not_ended", ExitCode.NOT_YET),
    ("turn.held", ExitCode.UNKNOWN),
    ("*.unknown_outcome", ExitCode.UNKNOWN),
    ("*.busy", ExitCode.BUSY),
    ("*.taken", ExitCode.BUSY),
    ("*.held", ExitCode.BUSY),
    ("store.conflict", ExitCode.BUSY),
    ("chat.throttled", ExitCode.BUSY),
    ("gateway.no_answer", ExitCode.BUSY),
    ("chat.rejected", ExitCode.REFUSED),
    ("chat.form_refused", ExitCode.REFUSED),
    ("chat.target_gone", ExitCode.REFUSED),
    ("workspace.unavailable", ExitCode.BLOCKED),
    ("agent.refused", ExitCode.REFUSED),
    ("agent.*", ExitCode.BLOCKED),
    ("chat.*", ExitCode.BLOCKED),
    ("executor.*", ExitCode.BLOCKED),
    ("gateway.*", ExitCode.BLOCKED),
    ("service.*", ExitCode.BLOCKED),
    ("store.*", ExitCode.BLOCKED),
)
BY_STATUS: Final = {
    400: ExitCode.USAGE,
    404: ExitCode.USAGE,
    422: ExitCode.USAGE,
    423: ExitCode.BUSY,
    424: ExitCode.BLOCKED,
    429: ExitCode.BUSY,
    500: ExitCode.INTERNAL,
    502: ExitCode.BLOCKED,
    503: ExitCode.BUSY,
    504: ExitCode.UNKNOWN,
    507: ExitCode.BLOCKED,
}
BY_CLASS: Final = (
    (ConfigurationError, ExitCode.USAGE),
    (NotFoundError, ExitCode.USAGE),
    (RefusedError, ExitCode.REFUSED),
    (StoreError, ExitCode.BLOCKED),
    (BlockedError, ExitCode.BLOCKED),
    (BusyError, ExitCode.BUSY),
)


class Failure(Exception):  # noqa: N818 - it is also how a command says "not yet", which is no error
    """A command did not do what was asked: a sentence, a stable code, and what to do about it."""

    def __init__(self, code: str, message: str, hint: str = "", *, retryable: bool = False, status: int = 0) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.retryable = code, message, hint, retryable
        self.exit_code = exit_code_of(code, BY_STATUS.get(status, ExitCode.REFUSED))

    @classmethod
    def of(cls, error: HongyanError) -> "Failure":
        """Say what an error of the gateway's own rooms says."""
        failure = cls(error.code, error.message, error.hint, retryable=error.retryable)
        by_class = next((code for kind, code in BY_CLASS if isinstance(error, kind)), ExitCode.INTERNAL)
        failure.exit_code = exit_code_of(error.code, by_class)
        return failure


def exit_code_of(code: str, otherwise: ExitCode) -> ExitCode:
    """Give the exit code of an error code, or `otherwise` when no pattern knows it."""
    return next((exit_code for pattern, exit_code in BY_CODE if fnmatchcase(code, pattern)), otherwise)


def tell(failure: Failure, *, as_json: bool, facts: Mapping[str, object] | None = None) -> ExitCode:
    """Say a failure, as JSON on stdout or as a sentence with its mend on stderr, and give its exit code."""
    if as_json:
        error = {
            "code": failure.code,
            "message": failure.message,
            "retryable": failure.retryable,
            "hint": failure.hint,
        }
        print(json.dumps({"error": error, **(facts or {})}, ensure_ascii=False, indent=2))
    else:
        print(f"{plain(failure.message)} ({failure.code})", file=sys.stderr)
        if failure.hint:
            print(f"  → {plain(failure.hint)}", file=sys.stderr)
    return failure.exit_code
