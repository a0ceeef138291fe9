"""A real Chromium for every browser test: one program a session, one fresh profile a page, nothing leaves the machine.

A test takes `browser_page` and opens as many pages as it wants; each fails the test at its end when it logged an error,
threw, or asked for anything beyond loopback. `snap(page, name)` keeps a picture for people to look at.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, Route, async_playwright
from tests.conftest import is_local

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
PICTURES: Final = Path(os.environ.get("HONGYAN_PICTURES", ROOT / "artifacts" / "pictures"))
CHROMIUM: Final = os.environ.get("HONGYAN_CHROMIUM", "/usr/bin/chromium")
FLAGS: Final = (
    "--no-sandbox",  # the tests run as root in continuous integration
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
PATIENCE_MS: Final = 10_000
LAUNCH_SECONDS: Final = 60.0

Language = Literal["en", "zh-CN"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every asynchronous browser test share the session's event loop: Chromium's driver lives on it."""
    marker = pytest.mark.asyncio(loop_scope="session")
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("browser") is not None:
            item.add_marker(marker, append=False)


@dataclass(slots=True)
class Look:
    """How a page is looked at."""

    width: int = 1440
    height: int = 1000
    language: Language = "en"
    theme: Literal["light", "dark"] = "light"
    touch: bool = False


@dataclass(slots=True)
class Watched:
    """What went wrong in a page that nobody expected; `allowed` are texts that a test means to provoke."""

    troubles: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def unexpected(self) -> list[str]:
        """Return the troubles that no allowed text is part of."""
        return [line for line in self.troubles if not any(text in line for text in self.allowed)]


OpenPage = Callable[..., Awaitable[Page]]
_watched: dict[BrowserContext, Watched] = {}


@pytest.fixture(scope="session")
def chromium_program() -> Iterator[str]:
    """The browser's path; without it the test cannot say anything and fails with the remedy."""
    found = shutil.which(CHROMIUM)
    if found is None:
        pytest.fail(f"there is no browser at {CHROMIUM}: apt-get install chromium, or name one in HONGYAN_CHROMIUM")
    yield found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium(chromium_program: str) -> AsyncIterator[Browser]:
    """One browser for the session."""
    async with async_playwright() as playwright:
        async with asyncio.timeout(LAUNCH_SECONDS):
            browser = await playwright.chromium.launch(executable_path=chromium_program, args=list(FLAGS))
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def browser_page(chromium: Browser) -> AsyncIterator[OpenPage]:
    """Return `await open(url, look=Look(...), allowed=[...])`; every page is closed and judged after the test."""
    contexts: list[BrowserContext] = []

    async def open_page(url: str, look: Look | None = None, allowed: list[str] | None = None) -> Page:
        context = await _context(chromium, look or Look())
        contexts.append(context)
        watched = Watched(allowed=allowed or [])
        _watched[context] = watched
        await context.route(_beyond, _refuse(watched))
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: _note(watched, message))
        page.on("pageerror", lambda error: _note_error(watched, error))
        await page.goto(url)
        return page

    yield open_page
    troubles = [line for context in contexts for line in _watched.pop(context).unexpected()]
    for context in contexts:
        await context.close()
    assert not troubles, "\n".join(troubles)


async def snap(page: Page, name: str) -> Path:
    """Keep a picture of what stands in the window as `artifacts/pictures/NAME.png`."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    await page.screenshot(path=path, animations="disabled", caret="hide")
    return path


async def _context(chromium: Browser, look: Look) -> BrowserContext:
    return await chromium.new_context(
        viewport={"width": look.width, "height": look.height},
        locale=look.language,
        color_scheme=look.theme,
        has_touch=look.touch,
        timezone_id="Asia/Shanghai",
    )


def _beyond(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in ("data", "blob", "about") and not is_local(parts.hostname)


def _refuse(watched: Watched) -> Callable[[Route, Request], Awaitable[None]]:
    async def refuse(route: Route, request: Request) -> None:
        watched.troubles.append(f"a request that leaves the machine: {request.url}")
        await route.abort()

    return refuse


def _note(watched: Watched, message: ConsoleMessage) -> None:
    if message.type in ("error", "warning"):
        watched.troubles.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")


def _note_error(watched: Watched, error: Error) -> None:
    watched.troubles.append(f"page error: {error}")
