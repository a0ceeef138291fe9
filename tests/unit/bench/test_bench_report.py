"""What a report says: goals with verdicts, tables for what was measured, files that never overwrite one another."""

import json
from pathlib import Path
from typing import Any

import bench.__main__ as bench_main
import pytest
from bench import machine
from bench.disk import Percentiles, median_of, percentiles
from bench.report import goals, markdown, verdicts

SYNC = {"p50": 0.1, "p99": 0.2}
START = {"starts": 5, "health_seconds": 1.2, "rss_mb": 70.0, "took_seconds": 9.0}


def report(**sections: Any) -> dict[str, Any]:
    return {"machine": machine.facts(), "fdatasync_ms": {"before": SYNC, "after": SYNC}, **sections}


def test_a_goal_that_is_missed_is_told_as_missed() -> None:
    found = {goal["name"]: goal["met"] for goal in verdicts(goals(report(start=START)))}
    assert found == {
        "start to the first answer of /health, seconds": False,
        "idle memory of the gateway, MB": True,
    }
    assert "**no**" in markdown(report(start=START))


def test_a_section_that_was_not_measured_has_no_goal_and_no_table() -> None:
    assert goals(report()) == []
    assert "## Start" not in markdown(report())


def test_the_machine_is_described_without_its_name() -> None:
    facts = machine.facts()
    assert {"cores", "processor", "memory_mb", "kernel", "python", "sqlite", "load_average"} < set(facts)
    assert facts["label"].endswith("cores")


def test_percentiles_are_in_milliseconds_and_a_disturbed_round_decides_nothing() -> None:
    assert percentiles([0.001] * 99 + [0.1]) == Percentiles(1.0, 100.0)
    assert median_of([Percentiles(1, 2), Percentiles(90, 99), Percentiles(2, 3)]) == Percentiles(2, 3)


def test_each_run_writes_a_report_of_its_own_and_the_latest_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measured() -> dict[str, Any]:
        return dict(START)

    monkeypatch.setattr(bench_main, "SECTIONS", {"start": measured})
    for _ in range(2):
        assert bench_main.main(["--reports", str(tmp_path)]) == 0
    names = sorted(file.name for file in tmp_path.glob("*.json"))
    assert names == [f"{machine.label()}-1.json", f"{machine.label()}-2.json"]
    kept = json.loads((tmp_path / names[0]).read_text())
    assert {"machine", "fdatasync_ms", "start", "goals"} <= set(kept)
    assert (tmp_path / "latest.md").read_text().strip() in capsys.readouterr().out
