"""What happens in one moment keeps the order in which it was met; Sessions that tie stand by their ids."""

from typing import Final

import pytest
from tests.harness import World

from hongyan.application.send_text import send_text
from hongyan.application.sessions import open_local_session, view_session
from hongyan.application.transcripts import list_session_lines, read_messages

WORDS: Final = [f"word {number}" for number in range(6)]


@pytest.mark.scenario("L129")
async def test_entries_of_one_moment_stand_in_the_order_in_which_they_were_appended(world: World) -> None:
    desk = world.gateway.desk
    session = (await open_local_session(desk, "work", "rehearsal")).id
    for number, word in enumerate(WORDS):
        await send_text(desk, session, word, str(number))
    await world.until_settled()
    messages = (await view_session(desk, session)).messages
    assert len({message.at for message in messages}) == 1
    assert [message.text for message in messages] == [text for word in WORDS for text in (word, f"echo: {word}")]
    newest = await read_messages(desk, session, 5, None)
    older = await read_messages(desk, session, 200, newest.cursor)
    assert [*older.messages, *newest.messages] == list(messages)


@pytest.mark.scenario("L129")
async def test_sessions_whose_last_word_is_of_one_moment_stand_by_their_ids(world: World) -> None:
    desk = world.gateway.desk
    sessions = [(await open_local_session(desk, "work", "rehearsal")).id for _ in range(5)]
    for session in sessions:
        await send_text(desk, session, "hello", "one")
    await world.until_settled()
    lines = [line for line in await list_session_lines(desk) if line.id in sessions]
    assert len({line.last_at for line in lines}) == 1
    assert [line.id for line in lines] == sorted(sessions)
