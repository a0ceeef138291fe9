"""`approval`: what agents ask leave for, decided once by a person at this machine, and what they must ask for."""

import sys
from enum import StrEnum
from typing import Annotated, Final

import typer

from hongyan.entrypoints.cli.call import Call, command, group
from hongyan.entrypoints.cli.gateway import Gateway, at
from hongyan.entrypoints.cli.outcome import Failure
from hongyan.entrypoints.cli.records import Record, record, records
from hongyan.entrypoints.cli.screen import facts, line, table
from hongyan.entrypoints.cli.words import known, say

__all__ = ["register"]

SNIPPET: Final = 60
RECENT: Final = 100
POLICY_FACTS: Final = ("binding_id", "revision", "workspace", "executor", "approve")


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
    command(approval, "policy", "help.approval.policy")(policy)


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
    yes: Annotated[bool, typer.Option("--yes", "-y", help=say("option.yes"))] = False,
) -> None:
    """Decide one request, after showing all of what would be allowed.

    A program is refused: an agent that can start commands could allow itself anything.
    """
    _demand_a_person()
    with call.gateway() as gateway:
        if answer is not Answer.REJECT and not yes:
            _ask(gateway, identity)
        done = record(gateway.post(at("approvals", identity, "decide"), {"outcome": OUTCOMES[answer]}))
    if not call.answered(done.fields):
        line(say("decided", id=identity, outcome=known("outcome", done.text("outcome"))))


def policy(
    call: Call,
    binding: Annotated[str | None, typer.Argument(metavar="[BINDING]")] = None,
    rules: Annotated[str | None, typer.Argument(metavar="[CLASS=RULE,…]", help=say("option.rules"))] = None,
    revision: Annotated[
        int | None, typer.Option("--expect-revision", metavar="N", help=say("option.expect_revision"))
    ] = None,
) -> None:
    """Show the rules of every binding or of one, or change the named ones; to change them takes a person."""
    if rules is not None:
        _demand_a_person()
    with call.gateway() as gateway:
        found = _changed(gateway, binding, rules, revision) if binding and rules else _rules(gateway, binding)
    if not call.answered([{key: one.fields.get(key) for key in POLICY_FACTS} for one in found]):
        table([say(key) for key in POLICY_FACTS], [[one.text(key) for key in POLICY_FACTS] for one in found])


def _rules(gateway: Gateway, binding: str | None) -> list[Record]:
    if binding is not None:
        return [record(gateway.get(at("bindings", binding)))]
    return [one for one in records(gateway.get("/bindings"), "bindings") if one.text("state") == "live"]


def _changed(gateway: Gateway, binding: str, rules: str, revision: int | None) -> list[Record]:
    return [record(gateway.patch(at("bindings", binding), {"approve": rules, "revision": revision}))]


def _demand_a_person() -> None:
    """Raise Failure when no terminal is there: a program must not say what it may do."""
    if not sys.stdin.isatty():
        raise Failure("approval.no_terminal", say("approval.no_terminal"), say("approval.no_terminal.mend"))


def _ask(gateway: Gateway, identity: str) -> None:
    """Show the whole request and raise Failure unless the person says yes; what is not open is left to the gateway."""
    for one in records(gateway.get("/approvals"), "approvals"):
        if one.text("id") == identity:
            facts([(say(name), one.text(name)) for name in ("subject", "reason", "session_id", "risk")])
            line(one.text("arguments"))
            if not typer.confirm(say("confirm_approval"), default=False):
                raise Failure("approval.declined", say("declined"), say("approval.declined.mend"))


def _state(one: Record) -> str:
    outcome = one.text("outcome")
    return known("outcome", outcome) if outcome else known("approval", one.text("state"))


def _snippet(one: Record) -> str:
    first, _, more = one.text("subject").partition("\n")
    return first if len(first) <= SNIPPET and not more else f"{first[:SNIPPET]}…"
