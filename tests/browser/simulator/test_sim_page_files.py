"""The page's files: readable colours, a whole catalogue, no code in the markup, nothing from elsewhere."""

import json
import re
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest

from feishu_simulator.control.page import CONTENT_POLICY, PAGE_FOLDER

STATIC = PAGE_FOLDER / "static"
TEXTS = ("ink", "ink2", "ink3", "dai", "ochre", "zhu", "song")
GROUNDS = ("rail", "page", "raised", "sunk")
TINTS = ("dai-tint", "ochre-tint", "zhu-tint", "song-tint")
STATES = re.compile(
    r"(acked|retried_acked|awaits_ack|not_acked|refused_retry|nobody_listens|given_up|response_lost|same_uuid)"
)
LONGEST_LATIN, LONGEST_CHINESE, LONGEST_FILE = 22, 10, 400


def themes() -> dict[str, dict[str, str]]:
    """Read the colours of both themes from the token file."""
    text = (STATIC / "tokens.css").read_text(encoding="utf-8")
    blocks = re.findall(r"(:root|\[data-theme=\"dark\"\]|:root:not\(\[data-theme\]\)) \{([^}]*)\}", text)
    colours = [dict(re.findall(r"--([\w-]+): (#[0-9A-F]{6});", body)) for _, body in blocks]
    light, dark, system_dark = (found for found in colours if found)
    assert dark == system_dark, "the dark theme is written twice and must be the same twice"
    return {"light": light, "dark": dark}


def contrast(one: str, other: str) -> float:
    """The ratio of two colours as WCAG defines it."""

    def luminance(colour: str) -> float:
        shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


THEMES = themes()


@pytest.mark.parametrize(("theme", "text", "ground"), list(product(THEMES, TEXTS, (*GROUNDS, *TINTS))))
def test_text_is_readable_on_every_ground(theme: str, text: str, ground: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize(("theme", "ground"), list(product(THEMES, GROUNDS)))
def test_a_fields_edge_is_seen_on_every_ground(theme: str, ground: str) -> None:
    assert contrast(THEMES[theme]["edge"], THEMES[theme][ground]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_the_primary_button_is_readable(theme: str) -> None:
    assert contrast(THEMES[theme]["on-fill"], THEMES[theme]["dai-fill"]) >= 4.5


def test_the_measure_of_contrast_is_the_known_one() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_a_colour_is_written_in_the_token_file_alone() -> None:
    for sheet in STATIC.glob("*.css"):
        if sheet.name != "tokens.css":
            assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", sheet.read_text(encoding="utf-8")), sheet.name


CATALOGUE: dict[str, dict[str, str]] = json.loads((STATIC / "words.json").read_text(encoding="utf-8"))
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js"))}
MARKUP = (PAGE_FOLDER / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", CATALOGUE)
def test_every_word_stands_in_both_languages_with_the_same_blanks(key: str) -> None:
    entry = CATALOGUE[key]
    assert set(entry) == {"en", "zh"}
    assert all(entry.values())
    assert set(re.findall(r"\{\w+\}", entry["en"])) == set(re.findall(r"\{\w+\}", entry["zh"]))


@pytest.mark.parametrize("key", [key for key in CATALOGUE if STATES.fullmatch(key)])
def test_a_state_fits_its_row(key: str) -> None:
    shown = {language: words.replace("{took}", "12 ms") for language, words in CATALOGUE[key].items()}
    assert len(shown["en"]) <= LONGEST_LATIN
    assert len(re.findall(r"[^\x00-\x7f]", shown["zh"])) <= LONGEST_CHINESE


def test_the_page_asks_only_for_words_that_exist_and_none_is_left_over() -> None:
    code = "\n".join(SCRIPTS.values())
    exact = set(re.findall(r'"([a-z]\w*)"', code)) | set(re.findall(r'data-(?:t|label|title)="(\w+)"', MARKUP))
    marked = set(re.findall(r'\bt\("(\w+)"', code)) | set(re.findall(r'data-(?:t|label|title)="(\w+)"', MARKUP))
    counted = {f"{key}_{end}" for key in re.findall(r'\bcounted\("(\w+)"', code) for end in ("one", "many")}
    prefixes = tuple(re.findall(r"[`(]([a-z]+_)\$\{", code))
    assert marked | counted <= set(CATALOGUE)
    left_over = [key for key in CATALOGUE if key not in exact | counted and not key.startswith(prefixes)]
    assert left_over == []


class Attributes(HTMLParser):
    """Collects what a strict content policy would refuse, and every address."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        names = dict(attrs)
        self.refused += [f"{tag} {name}" for name in names if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in names):
            self.refused.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href") and value]


def test_the_markup_holds_no_code_and_names_files_of_ours_alone() -> None:
    page = Attributes()
    page.feed(MARKUP)
    assert page.refused == []
    assert MARKUP.count("<h1") == 1
    ours = [address for address in page.addresses if not address.startswith("#")]
    assert all(address.startswith("/static/") for address in ours)
    assert all((PAGE_FOLDER / address.partition("#")[0].lstrip("/")).is_file() for address in ours)
    assert "unsafe" not in CONTENT_POLICY


@pytest.mark.parametrize("path", sorted(STATIC.iterdir()), ids=lambda path: path.name)
def test_a_file_is_small_and_runs_no_text_as_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
    addresses = re.findall(r"https?://[\w.-]+", text)
    assert set(addresses) <= {"http://www.w3.org"}


def test_every_icon_that_is_asked_for_is_drawn() -> None:
    drawn = set(re.findall(r'<symbol id="(\w+)"', (STATIC / "icons.svg").read_text(encoding="utf-8")))
    code = "\n".join(SCRIPTS.values())
    asked = set(re.findall(r'\bicon\("(\w+)"', code)) | set(re.findall(r'(?:symbol|icon): "(\w+)"', code))
    asked |= set(re.findall(r"icons\.svg#(\w+)", MARKUP))
    assert asked <= drawn
