"""Scripts say what they do, stop at the first error they do not handle, and keep the shape of the rest of the code."""

import re
import subprocess

import pytest
from tests.architecture import budgets
from tests.architecture.sources import ROOT, source
from tests.architecture.verdict import expect_none

BASH_SECONDS = 10
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "scripts").iterdir()) if path.is_file()}
PYTHON = {name: text for name, text in TEXTS.items() if text.startswith("#!/usr/bin/env python3\n")}
BASH = {name: text for name, text in TEXTS.items() if name not in PYTHON}
TARGET = re.compile(r"^(?P<name>[a-z-]+): ; @(?P<does>.+)$", re.MULTILINE)


@pytest.mark.parametrize("name", TEXTS)
def test_a_script_can_be_run_and_tells_what_it_does(name: str) -> None:
    assert (ROOT / "scripts" / name).stat().st_mode & 0o111
    assert TEXTS[name].splitlines()[1].startswith(("# ", '"""'))


@pytest.mark.parametrize("name", BASH)
def test_a_shell_script_stops_at_what_it_does_not_handle(name: str) -> None:
    assert BASH[name].startswith("#!/usr/bin/env bash\n")
    assert re.search(r"^set -e?uo pipefail$", BASH[name], re.MULTILINE)
    subprocess.run(["bash", "-n", ROOT / "scripts" / name], check=True, timeout=BASH_SECONDS)


def test_python_scripts_keep_the_budgets() -> None:
    modules = [source(f"scripts/{name}", text) for name, text in PYTHON.items()]
    found = [function for module in modules for function in budgets.functions(module)]
    expect_none(module.path for module in modules if budgets.file_lines(module) > budgets.LONGEST_FILE)
    expect_none(one.where for one in found if one.lines > budgets.LONGEST_FUNCTION or not one.annotated)
    expect_none(line for module in modules for line in budgets.undocumented(module))


def test_every_target_is_a_thin_name_for_a_script() -> None:
    targets = {found["name"]: found["does"] for found in TARGET.finditer((ROOT / "Makefile").read_text())}
    assert targets.pop("clean").startswith("rm -rf ")
    assert set(targets) == {"up", "test", "check", "test-peers", "bench", "newcomer", "mutants", "lock"}
    expect_none(name for name, does in targets.items() if does != f"scripts/{name} $(ARGS)")
