"""How fast the console paints, how smoothly 5,000 messages scroll, and what the gateway holds while a tab is open.

A real gateway process and Debian's Chromium, on loopback, without a graphics card: frames are drawn by the processor. A
frame's time is the time between two of the browser's own animation callbacks, so a display's 16.7 ms is the least.
"""

import asyncio
import os
import sqlite3
import statistics
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

from bench.gateway_home import EXECUTOR, WORKSPACE, DaemonGateway, open_gateway_process, write_home
from bench.patience import until
from bench.platform import open_platform
from bench.start import memory
from playwright.async_api import Browser, Page, ViewportSize, async_playwright

__all__ = ["run"]

MESSAGES: Final = 5_000
VISITS: Final = 5
SCREENFULS: Final = 600  # frames in each direction
_CHROMIUM: Final = os.environ.get("HONGYAN_CHROMIUM", "/usr/bin/chromium")
_FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_SIZE: Final[ViewportSize] = {"width": 1440, "height": 900}
_IDLE_SECONDS: Final = 2.0
_PAINTED: Final = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_READY: Final = "document.documentElement.dataset.ready === 'true'"
_SCROLL: Final = """
const scroll = document.getElementById("transcript");
const frames = [];
const frame = async (act) => {
  const before = performance.now();
  act();
  await new Promise(requestAnimationFrame);
  frames.push(performance.now() - before);
};
"""
_UP: Final = f"""async () => {{ {_SCROLL}
  const begun = performance.now();
  while (!document.getElementById("earlier").hidden) await frame(() => {{ scroll.scrollTop = 0; }});
  const turns = document.querySelectorAll("article.turn").length;
  return {{frames, seconds: (performance.now() - begun) / 1000, turns}};
}}"""
_THROUGH: Final = f"""async ({{times, step}}) => {{ {_SCROLL}
  for (let n = 0; n < times; n += 1) await frame(() => {{ scroll.scrollTop += step; }});
  return frames;
}}"""
_STEP_PIXELS: Final = 240  # a flick of the wheel a frame: about fifteen screens a second
_COPY: Final = """
INSERT INTO turns ({names}) SELECT {values} FROM turns, (
  WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < :amount) SELECT n FROM numbers
) WHERE id = :id
"""


async def run(messages: int = MESSAGES, visits: int = VISITS, screenfuls: int = SCREENFULS) -> dict[str, Any]:
    """Open the console that many times, then scroll through a long conversation and back."""
    async with _served() as gateway:
        session = await _conversation(gateway, messages // 2)
        async with _browser() as browser:
            painted = [await _visit(browser, gateway) for _ in range(visits)]
            page = await _opened(browser, gateway)
            await asyncio.sleep(_IDLE_SECONDS)
            idle = await memory(gateway.pid)
            scrolled = await _scrolled(page, session, screenfuls)
            await asyncio.sleep(_IDLE_SECONDS)
            after = await memory(gateway.pid)
    return {
        "visits": visits,
        "first_contentful_paint_ms": round(statistics.median(one for one, _ in painted), 1),
        "first_contentful_paint_ms_spread": [round(end([one for one, _ in painted]), 1) for end in (min, max)],
        "ready_ms": round(statistics.median(one for _, one in painted), 1),
        "messages": messages,
        **scrolled,
        "rss_mb": idle["rss_mb"],
        "rss_mb_after_reading_all": after["rss_mb"],
    }


@asynccontextmanager
async def _served() -> AsyncIterator[DaemonGateway]:
    async with open_platform() as platform:
        [seat] = await platform.seats(1, apps=1)
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            write_home(home, platform.url, [seat])
            async with open_gateway_process(home) as gateway:
                await platform.connected(seat.app_id)
                yield gateway


@asynccontextmanager
async def _browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=_CHROMIUM, args=list(_FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


async def _conversation(gateway: DaemonGateway, turns: int) -> str:
    """Let one Turn be answered, and let it have happened that many times; give the Session."""
    place = {"workspace": WORKSPACE, "executor": EXECUTOR}
    session = str((await gateway.post("/sessions", place))["session_id"])
    words = {"message": "How is the glossary?", "client_turn_id": "one"}
    turn = str((await gateway.post(f"/sessions/{session}/turns", words))["turn_id"])

    async def is_answered() -> bool:
        return bool((await gateway.get(f"/turns/{turn}"))["state"] == "completed")

    await until(is_answered)
    await asyncio.to_thread(_repeated, gateway.home / "hongyan.db", turn, session, turns)
    return session


def _repeated(database: Path, turn: str, session: str, turns: int) -> None:
    changed = {
        "id": "'turn_' || n",
        "client_turn_id": "n",
        "position": "n",
        "text": "'Question ' || n",
        "request_id": "NULL",
    }
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        names = [str(row[1]) for row in connection.execute("PRAGMA table_info(turns)")]
        copied = _COPY.format(names=", ".join(names), values=", ".join(changed.get(name, name) for name in names))
        connection.execute(copied, {"amount": turns, "id": turn})
        connection.execute("UPDATE sessions SET next_position = ? WHERE id = ?", (turns, session))
        connection.commit()


async def _opened(browser: Browser, gateway: DaemonGateway) -> Page:
    context = await browser.new_context(viewport=_SIZE)
    page = await context.new_page()
    await page.goto(await gateway.link())
    await _until_page(page, _READY)
    return page


async def _until_page(page: Page, truth: str) -> None:
    """Wait until an expression holds; a wait inside the page would need the `eval` that its policy forbids."""

    async def holds() -> bool:
        return bool(await page.evaluate(truth))

    await until(holds, look_seconds=0.01)


async def _visit(browser: Browser, gateway: DaemonGateway) -> tuple[float, float]:
    """Open the console in a browser that knows nothing of it; give when it painted and when it was ready."""
    page = await _opened(browser, gateway)
    ready = float(await page.evaluate("performance.now()"))
    await _until_page(page, f"{_PAINTED} !== null")
    painted = float(await page.evaluate(_PAINTED))
    await page.context.close()
    return painted, ready


async def _scrolled(page: Page, session: str, screenfuls: int) -> dict[str, Any]:
    await page.evaluate("id => { location.hash = `#/c/${id}`; }", session)
    await page.wait_for_selector("article.turn")
    loading = await page.evaluate(_UP)
    frames = []
    for step in (_STEP_PIXELS, -_STEP_PIXELS):
        frames += await page.evaluate(_THROUGH, {"times": screenfuls, "step": step})
    return {
        "turns": loading["turns"],
        "seconds_to_read_all": round(loading["seconds"], 1),
        "frame_ms": _frames(frames),
        "frame_ms_while_reading_all": _frames(loading["frames"]),
    }


def _frames(found: list[float]) -> dict[str, float]:
    if len(found) < 2:
        return {"p50": 0.0, "p95": 0.0, "worst": 0.0}
    cuts = statistics.quantiles(found, n=100, method="inclusive")
    return {"p50": round(cuts[49], 1), "p95": round(cuts[94], 1), "worst": round(max(found), 1)}
