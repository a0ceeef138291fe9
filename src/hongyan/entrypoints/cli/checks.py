"""Draws checks: what was looked at, what was found, and the mend of whatever is not as it should be."""

from collections.abc import Sequence

from hongyan.entrypoints.cli.call import Call
from hongyan.entrypoints.cli.records import Record
from hongyan.entrypoints.cli.screen import table
from hongyan.entrypoints.cli.words import say

__all__ = ["show_checks"]


def show_checks(call: Call, checks: Sequence[Record]) -> bool:
    """Draw checks for a person; true when one of them failed."""
    if not call.as_json:
        table(
            ["", say("check"), say("found"), say("mend")],
            [["✓" if one.flag("ok") else "✗", one.text("name"), one.text("found"), _mend(one)] for one in checks],
        )
    return not all(one.flag("ok") for one in checks)


def _mend(check: Record) -> str:
    return "" if check.flag("ok") else check.text("mend")
