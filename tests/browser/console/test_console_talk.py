"""Conversations in the console, against a real gateway and a real agent program."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect
from tests.browser.conftest import OpenPage
from tests.browser.console.scene import Console, console, enter, ready, turn, write

pytestmark = pytest.mark.browser


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def test_a_text_is_sent_streamed_and_answered(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[slow:3:200]][[wait:on]]**done**")
    sent = turn(page, "slow")
    await expect(sent.locator(".way")).to_contain_text("received")
    await expect(sent.locator(".streaming")).to_contain_text("piece 1/3")
    await expect(page.locator("#activity")).to_be_visible()
    house.world.release("on")
    await expect(sent.locator(".answer")).to_contain_text("piece 3/3")
    await expect(sent.locator(".way .last")).to_have_text(re.compile("completed"))
    await expect(page.locator("#activity")).to_be_hidden()


async def test_what_is_said_in_feishu_appears_with_its_way(house: Console, browser_page: OpenPage) -> None:
    house.world.say("hello there, gateway")
    await house.world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    page = await browser_page(house.link())
    await ready(page)
    row = page.locator("a.row")
    await expect(row).to_contain_text("work")
    await row.click()
    sent = turn(page, "hello there")
    await expect(sent.locator(".speaker").first).to_contain_text("Lin Yan")
    await expect(sent.locator(".way")).to_contain_text("verified")
    await expect(sent.locator(".answer")).to_have_text("echo: hello there, gateway")


async def test_a_stop_ends_exactly_the_running_turn_and_says_so(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[slow:3:400]][[hang]]")
    await write(page, "the second")
    await expect(turn(page, "the second").locator(".way")).to_contain_text("after this turn")
    await expect(turn(page, "hang").locator(".streaming")).to_contain_text("piece 1/3")
    await page.locator("#stop").click()
    await expect(turn(page, "hang").locator(".way .last")).to_have_text(re.compile("stopped"))
    await expect(turn(page, "the second").locator(".answer")).to_have_text("echo: the second")
    assert await house.world.rows("SELECT state FROM turns ORDER BY position") == [("interrupted",), ("completed",)]
