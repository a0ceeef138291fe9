"""A message that is to run again by itself must still be what was admitted, whatever its kind."""

from dataclasses import replace

import pytest
from tests.unit.domain import given

from hongyan.application.refresh_source import is_unchanged
from hongyan.domain.messages import MessageKind, PostedMessage, SenderKind, content_hash

RICH = "**deploy** the site"
REQUEST = replace(given.request(), text=RICH, text_hash=content_hash(MessageKind.POST, RICH))
POSTED = PostedMessage(
    message_id=REQUEST.message_id,
    chat_id=REQUEST.chat_id,
    sender=REQUEST.sender,
    sender_kind=SenderKind.USER,
    kind=MessageKind.POST,
    text=RICH,
    create_time=given.NOW,
    update_time=given.NOW,
    updated=False,
    recalled=False,
    parent="",
    root="",
    thread_id="",
)


@pytest.mark.scenario("L143")
def test_a_rich_text_that_reads_back_equal_is_unchanged() -> None:
    assert is_unchanged(REQUEST, POSTED)


@pytest.mark.scenario("L143")
@pytest.mark.parametrize(
    "other",
    [
        replace(POSTED, text="deploy the site"),
        replace(POSTED, kind=MessageKind.TEXT),
        replace(POSTED, text=None),
        replace(POSTED, recalled=True),
        replace(POSTED, sender="ou_2"),
    ],
)
def test_any_difference_makes_it_another_message(other: PostedMessage) -> None:
    assert not is_unchanged(REQUEST, other)
