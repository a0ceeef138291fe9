"""Words into the running turn or after it: offered as what it is, and told as what became of it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Error, Page, Route, expect
from tests.browser.conftest import OpenPage
from tests.browser.console.scene import Console, console, enter, ready, turn, write

from hongyan.application.send_text import send_text

pytestmark = pytest.mark.browser


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _takes_words(page: Page) -> None:
    """Let the page hear that the running agent takes words while it runs."""

    async def changed(route: Route) -> None:
        try:
            seen = await (answer := await route.fetch()).json()
        except Error:
            return  # the page has gone meanwhile, and the answer with it
        seen["session"]["can_steer"] = True
        await route.fulfill(response=answer, json=seen)

    await page.route("**/console/sessions/*", changed)


async def _steered(page: Page, answer: dict[str, Any], status: int = 202) -> list[tuple[str, Any]]:
    """Answer every steer so; give what was asked."""
    asked: list[tuple[str, Any]] = []

    async def told(route: Route) -> None:
        asked.append((route.request.url, json.loads(route.request.post_data or "")))
        await route.fulfill(status=status, json=answer)

    await page.route("**/api/v1/turns/*/steer", told)
    return asked


@pytest.mark.scenario("M13")
async def test_where_the_agent_takes_no_words_they_wait_and_no_choice_is_shown(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local("plain"))
    await expect(page.locator("#how")).to_be_hidden()
    await expect(page.locator("#queue-hint")).to_have_text("")
    await write(page, "[[slow:1:10]][[wait:end]]")
    await expect(turn(page, "slow").locator(".streaming")).to_contain_text("piece 1/1")
    await expect(turn(page, "slow").locator(".way .last")).to_contain_text("running")
    await expect(page.locator("#queue-hint")).to_have_text("Waits for the running turn")
    await expect(page.locator("#how")).to_be_hidden()
    house.world.release("end")


@pytest.mark.scenario("M13")
async def test_words_for_the_running_turn_are_taken_in_and_stand_in_it_after_a_reload(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    await enter(page, await house.local())
    await write(page, "Do it.[[slow:1:10]][[wait:end]]")
    await page.get_by_role("button", name="Steer this turn").click()
    await write(page, "be brief")
    steered = turn(page, "Do it.").locator(".steered")
    await expect(steered).to_contain_text("be brief")
    await expect(steered).to_contain_text("merged into the running turn")
    await page.reload()
    await ready(page)
    await expect(steered).to_contain_text("be brief")
    house.world.release("end")
    await expect(turn(page, "Do it.").locator(".answer")).to_be_visible()
    await expect(steered).to_contain_text("be brief")
    await expect(page.locator("article.turn")).to_have_count(1)
    assert await house.world.rows("SELECT count(*) FROM turns") == [(1,)]


@pytest.mark.scenario("M13")
async def test_a_steer_goes_to_exactly_the_running_turn_under_its_own_id(
    house: Console, browser_page: OpenPage
) -> None:
    page = await browser_page(house.link())
    session = await house.local()
    await enter(page, session)
    await _takes_words(page)
    await write(page, "[[slow:1:10]][[wait:end]]")
    await page.get_by_role("button", name="Steer this turn").click()
    await expect(page.locator("#queue-hint")).to_have_text("The running turn takes it in.")
    rows = await house.world.rows("SELECT id FROM turns")
    asked = await _steered(page, {"outcome": "steered", "reason": "", "turn_id": rows[0][0]})
    await write(page, "be brief")
    await expect(page.locator("#status")).to_have_text("merged into the running turn")
    await expect(page.locator(".pending")).to_have_count(0)
    [(url, body)] = asked
    assert url.endswith(f"/api/v1/turns/{rows[0][0]}/steer")
    assert body["message"] == "be brief"
    assert len(body["client_turn_id"]) > 20
    assert await house.world.rows("SELECT count(*) FROM turns") == [(1,)]
    house.world.release("end")


@pytest.mark.scenario("M13")
async def test_a_steer_that_was_not_taken_is_queued_and_says_why(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    session = await house.local()
    await enter(page, session)
    await _takes_words(page)
    await write(page, "[[slow:1:10]][[wait:end]]")
    await page.get_by_role("button", name="Steer this turn").click()

    async def queued(route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        await send_text(house.world.gateway.desk, session, body["message"], body["client_turn_id"])
        await route.fulfill(status=202, json={"outcome": "queued", "reason": "turn_over"})

    await page.route("**/api/v1/turns/*/steer", queued)
    await write(page, "be brief")
    await expect(turn(page, "be brief").locator(".note")).to_have_text("Queued: the turn had ended.")
    await expect(page.locator("#status")).to_have_text("Queued: the turn had ended.")
    house.world.release("end")


@pytest.mark.scenario("M13")
async def test_a_steer_whose_outcome_is_unknown_is_not_offered_again(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link(), allowed=["504"])
    await enter(page, await house.local())
    await _takes_words(page)
    await write(page, "[[slow:1:10]][[wait:end]]")
    await page.get_by_role("button", name="Steer this turn").click()
    asked = await _steered(page, {"code": "steer.unknown", "detail": "the agent did not answer"}, 504)
    await write(page, "be brief")
    await expect(page.locator("#alert")).to_have_text("the agent did not answer")
    await expect(page.locator("#words")).to_have_value("")
    await expect(page.locator(".pending")).to_have_count(0)
    assert len(asked) == 1
    house.world.release("end")


@pytest.mark.scenario("M13")
async def test_a_group_topic_is_read_and_not_written_to(house: Console, browser_page: OpenPage) -> None:
    session = await house.local()
    await house.binding_becomes("group_topic")
    page = await browser_page(house.link())
    await enter(page, session)
    await expect(page.locator("#why-not")).to_contain_text("Read-only: a group topic is written to in Feishu")
    await expect(page.locator("#composer")).to_be_hidden()
    await expect(page.locator("#transcript")).to_be_visible()
