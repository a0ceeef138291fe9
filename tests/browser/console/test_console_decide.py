"""Decisions in the console: here, elsewhere, once; and what needs somebody."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from tests.browser.conftest import OpenPage
from tests.browser.console.scene import Console, console, enter, ready, turn, write
from tests.harness.shown_card import ShownCard

from hongyan.application.send_text import send_text
from hongyan.domain.decisions import Outcome

pytestmark = pytest.mark.browser


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _asked_in_both(house: Console, page: Page) -> ShownCard:
    """Let the agent ask about a message from Feishu; give the card that shows it there."""
    house.world.say("[[ask:rm -r build]][[wait:end]]")
    await house.asked()
    await enter(page, str((await house.world.rows("SELECT session_id FROM turns"))[0][0]))
    await expect(page.locator(".approval.asked")).to_contain_text("Also asked in Feishu. The first decision counts.")
    await house.world.until(lambda: any("Allow once" in card.labels for card in house.world.cards()))
    return next(card for card in house.world.cards() if "Allow once" in card.labels)


async def test_a_yes_given_here_settles_the_card_that_shows_it_there(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    card = await _asked_in_both(house, page)
    await page.locator(".approval.asked").get_by_role("button", name="Allow once").click()
    await expect(page.locator(".approval.settled")).to_contain_text("allowed once in the console by you")
    await house.world.until(lambda: not any("Allow once" in shown.labels for shown in house.world.cards()))
    settled = next(shown for shown in house.world.cards() if shown.message_id == card.message_id)
    assert "console" in settled.words
    assert await house.world.rows("SELECT decided_where FROM decisions") == [("console",)]
    house.world.release("end")


async def test_a_press_on_the_card_settles_the_row_that_shows_it_here(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    card = await _asked_in_both(house, page)
    await house.world.clicked(card, "Reject")
    settled = page.locator(".approval.settled")
    await expect(settled).to_contain_text("rejected in Feishu by Lin Yan")
    await expect(page.locator(".approval button")).to_have_count(0)
    assert await house.world.rows("SELECT decided_where FROM decisions") == [("card",)]
    house.world.release("end")


async def test_two_tabs_make_one_decision_and_both_settle(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link(), allowed=["409"])
    session = await house.local()
    await enter(page, session)
    await write(page, "[[ask:rm -r build]][[wait:end]]")
    other = await page.context.new_page()
    await other.goto(page.url)
    await ready(other)
    for tab in (page, other):
        await expect(tab.locator(".approval.asked")).to_be_visible()
    allow = page.locator(".approval").get_by_role("button", name="Allow once")
    reject = other.locator(".approval").get_by_role("button", name="Reject")
    await asyncio.gather(allow.dispatch_event("click"), reject.dispatch_event("click"))
    [(outcome, decided)] = await _decided(house)
    words = {"allowed_once": "allowed once in the console", "rejected": "rejected in the console"}[outcome]
    for tab in (page, other):
        await expect(tab.locator(".approval.settled")).to_contain_text(words)
    assert decided == 1
    house.world.release("end")


async def _decided(house: Console) -> list[tuple[str, int]]:
    await house.world.until_rows("SELECT 1 FROM decisions WHERE state = 'decided'")
    return [
        (str(outcome), int(amount))
        for outcome, amount in await house.world.rows("SELECT outcome, count(*) FROM decisions GROUP BY outcome")
    ]


async def test_a_decision_on_the_card_names_who_decided_it_and_where(house: Console, browser_page: OpenPage) -> None:
    house.world.say("[[ask:rm -r build]][[wait:end]]")
    identity = await house.asked()
    page = await browser_page(house.link())
    await enter(page, str((await house.world.rows("SELECT session_id FROM turns"))[0][0]))
    await expect(page.locator(".approval.asked")).to_contain_text("Also asked in Feishu. The first decision counts.")
    owner = str((await house.world.rows("SELECT open_id FROM owners"))[0][0])
    await house.decide(identity, Outcome.ALLOWED_ONCE, by=owner)
    settled = page.locator(".approval.settled")
    await expect(settled).to_contain_text("allowed once in Feishu by Lin Yan")
    await expect(settled.locator("time")).to_be_visible()
    house.world.release("end")


async def test_a_yes_for_the_session_answers_the_same_question_next_time(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[ask:rm -r build]]the first")
    await page.locator(".approval.asked").get_by_role("button", name="Allow for this session").click()
    await expect(turn(page, "the first").locator(".fold")).to_contain_text("allowed for this session in the console")
    await write(page, "[[ask:rm -r build]]the second")
    await expect(turn(page, "the second").locator(".answer")).to_contain_text("The answer was: allow")
    await expect(turn(page, "the second").locator(".fold")).to_contain_text("earlier in this session")
    assert await house.world.rows("SELECT count(*) FROM decisions WHERE decided_where = 'console'") == [(1,)]


@pytest.mark.scenario("D16")
async def test_letters_that_hide_or_turn_a_line_are_shown_as_numbers(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[ask:rm \u202ehsab\u200b -r build]][[wait:end]]")
    row = page.locator(".approval.asked")
    await expect(row.locator("strong")).to_contain_text("⟨U+202E⟩")
    await expect(row.locator("strong")).to_contain_text("⟨U+200B⟩")
    assert not set("\u202e\u200b") & set(await row.inner_text())
    house.world.release("end")


@pytest.mark.scenario("D16")
async def test_a_name_with_lines_and_turned_letters_is_one_plain_line(house: Console, browser_page: OpenPage) -> None:
    await house.owner_is_called("Lin\u202e\n# Admin\u200b\n\tYan")
    house.world.say("hello")
    await house.world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    page = await browser_page(house.link())
    await enter(page, str((await house.world.rows("SELECT session_id FROM turns"))[0][0]))
    speaker = turn(page, "hello").locator(".speaker strong").first
    await expect(speaker).to_have_text("Lin # Admin Yan")
    assert await speaker.inner_text() == "Lin # Admin Yan"


@pytest.mark.scenario("M60")
async def test_an_items_text_reason_and_evidence_come_first_and_its_ids_are_folded(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link("#/needs"))
    session = await house.local()
    await send_text(house.world.gateway.desk, session, "<b>Look</b> at it.[[error:-32603:no]]", "one")
    await house.world.until_rows("SELECT 1 FROM requests WHERE owed = 1")
    await page.goto(page.url.split("#")[0] + "#/needs")
    await page.locator(".need-body").first.press("Enter")
    detail = page.locator("#need-detail")
    await expect(detail.locator("h2")).to_be_focused()
    order = await detail.evaluate("node => [...node.children].map((one) => one.className || one.localName)")
    assert order == ["state failed", "h2", "letter", "p", "p", "acts", "folded"]
    await expect(detail.locator(".letter")).to_contain_text("<b>Look</b> at it.")
    await expect(detail.get_by_role("link", name="Open the conversation")).to_be_visible()
    await expect(detail.locator(".folded dl")).to_be_hidden()
    for _ in range(3 + await detail.locator(".acts button").count()):
        await page.keyboard.press("Tab")
        if await detail.locator("summary").evaluate("node => node === document.activeElement"):
            break
    await page.keyboard.press("Enter")
    await expect(detail.locator(".folded dl")).to_be_visible()
    await expect(detail.locator(".folded dl")).to_contain_text(session)
    await expect(detail.locator(".folded dl")).to_contain_text("may write")


@pytest.mark.scenario("M60")
async def test_a_request_with_nothing_but_a_line_says_so(house: Console, browser_page: OpenPage) -> None:
    session = await house.local()
    await send_text(house.world.gateway.desk, session, "[[ask:rm -r build]][[wait:end]]", "one")
    await house.without_arguments(await house.asked())
    page = await browser_page(house.link())
    await enter(page, session)
    await expect(page.locator(".approval.asked")).to_contain_text("The agent gave no more than this line.")
    house.world.release("end")


async def test_the_agent_goes_on_after_a_yes_given_here(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[tool:list]][[ask:rm -r build]]")
    row = page.locator(".approval.asked")
    await expect(row).to_contain_text('"command": "rm -r build"')
    await expect(page.locator("#activity-words")).to_contain_text("rm -r build")
    assert not await row.evaluate("node => node.contains(document.activeElement)")
    await row.get_by_role("button", name="Allow once").click()
    await expect(turn(page, "rm -r build").locator(".answer")).to_contain_text("The answer was: allow_once.")
    await expect(turn(page, "rm -r build").locator(".fold")).to_contain_text("allowed once in the console by you")
    assert await house.world.rows("SELECT outcome, decided_where FROM decisions") == [("allowed_once", "console")]


async def test_a_decision_elsewhere_settles_the_row_that_stands_here(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[ask:rm -r build]][[wait:end]]")
    await expect(page.locator(".approval.asked")).to_be_visible()
    await house.decide(await house.asked(), Outcome.REJECTED)
    settled = page.locator(".approval.settled")
    await expect(settled).to_contain_text("rejected in Feishu")
    await expect(page.locator(".approval button")).to_have_count(0)
    house.world.release("end")


async def test_a_click_after_somebody_else_decided_changes_nothing(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link(), allowed=["409", "/console/"])
    await enter(page, await house.local())
    await write(page, "[[ask:rm -r build]][[wait:end]]")
    row = page.locator(".approval.asked")
    await expect(row).to_be_visible()
    await page.route("**/console/**", lambda route: route.abort())  # this tab hears of it too late
    identity = await house.asked()
    await house.decide(identity, Outcome.REJECTED, "cli")
    await row.get_by_role("button", name="Allow once").click()
    await expect(row.locator(".problem")).to_contain_text("decided already")
    assert await house.outcome(identity) == "rejected"
    await page.unroute("**/console/**")
    house.world.release("end")


async def test_the_keyboard_decides_only_on_the_button_itself(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[ask:rm -r build]][[wait:end]]")
    await expect(page.locator(".approval.asked")).to_be_visible()
    identity = await house.asked()
    await page.locator("#conversation-title").focus()
    for key in ("a", "y", "o", "Enter", "Space", "1"):
        await page.keyboard.press(key)
    assert await house.outcome(identity) == ""
    allow = page.locator(".approval").get_by_role("button", name="Allow once")
    for _ in range(12):
        await page.keyboard.press("Tab")
        if await allow.evaluate("node => node === document.activeElement"):
            break
    await expect(allow).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator(".approval.settled")).to_contain_text("allowed once in the console by you")
    house.world.release("end")


@pytest.mark.scenario("M55")
async def test_an_approval_stands_where_it_was_asked_after_a_reload(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[tool:first look]][[ask:rm -r build]][[tool:second look]]")
    await expect(page.locator(".approval.asked")).to_be_visible()
    await house.decide(await house.asked(), Outcome.ALLOWED_ONCE)
    await expect(turn(page, "first look").locator(".answer")).to_be_visible()
    await write(page, "a newer one")
    await expect(turn(page, "a newer one").locator(".answer")).to_be_visible()
    await page.reload()
    await ready(page)
    older = turn(page, "first look")
    await older.locator(".fold summary").click()
    await expect(older.locator(".step").nth(2)).to_be_visible()
    steps = [text for text in await older.locator(".step").all_inner_texts() if "said" not in text]
    order = [
        next((n for n, text in enumerate(steps) if part in text), -1) for part in ("first look", "rm -r", "second")
    ]
    assert order == sorted(order)
    assert -1 not in order


async def test_needs_you_lists_oldest_first_and_is_calm_when_empty(house: Console, browser_page: OpenPage) -> None:
    session = await house.local()
    desk = house.world.gateway.desk
    await send_text(desk, session, "Look at it.[[error:-32603:no]]", "one")
    await house.world.until_rows("SELECT 1 FROM requests WHERE owed = 1")
    await send_text(desk, session, "[[ask:rm -r build]]", "two")
    await house.asked()
    page = await browser_page(house.link("#/needs"))
    await ready(page)
    await page.keyboard.press("g")
    await page.keyboard.press("n")
    rows = page.locator(".need")
    await expect(rows).to_have_count(2)
    await expect(rows.nth(0)).to_contain_text("Look at it.")
    await rows.nth(1).get_by_role("button", name="Review").click()
    await expect(page.locator("#need-detail h2")).to_be_focused()
    await page.locator("#need-detail").get_by_role("button", name="Reject").click()
    await expect(rows).to_have_count(1)
    await rows.nth(0).locator(".need-body").click()
    await page.locator("#need-detail").get_by_role("button", name="Close without answer").click()
    await expect(page.locator("#needs-empty")).to_contain_text("Nothing waits for you.")
    await expect(page.locator("#needs-title")).to_be_focused()
    await expect(page.locator("#note-needs")).to_have_text("")
    assert re.search("accepted", await page.locator("#status").inner_text())
