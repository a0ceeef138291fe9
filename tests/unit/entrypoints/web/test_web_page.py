"""The status page: what a person reads, in both languages, and that nothing of it comes from elsewhere."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.unit.entrypoints.web.served import Served, an_owed_request, served

from hongyan.application.owed import OwedAction
from hongyan.domain.conversations import SessionState, TurnState
from hongyan.domain.deliveries import PartState, Phase
from hongyan.domain.ledger import ReceivedClass
from hongyan.entrypoints.web.page import FOLDER
from hongyan.entrypoints.web.words import CATALOGUE, Tone, Tongue, choose, clock_wait, said, word
from hongyan.ports.chat import ListenerState

KINDS = {
    "listener": ListenerState,
    "session": SessionState,
    "turn": TurnState,
    "part": PartState,
    "class": ReceivedClass,
    "phase": Phase,
    "act": OwedAction,
}
GAP = re.compile(r"\{(\w+)\}")
HAN = re.compile(r"[\u4e00-\u9fff]")


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
    assert HAN.search(chinese) or key == "language"
    assert not HAN.search(english) or key == "language"


@pytest.mark.parametrize("kind", ["session", "turn"])
def test_a_state_in_a_list_is_short(kind: str) -> None:
    states = [CATALOGUE[f"{kind}.{state}"] for state in KINDS[kind]]
    assert max(len(english) for english, _ in states) <= 22
    assert max(len(HAN.findall(chinese)) for _, chinese in states) <= 10


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


@pytest.mark.parametrize(("seconds", "shown"), [(-1, "0:00"), (58, "0:58"), (61, "1:01"), (3_661, "1:01:01")])
def test_a_wait_is_written_as_a_clock(seconds: int, shown: str) -> None:
    assert clock_wait(seconds) == shown


def test_a_sum_that_is_off_says_by_how_much() -> None:
    off = said("off_by", Tongue.ENGLISH, n=2)
    assert (off.words, off.tone) == ("does not add up by 2", Tone.FAILED)


async def test_without_a_session_the_page_says_how_to_get_one(house: Served) -> None:
    answer = await house.visitor().get("/", headers={"accept-language": "zh"})
    assert answer.status_code == 401
    assert "hongyan status" in answer.text
    assert word("login", Tongue.CHINESE) in answer.text
    assert "docs" not in answer.text


async def test_the_page_shows_what_is_owed_what_runs_and_both_sums(house: Served) -> None:
    await an_owed_request(house, "water the <b>plants</b>")
    text = await page(house)
    assert text.count(word("adds_up", Tongue.ENGLISH)) == 2
    assert "docs · rehearsal" in text
    assert word("advisory", Tongue.ENGLISH) in text
    assert 'data-act="run_again"' in text
    assert "water the &lt;b&gt;plants&lt;/b&gt;" in text


async def test_the_page_speaks_chinese(house: Served) -> None:
    await an_owed_request(house)
    text = await page(house, **{"accept-language": "zh-CN"})
    assert '<html lang="zh-CN"' in text
    assert text.count(word("adds_up", Tongue.CHINESE)) == 2
    assert word("act.run_again", Tongue.CHINESE) in text


async def test_the_sections_come_alone_for_the_pages_own_asking(house: Served) -> None:
    await an_owed_request(house)
    answer = await (await house.browser()).get("/overview", params={"lang": "zh"})
    html = answer.json()["html"]
    assert word("needs_you", Tongue.CHINESE) in html
    assert "<html" not in html
    assert answer.headers["cache-control"] == "no-store"


async def test_nothing_of_the_page_is_inline_or_from_elsewhere(house: Served) -> None:
    await an_owed_request(house)
    sources = [await page(house), *(file.read_text("utf-8") for file in (FOLDER / "static").iterdir())]
    for text in sources:
        assert not re.search(r"\sstyle=|<style|\son\w+=|<script(?![^>]*src=)|javascript:", text)
        assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}


async def test_the_files_of_the_page_are_served(house: Served) -> None:
    named = re.findall(r'(?:src|href)="(/static/[^"#]+)[^"]*"', await page(house))
    answers = [await house.visitor().get(path) for path in named]
    assert len(set(named)) == 3
    assert {answer.status_code for answer in answers} == {200}
