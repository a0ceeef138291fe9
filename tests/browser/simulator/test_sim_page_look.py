"""The simulator's page in its other shapes: Chinese, dark, narrow, by keyboard alone."""

import json

import pytest
from playwright.async_api import Page, expect
from tests.browser.conftest import Language, Look, OpenPage, snap
from tests.browser.simulator.scene import Bot, Json, enter, ready, say, scene

pytestmark = pytest.mark.browser

NAME = """(() => {
  const control = document.activeElement;
  const title = control.matches(".row") ? control.querySelector(".title").innerText : control.innerText;
  return (control.ariaLabel ?? title).trim();
})()"""
CHINESE = ("林岩", "陈雨", "鸿雁")


async def answers_in_chinese(bot: Bot, message: Json) -> None:
    """Mark and answer."""
    await bot.react(message["message_id"], "Get")
    words = json.loads(message["content"])["text"]
    await bot.reply(message["message_id"], f"收到「{words}」，测试已经跑完，共 214 项。", uuid="4be1c09e-part-1")


async def overflow(page: Page) -> bool:
    """Say whether anything makes the page wider than its window."""
    return bool(await page.evaluate("document.documentElement.scrollWidth > innerWidth"))


async def test_the_page_speaks_chinese_in_the_dark(browser_page: OpenPage) -> None:
    async with scene(answers_in_chinese, names=CHINESE) as here:
        page = await browser_page(here.simulator.page_url, Look(language="zh-CN", theme="dark"))
        await ready(page)
        await say(page, "就这么改，然后把测试跑一遍。")
        await expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        await expect(page.get_by_text("这里的一切都不会离开本机")).to_be_visible()
        await expect(page.locator(".bubble").last).to_contain_text("共 214 项")
        await expect(page.locator(".chip")).to_contain_text("收到")
        await expect(page.locator("#sums")).to_have_text("用户消息 1，机器人可见 1")
        assert (
            await page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor") == "rgb(21, 26, 24)"
        )
        await snap(page, "simulator-chat-dark-zh")


async def test_language_and_theme_are_switched_and_kept(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(f"{here.simulator.page_url}&lang=zh")
        await ready(page)
        await expect(page.get_by_role("heading", level=1)).to_have_text("模拟飞书")
        await page.locator("#language").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Simulated Feishu")
        await page.get_by_label("Theme: system").click()
        await page.get_by_label("Theme: light").click()
        await page.reload()
        await ready(page)
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Simulated Feishu")
        await say(page, "hello")
        await expect(page.locator(".bubble")).to_have_count(2)
        await snap(page, "simulator-chat-dark-en")


async def test_one_pane_at_a_time_on_a_narrow_screen(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url, Look(width=390, height=844, touch=True))
        await ready(page)
        await expect(page.get_by_text("Nothing here leaves this machine")).to_be_visible()
        await say(page, "Apply it, then run the tests.")
        await expect(page.locator(".bubble").last).to_be_visible()
        await expect(page.locator("#entries")).to_be_hidden()
        await snap(page, "simulator-narrow-chat-light-en")
        await page.locator("#pane-timeline").click()
        await expect(page.get_by_text("im.message.receive_v1")).to_be_visible()
        await expect(page.locator("#messages")).to_be_hidden()
        await snap(page, "simulator-narrow-timeline-light-en")
        await page.locator("#pane-chats").click()
        await expect(page.get_by_role("button", name="Act as Chen Yu")).to_be_visible()
        await snap(page, "simulator-narrow-chats-light-en")
        await enter(page, "Release 2.4")
        await expect(page.locator("#chat-title")).to_have_text("Release 2.4")
        assert not await overflow(page)


@pytest.mark.parametrize(("width", "beside"), [(1280, True), (1024, True), (820, False)])
async def test_the_timeline_stands_beside_the_chat_where_there_is_room(
    browser_page: OpenPage, width: int, beside: bool
) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url, Look(width=width, height=800))
        await ready(page)
        await say(page, "hello")
        await expect(page.locator(".bubble")).to_have_count(2)
        await expect(page.locator("#entries")).to_be_visible(visible=beside)
        await snap(page, f"simulator-width-{width}-light-en")
        if not beside:
            await page.locator("#to-timeline").click()
            await expect(page.locator("#entries")).to_be_visible()
        assert not await overflow(page)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
async def test_nothing_is_cut_at_320_pixels(browser_page: OpenPage, language: Language) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url, Look(width=320, height=568, language=language))
        await ready(page)
        await say(page, "x" * 120)
        await expect(page.locator(".bubble")).to_have_count(2)
        for pane in ("chats", "chat", "timeline"):
            await page.locator(f"#pane-{pane}").click()
            assert not await overflow(page), pane
        await snap(page, f"simulator-320-timeline-light-{language[:2]}")


async def test_everything_is_done_by_keyboard(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url)
        await ready(page)
        await tab_to(page, "Release 2.4", "ArrowDown", after="Hongyan")
        await page.keyboard.press("Enter")
        await expect(page.locator("#chat-title")).to_have_text("Release 2.4")
        await tab_to(page, "Message Release 2.4 as Lin Yan")
        await page.keyboard.type("@Hongyan ready")
        await page.keyboard.press("Enter")
        await expect(page.locator(".topic")).to_have_text("1 reply")
        await page.keyboard.press("Shift+Tab")
        await tab_to(page, "Actions for the message of Lin Yan", key="Shift+Tab")
        await page.keyboard.press("Enter")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await expect(page.locator(".chip")).to_contain_text(["received", "OK"])
        outline = await page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert outline == "2px"
        await snap(page, "simulator-keyboard-light-en")


async def tab_to(page: Page, name: str, arrow: str | None = None, *, after: str = "", key: str = "Tab") -> None:
    """Walk to the control whose accessible name begins so: by tab stops, and by an arrow key inside a list."""
    for _ in range(60):
        focused = await page.evaluate(NAME)
        if focused.startswith(name):
            return
        await page.keyboard.press(arrow if arrow and after and focused.startswith(after) else key)
    raise AssertionError(f"the keyboard never reaches {name}")
