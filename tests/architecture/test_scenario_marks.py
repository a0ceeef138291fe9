"""Scenario ids are well formed, a test carries few of them, and every mutant names a test that carries its ids."""

import tomllib

import pytest
from tests.architecture.scenario_marks import breaches, find_test, ids_of
from tests.architecture.sources import ROOT, Source, source
from tests.architecture.verdict import expect_none

MUTANTS = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8")).get("mutant", [])
TOY = "import pytest\n\n\n@pytest.mark.{mark}\ndef test_x() -> None: ...\n"


def test_marks_carry_ids_and_no_more_than_three(tests: list[Source]) -> None:
    expect_none(line for one in tests for line in breaches(one))


def test_every_mutant_names_a_test_that_carries_its_ids(tests: list[Source]) -> None:
    for mutant in MUTANTS:
        test = find_test(tests, mutant["test"])
        assert test is not None, f"{mutant['test']} does not exist"
        assert set(mutant["ids"]) <= ids_of(test), f"{mutant['test']} lacks one of {mutant['ids']}"


def test_every_mutant_fits_its_file() -> None:
    expect_none(
        f"{mutant['file']}: {mutant['find']!r}"
        for mutant in MUTANTS
        if (ROOT / mutant["file"]).read_text(encoding="utf-8").count(mutant["find"]) != 1
    )


@pytest.mark.parametrize(
    "mark",
    [
        "scenario('l24')",
        "scenario('L24 L25')",
        "scenario(24)",
        "scenario()",
        "scenario('L1', 'L2', 'L3', 'L4')",
        "parametrize('x', [pytest.param(1, marks=pytest.mark.scenario('24'))])",
    ],
)
def test_a_wrong_mark_is_found(mark: str) -> None:
    assert breaches(source("tests/unit/test_toy.py", TOY.format(mark=mark)))


def test_good_marks_pass() -> None:
    toy = source("tests/unit/test_toy.py", TOY.format(mark="scenario('L24', 'Sa', 'P8')"))
    assert breaches(toy) == []


def test_a_test_is_found_by_its_node_id() -> None:
    text = "import pytest\n\n\nclass TestA:\n    @pytest.mark.scenario('L24')\n    def test_x(self) -> None: ...\n"
    files = [source("tests/unit/test_toy.py", text)]
    found = find_test(files, "tests/unit/test_toy.py::TestA::test_x[one]")
    assert found is not None
    assert ids_of(found) == {"L24"}
    assert find_test(files, "tests/unit/test_toy.py::test_x") is None
    assert find_test(files, "tests/unit/test_other.py::TestA::test_x") is None
