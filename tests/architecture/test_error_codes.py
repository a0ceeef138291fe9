"""The page of error codes is what the code says now."""

from pathlib import Path

from tests.architecture.scripts import load_script

script = load_script("error-codes")


def raised_in(text: str, folder: Path) -> list[tuple[str, str, str, int]]:
    """What the script finds in a module with this text: code, meaning, mend, exit code."""
    module = folder / "module.py"
    module.write_text(text, encoding="utf-8")
    return [(one.code, one.meaning, one.mend, one.exit_code) for one in script.of_calls(module)]


def test_the_page_is_current() -> None:
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run scripts/error-codes"


def test_a_code_is_found_where_it_is_raised_with_a_gap_for_what_only_a_run_tells(tmp_path: Path) -> None:
    text = 'def f(n: int) -> None:\n    raise RefusedError("queue.full", f"{n} wait", hint="Try later.")\n'
    assert raised_in(text, tmp_path) == [("queue.full", "… wait", "Try later.", 3)]


def test_a_hint_that_has_a_name_is_read_from_the_nearest_assignment(tmp_path: Path) -> None:
    text = (
        'hint = "One."\nhint = f"Two: {x}."\nraise BusyError("port.in_use", "it is in use", hint=hint)\nhint = "3."\n'
    )
    assert raised_in(text, tmp_path) == [("port.in_use", "It is in use", "Two: ….", 7)]


def test_a_call_without_a_code_of_its_own_adds_nothing(tmp_path: Path) -> None:
    assert raised_in('raise RefusedError(code, "no")\nprint("a.b", "c")\n', tmp_path) == []


def test_every_class_of_the_tree_with_a_code_stands_on_the_page() -> None:
    codes = {one.code for one in script.of_classes()}
    assert {"store.full", "store.schema_too_new", "chat.throttled", "agent.start_failed"} <= codes
    assert codes <= {one.code for one in script.entries()}
