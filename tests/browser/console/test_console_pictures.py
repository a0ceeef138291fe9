"""Pictures of every place at each width for people to look at, and axe's judgement of each."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect
from tests.browser.conftest import Look, OpenPage, snap
from tests.browser.console.scene import Console, an_edit_is_asked, console, ready

from hongyan.application.send_text import send_text

pytestmark = pytest.mark.browser

SERIOUS = {"serious", "critical"}
WIDE, MIDDLE, NARROW = Look(1440, 1000), Look(1024, 800), Look(390, 844, touch=True)
ANSWER = """Yes, and that is the fault. `retry_part` asks for a fresh key on each attempt.

| window | outcome |
|---|---|
| 50 minutes | verified |
| later | unknown |

```python
async def retry_part(part: Part) -> Outcome:
    return await writer.send(part, part.uuid)
```

See [the platform's page](https://open.feishu.cn/document) and <b>not bold</b>."""


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


async def _furnish(house: Console) -> str:
    """Fill every place: an answered Turn, a failed one, one that asks, one behind it, and a quiet private chat."""
    world = house.world
    world.say("How is the glossary?")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    session, desk = await house.local(), world.gateway.desk
    question = "When the platform answers 5xx to part two, do we send it again?"
    answered = f"{question}[[think:the key must outlive a restart]][[tool:list]][[say:{ANSWER}]]"
    await send_text(desk, session, answered, "one")
    await world.until_rows("SELECT 1 FROM turns WHERE client_turn_id = 'one' AND state = 'completed'")
    await send_text(
        desk, session, "Compare the two storage engines.[[say:The first one]][[error:-32603:no capacity]]", "two"
    )
    await world.until_rows("SELECT 1 FROM turns WHERE client_turn_id = 'two' AND state = 'failed'")
    thought = "[[think:keep the part's own key for every attempt]]"
    asking = f"Apply it, then run the tests.{thought}[[tool:list]][[ask:pytest tests/outbox -q]]"
    await send_text(desk, session, asking, "three")
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'asked'")
    await an_edit_is_asked(house, session, "three")
    await send_text(desk, session, "Then add a changelog line, in Chinese as well.", "four")
    return session


async def _judge(page: Page) -> None:
    found = await Axe().run(page)
    serious = [one for one in found.response["violations"] if one["impact"] in SERIOUS]
    told = [(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in serious]
    assert told == [], json.dumps(told, indent=1)


async def _go(page: Page, where: str) -> None:
    await ready(page)
    await page.evaluate("where => { location.hash = where; }", where)


@pytest.mark.parametrize(
    ("name", "look"),
    [
        ("1440", WIDE),
        ("1440-dark-zh", Look(1440, 1000, "zh-CN", "dark")),
        ("1024", MIDDLE),
        ("390", NARROW),
        ("390-dark-zh", Look(390, 844, "zh-CN", "dark", touch=True)),
    ],
)
async def test_every_place_when_there_is_much(house: Console, browser_page: OpenPage, name: str, look: Look) -> None:
    session = await _furnish(house)
    page = await browser_page(house.link(), look)
    await _go(page, f"#/c/{session}")
    await expect(page.locator(".approval.asked").first).to_be_visible()
    await page.locator(".answer .code").wait_for(state="attached")
    await snap(page, f"console-conversation-full-{name}")
    await _judge(page)
    await page.locator("#transcript").evaluate("node => { node.scrollTop = 0; }")
    await expect(page.locator("#latest")).to_be_visible()
    await snap(page, f"console-conversation-top-{name}")
    await _go(page, "#/needs")
    await expect(page.locator(".need").nth(2)).to_be_visible()
    await snap(page, f"console-needs-list-full-{name}")
    await page.locator(".need", has=page.locator(".icon")).filter(has_text="retry.py").locator(".need-body").click()
    await expect(page.locator(".need-aside .diff")).to_be_visible()
    await snap(page, f"console-needs-full-{name}")
    await _judge(page)
    for place, mark in (
        ("ledger", "#sums .sum"),
        ("settings/apps", ".check"),
        ("settings/bindings", ".pairs"),
        ("settings/appearance", ".choice"),
    ):
        await _go(page, f"#/{place}")
        await expect(page.locator(mark).first).to_be_visible()
        await snap(page, f"console-{place.replace('/', '-')}-full-{name}")
        await _judge(page)
    await _go(page, "#/")
    await expect(page.locator("a.row").first).to_be_visible()
    await snap(page, f"console-list-full-{name}")


@pytest.mark.parametrize(("name", "look"), [("1440", WIDE), ("390", NARROW)])
async def test_every_place_when_nothing_waits(house: Console, browser_page: OpenPage, name: str, look: Look) -> None:
    page = await browser_page(house.link(), look)
    for place, mark in (("", "#list-empty"), ("needs", "#needs-empty .strong"), ("ledger", "#sums .sum")):
        await _go(page, f"#/{place}")
        await expect(page.locator(mark).first).to_be_visible()
        await snap(page, f"console-{place or 'list'}-quiet-{name}")
        await _judge(page)


@pytest.mark.parametrize(("name", "look"), [("1440", WIDE), ("390", NARROW)])
async def test_every_place_when_it_is_blocked(house: Console, browser_page: OpenPage, name: str, look: Look) -> None:
    session, desk = await house.local(), house.world.gateway.desk
    await send_text(desk, session, "Deploy it.[[crash:after]]", "one")
    await house.world.until_rows("SELECT 1 FROM requests WHERE owed = 1")
    page = await browser_page(house.link(), look)
    await _go(page, f"#/c/{session}")
    await expect(page.locator("article.turn .state.failed, article.turn .state.waits").first).to_be_visible()
    await snap(page, f"console-conversation-blocked-{name}")
    await _judge(page)
    for place, mark in (("needs", ".need"), ("ledger", "#sums .sum")):
        await _go(page, f"#/{place}")
        await expect(page.locator(mark).first).to_be_visible()
        await snap(page, f"console-{place}-blocked-{name}")
