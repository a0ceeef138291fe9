"""`service`: hand the gateway to the machine's own supervisor."""

import os
import subprocess
from collections.abc import Sequence
from typing import Final

import typer

from hongyan.entrypoints.cli.call import Call, command, group
from hongyan.entrypoints.cli.outcome import ExitCode, Failure
from hongyan.entrypoints.cli.screen import facts, line
from hongyan.entrypoints.cli.units import Supervisor, supervisor
from hongyan.entrypoints.cli.words import say

__all__ = ["register"]

TOOL_SECONDS: Final = 60.0


def register(root: typer.Typer) -> None:
    """Add the commands."""
    service = group("service", root)
    command(service, "install", "help.service.install")(install)
    command(service, "status", "help.service.status")(status)
    command(service, "remove", "help.service.remove")(remove)


def install(call: Call) -> None:
    """Write the unit and start it; doing it again brings it up to date."""
    chosen = supervisor(call.home, os.environ)
    try:
        chosen.path.parent.mkdir(parents=True, exist_ok=True)
        chosen.path.write_bytes(chosen.text)
    except OSError as error:
        sentence = say("service.unwritable", path=str(chosen.path), reason=error.strerror or "")
        raise Failure("service.unwritable", sentence, say("service.mend")) from None
    for words in chosen.install:
        _run(words)
    if not call.answered(_view(chosen, True)):
        line(say("service.installed", name=chosen.name, path=str(chosen.path)))
        line(say("service.environment", path=str(call.home / "service.env")))


def status(call: Call) -> None:
    """Say whether the service is installed and runs; 5 when it does not."""
    chosen = supervisor(call.home, os.environ)
    active = chosen.path.exists() and _ask(chosen.active).returncode == 0
    if not call.answered(_view(chosen, active)):
        state = "service.active" if active else "service.inactive" if chosen.path.exists() else "service.absent"
        facts([(say("service"), chosen.name), (say("path"), str(chosen.path)), (say("state"), say(state))])
    if not active:
        raise typer.Exit(ExitCode.BLOCKED)


def remove(call: Call) -> None:
    """Stop the service and delete its unit; without one there is nothing to do."""
    chosen = supervisor(call.home, os.environ)
    if chosen.path.exists():
        first, *rest = chosen.remove
        _run(first)
        chosen.path.unlink(missing_ok=True)
        for words in rest:
            _run(words)
    if not call.answered(_view(chosen, False)):
        line(say("service.removed", name=chosen.name))


def _view(chosen: Supervisor, active: bool) -> dict[str, object]:
    return {"service": chosen.name, "path": str(chosen.path), "installed": chosen.path.exists(), "active": active}


def _run(words: Sequence[str]) -> None:
    done = _ask(words)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().partition("\n")[0]
        raise Failure(
            "service.refused", say("service.refused", command=" ".join(words), said=said), say("service.mend")
        )


def _ask(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=TOOL_SECONDS, check=False)
    except FileNotFoundError:
        sentence = say("service.unavailable", program=words[0])
        raise Failure("service.unavailable", sentence, say("service.mend")) from None
    except subprocess.TimeoutExpired:
        sentence = say("service.refused", command=" ".join(words), said=f"> {TOOL_SECONDS:.0f} s")
        raise Failure("service.no_answer", sentence, say("service.mend")) from None
