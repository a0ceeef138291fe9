"""Every package begins with its story and a sorted list of what it hands out."""

from pathlib import PurePosixPath

import pytest
from tests.architecture.fronts import breaches
from tests.architecture.sources import ROOT, read_sources, source
from tests.architecture.verdict import expect_none

REVISIONS = ("migrations", "versions")  # run as files, never imported as a package
STORY = '"""What lives here."""\n'


def test_every_front_tells_its_story() -> None:
    fronts = [one for one in read_sources("src") if one.path.endswith("__init__.py")]
    expect_none(line for front in fronts for line in breaches(front))


def test_every_folder_with_code_has_a_front() -> None:
    folders = {folder for one in read_sources("src") for folder in PurePosixPath(one.path).parents}
    packages = {folder for folder in folders if len(folder.parts) > 1 and folder.parts[-2:] != REVISIONS}
    expect_none(sorted(str(one) for one in packages if not (ROOT / one / "__init__.py").exists()))


@pytest.mark.parametrize(
    "text",
    [
        "",
        '__all__ = ["a"]\n',
        STORY,
        STORY + '__all__ = ["b", "a"]\n',
        STORY + '__all__ = ["Turn", "MOVES"]\n',
        STORY + '__all__ = ["a"]\n\na = 1\n',
        STORY + '__all__ = ["a"]\n\n\ndef a() -> None: ...\n',
    ],
)
def test_a_front_without_its_parts_is_found(text: str) -> None:
    assert breaches(source("src/hongyan/domain/__init__.py", text))


def test_a_whole_front_passes() -> None:
    text = STORY + 'from a import MOVES, Turn, advance\n\n__all__ = ["MOVES", "Turn", "advance"]\n'
    assert breaches(source("src/hongyan/domain/__init__.py", text)) == []
    assert breaches(source("src/hongyan/domain/__init__.py", STORY + "__all__: list[str] = []\n")) == []
