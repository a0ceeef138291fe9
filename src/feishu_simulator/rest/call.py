"""One REST call as its handler sees it, with the field checks the platform makes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from feishu_simulator.errors import invalid_field
from feishu_simulator.history import Page, Slice
from feishu_simulator.model import App
from feishu_simulator.payloads import Shapes
from feishu_simulator.platform import Platform
from feishu_simulator.request_log import Request

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Whole:
    """An answer that is not wrapped in `data`."""

    envelope: Json


@dataclass(frozen=True, slots=True)
class Binary:
    """A file."""

    content: bytes
    name: str
    media_type: str


Answer = Json | Whole | Binary


@dataclass(slots=True)
class Call:
    """A call whose token was checked; `app` is None only on routes without a token.

    `unlisted_ms` is the age below which a message is not found yet.
    """

    platform: Platform
    request: Request
    path: dict[str, str]
    body: Json
    caller: App | None = None
    ws_url: str = ""
    unlisted_ms: int = 0
    _query: list[tuple[str, str]] | None = field(default=None)

    @property
    def app(self) -> App:
        """Return the calling App."""
        if self.caller is None:
            raise RuntimeError("this route has no caller")
        return self.caller

    @property
    def shapes(self) -> Shapes:
        """Return the shapes as the calling App sees them."""
        return Shapes(self.platform.directory, self.app)

    @property
    def query(self) -> list[tuple[str, str]]:
        """Return the query's pairs in order."""
        if self._query is None:
            self._query = parse_qsl(self.request.query, keep_blank_values=True)
        return self._query

    def asked(self, name: str, default: str = "") -> str:
        """Return the first query value of that name."""
        return next((value for key, value in self.query if key == name), default)

    def choice(self, name: str, default: str, *options: str) -> str:
        """Return a query value that must be one of the options."""
        value = self.asked(name) or default
        if value not in options:
            raise invalid_field(name, value, "it is not in the options")
        return value

    def number(self, name: str) -> int | None:
        """Return a whole number from the query, None when absent."""
        value = self.asked(name)
        if not value:
            return None
        if not value.lstrip("-").isdigit():
            raise invalid_field(name, value, "it is not a number")
        return int(value)

    def slice(self, default: int, most: int) -> Slice:
        """Return which page is asked for."""
        size = self.number("page_size")
        if size is not None and not 1 <= size <= most:
            raise invalid_field("page_size", size, f"the value is between 1 and {most}")
        return Slice(size or default, self.asked("page_token"))

    def text(self, name: str) -> str:
        """Return a required, non-empty string of the body."""
        value = self.body.get(name)
        if not isinstance(value, str) or not value:
            raise invalid_field(name, value, f"{name} is required")
        return value

    def optional_text(self, name: str) -> str | None:
        """Return a string of the body, None when absent or empty."""
        value = self.body.get(name)
        if value is not None and not isinstance(value, str):
            raise invalid_field(name, value, "it is not a string")
        return value or None

    def flag(self, name: str) -> bool:
        """Return a boolean of the body, False when absent."""
        value = self.body.get(name, False)
        if not isinstance(value, bool):
            raise invalid_field(name, value, "it is not a boolean")
        return value

    def id_type(self, name: str = "user_id_type") -> str:
        """Return which kind of user id is asked for."""
        return self.choice(name, "open_id", "open_id", "union_id", "user_id")


Handler = Callable[[Call], Answer]


def paged(page: Page[Any], items: list[Json]) -> Json:
    """Return a page in the platform's form."""
    return {"items": items, "has_more": page.has_more, "page_token": page.token}
