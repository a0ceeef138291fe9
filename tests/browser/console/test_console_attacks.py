"""A page of somebody else, on another port of this machine, in the browser that is let in to both: it gets nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from tests.browser.conftest import OpenPage
from tests.browser.console.scene import Console, console, enter, ready, write

pytestmark = pytest.mark.browser

EVIL_PAGE: Final = b"<!doctype html><title>elsewhere</title><p>Somebody else's page.</p>"
TRIES: Final = """
async ({target, reads, posts, streams, files}) => {
  const got = [];
  const within = (promise) => Promise.race([promise, new Promise((_, no) => setTimeout(() => no("late"), 4000))]);
  const attempt = async (name, act) => {
    try { if (await within(act())) got.push(name); } catch { /* refused */ }
  };
  for (const path of reads) {
    await attempt(`read ${path}`, async () => (await fetch(target + path, {credentials: "include"})).ok);
    const blind = {mode: "no-cors", credentials: "include"};
    await attempt(`blind read ${path}`, async () => (await fetch(target + path, blind)).ok);
  }
  const json = JSON.stringify({outcome: "allowed_once", user: "Lin Yan", text: "hi", advance_ms: 1});
  for (const path of posts) {
    for (const kind of ["text/plain", "application/x-www-form-urlencoded"]) {
      const headers = {"content-type": kind};
      const options = {method: "POST", mode: "no-cors", credentials: "include", headers, body: json};
      await attempt(`post ${path}`, async () => (await fetch(target + path, options)).ok);
    }
    await attempt(`json ${path}`, async () => {
      const headers = {"content-type": "application/json"};
      return (await fetch(target + path, {method: "POST", credentials: "include", headers, body: json})).ok;
    });
    const frame = document.createElement("iframe");
    frame.name = `frame${Math.random()}`;
    const form = document.createElement("form");
    Object.assign(form, {method: "post", action: target + path, target: frame.name, enctype: "text/plain"});
    const field = document.createElement("input");
    Object.assign(field, {name: json, value: ""});
    form.append(field);
    document.body.append(frame, form);
    const loaded = new Promise((yes) => frame.addEventListener("load", yes));
    form.submit();
    await within(loaded).catch(() => {});
  }
  for (const path of streams) {
    await attempt(`stream ${path}`, () => new Promise((yes, no) => {
      const source = new EventSource(target + path, {withCredentials: true});
      source.onopen = () => yes(true);
      source.onmessage = () => yes(true);
      source.onerror = () => { source.close(); no(); };
    }));
  }
  for (const path of files) {
    await attempt(`script ${path}`, () => new Promise((yes, no) => {
      const script = document.createElement("script");
      Object.assign(script, {src: target + path, onload: () => yes(true), onerror: no});
      document.body.append(script);
    }));
  }
  return got;
}
"""
CONSOLE_TRIES: Final = {
    "reads": ["/console/overview", "/api/v1/approvals", "/metrics", "/api/openapi.json"],
    "streams": ["/api/v1/events"],
    "files": ["/static/js/app.js", "/console/overview"],
}
SIMULATOR_TRIES: Final = {
    "reads": ["/_sim/state", "/_sim/requests", "/_sim/openapi.json"],
    "posts": ["/_sim/reset", "/_sim/messages", "/_sim/faults"],
    "streams": ["/_sim/stream"],
    "files": ["/_sim/state"],
}


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[Console]:
    async with console(tmp_path) as house:
        yield house


@asynccontextmanager
async def _elsewhere() -> AsyncIterator[str]:
    """Serve somebody else's page on a port of its own."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
        writer.write(head % len(EVIL_PAGE) + EVIL_PAGE)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _got(page: Page, target: str, tries: dict[str, Any]) -> list[str]:
    """Try everything from a page elsewhere, in the same browser; give what came through."""
    async with _elsewhere() as address:
        other = await page.context.new_page()
        await other.goto(address)
        found: list[str] = await other.evaluate(TRIES, {"target": target, **tries})
        await other.close()
        return found


@pytest.mark.scenario("D15")
@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
async def test_a_page_on_another_port_gets_nothing_of_the_console(
    house: Console, browser_page: OpenPage, name: str
) -> None:
    page = await browser_page(house.link(), allowed=[""])
    await enter(page, await house.local())
    await write(page, "[[ask:rm -r build]][[wait:end]]")
    identity = await house.asked()
    posts = ["/api/v1/stop", f"/api/v1/approvals/{identity}/decide", "/api/v1/login-links", "/api/v1/sessions"]
    got = await _got(page, f"http://{name}:{house.access.port}", {**CONSOLE_TRIES, "posts": posts})
    assert got == []
    assert await house.outcome(identity) == ""
    assert await house.world.rows("SELECT count(*) FROM sessions") == [(1,)]
    await page.locator(".approval.asked").get_by_role("button", name="Reject").click()
    await expect(page.locator(".approval.settled")).to_contain_text("rejected")
    assert await house.outcome(identity) == "rejected"
    house.world.release("end")


@pytest.mark.scenario("D15")
async def test_a_page_on_another_port_gets_nothing_of_the_simulators_control(
    house: Console, browser_page: OpenPage
) -> None:
    simulator = house.world.simulator
    page = await browser_page(simulator.page_url, allowed=[""])
    await expect(page.locator("#words")).to_be_visible()
    people, before = simulator.platform.directory.users.copy(), len(simulator.platform.journal.since(0))
    assert await _got(page, simulator.base_url, SIMULATOR_TRIES) == []
    assert simulator.platform.directory.users == people
    changes = simulator.platform.journal.since(0)[before:]
    assert {change.kind for change in changes} <= {"clock", "connection", "request"}  # the harness and the gateway
    assert simulator.platform.faults.rules == {}


@pytest.mark.scenario("D15")
async def test_neither_page_can_be_framed_by_another(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link(), allowed=[""])
    await ready(page)
    simulator = await page.context.new_page()
    await simulator.goto(house.world.simulator.page_url)
    async with _elsewhere() as address:
        other = await page.context.new_page()
        await other.goto(address)
        for target in (f"http://127.0.0.1:{house.access.port}/", f"{house.world.simulator.base_url}/"):
            shown = await other.evaluate(
                """async (target) => {
                  const frame = document.createElement("iframe");
                  const loaded = new Promise((yes) => frame.addEventListener("load", yes));
                  frame.src = target;
                  document.body.append(frame);
                  await loaded;
                }""",
                target,
            )
            assert shown is None
        assert [frame.url for frame in other.frames[1:]] == ["chrome-error://chromewebdata/"] * 2


async def test_nothing_that_an_agent_writes_makes_the_page_ask_others(house: Console, browser_page: OpenPage) -> None:
    page = await browser_page(house.link())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.evaluate("addEventListener('securitypolicyviolation', (one) => (document.title = 'broken'))")
    await enter(page, await house.local())
    there = "https://elsewhere.example"
    lures = f"![a]({there}/a.png) <img src={there}/b.png> <link rel=stylesheet href={there}/c.css> [a link]({there})"
    await write(page, f"[[say:{lures} <script src={there}/d.js></script> <style>@import '{there}/e.css'</style>]]")
    await expect(page.locator(".answer")).to_contain_text("a link")
    for where in ("needs", "ledger", "settings/apps", "settings/bindings", "settings/machine", ""):
        await page.evaluate("where => { location.hash = `#/${where}`; }", where)
        await expect(page.locator(".place:visible")).to_have_count(1)
    assert asked
    assert [url for url in asked if not url.startswith(f"http://127.0.0.1:{house.access.port}/")] == []
    assert await page.title() != "broken"
