"""Pages lead where they say, and the index of decisions is whole."""

import re
from pathlib import Path, PurePosixPath

import pytest
from tests.architecture.sources import ROOT
from tests.architecture.tracked import tracked_files
from tests.architecture.verdict import expect_none

LINK = re.compile(r"(?<!\!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<picture>[^)\s]+)\)")
RECORD = re.compile(r"\d{4}-[a-z0-9-]+\.md")
ELSEWHERE = ("http://", "https://", "mailto:", "#")
ROOM = re.compile(r"`((?:domain|ports|application|adapters)/[\w/]+\.py|config\.py)`")


def dead_links(page: Path, text: str, root: Path) -> list[str]:
    """Relative links of a page that lead to nothing."""
    targets = [link["target"] or link["picture"] for link in LINK.finditer(text)]
    near = [target.partition("#")[0] for target in targets if not target.startswith(ELSEWHERE)]
    return [f"{page}: {target}" for target in near if not (root / page.parent / target).exists()]


def test_every_relative_link_leads_somewhere() -> None:
    pages = [path for path in tracked_files(ROOT) if path.suffix == ".md"]
    expect_none(line for page in pages for line in dead_links(page, (ROOT / page).read_text("utf-8"), ROOT))


def test_every_decision_stands_in_the_index_and_has_the_form_of_one() -> None:
    folder = ROOT / "docs" / "decisions"
    records = sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")
    expect_none(name for name in records if not RECORD.fullmatch(name))
    index = (folder / "README.md").read_text(encoding="utf-8").partition("## Index")[2]
    assert re.findall(r"\]\((\S+\.md)\)", index) == records


def test_the_files_that_the_architecture_page_names_exist_once_their_room_does() -> None:
    named = ROOM.findall((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert named
    home = ROOT / "src" / "hongyan"
    rooms = {name: home / PurePosixPath(name).parts[0] for name in named}
    expect_none(name for name, room in rooms.items() if room.exists() and not (home / name).exists())


@pytest.mark.parametrize("link", ["[a](nowhere.md)", "![a](docs/nothing.png)", "[a](nowhere.md#part)"])
def test_a_dead_link_is_found(link: str, tmp_path: Path) -> None:
    assert dead_links(Path("README.md"), f"See {link}.", tmp_path)


def test_a_live_link_and_one_to_elsewhere_pass(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    text = "[a](a.md) [b](a.md#part) [c](https://hongyan.example/x) [d](#here)"
    assert dead_links(Path("README.md"), text, tmp_path) == []
