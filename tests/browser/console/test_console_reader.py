"""What a reader and writer relies on: drafts, sending once, holding the place, two tabs, reload, pages, keys."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect
from tests.browser.conftest import Look, OpenPage
from tests.browser.console.scene import Console, console, enter, ready, turn, write

from hongyan.application.send_text import send_text
from hongyan.domain.changes import Changes, Update, Value

pytestmark = pytest.mark.browser

POSTS = "**/api/v1/sessions/*/turns"


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _hold(page: Page, pattern: str) -> asyncio.Event:
    """Hold matching requests until the event is set."""
    may_go = asyncio.Event()

    async def hold(route: Route) -> None:
        await may_go.wait()
        await route.continue_()

    await page.route(pattern, hold)
    return may_go


@pytest.mark.scenario("L45")
async def test_a_cancel_before_acceptance_says_not_submitted(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link(), allowed=["ERR_FAILED", "ERR_ABORTED"])
    await enter(page, await house.local())
    await page.route(POSTS, lambda route: asyncio.sleep(0))  # never answered, never passed on
    await write(page, "think again")
    await expect(page.locator(".pending")).to_contain_text("sending")
    await page.locator(".pending").get_by_role("button", name="Cancel").click()
    await expect(page.locator("#status")).to_have_text("Not submitted.")
    await expect(page.locator("#words")).to_have_value("think again")
    await expect(page.locator(".pending")).to_have_count(0)
    assert await house.world.rows("SELECT count(*) FROM turns") == [(0,)]


@pytest.mark.scenario("L44")
async def test_a_refused_text_returns_to_the_draft_and_an_unsure_one_is_checked(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), allowed=["409", "ERR_FAILED"])
    session = await house.local()
    desk = house.world.gateway.desk
    await enter(page, session)
    await page.route(POSTS, lambda route: route.abort())
    await write(page, "did it arrive")
    await expect(page.locator(".pending")).to_contain_text("not confirmed")
    await expect(page.locator(".pending").get_by_role("button", name="Send")).to_have_count(0)
    await page.unroute(POSTS)
    await page.locator(".pending").get_by_role("button", name="Check").click()
    await expect(turn(page, "did it arrive").locator(".answer")).to_be_visible()
    assert await house.world.rows("SELECT count(*) FROM turns") == [(1,)]
    for number in range(21):
        await send_text(desk, session, "[[hang]]", f"hang-{number}")
    await house.world.until_rows("SELECT 1 FROM sessions WHERE lane IS NOT NULL")
    await desk.store.commit(Changes("full", (Update("sessions", {"id": session}, {"queued": 20}),)))
    await write(page, "one too many")
    await expect(page.locator("#alert")).to_contain_text("Not submitted:")
    await expect(page.locator("#words")).to_have_value("one too many")


@pytest.mark.scenario("L122", "M54")
async def test_a_draft_belongs_to_its_session_and_is_offered_to_a_second_tab(
    house: Console, browser_page: OpenPage
) -> None:
    first = await house.local()
    page = await browser_page(house.link())
    await enter(page, first)
    await page.locator("#words").fill("half a thought")
    await page.reload()
    await ready(page)
    await expect(page.locator("#words")).to_have_value("half a thought")
    await page.evaluate("location.hash = '#/'")
    house.world.say("hello")
    await house.world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    second = str((await house.world.rows("SELECT session_id FROM turns"))[0][0])
    await enter(page, second)
    await expect(page.locator("#words")).to_have_value("")
    await enter(page, first)
    other = await page.context.new_page()
    await other.goto(page.url)
    await ready(other)
    await expect(other.locator("#words")).to_have_value("half a thought")
    await other.locator("#words").fill("a whole thought")
    await expect(page.locator("#words")).to_have_value("half a thought")
    await page.locator("#draft-offer").get_by_role("button", name="Use it").click()
    await expect(page.locator("#words")).to_have_value("a whole thought")
    await page.locator("#words").press("Enter")
    await expect(turn(page, "a whole thought").locator(".answer")).to_be_visible()
    await write(other, "from the other tab")
    for tab in (page, other):
        await expect(turn(tab, "from the other tab").locator(".answer")).to_be_visible()
        assert await tab.locator(".said-text").all_text_contents() == ["a whole thought", "from the other tab"]
    assert await house.world.rows("SELECT count(*) FROM turns WHERE text = 'a whole thought'") == [(1,)]


@pytest.mark.scenario("M52", "L127")
async def test_a_reload_keeps_the_recorded_start_and_shows_each_word_once(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "[[slow:4:300]][[wait:on]]")
    await expect(page.locator(".streaming")).to_contain_text("piece 4/4")
    await page.reload()
    await ready(page)
    await expect(page.locator(".streaming")).to_have_text("piece 1/4 piece 2/4 piece 3/4 piece 4/4")
    since = await page.locator(".turn-way [data-since]").get_attribute("data-since")
    assert [(int(since or 0),)] == await house.world.rows("SELECT running_at FROM turns")
    house.world.release("on")
    await expect(page.locator(".answer")).to_have_count(1)
    await expect(page.locator(".streaming:visible")).to_have_count(0)


@pytest.mark.scenario("M52")
async def test_a_turn_without_a_recorded_start_shows_no_time(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local("gated"))
    await write(page, "[[slow:1:10]][[wait:on]]")
    starting = turn(page, "slow")
    await expect(starting.locator(".way .last")).to_have_text("agent starting")
    await page.reload()
    await ready(page)
    await expect(starting.locator(".way .last")).to_have_text("agent starting")
    await expect(starting.locator(".way [data-since]")).to_have_count(0)
    await expect(starting.locator(".way time")).to_have_count(1)  # when it was received
    await expect(page.locator("#activity-time")).to_have_text("")
    await expect(page.locator("a.row .state [data-since]")).to_have_count(0)
    house.open_gate()
    await expect(starting.locator(".way [data-since]")).to_have_count(1)
    house.world.release("on")


@pytest.mark.scenario("M55")
async def test_what_has_no_time_is_never_shown_as_new(house: Console, browser_page: OpenPage) -> None:
    session, desk = await house.local(), house.world.gateway.desk
    await send_text(desk, session, "long ago", "1")
    house.world.say("today")
    await house.world.until_rows("SELECT 1 FROM turns WHERE text = 'today' AND state = 'completed'")
    await house.world.until_rows("SELECT 1 FROM turns WHERE text = 'long ago' AND state = 'completed'")
    undated: dict[str, Value] = {"queued_at": 0, "running_at": 0, "ended_at": 0}
    requests = Update("requests", {"session_id": session}, {"accepted_at": 0})
    await desk.store.commit(Changes("old", (Update("turns", {"session_id": session}, undated), requests)))
    page = await browser_page(house.link())
    await ready(page)
    await expect(page.locator("a.row").last).to_contain_text("long ago")
    await expect(page.locator("a.row").last.locator("time")).to_have_count(0)
    await enter(page, session)
    await expect(turn(page, "long ago").locator(".answer")).to_be_visible()
    await expect(page.locator(".transcript time")).to_have_count(0)
    await expect(page.locator(".transcript")).not_to_contain_text("1970")


@pytest.mark.scenario("L126")
async def test_a_late_answer_of_another_session_changes_nothing_here(house: Console, browser_page: OpenPage) -> None:
    desk, first = house.world.gateway.desk, await house.local()
    await send_text(desk, first, "words of the first", "1")
    house.world.say("words of the second")
    await house.world.until_rows("SELECT 1 FROM turns WHERE text = 'words of the second' AND state = 'completed'")
    rows = await house.world.rows("SELECT session_id FROM turns WHERE text = 'words of the second'")
    page = await browser_page(house.link())
    await ready(page)
    may_go = await _hold(page, f"**/console/sessions/{first}")
    await page.evaluate("id => { location.hash = `#/c/${id}`; }", first)
    await enter(page, str(rows[0][0]))
    await expect(turn(page, "words of the second")).to_be_visible()
    may_go.set()
    await page.unroute_all(behavior="wait")
    await expect(page.locator("article.turn")).to_have_count(1)
    await enter(page, first)
    await expect(turn(page, "words of the first")).to_be_visible()
    await expect(page.locator("article.turn")).to_have_count(1)


@pytest.mark.scenario("L125", "M57")
async def test_what_stands_here_stays_when_a_read_fails_or_another_session_moves(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), allowed=["ERR_FAILED"])
    await enter(page, await house.local())
    await write(page, "the first")
    await expect(turn(page, "the first").locator(".answer")).to_be_visible()
    await page.locator("#words").fill("a draft")
    await page.locator("#words").focus()
    house.world.say("from the phone")
    row = page.locator("a.row").filter(has_text="from the phone")
    await expect(row.locator(".state")).to_have_text("ready")
    first_time = await row.locator("time").get_attribute("datetime")
    await house.world.advance(60_000)
    house.world.say("[[ask:rm -r build]]")
    row = page.locator("a.row").filter(has_text="rm -r build")
    await expect(row.locator(".state")).to_have_text("needs you")
    assert await row.locator("time").get_attribute("datetime") != first_time
    await expect(page.locator("#words")).to_be_focused()
    await expect(page.locator("#words")).to_have_value("a draft")
    await page.route("**/console/**", lambda route: route.abort())
    await page.locator("#words").press("Enter")
    await house.world.until_rows("SELECT 1 FROM turns WHERE text = 'a draft' AND state = 'completed'")
    await expect(turn(page, "the first").locator(".answer")).to_have_text("echo: the first")
    await page.unroute("**/console/**")
    await expect(turn(page, "a draft").locator(".answer")).to_be_visible()


async def test_the_keyboard_alone_reaches_everything(house: Console, browser_page: OpenPage) -> None:
    house.world.say("hello")
    await house.world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await house.local()
    page = await browser_page(house.link())
    await ready(page)
    await page.keyboard.press("Tab")
    await expect(page.locator("#skip")).to_be_focused()
    await page.keyboard.press("/")
    await expect(page.locator("#find")).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await expect(page.locator("a.row").first).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await expect(page.locator("a.row").nth(1)).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#conversation")).to_be_visible()
    for key, place in (("n", "needs"), ("l", "ledger"), ("s", "settings"), ("c", "conversations")):
        await page.keyboard.press("g")
        await page.keyboard.press(key)
        await expect(page.locator(f"#place-{place}")).to_be_visible()
    await page.keyboard.press("?")
    await expect(page.locator("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 390, 719, 720, 1179, 1180])
async def test_nothing_is_wider_than_the_window(house: Console, browser_page: OpenPage, width: int) -> None:
    session = await house.local()
    await send_text(house.world.gateway.desk, session, "word" * 200 + "[[say:" + "long" * 100 + "]]", "1")
    page = await browser_page(house.link(), Look(width, 700))
    await enter(page, session)
    await expect(page.locator(".answer")).to_be_visible()
    for place in (f"c/{session}", "needs", "ledger", "settings/apps", "settings/machine"):
        await page.evaluate("where => { location.hash = `#/${where}`; }", place)
        await expect(page.locator(".place:visible")).to_have_count(1)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        assert await page.locator("main").evaluate("node => node.scrollWidth") <= width


async def test_the_chosen_language_and_theme_stay(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link("#/settings/appearance"))
    await ready(page)
    await page.evaluate("location.hash = '#/settings/appearance'")
    await page.get_by_label("dark").check()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await page.get_by_label("中文").check()
    await expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    await ready(page)
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await expect(page.locator("#nav-ledger")).to_contain_text("账本")
