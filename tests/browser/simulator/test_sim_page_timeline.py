"""The simulator's page: the timeline beside the chat, faults and the clock."""

import httpx
import pytest
from playwright.async_api import Page, expect
from tests.browser.conftest import Look, OpenPage, snap
from tests.browser.simulator.scene import Bot, Json, ready, say, scene

pytestmark = pytest.mark.browser


async def sends_again(bot: Bot, message: Json) -> None:
    """Reply; when the answer is lost, reply once more with the same uuid."""
    uuid = "9d20aa41-ask-1"
    try:
        await bot.reply(message["message_id"], "done", uuid=uuid)
    except httpx.TransportError:
        await bot.reply(message["message_id"], "done", uuid=uuid)


async def add_fault(page: Page, words: str) -> None:
    """Put a ready-made rule into force through the dialog."""
    await page.locator("#open-faults").click()
    await page.get_by_role("button", name=f"Add: {words}").click()
    await expect(page.locator("#standing li")).to_have_count(1)


async def test_a_lost_response_stands_on_its_tint_with_what_was_stored(browser_page: OpenPage) -> None:
    async with scene(sends_again) as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await add_fault(page, "Lose the next reply's response")
        await snap(page, "simulator-faults-dialog-light-en")
        await page.keyboard.press("Escape")
        await expect(page.locator("#open-faults")).to_have_text("Faults 1")
        await say(page, "Ship it")
        fault = page.locator(".entry.fault")
        await expect(fault.locator(".outcome")).to_have_text("response lost")
        stored = here.simulator.platform.visible(here.private.chat_id)[-1].message_id
        await expect(fault).to_contain_text("lost response after commit, 1 of 1 used")
        await expect(fault).to_contain_text(f"stored as {stored[:7]}…")
        again = page.locator(".entry.notable")
        await expect(again.locator(".outcome")).to_have_text("same uuid")
        await expect(again).to_contain_text(f"answered with {stored[:7]}…, no second message")
        await expect(page.locator("#sums")).to_have_text("said 1, visible from the bot 1")
        await snap(page, "simulator-lost-response-light-en")
        assert here.texts(here.private) == ["Ship it", "done"]


async def test_the_filters_show_events_or_calls(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await say(page, "hello")
        await expect(page.locator("#filter-calls")).to_have_text("Calls 3")
        await page.locator("#filter-events").click()
        await expect(page.locator(".entry .what")).to_contain_text(
            ["im.chat.member.bot.added_v1", "im.message.receive_v1"]
        )
        await expect(page.locator(".entry.call")).to_have_count(0)
        await page.locator("#filter-calls").click()
        await expect(page.locator(".entry.call .what")).to_contain_text(["GET …/messages", "reactions", "reply"])
        await expect(page.locator(".entry.event")).to_have_count(0)


async def test_a_row_opens_to_the_whole_call_and_the_whole_event(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await say(page, "hello")
        reply = page.locator(".entry.call", has_text="/reply")
        await reply.get_by_role("button").click()
        await expect(reply.locator(".details")).to_contain_text("You said: hello")
        await expect(reply.get_by_role("button")).to_be_in_viewport()
        received = page.locator(".entry.event", has_text="im.message.receive_v1")
        await received.get_by_role("button").click()
        await expect(received.locator(".details pre")).to_contain_text('"event_type": "im.message.receive_v1"')
        await expect(received.get_by_role("button")).to_have_attribute("aria-expanded", "true")
        await snap(page, "simulator-open-rows-light-en")


async def test_an_event_nobody_acks_comes_again_when_the_clock_moves(browser_page: OpenPage) -> None:
    async with scene(clock="virtual") as here:
        here.bot.acks = False
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await say(page, "hello")
        received = page.locator(".entry.event", has_text="im.message.receive_v1")
        await expect(received.locator(".outcome")).to_have_text("waiting for the ack")
        await page.locator("#open-clock").click()
        await expect(page.get_by_text("Virtual time. It stands still until it is moved.")).to_be_visible()
        await page.get_by_role("button", name="To the next timer").click()
        await expect(received.locator(".outcome")).to_have_text("not acked, will retry")
        await snap(page, "simulator-clock-dialog-light-en")
        here.bot.acks = True
        await page.get_by_role("button", name="15 s").click()
        await expect(received.locator(".outcome")).to_have_text("retried, acked 0 ms")
        await expect(received).to_contain_text("not acked in 3 s, acked")


async def test_a_rule_is_removed_and_a_line_is_cut(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await add_fault(page, "Delay every call by 2 s")
        await page.get_by_role("button", name="Remove: delayed").click()
        await expect(page.get_by_text("No rule is in force.")).to_be_visible()
        await page.get_by_role("button", name="Cut the long connection").click()
        await page.get_by_role("button", name="Close").click()
        await expect(page.locator(".entry.line").last).to_contain_text("closed 1006")
        await expect(page.locator("#chat-where")).to_have_text("bot, not connected")
        await say(page, "is anyone there")
        outcome = page.locator(".entry.event .outcome").last
        await expect(outcome).to_have_text("nobody listens, retry")
        await snap(page, "simulator-cut-line-light-en")
        assert here.simulator.platform.faults.rules == {}


async def test_what_passed_before_is_there_after_a_reload(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await say(page, "hello")
        await expect(page.locator(".entry")).to_have_count(7)
        before = await page.locator(".entry .what").all_inner_texts()
        await page.reload()
        await ready(page)
        await expect(page.locator(".entry .what")).to_have_text(before, use_inner_text=True)


async def test_a_reset_empties_the_page(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url, Look(height=700))
        await ready(page)
        await expect(page.get_by_text("Write to Hongyan")).to_be_visible()
        here.simulator.platform.reset()
        await expect(page.get_by_text("Nobody lives here yet.")).to_be_visible()
        await snap(page, "simulator-nobody-light-en")
        await page.locator("#nobody").get_by_role("button").click()
        await expect(page.get_by_role("heading", name="A group with everyone")).to_be_visible()
        await snap(page, "simulator-residents-dialog-light-en")
        for form, name in (("person", "Lin Yan"), ("app", "Hongyan"), ("group", "Release")):
            await page.locator(f"#{form}-name").fill(name)
            await page.locator(f"#{form}-name").press("Enter")
            await expect(page.locator("#residents-said")).to_have_text(f"{name} was added.")
        await page.get_by_role("button", name="Close").click()
        await expect(page.get_by_role("button", name="Release")).to_be_visible()
        assert [user.name for user in here.simulator.platform.directory.users.values()] == ["Lin Yan"]


async def test_a_call_stands_where_it_began(browser_page: OpenPage) -> None:
    async with scene(clock="virtual") as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        log = here.simulator.platform.request_log
        early = log.begin(here.simulator.clock.now_ms(), "GET", "/open-apis/bot/v3/info", "")
        here.simulator.clock.advance(1_000)
        await say(page, "later")
        await expect(page.locator(".entry.call")).to_have_count(3)
        log.finish(early)
        await expect(page.locator(".entry.call .what").first).to_contain_text("/bot/v3/info")
