"""The last one to hear of a failure: every way a command can end becomes a sentence and an exit code."""

import io
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hongyan.domain.errors import HongyanError
from hongyan.domain.home import LOG_FOLDER
from hongyan.entrypoints.cli.outcome import ExitCode, Failure, tell
from hongyan.entrypoints.cli.words import say

__all__ = ["guarded"]

LOG: Final = "cli.log"


def guarded(work: Callable[[], int], *, as_json: bool, home: Path) -> int:
    """Do the work and give its exit code; whatever it raises is told in one sentence, never as a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter still gets the rest
    _open_closed_channels()
    failure: Failure | None = None
    try:
        code, failure = _attempt(work, home)
        if failure is not None:
            tell(failure, as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
        code = failure.exit_code if failure else ExitCode.DONE
    return code


def _attempt(work: Callable[[], int], home: Path) -> tuple[int, Failure | None]:
    """Give how the work ended: its exit code and, when it failed, what is to be told."""
    try:
        return work(), None
    except Failure as error:
        failure = error
    except HongyanError as error:
        failure = Failure.of(error)
    except KeyboardInterrupt:
        return ExitCode.CANCELLED, None
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - nobody above could tell it better
        written = _note(home)
        failure = Failure(
            "internal.error", say("internal", error=type(error).__name__), say("internal.mend", path=str(written))
        )
    return failure.exit_code, failure


def _open_closed_channels() -> None:
    """Let a process that was started without them have its two channels, to nowhere: Python gives None for each."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process


def _silence() -> None:
    """Whoever read our output is gone; Python's own flush at the end must not complain about it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _note(home: Path) -> Path:
    """Append the traceback to a file of the home, or of the temporary folder when the home cannot take it."""
    for folder in (home / LOG_FOLDER, Path(tempfile.gettempdir())):
        path = folder / (LOG if folder.parent == home else f"hongyan-{os.getuid()}-{LOG}")
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        except OSError:
            continue
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(traceback.format_exc())
        return path
    return Path(os.devnull)
