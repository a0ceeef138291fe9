"""Every write against every fault: what is expected stands in `ends.toml`, what is seen at the simulated platform."""

from pathlib import Path

import pytest

from tests.matrix.cell import play
from tests.matrix.ends import cells, end_of
from tests.matrix.faults import FAULTS, Fault
from tests.matrix.line import Line
from tests.matrix.page import PAGE, page
from tests.matrix.paths import PATHS, WritePath
from tests.matrix.stage import open_stage


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
async def test_each_fault_of_a_write_comes_to_its_end(
    tmp_path: Path, path: WritePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line()
    line.install(monkeypatch)
    seen: dict[str, str] = {}
    left = [fault for of, fault in cells() if of is path]
    while left:
        await _play_on(tmp_path / f"home-{len(left)}", line, path, left, seen)
    assert seen == {fault: end_of(path, _fault(fault)) for fault in seen}


async def _play_on(home: Path, line: Line, path: WritePath, left: list[Fault], seen: dict[str, str]) -> None:
    """Play cells in one world; after one that failed the rest goes on in another."""
    async with open_stage(home, line, path.scope) as stage:
        while left:
            fault = left.pop(0)
            try:
                seen[fault.name] = str(await play(stage, path, fault))
            except (AssertionError, ValueError) as error:
                seen[fault.name] = f"{type(error).__name__}: {error}"
                return


def _fault(name: str) -> Fault:
    return next(fault for fault in FAULTS if fault.name == name)


def test_no_cell_is_empty() -> None:
    assert [(path.name, fault.name) for path in PATHS for fault in FAULTS if not end_of(path, fault)] == []


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run scripts/fault-matrix --write"
