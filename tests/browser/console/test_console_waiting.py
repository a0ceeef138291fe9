"""What a person sees while an agent starts, works, falls silent or fails."""

import asyncio
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


@pytest.mark.scenario("L185")
async def test_the_receipt_comes_before_the_agent_and_silence_is_called_waiting(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local("gated"))
    await write(page, "[[slow:3:300]][[wait:on]][[crash]]")
    sent = turn(page, "slow")
    await expect(sent.locator(".way")).to_contain_text("received")
    await expect(sent.locator(".way .last")).to_have_text("agent starting")
    await expect(page.locator("#activity-time")).to_have_text("")
    assert await house.world.rows("SELECT running_at FROM turns") == [(0,)]
    house.open_gate()
    await expect(sent.locator(".streaming")).to_contain_text("piece 3/3")
    await house.world.advance(31_000)
    await write(page, "the next")
    await expect(page.locator("#activity-words")).to_have_text(re.compile(r"Still waiting, nothing heard for 0:3\d"))
    house.world.release("on")
    await expect(sent.locator(".failure")).to_contain_text("ended before it answered")
    await expect(sent.locator(".said")).to_contain_text("slow")
    await expect(sent.locator(".streaming")).to_contain_text("piece 3/3")
    await expect(sent.get_by_role("button", name="Run again")).to_have_count(1)


@pytest.mark.scenario("M51")
async def test_a_slow_start_can_be_cancelled_failed_and_tried_again_without_a_second_turn(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), allowed=["ERR_FAILED", "ERR_ABORTED"])
    session = await house.local("gated")
    await enter(page, session)
    await page.route("**/turns", lambda route: asyncio.sleep(0))
    await write(page, "once more")
    await page.locator(".pending").get_by_role("button", name="Cancel").click()
    await expect(page.locator("#status")).to_have_text("Not submitted.")
    assert await house.world.rows("SELECT count(*) FROM turns") == [(0,)]
    await page.unroute("**/turns")
    await page.locator("#words").press("Enter")
    await expect(turn(page, "once more").locator(".way")).to_contain_text("received")
    house.open_gate(fails=True)
    failed = turn(page, "once more")
    await expect(failed.get_by_role("button", name="Run again")).to_have_count(1)
    await expect(failed.locator(".said")).to_have_text("once more")
    house.open_gate()
    await write(page, "[[slow:3:300]][[wait:on]]")
    await expect(turn(page, "slow").locator(".streaming")).to_contain_text("piece 3/3")
    start = await turn(page, "slow").locator(".way time").nth(1).inner_text()
    for where in ("#/", f"#/c/{session}"):
        await page.evaluate("where => { location.hash = where; }", where)
        await ready(page)
    await expect(turn(page, "slow").locator(".streaming")).to_contain_text("piece 3/3")
    assert await turn(page, "slow").locator(".way time").nth(1).inner_text() == start
    house.world.release("on")
    await expect(turn(page, "slow").locator(".answer")).to_have_count(1)
    assert await house.world.rows("SELECT count(*) FROM turns WHERE text LIKE '%slow%'") == [(1,)]
