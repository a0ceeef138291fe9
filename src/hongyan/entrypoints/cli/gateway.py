"""Asks the running gateway over the Unix socket in its home."""

import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

import httpx

from hongyan.domain.home import SOCKET
from hongyan.entrypoints.cli.outcome import Failure
from hongyan.entrypoints.cli.records import record
from hongyan.entrypoints.cli.words import say

__all__ = ["Gateway", "NotRunning", "at"]

CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 120.0  # an App's check or a backup makes several slow calls of its own
LOOK_SECONDS: Final = 10.0  # a gateway that lives says at once how it is
PREFIX: Final = "/api/v1"


class NotRunning(Failure):
    """No gateway runs on this home."""

    def __init__(self, home: Path) -> None:
        super().__init__("gateway.not_running", say("not_running", home=str(home)), say("not_running.mend"))


def at(*parts: str) -> str:
    """Join the parts of a path; what a person typed cannot leave its part."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


class Gateway:
    """A connection to the gateway of one home; every call ends within its time-out.

    Entering it and a call raise NotRunning; a call also the Failure that the gateway answered with,
    `gateway.no_answer` when a reading got no answer, `gateway.unknown_outcome` when a change was sent and none came.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        transport = httpx.HTTPTransport(uds=str(home / SOCKET))
        times = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        self._client = httpx.Client(transport=transport, base_url="http://localhost", timeout=times, trust_env=False)

    def __enter__(self) -> Self:
        """Knock first. Raise NotRunning when nobody is there."""
        with socket.socket(socket.AF_UNIX) as knock:
            knock.settimeout(CONNECT_SECONDS)
            try:
                knock.connect(str(self._home / SOCKET))
            except OSError as error:
                self._client.close()
                raise NotRunning(self._home) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str, query: Mapping[str, str | int] | None = None, *, at_once: bool = False) -> object:
        """Read; `at_once` says that a gateway that lives has the answer at hand, so that a short wait tells."""
        return self._ask("GET", path, query=query, seconds=LOOK_SECONDS if at_once else ANSWER_SECONDS)

    def post(self, path: str, body: Mapping[str, object] | None = None) -> object:
        """Create or act."""
        return self._ask("POST", path, body=body)

    def patch(self, path: str, body: Mapping[str, object]) -> object:
        """Change a part."""
        return self._ask("PATCH", path, body=body)

    def delete(self, path: str, query: Mapping[str, str | int] | None = None) -> object:
        """Take back."""
        return self._ask("DELETE", path, query=query)

    def copy(self, path: str, query: Mapping[str, str | int], write: Callable[[bytes], object]) -> None:
        """Read something long, piece by piece."""
        try:
            with self._client.stream("GET", f"{PREFIX}{path}", params=query) as answer:
                if answer.is_error:
                    answer.read()
                    raise _refusal(answer)
                for piece in answer.iter_bytes():
                    write(piece)
        except (httpx.ConnectError, FileNotFoundError):
            raise NotRunning(self._home) from None
        except httpx.HTTPError:
            raise _no_answer("GET") from None

    def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, object] | None = None,
        seconds: float | None = None,
    ) -> object:
        times = httpx.Timeout(seconds or ANSWER_SECONDS, connect=CONNECT_SECONDS)
        try:
            answer = self._client.request(method, f"{PREFIX}{path}", params=query, json=body, timeout=times)
        except (httpx.ConnectError, FileNotFoundError):
            raise NotRunning(self._home) from None
        except (httpx.HTTPError, OSError):
            raise _no_answer(method) from None
        if answer.is_error:
            raise _refusal(answer)
        return _value(answer)


def _no_answer(method: str) -> Failure:
    if method == "GET":
        return Failure("gateway.no_answer", say("no_answer"), say("no_answer.mend"), retryable=True)
    return Failure("gateway.unknown_outcome", say("unknown_outcome"), say("unknown_outcome.mend"))


def _value(answer: httpx.Response) -> object:
    try:
        value: object = answer.json() if answer.content else {}
    except ValueError:
        raise Failure("gateway.not_understood", say("not_understood"), say("not_understood.mend")) from None
    return value


def _refusal(answer: httpx.Response) -> Failure:
    """Turn a problem document into a failure; an answer without one keeps its status."""
    try:
        problem = record(answer.json())
    except ValueError:
        problem = record({})
    return Failure(
        problem.text("code") or "gateway.not_understood",
        problem.text("detail") or problem.text("title") or say("not_understood"),
        problem.text("hint"),
        retryable=problem.flag("retryable"),
        status=answer.status_code,
    )
