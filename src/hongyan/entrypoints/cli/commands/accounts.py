"""`owed`, `deliveries` and `ledger`: what needs someone, what was written, and whether it all adds up."""

import os
import sys
import time
from typing import Annotated, BinaryIO, Final

import typer

from hongyan.entrypoints.cli.call import Call, command, group, group_that_acts
from hongyan.entrypoints.cli.gateway import Gateway, at
from hongyan.entrypoints.cli.outcome import Failure
from hongyan.entrypoints.cli.records import Record, record, records
from hongyan.entrypoints.cli.screen import line, print_json, table
from hongyan.entrypoints.cli.words import known, say

__all__ = ["register"]

WATCH_SECONDS: Final = 1.0
PARTITIONS: Final = ("received", "writes")
SNIPPET: Final = 60
ABOUT_A_CLASS: Final = frozenset({"total", "difference", "astray", "balanced"})


def register(root: typer.Typer) -> None:
    """Add the commands."""
    owed = group("owed", root)
    command(owed, "list", "help.owed.list")(list_owed)
    command(owed, "act", "help.owed.act")(act)
    deliveries = group_that_acts("deliveries", root, list_deliveries)
    command(deliveries, "resend", "help.deliveries.resend")(resend)
    command(root, "ledger", "help.ledger")(ledger)
    command(root, "export", "help.export")(export)


def list_owed(call: Call) -> None:
    """List whatever needs someone, oldest first."""
    with call.gateway() as gateway:
        found = records(gateway.get("/owed"), "owed")
    if call.answered([one.fields for one in found]):
        return
    table(
        ["id", say("why"), say("since"), say("text"), say("can_do"), say("follow_up")],
        [[*_facts(one), ", ".join(one.texts("actions")), _follow_up(one)] for one in found],
    )


_FOLLOW_UPS: Final = {
    "waiting": "follow_up.waiting",
    "reserved": "follow_up.reserved",
    "blocked": "follow_up.blocked",
}


def _facts(one: Record) -> list[str]:
    return [one.text("id"), one.text("why"), one.moment("since"), _snippet(one)]


def _follow_up(one: Record) -> str:
    """Say what happens by itself, when and why; or why nothing does."""
    if not one.fields.get("follow_up"):
        return ""
    told = one.record("follow_up")
    key = _FOLLOW_UPS.get(told.text("state"))
    return say(key, at=told.moment("at"), why=told.text("why")) if key else told.text("state")


def act(
    call: Call,
    identity: Annotated[str, typer.Argument(metavar="ID")],
    action: Annotated[str, typer.Argument(metavar="ACTION", help=say("option.action"))],
    version: Annotated[
        int | None, typer.Option("--expect-version", metavar="N", help=say("option.expect_version"))
    ] = None,
) -> None:
    """Act on one owed thing; without an expected version the one that is listed now is meant."""
    word = action.replace("-", "_")
    with call.gateway() as gateway:
        expected = _version(gateway, identity) if version is None else version
        done = gateway.post(at("owed", identity, word), {"expected_version": expected})
    if not call.answered(done):
        line(say("acted", id=identity, action=known("action", word)))


def _version(gateway: Gateway, identity: str) -> int:
    for row in records(gateway.get("/owed"), "owed"):
        if row.text("id") == identity:
            return row.number("version")
    raise Failure("owed.not_found", say("owed.not_found", id=identity), say("owed.not_found.mend"))


def list_deliveries(call: Call) -> None:
    """List the newest writes."""
    with call.gateway() as gateway:
        found = records(gateway.get("/deliveries"), "deliveries")
    if call.answered([one.fields for one in found]):
        return
    table(
        ["id", say("phase"), say("state"), say("created_at"), say("provider_id"), say("problem"), say("text")],
        [
            [
                *(one.text(key) for key in ("id", "phase", "state")),
                one.moment("created_at"),
                *(one.text(key) for key in ("provider_id", "code")),
                _snippet(one, "content"),
            ]
            for one in found
        ],
    )


def resend(call: Call, identity: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """Send a write whose outcome is open once more."""
    with call.gateway() as gateway:
        sent = gateway.post(f"{at('deliveries', identity)}/resend")
    if not call.answered(sent):
        line(say("resent", id=identity, new=record(sent).text("id")))


def ledger(
    call: Call,
    check: Annotated[bool, typer.Option("--check", help=say("option.check"))] = False,
    watch: Annotated[bool, typer.Option("--watch", help=say("option.watch"))] = False,
    days: Annotated[int, typer.Option("--days", min=0, max=366, metavar="N", help=say("option.days"))] = 0,
) -> None:
    """Show both identities; with `--check` refuse a sum that is not its total, with `--watch` show each change.

    `--days` shows them day by day and binding by binding instead.
    """
    if days:
        _show_days(call, days, check)
        return
    asked: dict[str, str | int] | None = {"check": "true"} if check else None
    with call.gateway() as gateway:
        seen = record(gateway.get("/ledger", asked))
        _show(call, seen, check)
        while watch:
            time.sleep(WATCH_SECONDS)
            now = record(gateway.get("/ledger", asked))
            if _sums(now) != _sums(seen):
                seen = now
                _show(call, seen, check)


def _show_days(call: Call, days: int, check: bool) -> None:
    """Show the classes of each day that have something in them."""
    with call.gateway() as gateway:
        found = records(gateway.get("/ledger/days", {"days": days}), "days")
    for one in found:
        _check(one, check)
    if call.answered([one.fields for one in found]):
        return
    table(
        [say("day"), say("binding_id"), *(say(name) for name in PARTITIONS)],
        [
            [one.text("day"), one.text("binding_id"), *(_filled(one.record(name), name) for name in PARTITIONS)]
            for one in found
        ],
    )


def _filled(partition: Record, name: str) -> str:
    classes = ", ".join(f"{amount} {known(name, key)}" for key, amount in _classes(partition).items() if amount)
    return f"{partition.number('total')}: {classes}" if classes else "0"


def export(
    call: Call,
    target: Annotated[str, typer.Argument(metavar="FILE", help=say("option.export_file"))] = "-",
    form: Annotated[str, typer.Option("--format", metavar="jsonl|csv", help=say("option.format"))] = "jsonl",
) -> None:
    """Write every line of the books to a file, or to stdout."""
    with call.gateway() as gateway:
        if target == "-":
            gateway.copy("/ledger/export", {"format": form}, sys.stdout.buffer.write)
            return
        with _new_file(target) as out:
            gateway.copy("/ledger/export", {"format": form}, out.write)
    if not call.answered({"path": target}):
        line(say("exported", path=target))


def _new_file(target: str) -> BinaryIO:
    try:
        return open(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
    except OSError as error:
        why = error.strerror or str(error)
        raise Failure("export.not_writable", say("export.not_writable", path=target, why=why), "") from None


def _sums(found: Record) -> dict[str, object]:
    """Give what a change of is worth showing: calls are made all the time."""
    return {key: value for key, value in found.fields.items() if key != "calls"}


def _show(call: Call, found: Record, check: bool) -> None:
    """Draw the ledger; a program that asked for a check gets either it or the refusal, one document."""
    if call.as_json:
        _check(found, check)
        print_json(found.fields)
        return
    for name in PARTITIONS:
        partition = found.record(name)
        classes = [(key, amount) for key, amount in _classes(partition).items() if amount]
        balanced = say("balanced") if partition.flag("balanced") else say("unbalanced")
        line(f"{say(name)}: {partition.number('total')}, {balanced}")
        for key, amount in classes:
            line(f"  {amount:>6}  {known(name, key)}")
    line(f"{say('owed')}: {found.number('owed')}")
    if found.number("waiting"):
        line(say("ledger.waiting", n=str(found.number("waiting"))))
    for calls in found.records("calls"):
        today, month = calls.number("today"), calls.number("this_month")
        line(say("ledger.calls", app=calls.text("name"), today=f"{today:,}", month=f"{month:,}"))
    _check(found, check)


def _classes(partition: Record) -> dict[str, int]:
    fields = partition.record("classes").fields or partition.fields
    return {key: amount for key, amount in fields.items() if isinstance(amount, int) and key not in ABOUT_A_CLASS}


def _check(found: Record, wanted: bool) -> None:
    wrong = [say(name) for name in PARTITIONS if not found.record(name).flag("balanced")]
    if wanted and wrong:
        raise Failure("ledger.unbalanced", say("ledger.unbalanced", which=", ".join(wrong)), say("ledger.mend"))


def _snippet(row: Record, key: str = "text") -> str:
    text = " ".join(row.text(key).split())
    return text if len(text) <= SNIPPET else f"{text[: SNIPPET - 1]}…"
