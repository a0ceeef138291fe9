"""The simulator's page: what a person does in a chat, and what they see of the answer."""

import pytest
from playwright.async_api import expect
from tests.browser.conftest import OpenPage, snap
from tests.browser.simulator.scene import ready, say, scene

pytestmark = pytest.mark.browser


async def test_an_answer_appears_without_a_reload(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await expect(page.get_by_text("Nothing here leaves this machine")).to_be_visible()
        await say(page, "Good morning")
        await expect(page.locator(".bubble").last).to_have_text("You said: Good morning")
        await expect(page.locator(".chip")).to_contain_text("received")
        await expect(page.locator("#sums")).to_have_text("said 1, visible from the bot 1")
        await snap(page, "simulator-greeting-light-en")
        assert here.texts(here.private) == ["Good morning", "You said: Good morning"]
