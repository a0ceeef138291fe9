"""Long conversations: pages come as one scrolls, the line that is read stays, and the end is one press away."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, Route, expect
from tests.browser.conftest import OpenPage
from tests.browser.console.scene import Console, console, enter, history, ready, turn, write

from hongyan.application.send_text import send_text

pytestmark = pytest.mark.browser

TURNS: Final = 2_500  # a word and an answer each: 5,000 messages
OF_THE_BOTTOM: Final = "node => Math.round(node.scrollHeight - node.scrollTop - node.clientHeight)"
UP: Final = """async (text) => {
  const scroll = document.getElementById("transcript");
  const deadline = performance.now() + 60_000;
  while (![...document.querySelectorAll(".said-text")].some((node) => node.textContent === text)) {
    if (performance.now() > deadline) throw new Error("it never came");
    scroll.scrollTop = 0;
    await new Promise(requestAnimationFrame);
  }
}"""
# The page's policy forbids the `eval` that Playwright's own wait for a function needs when it asks again.
COMES_TO_THE_END: Final = """async (node) => {
  const deadline = performance.now() + 20_000;
  while (node.scrollHeight - node.scrollTop - node.clientHeight >= 48) {
    if (performance.now() > deadline) throw new Error("it did not come to the end");
    await new Promise(requestAnimationFrame);
  }
}"""
# A picture of the page's own, put into an answer, as an image that arrives late.
LATE_IMAGE: Final = """(answer, place) => {
  const image = document.createElement("img");
  image.src = "/static/logo.svg?late=" + place;
  image.width = 400;
  image.alt = "";
  answer[place](image);
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _top(node: Locator) -> float:
    box = await node.bounding_box()
    assert box is not None
    return box["y"]


async def _up(page: Page, text: str) -> Locator:
    """Scroll up until an older Turn is loaded, and hold it at the top."""
    await page.evaluate(UP, text)
    wanted = page.locator("article.turn").filter(has=page.locator(".said-text", has_text=re.compile(f"^{text}$")))
    await wanted.evaluate("node => node.scrollIntoView()")
    await expect(page.locator("#latest")).to_be_visible()
    return wanted


async def test_earlier_pages_come_by_scrolling_and_the_place_is_held(house: Console, browser_page: OpenPage) -> None:
    session = await house.local()
    await history(house, session, 120)
    page = await browser_page(house.link())
    await enter(page, session)
    await expect(turn(page, "message 120")).to_be_in_viewport()
    held = await _up(page, "message 62")
    before = await _top(held)
    await send_text(house.world.gateway.desk, session, "while you read", "new")
    await expect(turn(page, "while you read").locator(".answer")).to_be_attached()
    assert abs(await _top(held) - before) < 2
    await page.locator("#latest").click()
    await expect(turn(page, "while you read")).to_be_in_viewport()
    await write(page, "[[slow:8:100]]")
    await expect(turn(page, "slow:8").locator(".answer")).to_be_visible()
    assert await page.locator("#transcript").evaluate(OF_THE_BOTTOM) < 48


@pytest.mark.scenario("M56")
async def test_a_reader_in_the_middle_of_5000_messages_holds_the_line_whatever_grows(
    house: Console, browser_page: OpenPage
) -> None:
    session = await house.local()
    await history(house, session, TURNS)
    page = await browser_page(house.link())
    await enter(page, session)
    newest = turn(page, f"message {TURNS}")
    await expect(newest).to_be_in_viewport()
    held = await _up(page, f"message {TURNS - 100}")
    before = await _top(held)
    above = turn(page, f"message {TURNS - 101}").locator(".answer")
    for number, place in ((TURNS - 101, "append"), (TURNS - 99, "prepend")):
        await turn(page, f"message {number}").locator(".answer").evaluate(LATE_IMAGE, place)
    await expect(above.locator("img")).to_have_js_property("complete", True)
    assert abs(await _top(held) - before) < 3
    for width in (1100, 800, 1440):
        await page.set_viewport_size({"width": width, "height": 700})
        await expect(held).to_be_in_viewport()
    await send_text(house.world.gateway.desk, session, "while you read", "new")
    await expect(turn(page, "while you read").locator(".answer")).to_be_attached()
    await expect(held).to_be_in_viewport()
    await page.locator("#latest").click()
    await expect(turn(page, "while you read")).to_be_in_viewport()
    await expect(page.locator("#latest")).to_be_hidden()


@pytest.mark.scenario("M56")
async def test_a_reader_at_the_end_of_5000_messages_stays_there_whatever_grows(
    house: Console, browser_page: OpenPage
) -> None:
    session = await house.local()
    await history(house, session, TURNS)
    page = await browser_page(house.link())
    await enter(page, session)
    scroll, newest = page.locator("#transcript"), turn(page, f"message {TURNS}")
    await expect(newest).to_be_in_viewport()

    async def late(route: Route) -> None:
        await page.set_viewport_size({"width": 1440, "height": 640})
        await route.continue_()

    await page.route("**/static/logo.svg?late=*", late)
    await newest.locator(".answer").evaluate(LATE_IMAGE, "append")
    await expect(newest.locator("img")).to_have_js_property("complete", True)
    for width in (800, 1440):
        await page.set_viewport_size({"width": width, "height": 640})
        await scroll.evaluate(COMES_TO_THE_END)
    await write(page, "[[slow:8:100]]")
    await expect(turn(page, "slow:8").locator(".answer")).to_be_visible()
    assert await scroll.evaluate(OF_THE_BOTTOM) < 48


async def test_all_5000_messages_can_be_reached_in_their_order(house: Console, browser_page: OpenPage) -> None:
    session = await house.local()
    await history(house, session, TURNS)
    page = await browser_page(house.link())
    await enter(page, session)
    await ready(page)
    await _up(page, "message 1")
    texts = await page.locator(".said-text").all_text_contents()
    assert texts == [f"message {number}" for number in range(1, TURNS + 1)]
