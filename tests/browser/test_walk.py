"""The whole product as a newcomer meets it: one command, two links, a chat with the bot, and books that add up."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect
from tests.browser.conftest import OpenPage, snap
from tests.browser.simulator.scene import ready, say
from tests.harness.processes import GatewayProcess, running, until

pytestmark = [pytest.mark.browser, pytest.mark.process]

ANSWER_MS = 30_000  # the first one waits for an agent that has to be started


def answer_to(page: Page, text: str) -> Locator:
    """Find what the bot wrote under a message; every answer quotes it."""
    return page.locator("li.message:not(.mine)", has=page.locator(".quote", has_text=text)).locator(".bubble")


def marks_of(page: Page, text: str) -> Locator:
    """Find the marks under a message of ours."""
    return page.locator("li.message.mine", has_text=text).locator(".chip")


async def books(gateway: GatewayProcess) -> Any:
    """Read the ledger as any program does."""
    async with gateway.neighbour() as door:
        return (await door.get("/ledger")).raise_for_status().json()


async def test_a_newcomer_walks_from_the_link_to_books_that_add_up(browser_page: OpenPage, tmp_path: Path) -> None:
    async with running(tmp_path / "home", environ={"HOME": str(tmp_path)}) as gateway:
        page = await browser_page(f"{gateway.ready['simulator_url']}/?token={gateway.ready['simulator_token']}")
        await ready(page)
        await greets(page, gateway)
        await sends_three_quick_messages(page)
        await stops_one(page, gateway)
        await begins_anew(page)
        await looks_at_the_timeline(page, gateway)
        await looks_at_the_console(browser_page, gateway)
        assert (await gateway.stop()).code == 0


async def greets(page: Page, gateway: GatewayProcess) -> None:
    """Say hello and get an answer that the gateway has read back."""

    async def is_verified() -> bool:
        ledger = await books(gateway)
        return bool(ledger["received"]["classes"]["answered"] == 1)

    await say(page, "hello")
    await expect(answer_to(page, "hello")).to_contain_text("rehearsal agent", timeout=ANSWER_MS)
    await until(is_verified)
    await expect(marks_of(page, "hello")).to_contain_text(["received"])
    await snap(page, "walk-1-greeting")


async def sends_three_quick_messages(page: Page) -> None:
    """Three messages in a breath are answered one after the other."""
    for text in ("first", "second", "third"):
        await say(page, text)
    await expect(answer_to(page, "third")).to_have_text("echo: third", timeout=ANSWER_MS)
    said_back = page.locator("li.message:not(.mine) .bubble", has_text="echo: ")
    await expect(said_back).to_have_text(["echo: first", "echo: second", "echo: third"])
    await snap(page, "walk-2-three-quick-messages")


async def stops_one(page: Page, gateway: GatewayProcess) -> None:
    """Stop an answer of which some pieces have come."""

    async def streams() -> bool:
        async with gateway.neighbour() as door:
            running = (await door.get("/status")).json()["running"]
            told = [(await door.get(f"/turns/{turn['turn_id']}/events")).json()["events"] for turn in running]
        return any(told)

    await say(page, "slow")
    await expect(marks_of(page, "slow")).to_contain_text(["received", "working"], timeout=ANSWER_MS)
    await until(streams)
    await snap(page, "walk-3-working")
    await say(page, "/stop")
    await expect(answer_to(page, "slow")).to_contain_text("Stopped by you", timeout=ANSWER_MS)
    await expect(marks_of(page, "slow")).to_have_count(1)
    await snap(page, "walk-4-stopped")


async def begins_anew(page: Page) -> None:
    """Open another session, which knows nothing of the turns before."""
    await say(page, "/new")
    await expect(answer_to(page, "/new")).to_be_visible(timeout=ANSWER_MS)
    await say(page, "[[count]]good morning")
    await expect(answer_to(page, "good morning")).to_have_text("echo: good morning (turn 1)", timeout=ANSWER_MS)
    await snap(page, "walk-5-new-session")


async def looks_at_the_timeline(page: Page, gateway: GatewayProcess) -> None:
    """The timeline tells of every event and call, and counts as the ledger does."""
    entries = page.locator("#entries")
    await expect(entries.get_by_text("im.message.receive_v1").first).to_be_visible()
    received = (await books(gateway))["received"]["total"]
    await expect(page.locator("#sums")).to_have_text(re.compile(rf"^said {received}, visible from the bot \d+$"))
    await page.locator("#filter-calls").click()
    await expect(entries.get_by_text("reply").last).to_be_visible()
    await expect(entries.get_by_text("im.message.receive_v1")).to_have_count(0)
    await snap(page, "walk-6-timeline-calls")


async def looks_at_the_console(open_page: OpenPage, gateway: GatewayProcess) -> None:
    """The console says that both identities hold."""
    async with gateway.neighbour() as door:
        link = (await door.post("/login-links")).raise_for_status().json()["console_url"]
    # The stream of events is open when the gateway stops at the end of the walk.
    page = await open_page(link, allowed=["/api/v1/events"])
    await page.get_by_role("link", name="Ledger").first.click()
    total = str((await books(gateway))["received"]["total"])
    await expect(page.get_by_text("each line counted by its own query")).to_have_count(2)
    await expect(page.get_by_role("main").get_by_text(total, exact=True).first).to_be_visible()
    await expect(page.get_by_text("does not add up")).to_have_count(0)
    await snap(page, "walk-7-console")
