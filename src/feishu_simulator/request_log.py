"""Every REST call with its outcome, in the order of arrival."""

from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from feishu_simulator.journal import Journal

KEPT_REQUESTS: Final = 100_000
SHOWN_BODY: Final = 2_000  # characters; enough to see what was asked

Json = dict[str, Any]


@dataclass(slots=True)
class Request:
    """One call; `status` is None when the connection was cut without an answer."""

    number: int
    at_ms: int
    method: str
    template: str
    path: str
    query: str
    app_id: str | None = None
    status: int | None = None
    code: int | None = None
    uuid: str | None = None
    message_id: str | None = None
    card_id: str | None = None
    sequence: int | None = None
    duration_us: int = 0
    fault: str | None = None
    body: str = ""

    @property
    def endpoint(self) -> str:
        """Name what was called: `METHOD /path/template`."""
        return f"{self.method} {self.template}"


class RequestLog:
    """Keeps calls for the tests and the timeline."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._count = 0
        self.requests: deque[Request] = deque(maxlen=KEPT_REQUESTS)

    def begin(self, at_ms: int, method: str, path: str, query: str) -> Request:
        """Start an entry; it is kept when `finish` is called."""
        self._count += 1
        return Request(self._count, at_ms, method, path, path, query)

    def finish(self, request: Request) -> None:
        """Keep the entry and tell subscribers."""
        self.requests.append(request)
        self._journal.record("request", request_view(request))


def request_view(request: Request) -> Json:
    """Return a call as the control API shows it."""
    return {
        "number": request.number,
        "at_ms": request.at_ms,
        "method": request.method,
        "template": request.template,
        "path": request.path,
        "query": request.query,
        "app_id": request.app_id,
        "status": request.status,
        "code": request.code,
        "uuid": request.uuid,
        "message_id": request.message_id,
        "card_id": request.card_id,
        "sequence": request.sequence,
        "duration_us": request.duration_us,
        "fault": request.fault,
        "body": request.body,
    }
