"""What a writer keeps and is told while the gateway, the binding or the agent cannot be had; and when it can again."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Route, expect
from tests.browser.conftest import OpenPage
from tests.browser.console.scene import Console, console, enter, ready, turn, write

from hongyan.application.configure import revoke_binding
from hongyan.application.send_text import send_text

pytestmark = pytest.mark.browser

POSTS = "**/api/v1/sessions/*/turns"
LOST = ["ERR_", "Failed to load"]


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def test_a_read_that_was_overtaken_never_replaces_a_newer_one(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    session = await house.local("gated")
    await enter(page, session)
    await write(page, "[[slow:1:10]][[wait:end]]")
    await expect(turn(page, "wait").locator(".way .last")).to_contain_text("agent starting")
    read, may_go = asyncio.Event(), asyncio.Event()

    async def old_news(route: Route) -> None:
        answer = await route.fetch()
        read.set()
        await may_go.wait()
        await route.fulfill(response=answer)

    await page.route(f"**/console/sessions/{session}", old_news, times=1)
    await write(page, "the second")
    await asyncio.wait_for(read.wait(), 20)
    house.open_gate()
    await expect(page.locator("a.row .state")).to_contain_text("running")  # the list has read what is newer
    may_go.set()
    await expect(turn(page, "the second").locator(".way")).to_contain_text("after this turn")
    await expect(turn(page, "wait").locator(".way .last")).to_contain_text("running")
    house.world.release("end")


async def test_what_is_written_while_the_one_before_is_on_its_way_goes_right_after_it(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    may_go = asyncio.Event()

    async def slow(route: Route) -> None:
        await may_go.wait()
        await route.continue_()

    await page.route(POSTS, slow, times=1)
    await write(page, "the first")
    await write(page, "the second")
    await expect(page.locator("#send-why")).to_have_text("The one before is on its way.")
    await expect(page.locator("#words")).to_have_value("the second")
    may_go.set()
    await expect(turn(page, "the second").locator(".answer")).to_have_text("echo: the second")
    rows = await house.world.rows("SELECT text FROM turns ORDER BY position")
    assert rows == [("the first",), ("the second",)]


@pytest.mark.scenario("M53")
async def test_a_text_written_while_the_gateway_is_away_stays_and_goes_under_the_same_id(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), allowed=LOST)
    await enter(page, await house.local())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or "") if request.method == "POST" else None)
    await page.route(POSTS, lambda route: route.abort(), times=1)
    await write(page, "did it arrive")
    await expect(page.locator(".pending")).to_contain_text("not confirmed")
    await page.locator("#words").fill("and this")
    await expect(page.locator("#send-why")).to_have_text("Check the one before first.")
    await house.close_door()
    await expect(page.locator("#reach")).to_be_visible()
    await expect(page.locator("#send-why")).to_have_text("The gateway is out of reach.")
    await page.locator("#words").press("Enter")
    await page.locator("#words").press_sequentially(" too")
    await expect(page.locator("#words")).to_have_value("and this too")
    await expect(page.locator("#send")).to_have_attribute("aria-disabled", "true")
    await house.open_door()
    await expect(page.locator("#reach")).to_be_hidden()
    await page.locator(".pending").get_by_role("button", name="Check").click()
    await expect(turn(page, "did it arrive").locator(".answer")).to_be_visible()
    assert len(asked) == 2
    assert asked[0] == asked[1]
    await page.locator("#words").press("Enter")
    await expect(turn(page, "and this too").locator(".answer")).to_be_visible()
    assert await house.world.rows("SELECT text FROM turns ORDER BY position") == [("did it arrive",), ("and this too",)]


@pytest.mark.scenario("M53")
async def test_a_draft_stays_editable_when_its_binding_is_revoked_or_its_agent_is_gone(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await page.locator("#words").fill("half a thought")
    [(binding,)] = await house.world.rows("SELECT id FROM bindings WHERE audience = 'local'")
    await revoke_binding(house.world.gateway.desk, binding, None)
    await expect(page.locator("#send-why")).to_have_text("Read-only: the binding was revoked.")
    await page.locator("#words").fill("a whole thought")
    await page.locator("#words").press("Enter")
    await expect(page.locator("#words")).to_have_value("a whole thought")
    await expect(page.locator("#send")).to_have_attribute("aria-disabled", "true")
    await page.reload()
    await ready(page)
    await expect(page.locator("#words")).to_have_value("a whole thought")
    await expect(page.locator("#send-why")).to_have_text("Read-only: the binding was revoked.")
    assert await house.world.rows("SELECT count(*) FROM turns") == [(0,)]


@pytest.mark.scenario("M53")
async def test_a_draft_can_be_written_before_its_conversation_is_read(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    session = await house.local()
    await enter(page, session)
    await page.locator("#words").fill("half a thought")
    may_go = asyncio.Event()

    async def slow(route: Route) -> None:
        await may_go.wait()
        await route.continue_()

    await page.route(f"**/console/sessions/{session}", slow)
    await page.reload()
    await expect(page.locator("#words")).to_have_value("half a thought")
    await expect(page.locator("#send-why")).to_have_text("The conversation is being read.")
    await page.locator("#words").fill("a whole thought")
    may_go.set()
    await expect(page.locator("#send-why")).to_be_hidden()
    await page.locator("#words").press("Enter")
    await expect(turn(page, "a whole thought").locator(".answer")).to_be_visible()


async def test_what_happened_while_away_stands_there_when_back(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link(), allowed=LOST)
    session = await house.local()
    await enter(page, session)
    await write(page, "before")
    await expect(turn(page, "before").locator(".answer")).to_be_visible()
    await house.close_door()
    await expect(page.locator("#reach")).to_be_visible()
    await send_text(house.world.gateway.desk, session, "meanwhile", "x")
    await house.world.until_rows("SELECT 1 FROM turns WHERE text = 'meanwhile' AND state = 'completed'")
    await expect(turn(page, "before").locator(".answer")).to_have_text("echo: before")
    await house.open_door()
    await expect(turn(page, "meanwhile").locator(".answer")).to_have_text("echo: meanwhile")
    await expect(page.locator("#reach")).to_be_hidden()
    await expect(page.locator("article.turn")).to_have_count(2)


async def test_a_tab_of_before_a_restart_says_how_to_come_in_and_keeps_the_draft(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link(), allowed=[*LOST, "401"])
    session = await house.local()
    await enter(page, session)
    await page.locator("#words").fill("half a thought")
    await house.close_door()
    await expect(page.locator("#reach")).to_be_visible()
    await house.begin_anew()
    await expect(page.get_by_text("hongyan status")).to_be_visible()
    await page.goto(house.link(f"#/c/{session}"))
    await expect(page.locator("#words")).to_have_value("half a thought")
