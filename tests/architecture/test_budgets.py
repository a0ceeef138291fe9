"""The budgets of the code's shape hold, and each of them can fail."""

import pytest
from tests.architecture import budgets
from tests.architecture.imports import a_cycle, import_graph
from tests.architecture.sources import Source, source
from tests.architecture.verdict import expect_none


def toy(text: str, path: str = "src/hongyan/application/toy.py") -> Source:
    return source(path, text)


def test_no_file_is_too_long(everything: list[Source]) -> None:
    expect_none(one.path for one in everything if budgets.file_lines(one) > budgets.LONGEST_FILE)


def test_no_function_is_too_long(everything: list[Source]) -> None:
    found = [function for one in everything for function in budgets.functions(one)]
    expect_none(one.where for one in found if one.lines > budgets.LONGEST_FUNCTION)


def test_nine_in_ten_functions_are_short(shipped: list[Source]) -> None:
    lengths = [function.lines for one in shipped for function in budgets.functions(one)]
    assert budgets.ninth_decile(lengths) <= budgets.LONGEST_OF_NINE_IN_TEN


def test_every_function_is_annotated(everything: list[Source]) -> None:
    expect_none(f.where for one in everything for f in budgets.functions(one) if not f.annotated)


def test_every_public_name_is_documented(shipped: list[Source]) -> None:
    expect_none(line for one in shipped for line in budgets.undocumented(one))


def test_nothing_is_imported_late(everything: list[Source]) -> None:
    expect_none(line for one in everything for line in budgets.late_imports(one))


def test_no_import_leads_back(shipped: list[Source], tests: list[Source]) -> None:
    assert a_cycle(import_graph(shipped)) == []
    assert a_cycle(import_graph(tests)) == []


def test_no_file_is_a_dumping_ground(everything: list[Source]) -> None:
    expect_none(one.path for one in everything if budgets.is_dumping_ground(one))


def test_every_silenced_check_has_its_reason(everything: list[Source]) -> None:
    expect_none(line for one in everything for line in budgets.unexplained(one))


def test_a_docstring_costs_no_lines() -> None:
    text = 'def f() -> int:\n    """One.\n\n    Two.\n    """\n    return 1\n'
    assert [function.lines for function in budgets.functions(toy(text))] == [2]


def test_a_long_function_is_measured() -> None:
    text = "def f() -> None:\n" + "    x = 1\n" * budgets.LONGEST_FUNCTION
    assert budgets.functions(toy(text))[0].lines == budgets.LONGEST_FUNCTION + 1


def test_the_ninth_decile_forgives_one_in_ten() -> None:
    assert budgets.ninth_decile([5] * 9 + [39]) == 5
    assert budgets.ninth_decile([5] * 8 + [39] * 2) == 39
    assert budgets.ninth_decile([]) == 0


@pytest.mark.parametrize("text", ["def f(x) -> None: ...", "def f(x: int): ...", "def f(*a) -> None: ..."])
def test_a_missing_annotation_is_found(text: str) -> None:
    assert not budgets.functions(toy(text))[0].annotated


def test_an_undocumented_public_name_is_found() -> None:
    text = '"""M."""\n\nclass A:\n    """A."""\n\n    def b(self) -> None: ...\n\n    def _c(self) -> None: ...\n'
    assert budgets.undocumented(toy(text)) == ["src/hongyan/application/toy.py:6 b"]
    assert budgets.undocumented(toy("X = 1")) == ["src/hongyan/application/toy.py:1 the module"]


@pytest.mark.parametrize(
    "text",
    [
        "def f() -> None:\n    import json\n",
        "async def f() -> None:\n    if True:\n        from json import loads\n",
        "import importlib\n\njson = importlib.import_module('json')\n",
    ],
)
def test_a_late_import_is_found(text: str) -> None:
    assert budgets.late_imports(toy(text))


def test_only_bootstrap_may_load_by_name() -> None:
    text = "import importlib\n\njson = importlib.import_module('json')\n"
    assert budgets.late_imports(toy(text, "src/hongyan/bootstrap.py")) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from hongyan import b", "from hongyan import a"),
        ("import hongyan.b", "def f() -> None:\n    from .a import X"),
        (
            "from hongyan.b import Y",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from hongyan.a import X",
        ),
    ],
)
def test_a_cycle_is_found_even_when_it_is_deferred(first: str, second: str) -> None:
    graph = import_graph([toy(first, "src/hongyan/a.py"), toy(second, "src/hongyan/b.py")])
    assert set(a_cycle(graph)) == {"hongyan.a", "hongyan.b"}


@pytest.mark.parametrize("path", ["src/hongyan/helpers.py", "src/hongyan/utils/time.py", "tests/common/x.py"])
def test_a_dumping_ground_is_found(path: str) -> None:
    assert budgets.is_dumping_ground(toy("", path))


@pytest.mark.parametrize("silencer", ["type: " + "ignore", "no" + "qa"])
def test_a_silenced_check_needs_its_rule_and_a_reason(silencer: str) -> None:
    rule = "[arg-type]" if silencer.startswith("type") else ": BLE001"
    assert budgets.unexplained(toy(f"x = 1  # {silencer}\n"))
    assert budgets.unexplained(toy(f"x = 1  # {silencer}{rule}\n"))
    assert budgets.unexplained(toy(f"x = 1  # {silencer}{rule} # why\n"))
    assert budgets.unexplained(toy(f"x = 1  # {silencer} because of this and that\n"))
    assert budgets.unexplained(toy(f"x = 1  # {silencer}{rule}  # the library has no types\n")) == []
