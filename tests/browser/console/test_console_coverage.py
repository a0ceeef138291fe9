"""What never arrived, in the console: seen per chat, run or ignored there, and why a chat cannot be checked."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from tests.browser.conftest import Look, OpenPage, snap
from tests.browser.console.scene import Console, console, ready
from tests.harness.missed import LOST, RECEIVE

from hongyan.application.check_coverage import check_coverage
from hongyan.domain import limits

pytestmark = pytest.mark.browser


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _compare(house: Console, times: int = 3) -> None:
    for _ in range(times):
        await check_coverage(house.world.gateway.desk, house.world.app_id)
        await house.world.clock.advance(limits.GAP_DECLARED_MS)


async def _open(house: Console, page: Page) -> None:
    await ready(page)
    await page.evaluate("location.hash = '#/settings/coverage'")
    await expect(page.locator("#settings-body section.card")).to_have_count(1)


async def _missed(house: Console, words: str) -> None:
    await _compare(house, 1)
    house.world.fault(RECEIVE, LOST)
    house.world.say(words)
    await house.world.clock.advance(3_001)
    await _compare(house)


async def test_a_missed_message_is_run_from_the_list_and_the_chat_is_checked_then(
    house: Console, browser_page: OpenPage
) -> None:
    await _missed(house, "Did the glossary arrive?")
    page = await browser_page(house.link())
    await _open(house, page)
    body = page.locator("#settings-body")
    await expect(body).to_contain_text("messages missed")
    await expect(body).to_contain_text("Did the glossary arrive?")
    await snap(page, "console-coverage-missed")
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.locator("[data-gap]")).to_have_count(0)
    await house.world.until_settled(flowing=True)
    assert house.world.prompts() == ["Did the glossary arrive?"]
    await _compare(house, 1)
    await page.reload()
    await expect(page.locator("#settings-body .state.verified")).to_have_text("checked")


async def test_a_chat_that_cannot_be_checked_names_the_permission(house: Console, browser_page: OpenPage) -> None:
    house.world.app.scopes = frozenset({"im:message:send_as_bot"})
    await _compare(house, 1)
    page = await browser_page(house.link(), Look(390, 844, "zh-CN", "dark", touch=True))
    await _open(house, page)
    await expect(page.locator("#settings-body")).to_contain_text("不可用")
    await expect(page.locator("#settings-body")).to_contain_text("im:message")
    await snap(page, "console-coverage-permission")
