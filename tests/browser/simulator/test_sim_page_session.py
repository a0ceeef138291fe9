"""The simulator's page: how it is entered, how it comes back after a break, and what its own calls answer."""

import base64
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from playwright.async_api import expect
from tests.browser.conftest import OpenPage
from tests.browser.simulator.scene import Scene, ready, say, scene

from feishu_simulator import Simulator, SimulatorSettings
from feishu_simulator.people import Speech


@dataclass(slots=True)
class Caller:
    """The control API as the page's own calls use it."""

    http: httpx.AsyncClient

    async def get(self, path: str) -> Any:
        """Return the answer to a call that must succeed."""
        answer = await self.http.get(f"/_sim/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()


def caller(here: Scene) -> Caller:
    """Call as whoever holds the token."""
    headers = {"authorization": f"Bearer {here.simulator.control_token}"}
    return Caller(httpx.AsyncClient(base_url=here.simulator.base_url, headers=headers, trust_env=False, timeout=10))


@pytest.mark.browser
async def test_without_the_link_the_page_says_what_to_open(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.base_url, allowed=["401"])
        await expect(page.get_by_text("Open the link that the simulator printed.")).to_be_visible()


@pytest.mark.browser
async def test_the_page_comes_back_when_the_simulator_does(browser_page: OpenPage) -> None:
    first = Simulator(SimulatorSettings(token="a-token-that-stays"))
    await first.start()
    user = first.platform.add_user("Lin Yan")
    first.platform.private_chat(user, first.platform.add_app())
    page = await browser_page(first.page_url, allowed=["ERR_"])
    await ready(page)
    await first.stop()
    await expect(page.get_by_text("The simulator does not answer. Trying again.")).to_be_visible()
    port = int(first.base_url.rpartition(":")[2])
    async with Simulator(SimulatorSettings(port=port, token="a-token-that-stays")) as second:
        other = second.platform.add_user("Chen Yu")
        second.platform.private_chat(other, second.platform.add_app("Another"))
        await expect(page.get_by_role("button", name="Another")).to_be_visible(timeout=15_000)
        await expect(page.locator("#trouble")).to_be_hidden()
        await say(page, "back again")
        await expect(page.locator(".bubble")).to_have_text("back again")


async def test_the_timeline_gives_the_newest_changes_in_order_and_no_pings() -> None:
    async with scene() as here:
        api = caller(here)
        here.simulator.platform.people.write(here.lin.user_id, here.bot.app.app_id, "hello")
        await here.simulator.until(lambda: len(here.texts(here.private)) == 2)
        await here.bot.settled()
        assert here.bot.connection is not None
        here.simulator.platform.connections.pinged(here.bot.connection)
        whole = await api.get("timeline")
        newest = await api.get("timeline?last=2")
        numbers = [change["number"] for change in whole["changes"]]
        assert numbers == sorted(numbers)
        assert whole["last_change"] == here.simulator.platform.journal.last_number
        assert newest["changes"] == whole["changes"][-2:]
        assert {change["kind"] for change in whole["changes"]} == {"event", "request", "connection"}
        assert [item["facts"]["action"] for item in whole["changes"] if item["kind"] == "connection"] == ["opened"]
        await api.http.aclose()


async def test_a_reset_empties_the_timeline() -> None:
    async with scene() as here:
        api = caller(here)
        here.simulator.platform.reset()
        assert (await api.get("timeline"))["changes"] == []
        await api.http.aclose()


async def test_an_event_is_given_with_the_body_that_the_bot_is_sent() -> None:
    async with scene() as here:
        api = caller(here)
        event = here.simulator.platform.events()[0]
        found = await api.get(f"events/{event.event_id}")
        assert found["body"] == event.body
        assert found["state"] == event.state.value
        assert (await api.http.get("/_sim/events/unknown")).status_code == 404
        await api.http.aclose()


async def test_a_file_is_given_by_name_and_a_picture_with_its_bytes() -> None:
    async with scene() as here:
        api = caller(here)
        people, chat = here.simulator.platform.people, here.private.chat_id
        people.say(here.lin.user_id, chat, Speech(upload=b"plan", upload_name="plan.txt"))
        people.say(here.lin.user_id, chat, Speech(upload=b"png", upload_kind="image", upload_name="dot.png"))
        file_key, image_key = here.simulator.platform.messages.resources
        file, image = await api.get(f"resources/{file_key}"), await api.get(f"resources/{image_key}")
        assert (file["name"], file["size_bytes"], "base64" in file) == ("plan.txt", 4, False)
        assert (image["name"], base64.b64decode(image["base64"])) == ("dot.png", b"png")
        assert (await api.http.get("/_sim/resources/unknown")).status_code == 404
        await api.http.aclose()
