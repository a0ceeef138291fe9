"""`scripts/mutants` calls a mutant killed only when the named test really failed."""

from pathlib import Path

import pytest
from tests.architecture.scripts import load_script

mutants = load_script("mutants")

CODE = "def add(a: int, b: int) -> int:\n    return a + b\n\n\ndef half(a: int) -> int:\n    return a // 2\n"
TESTS = """
import subprocess
import sys

import pytest

import toy


@pytest.fixture
def five() -> int:
    if toy.add(2, 3) != 5:
        raise RuntimeError("the fixture needs add")
    return 5


def test_add() -> None:
    assert toy.add(1, 2) == 3


def test_add_in_another_process() -> None:
    subprocess.run([sys.executable, "-c", "import toy; assert toy.add(1, 2) == 3"], check=True, timeout=30)


def test_of_a_fixture(five: int) -> None:
    assert five == 5


def test_nothing() -> None:
    assert toy.half is not None
"""
# The toy needs none of the plugins of this checkout, and each costs a start of pytest a good part of a second.
SETTINGS = """
[tool.pytest.ini_options]
pythonpath = ["src"]
addopts = "-p no:schemathesis -p no:anyio -p no:hypothesispytest -p no:pytest_cov -p no:xdist -p no:asyncio"
"""
ENTRY = """
[[mutant]]
ids = ["L1"]
test = "tests/test_toy.py::{test}"
reason = "sums are added"
file = "src/toy.py"
find = {find!r}
replace = {replace!r}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with one module, four tests and no mutant yet."""
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "src/toy.py").write_text(CODE)
    (tmp_path / "tests/test_toy.py").write_text(TESTS)
    (tmp_path / "tests/mutants.toml").write_text("")
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    return tmp_path


def plant(tree: Path, test: str, *, find: str = "a + b", replace: str = "a - b") -> None:
    with (tree / "tests/mutants.toml").open("a") as listed:
        listed.write(ENTRY.format(test=test, find=find, replace=replace))


@pytest.mark.parametrize("test", ["test_add", "test_add_in_another_process"])
def test_a_mutant_that_its_test_notices_is_killed(tree: Path, capsys: pytest.CaptureFixture[str], test: str) -> None:
    plant(tree, test)
    assert mutants.main([], tree) == 0
    assert "1 of 1 killed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("test", "find", "replace", "verdict"),
    [
        ("test_nothing", "a // 2", "a", "SURVIVED"),
        ("test_add", "a * b", "a", "STALE"),
        ("test_add", "int", "float", "STALE"),
        ("test_add", "return a + b", "return a +", "NO VERDICT"),
        ("test_add", "return a + b", "return a + c", "NO VERDICT"),
        ("test_of_a_fixture", "a + b", "a - b", "NO VERDICT"),
    ],
    ids=["nobody looks", "gone", "everywhere", "no longer Python", "an unknown name", "only the setup breaks"],
)
def test_anything_but_a_failed_test_fails_the_run(
    tree: Path, capsys: pytest.CaptureFixture[str], test: str, find: str, replace: str, verdict: str
) -> None:
    plant(tree, test, find=find, replace=replace)
    assert mutants.main([], tree) == 1
    assert capsys.readouterr().out.startswith(verdict)


def test_a_test_that_is_red_to_begin_with_judges_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "src/toy.py").write_text(CODE.replace("a + b", "b"))
    plant(tree, "test_add", find="b\n\n", replace="a\n\n")
    assert mutants.main([], tree) == 2
    assert "do not pass without a patch" in capsys.readouterr().err


def report(tree: Path, *cases: str) -> str:
    path = tree / "report.xml"
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return str(path)


PASSED = '<testcase classname="tests.test_toy" name="test_add[1]"/>'
FAILED = '<testcase classname="tests.test_toy" name="test_add[2]"><failure message="x"/></testcase>'
SKIPPED = '<testcase classname="tests.test_toy" name="test_add"><skipped message="x"/></testcase>'


def test_a_report_in_which_its_test_passed_stands_for_the_run_without_a_patch(tree: Path) -> None:
    plant(tree, "test_add")
    assert mutants.main(["--passed", report(tree, PASSED)], tree) == 0


@pytest.mark.parametrize("cases", [(), (SKIPPED,), (PASSED, FAILED), (FAILED, PASSED)])
def test_a_report_without_a_pass_of_every_case_judges_nothing(
    tree: Path, capsys: pytest.CaptureFixture[str], cases: tuple[str, ...]
) -> None:
    plant(tree, "test_add")
    assert mutants.main(["--passed", report(tree, *cases)], tree) == 2
    assert "tests/test_toy.py::test_add" in capsys.readouterr().err


def test_a_report_that_is_not_there_judges_nothing(tree: Path) -> None:
    plant(tree, "test_add")
    assert mutants.main(["--passed", str(tree / "none.xml")], tree) == 2


def test_only_the_chosen_ids_are_tried(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tree, "test_add")
    assert mutants.main(["--only", "L2"], tree) == 2
    assert "no mutant carries L2" in capsys.readouterr().err
    assert mutants.main(["--only", "L1"], tree) == 0


@pytest.mark.parametrize("line", ["ids = []", "file = 'x'", "ids = ['L1']\nextra = 'x'"])
def test_an_entry_of_another_shape_is_refused(tree: Path, line: str) -> None:
    (tree / "tests/mutants.toml").write_text(f"[[mutant]]\n{line}\n")
    assert mutants.main([], tree) == 2


def test_a_patch_that_changes_nothing_is_refused(tree: Path) -> None:
    plant(tree, "test_add", replace="a + b")
    assert mutants.main([], tree) == 2


def test_the_tree_itself_stays_as_it_is(tree: Path) -> None:
    plant(tree, "test_add")
    mutants.main([], tree)
    assert (tree / "src/toy.py").read_text() == CODE
