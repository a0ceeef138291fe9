"""Pictures of every place, full, quiet, blocked and unavailable; and axe's judgement of each.

`scripts/pictures --places FOLDER` keeps them for people to look at. Each is taken only when its words stand there.
"""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect
from tests.browser.conftest import Look, OpenPage, snap
from tests.browser.console.furnished import blocked, full, quiet
from tests.browser.console.scene import Console, console, ready

pytestmark = pytest.mark.browser

SERIOUS: Final = {"serious", "critical"}
LOOKS: Final = {
    "1440": Look(1440, 1000),
    "390": Look(390, 844, touch=True),
    "1440-dark-zh": Look(1440, 1000, "zh-CN", "dark"),
    "390-dark-zh": Look(390, 844, "zh-CN", "dark", touch=True),
    "1024": Look(1024, 800),
}
# Between them these two have both widths, languages and themes; `scripts/pictures --places` takes every look.
USUAL: Final = ["1440", "390-dark-zh"]
TAKEN: Final = list(LOOKS) if "HONGYAN_EVERY_LOOK" in os.environ else USUAL
LOST: Final = ["ERR_", "Failed to load"]


@dataclass(frozen=True, slots=True)
class Place:
    """One place: its address, and the words that must stand there in English and in Chinese."""

    address: str
    english: tuple[str, ...]
    chinese: tuple[str, ...] = ()


Furnish = Callable[[Console], Awaitable[str]]
ALWAYS: Final = {
    "settings/workspaces": Place("settings/workspaces", ("Folder", "may write"), ("文件夹", "可写")),
    "settings/bindings": Place("settings/bindings", ("Private chat in Feishu", "live"), ("飞书私聊", "有效")),
    "settings/coverage": Place("settings/coverage", ("Compared until",), ("核对到",)),
    "settings/executors": Place("settings/executors", ("Program", "rehearsal"), ("程序", "没有在沙箱里运行")),
    "settings/owners": Place("settings/owners", ("Lin Yan", "Paired"), ("配对于",)),
    "settings/appearance": Place("settings/appearance", ("Theme", "Language"), ("主题", "语言")),
    "settings/machine": Place("settings/machine", ("Version", "Home"), ("版本", "主目录")),
}
FULL: Final = {
    "conversation": Place("c/{id}", ("needs your decision", "Allow once", "1 ahead"), ("需要你决定", "允许一次")),
    "list": Place("", ("needs you", "Private chats", "On this machine"), ("等你处理", "私聊", "本机")),
    "needs": Place("needs", ("Approval", "oldest first", "No answer"), ("审批", "最早的在前", "没有答复")),
    "ledger": Place("ledger", ("adds up", "answered", "verified"), ("合得上", "已答复", "已核实")),
    "settings/apps": Place("settings/apps", ("Long connection", "listening"), ("长连接", "正在收信")),
    **ALWAYS,
}
QUIET: Final = {
    "conversation": Place("c/{id}", ("verified", "Worked"), ("已核实", "用时")),
    "list": Place("", ("ready",), ("空闲",)),
    "needs": Place("needs", ("Nothing waits for you.",), ("没有等你处理的事。",)),
    "ledger": Place("ledger", ("adds up",), ("合得上",)),
    "settings/apps": Place("settings/apps", ("listening",), ("正在收信",)),
}
BLOCKED: Final = {
    "conversation": Place("c/{id}", ("held", "Run again"), ("暂停", "重跑")),
    "list": Place("", ("held",), ("暂停",)),
    "needs": Place("needs", ("Held", "Run again"), ("暂停", "重跑")),
    "ledger": Place("ledger", ("owed", "held"), ("待处理", "暂停")),
    "settings/apps": Place("settings/apps", ("retrying", "Check again"), ("正在重试", "再检查一次")),
}
AWAY: Final = (("The gateway is out of reach",), ("联系不上网关",))
UNREAD: Final = (("This could not be read yet.",), ("还没有读到这里的内容。",))  # where nothing was read before
UNAVAILABLE: Final = {
    name: Place(BLOCKED[name].address, *(AWAY if name in {"conversation", "list"} else UNREAD)) for name in BLOCKED
}


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _judge(page: Page) -> None:
    found = await Axe().run(page)
    serious = [one for one in found.response["violations"] if one["impact"] in SERIOUS]
    told = [(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in serious]
    assert told == [], json.dumps(told, indent=1)


async def _go(page: Page, where: str) -> None:
    await page.evaluate("where => { location.hash = `#/${where}`; }", where)
    await expect(page.locator(".place:visible")).to_have_count(1)


async def _taken(page: Page, place: Place, session: str, name: str) -> None:
    """Go there, wait for its words, see that nothing is cut off at the side, keep the picture, let axe judge."""
    await _go(page, place.address.format(id=session))
    chinese = "-zh" in name
    for words in place.chinese if chinese else place.english:
        await expect(page.get_by_text(words).filter(visible=True).first).to_be_visible()
    if chinese:
        assert await _english_states(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await snap(page, name)
    await _judge(page)


async def _english_states(page: Page) -> list[str]:
    """Give the states on the page that have no Chinese letter; names and numbers are no states."""
    states = await page.locator(":is(.state, .caption, .note):not(svg):visible").all_inner_texts()
    has_chinese = [any("\u4e00" <= letter <= "\u9fff" for letter in text) for text in states]
    return [text for text, fine in zip(states, has_chinese, strict=True) if not fine and any(map(str.isalpha, text))]


async def _all(house: Console, page: Page, places: Mapping[str, Place], furnished: tuple[str, str, str]) -> None:
    session, state, look = furnished
    for name, place in places.items():
        await _taken(page, place, session, f"console-{name.replace('/', '-')}-{state}-{look}")


@pytest.mark.parametrize("look", TAKEN)
@pytest.mark.parametrize(
    ("state", "furnish", "places"),
    [("full", full, FULL), ("quiet", quiet, QUIET), ("blocked", blocked, BLOCKED)],
    ids=["full", "quiet", "blocked"],
)
async def test_every_place(
    house: Console, browser_page: OpenPage, state: str, furnish: Furnish, places: Mapping[str, Place], look: str
) -> None:
    session = await furnish(house)
    page = await browser_page(house.link(), LOOKS[look])
    await ready(page)
    await _all(house, page, places, (session, state, look))


@pytest.mark.parametrize("look", TAKEN)
async def test_every_place_while_the_gateway_is_away(house: Console, browser_page: OpenPage, look: str) -> None:
    session = await full(house)
    page = await browser_page(house.link(), LOOKS[look], allowed=LOST)
    await ready(page)
    await _go(page, f"c/{session}")
    await expect(page.locator(".approval.asked").first).to_be_visible()
    await house.close_door()
    await _all(house, page, UNAVAILABLE, (session, "unavailable", look))


@pytest.mark.parametrize("look", TAKEN)
async def test_what_is_chosen_in_the_list_of_needs(house: Console, browser_page: OpenPage, look: str) -> None:
    await full(house)
    page = await browser_page(house.link(), LOOKS[look])
    await ready(page)
    await _go(page, "needs")
    await page.locator(".need").filter(has_text="retry.py").locator(".need-body").click()
    await expect(page.locator(".need-aside .diff")).to_be_visible()
    await snap(page, f"console-needs-chosen-full-{look}")
    await _judge(page)


@pytest.mark.parametrize("look", TAKEN)
async def test_the_beginning_of_a_conversation(house: Console, browser_page: OpenPage, look: str) -> None:
    session = await full(house)
    page = await browser_page(house.link(), LOOKS[look])
    await ready(page)
    await _go(page, f"c/{session}")
    await page.locator(".answer .code").wait_for(state="attached")
    await expect(page.locator(".approval.asked").first).to_be_visible()
    await page.locator("#transcript").evaluate("node => { node.scrollTop = 0; }")
    await expect(page.locator("#latest")).to_be_visible()
    await snap(page, f"console-beginning-full-{look}")
    await _judge(page)


@pytest.mark.parametrize("look", USUAL)
async def test_a_home_in_which_nothing_was_said(house: Console, browser_page: OpenPage, look: str) -> None:
    page = await browser_page(house.link(), LOOKS[look])
    await ready(page)
    for name, mark in (("list", "#list-empty"), ("needs", "#needs-empty .strong"), ("ledger", "#sums .sum")):
        await _go(page, "" if name == "list" else name)
        await expect(page.locator(mark).first).to_be_visible()
        await snap(page, f"console-{name}-empty-{look}")
        await _judge(page)


@pytest.mark.parametrize("look", USUAL)
async def test_the_page_that_says_how_to_come_in(house: Console, browser_page: OpenPage, look: str) -> None:
    page = await browser_page(f"{house.access.base_url}/login?t=used", LOOKS[look], allowed=["410"])
    await expect(page.get_by_text("hongyan status")).to_be_visible()
    await snap(page, f"console-entrance-{look}")
    await _judge(page)
