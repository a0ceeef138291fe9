"""Make `docs/fault-matrix.md` of the paths, the faults and their ends.

python -m tests.matrix.page
"""

from collections import defaultdict
from pathlib import Path
from typing import Final

from tests.matrix.ends import IMPOSSIBLE, end_of
from tests.matrix.faults import FAULTS
from tests.matrix.paths import PATHS, WritePath

__all__ = ["PAGE", "page"]

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "fault-matrix.md"
INTRODUCTION: Final = """\
# Every write against every fault

`scripts/fault-matrix --write` makes this page of the tables in `tests/matrix`, whose tests play every cell: a gateway,
a simulated platform and an agent in one process. A cell says three things: the state of the write and of what followed
it (`rejected → verified`: refused, and said another way), what a person then sees in the chat, and how the request is
accounted for. `Get` and `OnIt` are the marks under the person's message. "Ended progress" is a card or a text of a Turn
that says how it ended and has no button; "words" are words of the gateway's own. Whatever the cell, no prompt reaches
an agent twice, both sums of the ledger add up, and every visible message of the bot is claimed by one write.

## The faults

| fault | what happens |
|---|---|
"""


def page() -> str:
    """Give the whole page."""
    faults = "".join(f"| {fault.name} | {fault.meaning} |\n" for fault in FAULTS)
    count = len(PATHS) * len(FAULTS)
    head = f"\n## The writes\n\n{len(PATHS)} writes, {len(FAULTS)} faults, {count} cells.\n"
    return INTRODUCTION + faults + head + "".join(_of(path) for path in PATHS)


def _of(path: WritePath) -> str:
    """Show one write: faults with one end stand in one line."""
    by_end: defaultdict[str, list[str]] = defaultdict(list)
    for fault in FAULTS:
        by_end[end_of(path, fault)].append(fault.name)
    common = max(by_end, key=lambda end: len(by_end[end]))
    rest = by_end.pop(common)
    lines = "".join(f"| {', '.join(names)} | {_columns(end)} |\n" for end, names in by_end.items())
    lines += f"| every other ({len(rest)}) | {_columns(common)} |\n"
    call = f"`{path.endpoint}`" + (f", the App lacks `{path.scope}`" if path.scope else "")
    table = "| fault | write | to be seen | request |\n|---|---|---|---|\n"
    return f"\n### {path.name[:1].upper()}{path.name[1:]}\n\n{call}\n\n{table}{lines}"


def _columns(end: str) -> str:
    return f"*{end}* | |" if end.startswith(IMPOSSIBLE) else end


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
