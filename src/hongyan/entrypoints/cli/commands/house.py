"""`status`, `doctor`, `stop`, `up`, `simulator`, `backup`, `restore` and `config check`: the gateway itself."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Annotated, Final, NoReturn

import typer

from hongyan.entrypoints.cli.call import Call, command, group
from hongyan.entrypoints.cli.checks import show_checks
from hongyan.entrypoints.cli.gateway import Gateway, NotRunning
from hongyan.entrypoints.cli.outcome import ExitCode, Failure
from hongyan.entrypoints.cli.records import Record, record, records
from hongyan.entrypoints.cli.screen import facts, line, print_json, table
from hongyan.entrypoints.cli.words import known, say

__all__ = ["register"]

STOP_SECONDS: Final = 30.0  # running Turns are interrupted and agents ended before the process goes
LOOK_AGAIN_SECONDS: Final = 0.1
DAEMON: Final = "hongyan.entrypoints.daemon"
OFFLINE: Final = "hongyan.entrypoints.cli.offline"
SIMULATOR: Final = "feishu_simulator"

PortOption = Annotated[int | None, typer.Option("--port", min=0, max=65_535, help=say("option.port"))]
ReadyFileOption = Annotated[str | None, typer.Option("--ready-file", metavar="PATH", help=say("option.ready_file"))]


def register(root: typer.Typer) -> None:
    """Add the commands."""
    command(root, "up", "help.up")(up)
    command(root, "status", "help.status")(status)
    command(root, "doctor", "help.doctor")(doctor)
    command(root, "stop", "help.stop")(stop)


def register_copies(root: typer.Typer) -> None:
    """Add the commands about the files of a home."""
    command(root, "backup", "help.backup")(backup)
    command(root, "restore", "help.restore")(restore)
    command(root, "simulator", "help.simulator")(simulator)
    command(group("config", root), "check", "help.config.check")(check_config)


def up(
    call: Call,
    port: PortOption = None,
    ready_file: ReadyFileOption = None,
    simulator: Annotated[bool | None, typer.Option("--simulator/--no-simulator", help=say("option.simulator"))] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help=say("option.no_open"))] = False,
) -> None:
    """Become the gateway's process, in the foreground."""
    arguments = ["--home", str(call.home), *_where(port, ready_file)]
    if simulator is not None:
        arguments.append("--simulator" if simulator else "--no-simulator")
    if no_open:
        arguments.append("--no-open")
    _become(DAEMON, arguments)


def simulator(call: Call, port: PortOption = None, ready_file: ReadyFileOption = None) -> None:
    """Become the simulated platform, alone."""
    _become(SIMULATOR, _where(port, ready_file))


def _where(port: int | None, ready_file: str | None) -> list[str]:
    where = [] if port is None else ["--port", str(port)]
    return where if ready_file is None else [*where, "--ready-file", os.path.abspath(os.path.expanduser(ready_file))]


def status(call: Call) -> None:
    """Show what runs and what is owed."""
    with call.gateway() as gateway:
        found = record(gateway.get("/status", at_once=True))
        if call.answered(found.fields):
            return
        links = record(gateway.post("/login-links"))
    facts(
        [
            (say("home"), found.text("home")),
            (say("started_at"), found.moment("started_at")),
            (say("pid"), found.text("pid")),
            (say("console"), say("opens_once", link=links.text("console_url"))),
            (say("simulator"), links.text("simulator_url")),
            (say("sandbox"), found.text("sandbox")),
            (say("sessions"), found.text("sessions")),
            (say("running"), ", ".join(_running(turn) for turn in found.records("running"))),
            (say("queued"), found.text("queued")),
            (say("owed"), found.text("owed")),
            (say("ledger"), say("balanced") if found.flag("balanced") else say("unbalanced")),
        ]
    )
    apps = found.records("apps")
    if apps:
        line()
        keys = ("app", "state", "bot_name", "owner", "error_code")
        table(
            [say(key) for key in ("app", "state", "bot", "owner", "problem")],
            [[one.text(key) for key in keys] for one in apps],
        )


def _running(turn: Record) -> str:
    return f"{turn.text('turn_id')} ({known('turn', turn.text('state'))})"


def doctor(call: Call) -> None:
    """Check everything that can fail, with or without a gateway; 5 when something needs mending."""
    try:
        with call.gateway() as gateway:
            answer = gateway.get("/doctor")
    except NotRunning:
        _become(OFFLINE, _offline(call, "doctor"))
    if call.as_json:
        print_json(answer)
    if show_checks(call, records(answer, "checks")):
        raise typer.Exit(ExitCode.BLOCKED)


def stop(call: Call) -> None:
    """Ask the gateway to stop and wait until it has."""
    with call.gateway() as gateway:
        gateway.post("/stop")
        _until_gone(gateway)
    if not call.answered({"stopped": True}):
        line(say("stopped"))


def _until_gone(gateway: Gateway) -> None:
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline:
        try:
            gateway.get("/status")
        except Failure:  # gone, or no longer answering as a gateway that works
            return
        time.sleep(LOOK_AGAIN_SECONDS)
    raise Failure("gateway.stopping", say("stopping"), say("stopping.mend"), retryable=True)


def backup(call: Call, target: Annotated[str, typer.Argument(metavar="FILE")]) -> None:
    """Copy the database, through the gateway when one runs."""
    whole = os.path.abspath(os.path.expanduser(target))
    try:
        with call.gateway() as gateway:
            copied = gateway.post("/backups", {"path": whole})
    except NotRunning:
        _become(OFFLINE, _offline(call, "backup", whole))
    if not call.answered(copied):
        line(say("backup.done", path=whole))


def restore(call: Call, source: Annotated[str, typer.Argument(metavar="FILE")]) -> None:
    """Put a backup in the place of the database; no gateway may run meanwhile."""
    _become(OFFLINE, _offline(call, "restore", os.path.abspath(os.path.expanduser(source))))


def check_config(call: Call) -> None:
    """Explain every mistake in the settings by its line."""
    _become(OFFLINE, _offline(call, "check"))


def _offline(call: Call, *words: str) -> list[str]:
    return [*words, "--home", str(call.home), *(["--json"] if call.as_json else [])]


def _become(module: str, arguments: Sequence[str]) -> NoReturn:
    """Turn this process into another program: its signals, its terminal and its exit code are then ours."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])
