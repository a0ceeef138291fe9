"""Cards in the page: how they are drawn, that they stream, and what a press does."""

import pytest
from playwright.async_api import Page, expect
from tests.browser.conftest import Look, OpenPage, snap
from tests.browser.simulator.cards import REPORT, Json, approval, button, card, form, markdown, progress, table
from tests.browser.simulator.scene import Scene, ready, say, scene

from feishu_simulator.faults import Effect, Match

pytestmark = pytest.mark.browser

CHINESE = ("林岩", "陈雨", "鸿雁")
NARROW = Look(width=390, height=844, touch=True)


async def opened(here: Scene, browser_page: OpenPage, look: Look | None = None) -> Page:
    """Open the page in Lin Yan's private chat."""
    page = await browser_page(here.simulator.page_url, look or Look())
    await ready(page)
    return page


async def test_a_card_asks_and_the_answer_settles_it(browser_page: OpenPage) -> None:
    async with scene() as here:
        settled = card(markdown("Allowed once by Lin Yan"), title="Edited retry.py", template="green")
        toast = {"type": "success", "content": "Allowed", "i18n": {"en_us": "Allowed once", "zh_cn": "已允许一次"}}
        here.bot.clicked = lambda _: {"toast": toast, "card": {"type": "raw", "data": settled}}
        page = await opened(here, browser_page)
        await say(page, "Apply it, then run the tests.")
        await expect(page.locator(".bubble")).to_have_count(2)
        message_id = await here.bot.send_card(here.private, approval("The agent asks: edit retry.py"))
        asked = page.locator(".card")
        await expect(asked.locator(".card-head.ochre")).to_have_text("The agent asks: edit retry.py")
        await expect(asked.locator(".added")).to_have_count(2)
        await snap(page, "simulator-card-approval-light-en")
        await asked.get_by_role("button", name="Allow once").click()
        await expect(page.locator(".toast.success")).to_have_text("Allowed once")
        await expect(page.locator(".card")).to_contain_text("Allowed once by Lin Yan")
        await expect(page.locator(".card").get_by_role("button")).to_have_count(0)
        row = page.locator(".entry.event").filter(has_text="card.action.trigger")
        await expect(row).to_contain_text("Lin Yan: Allow once")
        await expect(row).to_contain_text("Allowed once")
        await snap(page, "simulator-card-settled-light-en")
        click = here.simulator.platform.clicks.all[-1]
        assert (click.message.message_id, click.control.value) == (message_id, {"decision": "primary"})


async def test_while_the_bot_thinks_the_card_waits(browser_page: OpenPage) -> None:
    async with scene() as here:
        here.bot.clicked = lambda _: None
        page = await opened(here, browser_page)
        await here.bot.send_card(here.private, approval("Edit retry.py?"))
        pressed = page.locator(".card").get_by_role("button")
        await pressed.nth(0).click()
        await expect(pressed.nth(0)).to_have_text("Waiting for the bot")
        for number in range(3):
            await expect(pressed.nth(number)).to_be_disabled()
        await expect(pressed.nth(0)).to_be_focused()
        await pressed.nth(0).press("Enter")
        here.bot.answer_click({})
        await expect(pressed.nth(0)).to_have_text("Allow once")
        await expect(pressed.nth(0)).to_be_focused()
        await expect(pressed.nth(2)).to_be_enabled()
        assert len(here.simulator.platform.clicks.all) == 1


async def test_a_bot_that_does_not_answer_is_told_with_its_number(browser_page: OpenPage) -> None:
    async with scene() as here:
        here.simulator.platform.faults.add(Match("event:card.action.trigger"), Effect(drop=True))
        page = await opened(here, browser_page)
        await here.bot.send_card(here.private, approval("Edit retry.py?"))
        await page.locator(".card").get_by_role("button", name="Reject").click()
        await expect(page.locator(".toast.error")).to_contain_text("200341")
        row = page.locator(".entry.fault").filter(has_text="card.action.trigger")
        await expect(row.locator(".outcome")).to_have_text("failed, 200341")
        await snap(page, "simulator-card-timeout-light-en")


async def test_an_answer_streams_into_a_card(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(here, browser_page)
        card_id = await here.bot.create_card(progress(""))
        await here.bot.send_card(here.private, {"type": "card", "data": {"card_id": card_id}})
        await expect(page.locator("#places .row").first).to_contain_text("[生成中...]")
        await expect(page.locator(".generating")).to_be_visible()
        words = "Read `src/outbox/retry.py`"
        for sequence, content in enumerate((words, f"{words}\nSearch `entropy.uuid`, 4 hits"), 1):
            await here.bot.operate("PUT", f"{card_id}/elements/steps/content", sequence, content=content)
        await expect(page.locator(".card")).to_contain_text("Search entropy.uuid, 4 hits")
        row = page.locator(".entry.call").filter(has_text="/content").last
        await expect(row).to_contain_text("sequence 2")
        await snap(page, "simulator-card-streaming-light-en")
        off = '{"config": {"streaming_mode": false}}'
        await here.bot.operate("PATCH", f"{card_id}/settings", 3, settings=off)
        await expect(page.locator(".generating")).to_have_count(0)
        await expect(page.locator("#places .row").first).not_to_contain_text("[生成中...]")


async def test_a_form_is_filled_in_and_sent(browser_page: OpenPage) -> None:
    async with scene() as here:
        heard: list[Json] = []

        def clicked(event: Json) -> Json:
            heard.append(event["action"])
            return {"toast": {"type": "info", "content": "Taken"}}

        here.bot.clicked = clicked
        page = await opened(here, browser_page)
        await here.bot.send_card(here.private, form())
        drawn = page.locator(".card")
        await drawn.get_by_role("button", name="Send").click()
        await expect(drawn.get_by_label("Reason")).to_be_focused()  # it is required
        assert heard == []
        await drawn.get_by_label("Reason").fill("the tests pass")
        await drawn.get_by_label("Risk").select_option("high")
        await drawn.get_by_role("group", name="Files").get_by_label("low").check()
        await drawn.get_by_label("I have read it").check()
        await here.bot.reply(here.simulator.platform.visible(here.private.chat_id)[-1].message_id, "still there")
        await expect(page.locator(".bubble").last).to_contain_text("still there")
        await expect(drawn.get_by_label("Reason")).to_have_value("the tests pass")
        await snap(page, "simulator-card-form-light-en")
        await drawn.get_by_role("button", name="Send").click()
        await expect(page.locator(".toast.info")).to_have_text("Taken")
        assert heard[-1]["form_value"] == {
            "reason": "the tests pass",
            "note": "none",
            "risk": "high",
            "files": ["low"],
            "sure": True,
        }


async def test_markdown_is_drawn_and_never_run(browser_page: OpenPage) -> None:
    async with scene() as here:
        open_id = here.simulator.platform.ids.open_id(here.bot.app.app_id, here.lin.user_id)
        evil = "<img src=x onerror=alert(1)> <script>alert(2)</script> <b>not bold</b>"
        page = await opened(here, browser_page)
        await here.bot.send_card(here.private, card(markdown(REPORT.replace("ou_lin", open_id)), markdown(evil)))
        drawn = page.locator(".card")
        await expect(drawn.get_by_role("heading", name="Release 2.4")).to_be_visible()
        await expect(drawn.locator("a")).to_have_count(1)
        await expect(drawn.get_by_role("link", name="the note")).to_have_attribute("href", "https://example.test/a")
        await expect(drawn.locator(".strong")).to_have_text(["their own key", "标题"])
        await expect(drawn.get_by_text("Not a link: press. Two risks")).to_be_visible()
        await expect(drawn.locator(".markdown p").last).to_have_text(evil)
        await expect(drawn.locator("ol > li")).to_have_count(2)
        await expect(drawn.locator("ol ul > li")).to_have_count(2)
        await expect(drawn.locator("blockquote")).to_contain_text("Nothing is sent twice.")
        await expect(drawn.locator("td.right")).to_have_text(["214", "98"])
        await expect(drawn.locator(".mention")).to_have_text("@Lin Yan")
        await expect(drawn.locator("pre code")).to_contain_text("def retry(part: Part)")
        await expect(drawn.locator("img, script, b")).to_have_count(0)
        await snap(page, "simulator-card-markdown-light-en")


async def test_odd_cards_take_nothing_with_them(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(here, browser_page)
        dates: Json = {"tag": "table", "columns": [{"name": "d", "data_type": "date"}], "rows": [{"d": 9e15}]}
        odd: list[Json] = [
            card(markdown("**a " * 6_500)),
            card(markdown("- " * 2_000 + "\n" + "> " * 500)),
            card({"tag": "button", "type": 7, "text": 5}, {"tag": "audio"}, {"tag": "markdown", "content": {"a": 1}}),
            {"header": {"title": {"tag": "plain_text", "content": "old"}}, "elements": [{"tag": "unheard of"}]},
            card(dates),
        ]
        for made in odd:
            await here.bot.send_card(here.private, made)
        await expect(page.get_by_text("This card cannot be drawn")).to_have_count(1)
        await expect(page.locator(".card")).to_have_count(4)
        await expect(page.get_by_text("An element of kind unheard of.")).to_be_visible()


async def test_tables_columns_panels_and_folded_buttons(browser_page: OpenPage) -> None:
    async with scene() as here:
        heard: list[Json] = []

        def clicked(event: Json) -> Json:
            heard.append(event["action"])
            return {}

        here.bot.clicked = clicked
        page = await opened(here, browser_page)
        await here.bot.send_card(here.private, table())
        drawn = page.locator(".card")
        await expect(drawn.get_by_role("cell", name="41")).to_be_visible()
        await expect(drawn.get_by_role("button", name="More", exact=True).first).to_be_disabled()
        await drawn.get_by_text("All arguments").click()
        await expect(drawn.get_by_text("src/outbox/retry.py")).to_be_visible()
        await here.bot.send_card(here.private, card(markdown("another one")))
        await expect(page.locator(".card")).to_have_count(2)
        await expect(drawn.first.get_by_text("src/outbox/retry.py")).to_be_visible()
        await snap(page, "simulator-card-table-light-en")
        await drawn.first.get_by_role("button", name="More", exact=True).last.click()
        await page.get_by_role("menuitem", name="Open the ledger").click()
        await here.simulator.until(lambda: bool(heard))
        assert heard == [{"tag": "overflow", "option": "ledger"}]


async def test_a_dangerous_button_asks_once_more(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(here, browser_page)
        confirm = {"title": {"content": "Drop it?"}, "text": {"content": "3 files are lost."}}
        await here.bot.send_card(here.private, card(button("Drop", {"drop": 1}, "danger", confirm=confirm)))
        await page.locator(".card").get_by_role("button", name="Drop").click()
        await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        assert here.simulator.platform.clicks.all == []
        await page.locator(".card").get_by_role("button", name="Drop").click()
        await page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        await expect(page.locator("dialog.confirm")).to_have_count(0)
        await here.simulator.until(lambda: bool(here.simulator.platform.clicks.all))


async def test_cards_in_the_dark_in_chinese(browser_page: OpenPage) -> None:
    async with scene(names=CHINESE) as here:
        here.bot.clicked = lambda _: {"toast": {"type": "success", "content": "ok", "i18n": {"zh_cn": "已允许一次"}}}
        page = await opened(here, browser_page, Look(language="zh-CN", theme="dark"))
        card_id = await here.bot.create_card(progress("读取 `src/outbox/retry.py`", stop="停止", title="处理中 0:41"))
        await here.bot.send_card(here.private, {"type": "card", "data": {"card_id": card_id}})
        await here.bot.send_card(here.private, approval("Agent 请求：修改 retry.py", chinese=True))
        await expect(page.locator(".generating")).to_contain_text("生成中")
        await page.get_by_role("button", name="允许一次").click()
        await expect(page.locator(".toast")).to_have_text("已允许一次")
        await snap(page, "simulator-card-dark-zh")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_on_a_phone_a_whole_decision_is_read_without_leaving_the_chat(browser_page: OpenPage, theme: str) -> None:
    async with scene() as here:
        look = Look(width=390, height=844, touch=True, theme="dark" if theme == "dark" else "light")
        page = await opened(here, browser_page, look)
        arguments = "\n".join(f'  "argument_{number:02}": "src/outbox/retry.py:{number}",' for number in range(46))
        asked = card(
            markdown("**edit** retry.py, because the key is not kept. Session `retry of the outbox`."),
            markdown(f"```json\n{{\n{arguments}\n}}\n```"),
            button("Allow once", {"n": 1}, "primary"),
            button("Reject", {"n": 2}, "danger"),
            title="The agent asks",
            template="orange",
        )
        assert len(arguments.encode()) > 1_800
        await here.bot.send_card(here.private, asked)
        drawn = page.locator(".card")
        await expect(drawn.locator("pre")).to_contain_text("argument_45")
        assert await drawn.locator("pre").evaluate("box => box.scrollWidth <= box.clientWidth")
        for words in ("because the key is not kept", "retry of the outbox"):
            await expect(drawn.get_by_text(words)).to_be_visible()
        await expect(drawn.get_by_role("button", name="Reject")).to_be_in_viewport()
        assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        box = await drawn.get_by_role("button", name="Allow once").bounding_box()
        assert box is not None
        assert box["height"] >= 40
        await snap(page, f"simulator-card-narrow-{theme}-en")


async def test_every_card_fits_a_phone(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(here, browser_page, NARROW)
        for made in (card(markdown(REPORT)), form(), table(), progress("Read")):
            await here.bot.send_card(here.private, made)
        await expect(page.locator(".card")).to_have_count(4)
        assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        for number, name in enumerate(("markdown", "form", "table")):
            await page.locator(".card").nth(number).scroll_into_view_if_needed()
            await snap(page, f"simulator-card-narrow-{name}-light-en")


async def test_the_head_says_when_the_bot_is_not_there(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(here, browser_page)
        await expect(page.locator("#away")).to_be_hidden()
        here.bot.close(1006)
        await expect(page.locator("#away")).to_have_text("Hongyan is not connected. What is written now waits here.")
        await snap(page, "simulator-away-light-en")
        here.bot.connect()
        await expect(page.locator("#away")).to_be_hidden()
