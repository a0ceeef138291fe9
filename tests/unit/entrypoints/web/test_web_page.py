"""The console's shell: its words in both languages, its look, and that nothing of it comes from elsewhere."""

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from tests.unit.entrypoints.web.served import Served, served

from hongyan.application.owed import OwedAction
from hongyan.domain.approvals import Risk
from hongyan.domain.bindings import Audience
from hongyan.domain.conversations import HoldReason, SessionState, TurnState
from hongyan.domain.deliveries import PartState, Phase
from hongyan.domain.ledger import ReceivedClass
from hongyan.domain.requests import Origin
from hongyan.domain.workspaces import Grant
from hongyan.entrypoints.web.page import FOLDER
from hongyan.entrypoints.web.words import CATALOGUE, Tongue, choose, word
from hongyan.ports.chat import ListenerState

KINDS = {
    "listener": ListenerState,
    "session": SessionState,
    "turn": TurnState,
    "part": PartState,
    "class": ReceivedClass,
    "phase": Phase,
    "act": OwedAction,
    "risk": Risk,
    "origin": Origin,
    "group": (Audience.OWNER_PRIVATE, Audience.GROUP_TOPIC, Audience.LOCAL),
    "grant": Grant,
    "hold": tuple(reason for reason in HoldReason if reason),
}
SAME_IN_BOTH = re.compile(r"key\.\w+$|tongue\.\w+$")
GAP = re.compile(r"\{(\w+)\}")
HAN = re.compile(r"[\u4e00-\u9fff]")
STATIC = FOLDER / "static"
SOURCES = [path for path in STATIC.rglob("*") if path.is_file()]
TEXTS = ("ink", "ink2", "ink3", "dai", "ochre", "zhu", "song")
GROUNDS = ("rail", "page", "raised", "sunk", "dai-tint", "ochre-tint", "zhu-tint", "song-tint")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        yield house


async def page(house: Served, **headers: str) -> str:
    browser = await house.browser(**headers)
    return (await browser.get("/")).text


@pytest.mark.parametrize("kind", KINDS)
def test_every_state_has_words(kind: str) -> None:
    assert [f"{kind}.{state}" for state in KINDS[kind] if f"{kind}.{state}" not in CATALOGUE] == []


@pytest.mark.parametrize("key", CATALOGUE)
def test_a_key_says_the_same_in_both_languages(key: str) -> None:
    english, chinese = CATALOGUE[key]
    assert sorted(GAP.findall(english)) == sorted(GAP.findall(chinese))
    if not SAME_IN_BOTH.match(key):
        assert HAN.search(chinese) or "Agent" in chinese
        assert not HAN.search(english)


@pytest.mark.parametrize("kind", ["session", "turn", "hold", "listener"])
def test_a_state_in_a_list_is_short(kind: str) -> None:
    states = [CATALOGUE[f"{kind}.{state}"] for state in KINDS[kind]]
    assert max(len(english) for english, _ in states) <= 22
    assert max(len(HAN.findall(chinese)) for _, chinese in states) <= 10


def test_every_word_that_the_page_asks_for_is_in_the_catalogue() -> None:
    scripts = "\n".join(path.read_text("utf-8") for path in SOURCES if path.suffix == ".js")
    template = (FOLDER / "templates" / "console.html").read_text("utf-8")
    asked = set(re.findall(r"\bw\(\s*\"([a-z_.]+)\"", scripts)) | set(re.findall(r"t\['([a-z_.]+)'\]", template))
    assert len(asked) > 80
    assert sorted(asked - CATALOGUE.keys()) == []


@pytest.mark.parametrize(
    ("asked", "accepted", "chosen"),
    [
        ("zh", "en", Tongue.CHINESE),
        ("en", "zh-CN", Tongue.ENGLISH),
        (None, "zh-CN,zh;q=0.9,en;q=0.8", Tongue.CHINESE),
        (None, "de, en;q=0.5, zh;q=0.4", Tongue.ENGLISH),
        ("fr", "", Tongue.ENGLISH),
    ],
)
def test_the_language_is_the_one_asked_for_or_the_browsers(asked: str | None, accepted: str, chosen: Tongue) -> None:
    assert choose(asked, accepted) is chosen


async def test_without_a_session_the_page_says_how_to_get_one(house: Served) -> None:
    answer = await house.visitor().get("/", headers={"accept-language": "zh"})
    assert answer.status_code == 401
    assert "hongyan status" in answer.text
    assert word("login", Tongue.CHINESE) in answer.text
    assert "data-words" not in answer.text


async def test_the_shell_carries_its_words_in_the_language_and_theme_that_were_chosen(house: Served) -> None:
    text = await page(house, **{"accept-language": "en", "cookie": "hongyan_tongue=zh; hongyan_theme=dark"})
    english = await page(house, **{"accept-language": "en"})
    told = re.search(r'data-words="([^"]*)"', english)
    assert told is not None
    assert json.loads(unescape(told[1]))["turn.running"] == "running"
    assert '<html lang="en">' in english
    assert 'lang="zh-CN"' in text
    assert 'data-theme="dark"' in text


async def test_nothing_of_the_page_is_inline_or_from_elsewhere(house: Served) -> None:
    for text in (await page(house), *(path.read_text("utf-8") for path in SOURCES)):
        assert not re.search(r"\sstyle=|<style|\son\w+=\"|<script(?![^>]*src=)|javascript:", text)
        assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}


async def test_the_files_of_the_page_and_every_module_are_served(house: Served) -> None:
    named = set(re.findall(r'(?:src|href)="(/static/[^"#]+)[^"]*"', await page(house)))
    modules = {f"/static/{path.relative_to(STATIC)}" for path in SOURCES}
    answers = [await house.visitor().get(path) for path in named | modules]
    assert named <= modules
    assert {answer.status_code for answer in answers} == {200}


def test_every_icon_that_is_drawn_is_in_the_sprite() -> None:
    sprite = set(re.findall(r'symbol id="(\w+)"', (STATIC / "icons.svg").read_text("utf-8")))
    scripts = "\n".join(path.read_text("utf-8") for path in SOURCES if path.suffix == ".js")
    template = (FOLDER / "templates" / "console.html").read_text("utf-8")
    drawn = set(re.findall(r"\bicon\(\s*[\"'](\w+)[\"']", scripts + template))
    assert drawn - sprite == set()


def _themes() -> dict[str, dict[str, str]]:
    text = (STATIC / "tokens.css").read_text("utf-8")
    blocks = re.findall(r"(?:^|\n\s*)(:root|\[data-theme=\"dark\"\]|:root:not\(\[data-theme\]\)) \{([^}]*)\}", text)
    colours = [dict(re.findall(r"--([\w-]+): (#[0-9A-F]{6});", body)) for _, body in blocks]
    light, dark, system_dark = (found for found in colours if found)
    assert dark == system_dark
    return {"light": light, "dark": dark}


def _contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_edges_are_readable_on_every_ground(theme: str) -> None:
    colours = _themes()[theme]
    dim = [
        (text, ground) for text, ground in product(TEXTS, GROUNDS) if _contrast(colours[text], colours[ground]) < 4.5
    ]
    faint = [ground for ground in GROUNDS[:4] if _contrast(colours["edge"], colours[ground]) < 3]
    assert (dim, faint) == ([], [])
    assert _contrast(colours["on-fill"], colours["dai-fill"]) >= 4.5
