"""Reading page by page."""

from tests.unit.feishu_simulator.town import Town, refused, text_draft, town

from feishu_simulator.history import Page, Range, Slice, chat_page, offset_page, thread_page
from feishu_simulator.model import Message


def walk(here: Town, asked: Range, *, size: int = 2) -> list[str]:
    """Read the private chat to its end."""
    words: list[str] = []
    token = ""
    while True:
        page = chat_page(here.platform.messages, here.chat.chat_id, asked, Slice(size, token))
        words += [message.text for message in page.items]
        if not page.has_more:
            return words
        token = page.token


def test_pages_join_without_gap_or_repetition_in_both_orders() -> None:
    here = town()
    for count in range(5):
        here.write(str(count))
    assert walk(here, Range()) == ["0", "1", "2", "3", "4"]
    assert walk(here, Range(newest_first=True)) == ["4", "3", "2", "1", "0"]


def test_a_message_said_while_paging_backwards_shifts_nothing() -> None:
    here = town()
    for count in range(4):
        here.write(str(count))
    first = chat_page(here.platform.messages, here.chat.chat_id, Range(newest_first=True), Slice(2))
    here.write("new")
    asked = Range(newest_first=True)
    second = chat_page(here.platform.messages, here.chat.chat_id, asked, Slice(2, first.token))
    assert [message.text for message in second.items] == ["1", "0"]


def test_times_are_seconds_and_both_ends_count() -> None:
    here = town()
    start_seconds = here.platform.clock.now_ms() // 1000
    for count in range(4):
        here.write(str(count))
        here.platform.clock.advance(1_000)
    asked = Range(start_seconds=start_seconds + 1, end_seconds=start_seconds + 2)
    assert walk(here, asked) == ["1", "2"]


def test_a_chat_shows_of_a_thread_only_its_first_message() -> None:
    here = town()
    question = here.write("question")
    here.platform.bot_calls.reply(here.app, question.message_id, text_draft("inside"), in_thread=True)
    here.write("beside", reply_to=here.write("plain").message_id)
    assert walk(here, Range()) == ["question", "plain", "beside"]
    page = thread_page(here.platform.messages, str(question.thread_id), Range(), Slice(50))
    assert [message.text for message in page.items] == ["question", "inside"]


def test_an_unknown_thread_is_refused() -> None:
    with refused(230019):
        thread_page(town().platform.messages, "omt_none", Range(), Slice(50))


def test_a_token_of_another_order_is_refused() -> None:
    here = town()
    for count in range(3):
        here.write(str(count))
    token = chat_page(here.platform.messages, here.chat.chat_id, Range(), Slice(1)).token
    with refused(99992402):
        chat_page(here.platform.messages, here.chat.chat_id, Range(newest_first=True), Slice(1, token))


def test_a_made_up_token_is_refused() -> None:
    with refused(99992402):
        offset_page([1, 2, 3], Slice(1, "garbage"), "numbers")


def test_the_last_page_has_no_token() -> None:
    page: Page[Message] = chat_page(town().platform.messages, "oc_empty", Range(), Slice(20))
    assert (page.items, page.has_more, page.token) == ([], False, "")
