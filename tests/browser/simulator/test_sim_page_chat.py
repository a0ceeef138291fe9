"""The simulator's page: what a person does in a chat, and what they see of the answer."""

import pytest
from playwright.async_api import FilePayload, Page, expect
from tests.browser.conftest import OpenPage, snap
from tests.browser.simulator.scene import Bot, Json, Scene, enter, ready, say, scene

pytestmark = pytest.mark.browser

RICH = {
    "title": "What changed",
    "content": [
        [{"tag": "md", "text": "**retry_part** keeps its key. See [the notes](https://notes.example/1)."}],
        [{"tag": "md", "text": "```python\nkey = part.uuid\n```"}],
        [{"tag": "hr"}],
        [{"tag": "text", "text": "<b>not markup</b>", "style": ["underline"]}],
    ],
}


async def opened(open_page: OpenPage, here: Scene) -> Page:
    """Open the page as Lin Yan."""
    page = await open_page(here.simulator.page_url)
    await ready(page)
    return page


async def act(page: Page, message: str, action: str) -> None:
    """Choose an action from a message's menu."""
    await page.locator("li.message", has_text=message).first.locator("[data-mark=more]").click()
    await page.get_by_role("menuitem", name=action, exact=True).click()


async def test_an_answer_appears_without_a_reload(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        await expect(page.get_by_text("Nothing here leaves this machine")).to_be_visible()
        await say(page, "Good morning")
        await expect(page.locator(".bubble").last).to_have_text("You said: Good morning")
        await expect(page.get_by_role("log")).to_have_text("Hongyan: You said: Good morning")
        await expect(page.locator("#sums")).to_have_text("said 1, visible from the bot 1")
        await snap(page, "simulator-greeting-light-en")
        assert here.texts(here.private) == ["Good morning", "You said: Good morning"]


async def test_three_quick_messages_keep_their_order(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        for text in ("one", "two", "three"):
            await say(page, text)
        await expect(page.locator("#sums")).to_have_text("said 3, visible from the bot 3")
        await expect(page.locator(".mine .bubble")).to_have_text(["one", "two", "three"])
        said = [message.text for message in here.simulator.platform.said(here.private.chat_id)]
        assert said == ["one", "two", "three"]
        await snap(page, "simulator-three-quick-messages-light-en")


async def test_marks_are_chips_with_words_that_come_and_go(browser_page: OpenPage) -> None:
    async def works_for_a_while(bot: Bot, message: Json) -> None:
        await bot.react(message["message_id"], "Get")
        mark = await bot.react(message["message_id"], "OnIt")
        await expect(page.locator(".chip")).to_contain_text(["received", "working"])
        await snap(page, "simulator-working-light-en")
        await bot.unreact(message["message_id"], mark)

    async with scene(works_for_a_while) as here:
        page = await opened(browser_page, here)
        await say(page, "Run the tests")
        await here.simulator.until(lambda: bool(here.bot.tasks))
        await here.bot.settled()
        await expect(page.locator(".chip")).to_have_count(1)
        await page.locator(".chip").click()
        await expect(page.locator(".chip")).to_have_attribute("aria-pressed", "true")


async def test_rich_text_is_drawn_and_nothing_in_it_is_markup(browser_page: OpenPage) -> None:
    async def answers_richly(bot: Bot, message: Json) -> None:
        await bot.reply_post(message["message_id"], RICH)

    async with scene(answers_richly) as here:
        page = await opened(browser_page, here)
        await say(page, '<img src="x" onerror="document.title=1">')
        answer = page.locator(".message:not(.mine) .bubble")
        await expect(answer.locator(".post-title")).to_have_text("What changed")
        await expect(answer.locator("pre code")).to_have_text("key = part.uuid")
        await expect(answer.locator("a")).to_have_attribute("href", "https://notes.example/1")
        await expect(answer).to_contain_text("<b>not markup</b>")
        await expect(page.locator(".mine .bubble")).to_have_text('<img src="x" onerror="document.title=1">')
        assert await page.title() == "Simulated Feishu"
        await snap(page, "simulator-rich-text-light-en")


async def test_own_words_are_edited_and_taken_back(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        await say(page, "deploy at ten")
        await expect(page.locator(".bubble")).to_have_count(2)
        await act(page, "deploy at ten", "Edit")
        await expect(page.locator("#words")).to_have_value("deploy at ten")
        await say(page, "deploy at eleven")
        await expect(page.locator(".mine")).to_contain_text("edited")
        await act(page, "deploy at eleven", "Recall")
        await expect(page.get_by_text("Lin Yan recalled a message").first).to_be_visible()
        await expect(page.locator(".mine")).to_have_count(0)
        await snap(page, "simulator-recalled-light-en")
        assert here.texts(here.private) == ["You said: deploy at ten"]


async def test_a_reply_quotes_what_it_answers(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        await say(page, "first")
        await expect(page.locator(".bubble")).to_have_count(2)
        await act(page, "You said: first", "Reply")
        await expect(page.locator("#about-words")).to_have_text("Replying to Hongyan: You said: first")
        await say(page, "thanks")
        quote = page.locator(".mine", has_text="thanks").locator(".quote")
        await expect(quote).to_contain_text("Hongyan: You said: first")
        await quote.click()
        await expect(page.locator(".pointed .bubble")).to_have_text("You said: first")


async def test_a_bot_is_called_in_a_topic_and_answers_there(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        await enter(page, "Release 2.4")
        await expect(page.locator("#chat-where")).to_have_text("group with topics, 2 people, 1 bot")
        await page.locator("#mention").click()
        await page.get_by_role("menuitem", name="Hongyan").click()
        await page.keyboard.type("compare the changelogs")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="1 reply").click()
        await expect(page.locator("#chat-title")).to_have_text("Topic")
        await expect(page.locator(".bubble .mention")).to_have_text(["@Hongyan"])
        await say(page, "and the tags")
        await expect(page.locator(".bubble").last).to_have_text("You said: and the tags")
        await snap(page, "simulator-topic-light-en")
        root, *replies = here.simulator.platform.messages.in_chat(here.group.chat_id)
        assert {reply.thread_id for reply in replies} == {root.thread_id}
        assert [mention.party.id for mention in root.mentions] == [here.bot.app.app_id]


async def test_someone_else_sees_their_own_chats(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        await say(page, "for Lin alone")
        await expect(page.locator(".bubble")).to_have_count(2)
        await page.get_by_label("Acting as").select_option("Chen Yu")
        await enter(page, "Hongyan")
        await expect(page.locator(".bubble")).to_have_count(0)
        await expect(page.get_by_text("Write to Hongyan")).to_be_visible()
        await snap(page, "simulator-empty-chat-light-en")
        await say(page, "Chen here")
        await expect(page.locator(".bubble")).to_have_text(["Chen here", "You said: Chen here"])
        assert here.texts(here.private) == ["for Lin alone", "You said: for Lin alone"]


async def test_a_draft_belongs_to_its_chat_and_survives_a_reload(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        await page.locator("#words").fill("half a thou")
        await enter(page, "Release 2.4")
        await expect(page.locator("#words")).to_have_value("")
        await page.reload()
        await ready(page)
        await enter(page, "Hongyan")
        await expect(page.locator("#words")).to_have_value("half a thou")


async def test_shift_enter_breaks_the_line(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await opened(browser_page, here)
        await page.locator("#words").focus()
        await page.keyboard.type("one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")
        await expect(page.locator(".mine .bubble")).to_have_text("one\ntwo", use_inner_text=True)


async def test_files_go_out_and_are_shown_by_name(browser_page: OpenPage) -> None:
    async with scene(ignore) as here:
        page = await opened(browser_page, here)
        pixel = (
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
            b"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
        )
        plan: FilePayload = {"name": "plan.txt", "mimeType": "text/plain", "buffer": b"plan"}
        dot: FilePayload = {"name": "dot.png", "mimeType": "image/png", "buffer": pixel}
        await page.locator("#chosen").set_input_files([plan, dot])
        await expect(page.locator(".attachment")).to_have_text(["plan.txt", "dot.png"])
        await expect(page.get_by_alt_text("dot.png")).to_be_attached()


async def test_what_the_platform_refuses_stands_in_the_composer_again(browser_page: OpenPage) -> None:
    async with scene() as here:
        page = await browser_page(here.simulator.page_url, allowed=["409"])
        await ready(page)
        here.private.dissolved = True
        await say(page, "anyone there")
        await expect(page.locator("#problem")).to_contain_text("Not accepted")
        await expect(page.locator("#words")).to_have_value("anyone there")


async def test_reading_above_is_not_disturbed_by_what_arrives(browser_page: OpenPage) -> None:
    async with scene() as here:
        for number in range(40):
            here.simulator.platform.people.write(here.lin.user_id, here.bot.app.app_id, f"line {number}")
        await here.simulator.until(lambda: len(here.texts(here.private)) == 80)
        page = await opened(browser_page, here)
        newest = here.texts(here.private)[-1]
        await expect(page.locator(".bubble", has_text=newest).last).to_be_in_viewport()
        await page.locator("#scroll").evaluate("box => { box.scrollTop = 300 }")
        await here.bot.reply(here.simulator.platform.said(here.private.chat_id)[0].message_id, "late")
        await expect(page.get_by_role("button", name="1 new message")).to_be_in_viewport()
        assert await page.locator("#scroll").evaluate("box => box.scrollTop") == 300
        await page.get_by_role("button", name="1 new message").click()
        await expect(page.locator(".bubble", has_text="late")).to_be_in_viewport()


async def ignore(_bot: Bot, _message: Json) -> None:
    """Say nothing."""
