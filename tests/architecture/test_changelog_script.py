"""`scripts/changelog` makes one section of many fragments."""

from pathlib import Path

import pytest
from tests.architecture.scripts import load_script
from tests.architecture.sources import ROOT

changelog = load_script("changelog")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A changelog without a release and a folder that explains itself."""
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes/README.md").write_text("How to write one.\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n")
    return tmp_path


def fragment(tree: Path, name: str, text: str) -> None:
    (tree / "changes" / name).write_text(text)


def test_the_fragments_of_this_checkout_can_be_assembled() -> None:
    changelog.read_fragments(ROOT / "changes")


def test_entries_are_listed_by_kind_on_one_line_each(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fragment(tree, "b.fixed.md", "A hole\nis closed.\n")
    fragment(tree, "a.added.md", "A door.\n")
    assert changelog.main([], tree) == 0
    assert capsys.readouterr().out == ("## Unreleased\n\n### Added\n\n- A door.\n\n### Fixed\n\n- A hole is closed.\n")


def test_a_release_stands_above_the_older_ones_and_uses_the_fragments_up(tree: Path) -> None:
    fragment(tree, "a.added.md", "A door.\n")
    changelog.main(["--release", "0.1.0"], tree)
    fragment(tree, "b.changed.md", "A window.\n")
    changelog.main(["--release", "0.2.0"], tree)
    assert (tree / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n## 0.2.0\n\n### Changed\n\n- A window.\n\n## 0.1.0\n\n### Added\n\n- A door.\n"
    )
    assert [path.name for path in (tree / "changes").iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    ("name", "text"), [("a.removed.md", "x"), ("a.md", "x"), ("A b.added.md", "x"), ("a.added.md", " \n")]
)
def test_a_file_that_is_no_entry_is_refused_and_nothing_is_written(tree: Path, name: str, text: str) -> None:
    fragment(tree, name, text)
    assert changelog.main(["--release", "0.1.0"], tree) == 2
    assert (tree / "CHANGELOG.md").read_text() == "# Changelog\n"
