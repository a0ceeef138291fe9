"""On a phone: where the newest request stands can be read in any state without scrolling."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from tests.browser.conftest import Look, OpenPage
from tests.browser.console.scene import Console, console, enter, ready, turn, write

from hongyan.application.send_text import send_text
from hongyan.domain.decisions import Outcome

pytestmark = pytest.mark.browser

PHONE = Look(390, 844, touch=True)
NO_REPEAT = "Opening this page again runs nothing."
LONG = "[[say:" + "A long answer goes on and on. " * 120 + "]]"


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _stands(page: Page, request: str, *words: str) -> None:
    """See the five answers in the window: the request, who works on it, what became of it, the answer, no repeat."""
    strip = page.locator("#standing")
    for part in (request, "rehearsal", NO_REPEAT, *words):
        await expect(strip).to_contain_text(part)
    for line in await strip.locator("p").all():
        await expect(line).to_be_in_viewport(ratio=1)
    assert await strip.evaluate("node => node.scrollWidth <= node.clientWidth")


@pytest.mark.scenario("M50")
async def test_the_five_questions_are_answered_while_it_waits_runs_and_is_stopped(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), PHONE)
    await enter(page, await house.local())
    await write(page, "Deploy it.[[slow:3:10]][[hang]]")
    await _stands(page, "Deploy it.", "running", "No answer yet.")
    await write(page, "Then tell me.")
    await _stands(page, "Then tell me.", "after this turn", "No answer yet.")
    await expect(page.locator("#activity")).to_be_in_viewport(ratio=1)
    await page.locator("#stop").click()
    await expect(turn(page, "Deploy it.").locator(".way .last")).to_contain_text("stopped by you after")
    await _stands(page, "Then tell me.", "completed", "The answer stands here.")
    await expect(page.locator("#standing").get_by_role("button", name="To the answer")).to_be_in_viewport(ratio=1)


@pytest.mark.scenario("M50")
async def test_a_stop_that_took_effect_or_came_too_late_is_told_as_what_it_was(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), PHONE)
    await enter(page, await house.local())
    await write(page, "First.[[slow:1:10]][[hang]]")
    await expect(turn(page, "First.").locator(".streaming")).to_be_visible()
    await page.locator("#stop").click()
    await _stands(page, "First.", "stopped by you after", "No verified answer.")
    await page.reload()
    await ready(page)
    await _stands(page, "First.", "stopped by you after", "No verified answer.")
    assert await house.world.rows("SELECT count(*) FROM turns") == [(1,)]


@pytest.mark.scenario("M50")
async def test_the_five_questions_are_answered_when_it_asks_and_when_it_failed(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), PHONE)
    await enter(page, await house.local())
    await write(page, "Clean up.[[ask:rm -r build]][[error:-32603:no capacity]]")
    await _stands(page, "Clean up.", "waits for you", "No answer yet.")
    await house.decide(await house.asked(), Outcome.REJECTED)
    await _stands(page, "Clean up.", "failed", "No verified answer.")


@pytest.mark.scenario("M50")
async def test_a_verified_answer_is_one_press_away_however_long_it_is(house: Console, browser_page: OpenPage) -> None:
    house.world.say(f"Tell me all.{LONG}")
    await house.world.until_settled(flowing=True)
    rows = await house.world.rows("SELECT session_id FROM turns")
    page = await browser_page(house.link(), PHONE)
    await enter(page, str(rows[0][0]))
    await _stands(page, "Tell me all.", "verified", "The answer is verified in Feishu.")
    await expect(page.locator(".answer")).to_be_attached()
    await page.locator("#standing").get_by_role("button", name="To the answer").click()
    top = await page.locator(".answer").bounding_box()
    strip = await page.locator("#standing").bounding_box()
    assert top is not None
    assert strip is not None
    assert abs(top["y"] - (strip["y"] + strip["height"])) < 40
    await _stands(page, "Tell me all.", "verified", "The answer is verified in Feishu.")


async def test_a_conversation_in_which_nothing_was_said_has_no_standing(house: Console, browser_page: OpenPage) -> None:
    session = await house.local()
    page = await browser_page(house.link(), PHONE)
    await enter(page, session)
    await expect(page.locator("#standing")).to_be_hidden()
    await send_text(house.world.gateway.desk, session, "hello", "one")
    await _stands(page, "hello", "The answer stands here.")
