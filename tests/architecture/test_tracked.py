"""The repository speaks of the product alone: no machine, no registry, no secret, no diary."""

import re
from pathlib import Path

import pytest
from tests.architecture.sources import ROOT
from tests.architecture.tracked import BINARY, breaches, prose_of_python, tracked_files
from tests.architecture.verdict import expect_none

LOCKS = [ROOT / "requirements" / f"{name}.txt" for name in ("run", "test", "peers")]
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;]+)(?P<rest>(?:.*\\\n)*.*)$", re.MULTILINE)
ADDRESS = re.compile(r"https?:|file:|--(extra-)?index-url|--find-links|-[ife] |@ ")


def pins(lock: Path) -> dict[str, str]:
    """Name to version."""
    return {pin["name"]: pin["version"] for pin in PIN.finditer(lock.read_text(encoding="utf-8"))}


def test_tracked_text_speaks_of_the_product_alone() -> None:
    expect_none(
        line
        for path in tracked_files(ROOT)
        if path.suffix not in BINARY and path.name != "LICENSE"
        for line in breaches(path, (ROOT / path).read_text(encoding="utf-8", errors="replace"))
    )


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_address_and_every_pin_has_hashes(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert ADDRESS.findall(text) == []
    expect_none(pin["name"] for pin in PIN.finditer(text) if "--hash=sha256:" not in pin["rest"])
    assert len(pins(lock)) == len(re.findall(r"^[^\s#]", text, re.MULTILINE))


def test_each_lock_holds_the_one_before() -> None:
    run, test, peers = map(pins, LOCKS)
    assert run
    assert run.items() < test.items() < peers.items()


def test_node_locks_name_no_address() -> None:
    locks = [path for path in tracked_files(ROOT) if path.name == "package-lock.json"]
    expect_none(str(path) for path in locks if '"resolved": "http' in (ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "HOME = '/ro" + "ot/x'"),
        ("a.toml", "path = '/wo" + "rk/main'"),
        ("a.txt", "--index-url https://py" + "pi.org/simple"),
        ("a.py", "KEY = 'AKIA" + "ABCDEFGHIJKLMNOP'"),
        ("a.py", "KEY = 'gh" + "p_" + "a1" * 18 + "'"),
        ("a.py", "X = 1  # since 20" + "24 this is two"),
        ("a.py", '"""Changed on 20' + '24-05-06."""'),
        ("a.py", 'def f() -> None:\n    """See issue ' + '#12."""'),
        ("a.md", "TO" + "DO: write this"),
    ],
)
def test_a_breach_in_a_file_is_found(name: str, text: str) -> None:
    assert breaches(Path(name), text)


def test_data_may_hold_dates_and_prose_may_speak_of_todos() -> None:
    assert breaches(Path("a.py"), 'VERSION = "20' + '25-06-18"\n"""A Todo of a goal."""\n') == []


def test_prose_keeps_its_line_numbers() -> None:
    text = '"""One.\n\nTwo."""\n\nX = "no prose"  # three\n'
    assert prose_of_python(text).split("\n") == ["One.", "", "Two.", "", "# three", ""]
