"""`approval list` and `approval decide`: what agents ask leave for, decided once by a person at this machine."""

import sys
from enum import StrEnum
from typing import Annotated, Final

import typer

from hongyan.entrypoints.cli.call import Call, command, group
from hongyan.entrypoints.cli.gateway import at
from hongyan.entrypoints.cli.outcome import Failure
from hongyan.entrypoints.cli.records import Record, record, records
from hongyan.entrypoints.cli.screen import line, table
from hongyan.entrypoints.cli.words import known, say

__all__ = ["register"]

SNIPPET: Final = 60
RECENT: Final = 100


class Answer(StrEnum):
    """What may be answered, as it is typed."""

    ONCE = "once"
    SESSION = "session"
    REJECT = "reject"


OUTCOMES: Final = {
    Answer.ONCE: "allowed_once",
    Answer.SESSION: "allowed_session",
    Answer.REJECT: "rejected",
}


def register(root: typer.Typer) -> None:
    """Add the commands."""
    approval = group("approval", root)
    command(approval, "list", "help.approval.list")(list_approvals)
    command(approval, "decide", "help.approval.decide")(decide)


def list_approvals(
    call: Call, everything: Annotated[bool, typer.Option("--all", help=say("option.settled"))] = False
) -> None:
    """List the open requests, oldest first, or the newest ones of any state."""
    with call.gateway() as gateway:
        found = records(gateway.get("/approvals", {"recent": RECENT} if everything else None), "approvals")
    if call.answered([one.fields for one in found]):
        return
    table(
        ["id", say("state"), say("risk"), say("subject"), say("session_id"), say("since")],
        [
            [
                one.text("id"),
                _state(one),
                one.text("risk"),
                _snippet(one),
                one.text("session_id"),
                one.moment("asked_at"),
            ]
            for one in found
        ],
    )


def decide(
    call: Call,
    identity: Annotated[str, typer.Argument(metavar="ID")],
    answer: Annotated[Answer, typer.Argument(metavar="once|session|reject")],
) -> None:
    """Decide one request. A program is refused: an agent that can start commands could allow itself anything."""
    if not sys.stdin.isatty():
        raise Failure("approval.no_terminal", say("approval.no_terminal"), say("approval.no_terminal.mend"))
    with call.gateway() as gateway:
        done = record(gateway.post(at("approvals", identity, "decide"), {"outcome": OUTCOMES[answer]}))
    if not call.answered(done.fields):
        line(say("decided", id=identity, outcome=known("outcome", done.text("outcome"))))


def _state(one: Record) -> str:
    outcome = one.text("outcome")
    return known("outcome", outcome) if outcome else known("approval", one.text("state"))


def _snippet(one: Record) -> str:
    subject = one.text("subject").partition("\n")[0]
    return subject if len(subject) <= SNIPPET else f"{subject[:SNIPPET]}…"
