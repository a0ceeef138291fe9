"""`scripts/bootstrap` installs once, again when something changed, and says in a sentence what is missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.architecture.sources import ROOT

SECONDS = 20
# Plays an interpreter: makes an environment that holds itself, and writes down what pip is asked to do.
PYTHON = """#!/usr/bin/env bash
case "$1 $2" in
  "-c import ensurepip, venv") exit "${NO_ENSUREPIP:-0}" ;;
  "-c "*) exit "${TOO_OLD:-0}" ;;
  "--version ") echo "Python 3.11.2" ;;
  "-m venv") mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && cp "$0" "$4/bin/hongyan" ;;
  "-m pip") echo "$*" >>"$PIP_LOG"; if [[ $* == *" download "* ]]; then exit "${NO_NETWORK:-0}"; fi ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the script, its locks and an interpreter that only plays one."""
    for name in ("scripts", "requirements"):
        (tmp_path / name).mkdir()
    shutil.copy2(ROOT / "scripts" / "bootstrap", tmp_path / "scripts" / "bootstrap")
    for name in ("pyproject.toml", "requirements/build.in", "requirements/run.txt", "requirements/test.txt"):
        (tmp_path / name).write_text(f"{name}\n")
    python = tmp_path / "python-that-plays"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return tmp_path


def bootstrap(checkout: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(checkout / "scripts" / "bootstrap"), *words],
        env={
            "PATH": os.environ["PATH"],
            "PYTHON": str(checkout / "python-that-plays"),
            "PIP_LOG": str(checkout / "pip.log"),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def asked_of_pip(checkout: Path) -> list[str]:
    """What pip was asked since the last look, without the questions for its version."""
    log = checkout / "pip.log"
    asked = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return [line for line in asked if "--version" not in line]


def test_everything_is_installed_by_hash_and_only_once(checkout: Path) -> None:
    first = bootstrap(checkout)
    assert first.returncode == 0, first.stderr
    download, install, editable = asked_of_pip(checkout)
    assert "--require-hashes" in download
    assert "--require-hashes" in install
    assert "--no-deps" in editable
    assert "downloaded in" in first.stderr
    second = bootstrap(checkout)
    assert (second.returncode, second.stderr, asked_of_pip(checkout)) == (0, "", [])


@pytest.mark.parametrize("changed", ["pyproject.toml", "requirements/run.txt", "requirements/build.in"])
def test_a_change_is_installed(checkout: Path, changed: str) -> None:
    bootstrap(checkout)
    asked_of_pip(checkout)
    (checkout / changed).write_text("something else\n")
    assert bootstrap(checkout).returncode == 0
    assert len(asked_of_pip(checkout)) == 3


def test_the_wider_set_serves_the_narrower_one_but_not_the_other_way_round(checkout: Path) -> None:
    bootstrap(checkout, "run")
    asked_of_pip(checkout)
    bootstrap(checkout, "test")
    assert len(asked_of_pip(checkout)) == 3
    bootstrap(checkout, "run")
    assert asked_of_pip(checkout) == []


@pytest.mark.parametrize(
    ("lack", "told"),
    [
        ("NO_ENSUREPIP", "apt-get install python3-venv"),
        ("TOO_OLD", "needs Python 3.11"),
        ("NO_NETWORK", "The download failed"),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(checkout: Path, lack: str, told: str) -> None:
    answer = bootstrap(checkout, **{lack: "1"})
    assert answer.returncode == 5
    assert told in answer.stderr


def test_an_installation_that_broke_off_is_not_taken_for_a_whole_one(checkout: Path) -> None:
    bootstrap(checkout, NO_NETWORK="1")
    asked_of_pip(checkout)
    assert bootstrap(checkout).returncode == 0
    assert len(asked_of_pip(checkout)) == 3


def test_an_unknown_set_is_a_usage_error(checkout: Path) -> None:
    assert bootstrap(checkout, "everything").returncode == 2
