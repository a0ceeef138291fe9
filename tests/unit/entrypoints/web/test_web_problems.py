"""Every error of the gateway has a status, and a fault of ours gives nothing away."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI

from hongyan.domain import errors
from hongyan.entrypoints.web.problems import install, status_of


def every_error(base: type[errors.HongyanError] = errors.HongyanError) -> Iterator[type[errors.HongyanError]]:
    yield base
    for kind in base.__subclasses__():
        yield from every_error(kind)


@pytest.mark.parametrize("kind", [kind for kind in every_error() if kind.__module__ == errors.__name__])
def test_a_status_says_whose_turn_it_is(kind: type[errors.HongyanError]) -> None:
    status = status_of(kind.__new__(kind))
    assert 400 <= status < 600
    assert (status == 500) <= (not kind.retryable)


async def answer_to(error: Exception) -> httpx.Response:
    app = FastAPI()
    install(app)

    @app.get("/")
    async def fail() -> None:
        raise error

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        return await client.get("/")


async def test_a_throttled_call_says_when_to_come_again() -> None:
    answer = await answer_to(errors.ChatThrottledError("slower", retry_after=timedelta(seconds=7)))
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["retryable"]) == (503, "7", True)


async def test_a_fault_of_ours_gives_nothing_away() -> None:
    answer = await answer_to(ValueError("s3cret"))
    assert (answer.status_code, answer.json()["code"]) == (500, "internal.error")
    assert "s3cret" not in answer.text
