"""Approvals clicked on their card and decided in the console at once, by two processes: one decision each.

`HONGYAN_RACE_APPROVALS` and `HONGYAN_RACE_SEEDS` (words) make it larger, `HONGYAN_RACE_REPORT` names a file that gets
the figures of each run as one line of JSON; `scripts/approval-race` does all of it.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest
from tests.harness.approval_race import RacePlan, run_race
from tests.harness.process_world import open_process_world

pytestmark = pytest.mark.process

APPROVALS: Final = int(os.environ.get("HONGYAN_RACE_APPROVALS", "60"))
SEEDS: Final = [int(seed) for seed in os.environ.get("HONGYAN_RACE_SEEDS", "1").split()]
REPORT: Final = os.environ.get("HONGYAN_RACE_REPORT", "")
DEADLINE_MS: Final = 3_000  # the platform's, for a callback


@pytest.mark.timeout(120 + APPROVALS)
@pytest.mark.scenario("A17", "P42", "P43")
@pytest.mark.parametrize("seed", SEEDS)
async def test_each_approval_has_one_winner_of_two_processes_and_every_surface_settles(
    tmp_path: Path, seed: int
) -> None:
    plan = RacePlan(APPROVALS, seed, batch=min(APPROVALS, 100))
    async with open_process_world(tmp_path / "home") as world:
        await world.start()
        await world.bind()
        found = await run_race(world, plan)
        ledger = await world.command("ledger", "--check")
    _keep(found)
    exact = ("decisions", "decided", "applied", "asked_facts", "decided_facts")
    assert {name: found[name] for name in exact} == dict.fromkeys(exact, APPROVALS), found
    assert found["not_one_winner"] == 0, found
    assert set(found["words"]["card"]) <= {"won", "late", "gone"}, found
    assert set(found["words"]["console"]) <= {"won", "late"}, found
    assert (found["cards_open"], found["buttons_alive"]) == (0, 0), found
    assert found["callback_ms"]["most"] < DEADLINE_MS, found
    assert found["turns_beside"] > 0, found
    assert (ledger["received"]["balanced"], ledger["writes"]["balanced"]) == (True, True)


def _keep(found: dict[str, Any]) -> None:
    if REPORT:
        with Path(REPORT).open("a", encoding="utf-8") as file:
            print(json.dumps(found), file=file)
