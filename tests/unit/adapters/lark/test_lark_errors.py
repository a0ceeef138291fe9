"""What the platform's numbers mean."""

from datetime import timedelta
from typing import Any

import pytest

from hongyan.adapters.lark.errors import CODES, Refusal, platform_error
from hongyan.domain.errors import (
    ChatBlockedError,
    ChatError,
    ChatFormRefusedError,
    ChatNotFoundError,
    ChatRejectedError,
    ChatTargetGoneError,
    ChatThrottledError,
    ChatUnknownOutcomeError,
)


def of(code: int, status: int = 400, *, writes: bool = True, **more: Any) -> ChatError:
    return platform_error(Refusal("im.message.create", status, code, writes=writes, **more))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (230011, ChatTargetGoneError),
        (230110, ChatTargetGoneError),
        (230002, ChatRejectedError),
        (230022, ChatRejectedError),
        (230025, ChatFormRefusedError),
        (230099, ChatFormRefusedError),
        (2200, ChatUnknownOutcomeError),
        (99992354, ChatNotFoundError),
        (99991672, ChatBlockedError),
        (99991403, ChatBlockedError),
        (10015, ChatBlockedError),
        (99991400, ChatThrottledError),
        (230020, ChatThrottledError),
        (230049, ChatThrottledError),
    ],
)
def test_a_number_of_a_write_has_its_class(code: int, kind: type[ChatError]) -> None:
    error = of(code)
    assert type(error) is kind
    assert error.platform_code == code


def test_every_number_has_a_reason_of_its_own_words() -> None:
    assert all(len(reason) > 10 for _, reason in CODES.values())


@pytest.mark.parametrize("status", [200, 400, 403, 404])
def test_an_unknown_number_is_a_refusal(status: int) -> None:
    assert type(of(123456, status)) is ChatRejectedError


@pytest.mark.parametrize("code", [0, 123456, 230001, 99991400])
def test_a_failing_server_leaves_the_outcome_open_whatever_it_says(code: int) -> None:
    assert type(of(code, 503)) is ChatUnknownOutcomeError


def test_an_answer_that_is_not_the_platforms_leaves_the_outcome_open() -> None:
    assert type(of(0, 404)) is ChatUnknownOutcomeError


def test_too_many_requests_without_a_number_is_throttling() -> None:
    assert type(of(0, 429)) is ChatThrottledError


@pytest.mark.parametrize("code", [230002, 230011, 230050, 230001, 123456])
def test_a_read_that_is_refused_finds_nothing(code: int) -> None:
    assert type(of(code, writes=False)) is ChatNotFoundError


@pytest.mark.parametrize(
    ("reset", "wait"),
    [
        (None, timedelta(seconds=1)),
        (timedelta(seconds=7), timedelta(seconds=7)),
        (timedelta(days=1), timedelta(minutes=5)),
    ],
)
def test_the_wait_is_the_platforms_within_reason(reset: timedelta | None, wait: timedelta) -> None:
    error = of(99991400, 429, reset=reset)
    assert isinstance(error, ChatThrottledError)
    assert error.retry_after == wait


def test_missing_permissions_are_named_and_nothing_else_is() -> None:
    error = of(99991672, scopes=["im:message.group_msg", "rm -rf", "<b>"])
    assert "im:message.group_msg" in error.hint
    assert "rm" not in error.hint
    assert "<b>" not in error.hint
