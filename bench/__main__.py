"""Measure speed and size on this machine: `python -m bench [SECTION …]`, all sections without names.

Writes `bench/reports/<machine>-<n>.json` and `bench/reports/latest.md`, and prints the latter.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from bench import accept_ack, answer, console, dispatch, growth, machine, start, store_pipeline
from bench.disk import fdatasync_ms
from bench.quiet import hush
from bench.report import goals, markdown, verdicts

__all__ = ["SECTIONS", "main"]

REPORTS: Final = Path(__file__).with_name("reports")
SECTIONS: Final[Mapping[str, Callable[[], Awaitable[dict[str, Any]]]]] = {
    "start": start.run,
    "accept_ack": accept_ack.run,
    "dispatch": dispatch.run,
    "answer": answer.run,
    "store": store_pipeline.run,
    "console": console.run,
    "growth": growth.run,
}


async def measure(names: list[str]) -> dict[str, Any]:
    """Run the sections one after another, and say what the disk cost before and after."""
    report: dict[str, Any] = {"machine": machine.facts(), "fdatasync_ms": {"before": asdict(fdatasync_ms())}}
    for name in names:
        begun = time.monotonic()
        print(f"bench: {name} …", file=sys.stderr, flush=True)
        report[name] = {**await SECTIONS[name](), "took_seconds": round(time.monotonic() - begun, 1)}
    report["fdatasync_ms"]["after"] = asdict(fdatasync_ms())
    report["load_average_after"] = machine.facts()["load_average"]
    return {**report, "goals": verdicts(goals(report))}


def main(arguments: list[str] | None = None) -> int:
    """Measure, write the report, print its summary."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure speed and size on this machine.")
    parser.add_argument("sections", nargs="*", help=f"any of {', '.join(SECTIONS)} (default: all)")
    parser.add_argument("--reports", type=Path, default=REPORTS, help="the folder of the reports")
    given = parser.parse_args(arguments)
    if unknown := set(given.sections) - set(SECTIONS):
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    hush()
    report = asyncio.run(measure(given.sections or list(SECTIONS)))
    print(_written(report, given.reports))
    return 0


def _written(report: dict[str, Any], folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (file := folder / f"{report['machine']['label']}-{number}.json").exists():
        number += 1
    file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    text = markdown(report)
    (folder / "latest.md").write_text(text, encoding="utf-8")
    return text


if __name__ == "__main__":
    sys.exit(main())
