"""`coverage`: which stretch of each chat was compared with the platform's history, and what was missed."""

import typer

from hongyan.entrypoints.cli.call import Call, command
from hongyan.entrypoints.cli.records import Record, records
from hongyan.entrypoints.cli.screen import line, table
from hongyan.entrypoints.cli.words import known, say

__all__ = ["register"]


def register(root: typer.Typer) -> None:
    """Add the command."""
    command(root, "coverage", "help.coverage")(show_coverage)


def show_coverage(call: Call) -> None:
    """Show how far each chat was compared, and the messages that never arrived."""
    with call.gateway() as gateway:
        found = records(gateway.get("/coverage"), "coverage")
    if call.answered([one.fields for one in found]):
        return
    keys = ("app", "binding_id", "state", "compared_until", "still_unread", "problem")
    table([say(key) for key in keys], [_row(one) for one in found])
    gaps = [gap for one in found for gap in one.records("gaps")]
    if gaps:
        line()
        table(
            ["id", *(say(key) for key in ("written_at", "text", "can_do"))],
            [
                [gap.text("id"), gap.moment("written_at"), gap.text("text"), ", ".join(gap.texts("actions"))]
                for gap in gaps
            ],
        )
        line()
        line(say("coverage.act"))


def _row(one: Record) -> list[str]:
    unread = f"{one.moment('unread_from')} – {one.moment('unread_until')}" if one.number("unread_until") else ""
    return [
        one.text("app"),
        one.text("binding_id"),
        known("coverage", one.text("status")),
        one.moment("live_until"),
        unread,
        one.text("permission") or one.text("problem"),
    ]


def _gap(gap: Record) -> list[str]:
    return [gap.text("id"), gap.moment("written_at"), gap.text("text"), ", ".join(gap.texts("actions"))]
