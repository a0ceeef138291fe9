"""What the chat port promises, kept by the adapter, witnessed by the simulated platform."""

from datetime import timedelta

import pytest
from tests.contract.chat_town import outbound, town

from feishu_simulator.people import Speech
from hongyan.domain.errors import (
    ChatBlockedError,
    ChatError,
    ChatNotFoundError,
    ChatRejectedError,
    ChatTargetGoneError,
    ChatThrottledError,
    ChatUnknownOutcomeError,
    ChatUnreachableError,
)
from hongyan.domain.identity import ChatId, MessageId, OpenId
from hongyan.domain.messages import MessageKind, SenderKind, same_text
from hongyan.ports.chat import Directory, History, MessageWriter, Reactions

CREATE = "POST /open-apis/im/v1/messages"
REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
GET = "GET /open-apis/im/v1/messages/:message_id"


async def test_one_app_is_every_door_of_the_port() -> None:
    async with town() as here:
        writer: MessageWriter = here.gateway
        reactions: Reactions = here.gateway
        history: History = here.gateway
        directory: Directory = here.gateway
        asked = MessageId(here.say().message_id)
        await writer.write(outbound(here))
        await reactions.add(asked, "OK")
        assert (await history.message(asked)).text == "hello"
        assert (await directory.me()).name == "Hongyan"


async def test_a_fresh_message_is_visible_under_the_id_that_was_given() -> None:
    async with town() as here:
        written = await here.gateway.write(outbound(here, text="你好, Lin Yan"))
        (shown,) = here.platform.visible(here.chat.chat_id)
        assert (shown.message_id, shown.text) == (written, "你好, Lin Yan")


async def test_an_answer_stands_under_its_message() -> None:
    async with town() as here:
        asked = here.say("hello")
        await here.gateway.write(outbound(here, reply_to=asked.message_id))
        assert here.platform.visible(here.chat.chat_id)[-1].parent_id == asked.message_id


async def test_an_answer_in_a_topic_stays_in_the_topic() -> None:
    async with town() as here:
        here.chat = here.platform.add_group("team", [here.user], [here.app], topics=True)
        asked = here.say("hello")
        await here.gateway.write(outbound(here, reply_to=asked.message_id, in_thread=True))
        answer = here.platform.visible(here.chat.chat_id)[-1]
        assert answer.by_bot
        assert answer.thread_id == asked.thread_id


@pytest.mark.parametrize("answered", [True, False])
async def test_the_same_key_gives_the_first_message_again(answered: bool) -> None:
    async with town() as here:
        target = here.say().message_id if answered else ""
        first = await here.gateway.write(outbound(here, reply_to=target))
        assert await here.gateway.write(outbound(here, reply_to=target)) == first
        assert here.bot_said() == ["an answer"]


@pytest.mark.scenario("P20")
async def test_a_lost_answer_is_an_open_outcome_and_the_same_key_finds_the_message() -> None:
    async with town() as here:
        target = here.say().message_id
        here.breaks(REPLY, lost_response=True)
        with pytest.raises(ChatUnknownOutcomeError):
            await here.gateway.write(outbound(here, reply_to=target))
        (shown,) = [message for message in here.platform.visible(here.chat.chat_id) if message.by_bot]
        assert await here.gateway.write(outbound(here, reply_to=target)) == shown.message_id
        assert here.bot_said() == ["an answer"]
        assert len(here.platform.requests(REPLY)) == 2  # the adapter itself repeats no write


async def test_a_line_cut_before_anything_happened_is_an_open_outcome_too() -> None:
    async with town() as here:
        here.breaks(CREATE, refuse_connection=True)
        with pytest.raises(ChatUnknownOutcomeError):
            await here.gateway.write(outbound(here))
        assert here.bot_said() == []


async def test_a_failing_server_is_an_open_outcome() -> None:
    async with town() as here:
        here.breaks(CREATE, http_status=502)
        with pytest.raises(ChatUnknownOutcomeError):
            await here.gateway.write(outbound(here))


async def test_a_slow_answer_is_an_open_outcome() -> None:
    async with town(timeout_seconds=0.3) as here:
        await here.gateway.me()
        here.breaks(CREATE, delay_ms=5_000)
        with pytest.raises(ChatUnknownOutcomeError):
            await here.gateway.write(outbound(here))


async def test_a_platform_that_cannot_be_reached_was_not_written_to() -> None:
    async with town() as here:
        await here.gateway.me()
        await here.simulator.stop()
        with pytest.raises(ChatError) as stopped:
            await here.gateway.write(outbound(here))
        assert isinstance(stopped.value, ChatUnreachableError | ChatUnknownOutcomeError)
        with pytest.raises(ChatUnreachableError):
            await here.gateway.write(outbound(here))


async def test_a_withdrawn_message_takes_no_answer_and_no_mark() -> None:
    async with town() as here:
        asked = here.say()
        here.platform.people.recall(asked.message_id)
        with pytest.raises(ChatTargetGoneError):
            await here.gateway.write(outbound(here, reply_to=asked.message_id))
        with pytest.raises(ChatTargetGoneError):
            await here.gateway.add(MessageId(asked.message_id), "OK")


async def test_a_chat_without_the_bot_takes_no_message() -> None:
    async with town() as here:
        here.chat = here.platform.add_group("others", [here.user], [])
        with pytest.raises(ChatRejectedError) as refused:
            await here.gateway.write(outbound(here))
        assert refused.value.platform_code == 230002


async def test_a_text_beyond_the_platforms_limit_is_rejected() -> None:
    async with town() as here:
        with pytest.raises(ChatRejectedError) as refused:
            await here.gateway.write(outbound(here, text="鸿" * 60_000))
        assert refused.value.platform_code == 230025


async def test_a_text_of_our_own_largest_size_arrives_whole() -> None:
    async with town() as here:
        text = "鸿" * 46_000
        await here.gateway.write(outbound(here, text=text))
        assert here.bot_said() == [text]


async def test_too_many_calls_are_throttled_until_the_platforms_own_time() -> None:
    async with town() as here:
        here.breaks(CREATE, error_code=99991400, http_status=429)
        with pytest.raises(ChatThrottledError) as refused:
            await here.gateway.write(outbound(here))
        assert refused.value.retry_after == timedelta(seconds=1)
        here.simulator.clock.advance(1_000)
        await here.gateway.write(outbound(here))
        assert here.bot_said() == ["an answer"]


async def test_a_token_lives_on_past_its_end() -> None:
    async with town() as here:
        await here.gateway.write(outbound(here, key="key-1"))
        here.simulator.clock.advance(3 * 3_600_000)
        await here.gateway.write(outbound(here, key="key-2"))
        assert len(here.bot_said()) == 2


@pytest.mark.scenario("P19", "P20")
async def test_a_refused_token_is_replaced_under_the_same_key() -> None:
    async with town() as here:
        await here.gateway.me()
        here.breaks(CREATE, stale_token=True)
        await here.gateway.write(outbound(here))
        assert [request.uuid or "key-1" for request in here.platform.requests(CREATE)] == ["key-1", "key-1"]
        assert here.bot_said() == ["an answer"]
        assert len({request.body for request in here.platform.requests(CREATE)}) == 1


@pytest.mark.scenario("P48")
async def test_a_wrong_secret_blocks_and_is_not_shown() -> None:
    async with town(secret="not-the-secret") as here:
        with pytest.raises(ChatBlockedError) as blocked:
            await here.gateway.write(outbound(here))
        assert "not-the-secret" not in f"{blocked.value!r} {blocked.value} {blocked.value.hint}"
        assert here.bot_said() == []


async def test_a_missing_permission_is_named() -> None:
    async with town() as here:
        here.app.scopes = frozenset({"im:chat:readonly"})
        with pytest.raises(ChatBlockedError) as blocked:
            await here.gateway.write(outbound(here))
        assert "im:message" in blocked.value.hint


async def test_a_mark_is_set_found_and_taken_away() -> None:
    async with town() as here:
        asked = MessageId(here.say().message_id)
        here.platform.people.react(here.user.user_id, asked, "OK")
        assert await here.gateway.mine(asked, "OK") is None
        mark = await here.gateway.add(asked, "OK")
        assert await here.gateway.mine(asked, "OK") == mark
        await here.gateway.remove(asked, mark)
        assert await here.gateway.mine(asked, "OK") is None
        assert len(here.platform.reactions(asked)) == 1


async def test_taking_away_a_mark_twice_is_no_error() -> None:
    async with town() as here:
        asked = MessageId(here.say().message_id)
        mark = await here.gateway.add(asked, "OK")
        await here.gateway.remove(asked, mark)
        await here.gateway.remove(asked, mark)
        assert here.platform.reactions(asked) == []


async def test_a_mark_of_a_withdrawn_message_counts_as_taken_away() -> None:
    async with town() as here:
        asked = MessageId(here.say().message_id)
        mark = await here.gateway.add(asked, "OK")
        here.platform.people.recall(asked)
        await here.gateway.remove(asked, mark)


async def test_a_message_is_read_as_its_writer_sees_it() -> None:
    async with town() as here:
        asked = here.say("hello <b>")
        shown = await here.gateway.message(MessageId(asked.message_id))
        assert (shown.text, shown.kind, shown.sender_kind) == ("hello <b>", MessageKind.TEXT, SenderKind.USER)
        assert (shown.create_time, shown.updated, shown.recalled) == (asked.create_ms, False, False)
        assert shown.chat_id == here.chat.chat_id


async def test_an_edit_is_seen() -> None:
    async with town() as here:
        asked = here.say("hello")
        here.simulator.clock.advance(5_000)
        here.platform.people.edit(here.user.user_id, asked.message_id, Speech(text="goodbye"))
        shown = await here.gateway.message(MessageId(asked.message_id))
        assert (shown.text, shown.updated) == ("goodbye", True)
        assert shown.update_time == shown.create_time + 5_000


async def test_a_withdrawn_message_is_read_as_recalled() -> None:
    async with town() as here:
        asked = here.say("hello")
        here.platform.people.recall(asked.message_id)
        shown = await here.gateway.message(MessageId(asked.message_id))
        assert (shown.recalled, shown.text) == (True, None)


async def test_what_was_written_is_read_back_as_it_was_sent() -> None:
    async with town() as here:
        text = "## Done\n\n- 42 files  \n`code` <script> & [link](https://example.com)\n"
        written = await here.gateway.write(outbound(here, text=text))
        shown = await here.gateway.message(written)
        assert same_text(text, shown.text)
        assert (shown.sender, shown.sender_kind) == (here.app.app_id, SenderKind.APP)


@pytest.mark.parametrize("name", ["om_nobody", "no id", "../../secret"])
async def test_a_message_that_does_not_exist_is_not_found(name: str) -> None:
    async with town() as here:
        with pytest.raises(ChatNotFoundError):
            await here.gateway.message(MessageId(name))


async def test_a_message_elsewhere_is_not_found() -> None:
    async with town() as here:
        here.chat = here.platform.add_group("others", [here.user], [])
        with pytest.raises(ChatNotFoundError):
            await here.gateway.message(MessageId(here.say().message_id))


async def test_a_read_survives_a_cut_line() -> None:
    async with town() as here:
        asked = MessageId(here.say().message_id)
        here.breaks(GET, lost_response=True)
        assert (await here.gateway.message(asked)).text == "hello"


async def test_history_is_listed_oldest_first_over_all_pages() -> None:
    async with town() as here:
        said = []
        for number in range(120):
            said.append(here.say(f"message {number}").create_ms)
            here.simulator.clock.advance(250)
        shown = await here.gateway.between(ChatId(here.chat.chat_id), said[10], said[109], 200)
        assert [message.create_time for message in shown] == said[10:110]


async def test_history_gives_the_oldest_up_to_its_limit() -> None:
    async with town() as here:
        for number in range(5):
            here.say(f"message {number}")
        shown = await here.gateway.between(ChatId(here.chat.chat_id), 0, here.simulator.clock.now_ms(), 3)
        assert [message.text for message in shown] == ["message 0", "message 1", "message 2"]


async def test_history_without_its_permission_is_blocked_not_empty() -> None:
    async with town() as here:
        here.chat = here.platform.add_group("team", [here.user], [here.app])
        here.say()
        here.app.scopes = frozenset({"im:message"})
        with pytest.raises(ChatBlockedError):
            await here.gateway.between(ChatId(here.chat.chat_id), 0, here.simulator.clock.now_ms(), 3)


async def test_the_bot_and_a_person_are_read() -> None:
    async with town() as here:
        me = await here.gateway.me()
        assert (me.open_id, me.name) == (here.app.bot_open_id, "Hongyan")
        asked = await here.gateway.message(MessageId(here.say().message_id))
        person = await here.gateway.person(OpenId(asked.sender))
        assert (person.name, person.union_id) == ("Lin Yan", here.user.union_id)


@pytest.mark.parametrize("scopes", [frozenset({"im:message"}), frozenset({"im:message", "contact:contact"})])
async def test_a_person_whom_the_app_may_not_see_has_no_name(scopes: frozenset[str]) -> None:
    async with town() as here:
        sender = (await here.gateway.message(MessageId(here.say().message_id))).sender
        here.app.scopes = scopes
        assert (await here.gateway.person(OpenId(sender))).name == ""


async def test_a_stranger_to_the_app_is_not_found() -> None:
    async with town() as here:
        with pytest.raises(ChatNotFoundError):
            await here.gateway.person(OpenId("ou_nobody"))


async def test_the_platforms_clock_is_known_after_the_first_answer() -> None:
    async with town() as here:
        assert here.gateway.platform_offset() is None
        await here.gateway.me()
        offset = here.gateway.platform_offset()
        assert offset is not None
        assert -1_000 < offset <= 0  # the header has whole seconds


async def test_a_text_is_edited_twenty_times_and_then_refused() -> None:
    async with town() as here:
        message = await here.gateway.write(outbound(here))
        for edit in range(20):
            await here.gateway.edit(message, f"edit {edit}")
        assert here.bot_said() == ["edit 19"]
        with pytest.raises(ChatRejectedError) as refused:
            await here.gateway.edit(message, "one more")
        assert refused.value.platform_code == 230072
