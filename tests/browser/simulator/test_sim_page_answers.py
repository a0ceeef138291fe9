"""An agent's answers on the platform's page, as a person sees them: every form, and a long one in its parts."""

import pytest
from playwright.async_api import Page, expect
from tests.browser.conftest import Look, OpenPage, snap
from tests.browser.simulator.scene import Bot, Json, ready, say, scene
from tests.unit.domain.markdown.documents import long_answer

from hongyan.adapters.lark.words import words_body
from hongyan.domain.identity import ChatId
from hongyan.domain.markdown.forms import compose
from hongyan.domain.messages import Outbound

pytestmark = pytest.mark.browser

SHORT = {
    "text": "Plain words, with a `name` in backticks.",
    "post": "**Done.**All pass. 又一行：**结论：**可以合并。\n\n- *first*\n- ~~second~~\n\n```\nmake test\n```",
    "card": "# Release\n\n**Result:**good\n\n| test | time |\n|---|---:|\n| unit | 3 s |\n\n1. build\n   - wheel",
}


async def answer(bot: Bot, message: Json) -> None:
    """Answer with the words that were asked for, as the gateway would send them."""
    asked = message["content"].split('"')[3]
    form, contents = compose(SHORT.get(asked) or long_answer())
    for number, content in enumerate(contents):
        at = Outbound(ChatId(message["chat_id"]), message["message_id"], False, content, f"{asked}-{number}", form)
        await bot.http.post(f"/open-apis/im/v1/messages/{message['message_id']}/reply", json=words_body(at))


async def _ask(page: Page, words: str) -> None:
    await ready(page)
    await say(page, words)


async def test_each_form_is_seen_as_it_was_meant(browser_page: OpenPage) -> None:
    async with scene(answer) as here:
        page = await browser_page(here.simulator.page_url)
        for words in SHORT:
            await _ask(page, words)
        await expect(page.locator(".bubble .strong", has_text="Done").first).to_be_visible()
        await expect(page.locator(".bubble .strong", has_text="结论").first).to_be_visible()
        await expect(page.locator(".card .strong", has_text="Result").first).to_be_visible()
        await expect(page.locator(".card table")).to_have_count(1)
        await expect(page.locator("#log, body").first).not_to_contain_text("**")
        await snap(page, "answers-in-every-form")


@pytest.mark.parametrize("width", [390, 1440], ids=["phone", "desk"])
async def test_a_long_answer_is_readable_from_its_first_part_to_its_last(browser_page: OpenPage, width: int) -> None:
    async with scene(answer) as here:
        page = await browser_page(here.simulator.page_url, Look(width=width, height=900))
        await _ask(page, "everything")
        await expect(page.locator(".card", has_text="Section 39 ").first).to_be_visible()
        await expect(page.locator(".card table")).to_have_count(30)
        await expect(page.locator(".card pre", has_text="def step_")).to_have_count(40)
        await expect(page.locator(".card .mention")).to_have_count(0)
        for place in (0, 20, 39):
            await page.locator(".card", has_text=f"Section {place} ").first.scroll_into_view_if_needed()
            await snap(page, f"long-answer-{width}-section-{place}")
