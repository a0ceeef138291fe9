"""The import contracts of pyproject.toml hold, and a planted breach breaks the one that it should."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.architecture.imports import ROOMS
from tests.architecture.sources import ROOT

CONTRACTS_SECONDS = 60
NAMES = {
    contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
}
BREACHES = {
    "hongyan/domain/a.py": ("import hongyan.ports", "Imports point inward; every module has a room"),
    "hongyan/application/a.py": ("import hongyan.config", "Imports point inward; every module has a room"),
    "hongyan/helpers.py": ("", "Imports point inward; every module has a room"),
    "hongyan/ports/a.py": ("import asyncio", "Domain and ports are pure"),
    "hongyan/entrypoints/web/a.py": ("import hongyan.adapters.store", "Only bootstrap names a concrete adapter"),
    "hongyan/adapters/store/a.py": ("import hongyan.adapters.lark", "Adapters stand apart"),
    "hongyan/entrypoints/cli/a.py": ("import hongyan.entrypoints.web", "Entry points stand apart"),
    "feishu_simulator/a.py": ("import hongyan.domain", "Gateway, simulator and rehearsal agent stand apart"),
    "rehearsal_agent/one/__init__.py": ("import rehearsal_agent.two", "No cycles"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts on the packages below `<folder>/src`."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        timeout=CONTRACTS_SECONDS,
        check=False,
    )


def broken(folder: Path) -> set[str]:
    """The names of the contracts that do not hold."""
    answer = lint(folder)
    assert "Contracts: " in answer.stdout, answer.stdout + answer.stderr
    return {name for name in NAMES if f"{name} BROKEN" in answer.stdout}


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """Every room, empty, under the real contracts."""
    for room in ROOMS:
        folder = tmp_path / "src" / room.replace(".", "/")
        for package in (folder, *folder.parents):
            if package == tmp_path / "src":
                break
            package.mkdir(parents=True, exist_ok=True)
            (package / "__init__.py").touch()
    (tmp_path / "src/rehearsal_agent/two.py").write_text("import rehearsal_agent.one\n")
    (tmp_path / "src/rehearsal_agent/one").mkdir()
    (tmp_path / "src/rehearsal_agent/one/__init__.py").touch()
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return tmp_path


def test_the_contracts_hold() -> None:
    answer = lint(ROOT)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_empty_rooms_break_no_contract(skeleton: Path) -> None:
    assert broken(skeleton) == set()


@pytest.mark.parametrize("path", BREACHES)
def test_a_planted_breach_breaks_its_contract(skeleton: Path, path: str) -> None:
    text, contract = BREACHES[path]
    (skeleton / "src" / path).write_text(text + "\n")
    assert contract in broken(skeleton)


def test_every_contract_has_a_breach_that_breaks_it() -> None:
    assert {contract for _, contract in BREACHES.values()} == NAMES
