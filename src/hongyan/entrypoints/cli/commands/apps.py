"""`app` and `owner`: Feishu and Lark Apps, and who owns them."""

import sys
from typing import Annotated

import typer

from hongyan.domain.pairing import PairingState
from hongyan.entrypoints.cli.call import Call, command, group
from hongyan.entrypoints.cli.checks import show_checks
from hongyan.entrypoints.cli.gateway import at
from hongyan.entrypoints.cli.outcome import ExitCode, Failure
from hongyan.entrypoints.cli.records import Record, record, records
from hongyan.entrypoints.cli.screen import facts, line, print_json, table
from hongyan.entrypoints.cli.words import say

__all__ = ["register"]


def register(root: typer.Typer) -> None:
    """Add the commands."""
    app = group("app", root)
    command(app, "list", "help.app.list")(list_apps)
    command(app, "verify", "help.app.verify")(verify)
    owner = group("owner", root)
    command(owner, "pair", "help.owner.pair")(pair)
    command(owner, "confirm", "help.owner.confirm")(confirm)
    command(owner, "list", "help.owner.list")(list_owners)


def list_apps(call: Call) -> None:
    """List the configured Apps."""
    with call.gateway() as gateway:
        found = records(gateway.get("/apps"), "apps")
    if not call.answered([one.fields for one in found]):
        table(
            [say("app"), say("app_id"), say("state"), say("bot"), say("owner"), say("problem")],
            [[one.text(key) for key in ("app", "app_id", "state", "bot_name", "owner", "error_code")] for one in found],
        )


def verify(call: Call, name: Annotated[str, typer.Argument(metavar="APP")]) -> None:
    """Check one App against the platform; 5 when something needs mending."""
    with call.gateway() as gateway:
        report = record(gateway.post(f"{at('apps', name)}/verify"))
    if not call.answered(report.fields):
        facts([(say("app"), report.text("app")), (say("bot"), report.text("bot_open_id"))])
    if show_checks(call, report.records("checks")):
        raise typer.Exit(ExitCode.BLOCKED)


def pair(
    call: Call,
    app: Annotated[str, typer.Option("--app", metavar="APP", help=say("option.app"))],
    replace: Annotated[bool, typer.Option("--replace", help=say("option.replace"))] = False,
) -> None:
    """Make a pairing code and say what to do with it."""
    with call.gateway() as gateway:
        pairing = record(gateway.post("/pairings", {"app": app, "replace": replace}))
    if not call.answered(pairing.fields):
        facts([(say("code"), pairing.text("code")), (say("expires"), pairing.moment("expires_at"))])
        line(say("pair.next", pairing=pairing.text("pairing_id")))


def confirm(
    call: Call,
    pairing_id: Annotated[str, typer.Argument(metavar="PAIRING_ID")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help=say("option.yes"))] = False,
) -> None:
    """Show who sent the code and make that person the owner."""
    with call.gateway() as gateway:
        pairing = record(gateway.get(at("pairings", pairing_id)))
        if pairing.text("state") == PairingState.LIVE:
            raise Failure("pairing.not_claimed", say("not_claimed"), say("not_claimed.mend"), retryable=True)
        if pairing.text("state") == PairingState.CLAIMED and not call.as_json:
            _ask(pairing, yes)
        owner = gateway.post(f"{at('pairings', pairing_id)}/confirm")
    if not call.answered(owner):
        line(say("paired", name=_who(record(owner)), app=record(owner).text("app")))


def _ask(pairing: Record, yes: bool) -> None:
    facts(
        [(say("app"), pairing.text("app")), (say("name"), pairing.text("name")), ("open_id", pairing.text("open_id"))]
    )
    if yes:
        return
    if not sys.stdin.isatty():
        raise Failure("cli.no_terminal", say("no_terminal"), say("no_terminal.mend"))
    if not typer.confirm(say("confirm_owner"), default=False):
        raise Failure("pairing.declined", say("declined"), say("declined.mend"))


def list_owners(call: Call) -> None:
    """List the verified owners."""
    with call.gateway() as gateway:
        found = records(gateway.get("/owners"), "owners")
    if call.as_json:
        print_json([one.fields for one in found])
        return
    table(
        [say("app"), say("name"), "open_id", say("paired_at")],
        [[one.text("app"), one.text("name"), one.text("open_id"), one.moment("paired_at")] for one in found],
    )


def _who(owner: Record) -> str:
    return owner.text("name") or owner.text("open_id")
