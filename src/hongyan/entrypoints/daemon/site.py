"""What is served at the doors, made by the web's own room.

Entry points do not import one another, so the web is named by uvicorn's import strings, as a server on the command line
would be told which application to serve. What it hands back is typed here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from starlette.types import ASGIApp
from uvicorn.importer import import_from_string

from hongyan.bootstrap import Gateway
from hongyan.entrypoints.daemon.simulator import Simulated

__all__ = ["House", "Keys", "Site", "load_site", "make_site"]

APPLICATION: Final = "hongyan.entrypoints.web.app:create_app"
ACCESS: Final = "hongyan.entrypoints.web.access:Access"
OVER_SOCKET: Final = "hongyan.entrypoints.web.guard:over_socket"


class Keys(Protocol):
    """What opens the loopback door."""

    api_token: str

    def new_link(self) -> str:
        """Make a link that opens the console once, within a minute."""


@dataclass(slots=True)
class House:
    """The process around the gateway, as the web asks of it; `simulated` is filled in when the child is ready."""

    home: Path
    version: str
    pid: int
    started_at: int
    stop: Callable[[], None]
    simulated: Simulated | None = None
    leaving: list[Callable[[], None]] = field(default_factory=list)

    def at_leave(self, callback: Callable[[], None]) -> None:
        """Call back when the process begins to stop, before its doors close."""
        self.leaving.append(callback)

    def leave(self) -> None:
        """Tell everybody who asked that the process begins to stop."""
        for callback in self.leaving:
            callback()

    @property
    def simulator_url(self) -> str | None:
        """The simulated platform's address."""
        return self.simulated.url if self.simulated else None

    @property
    def simulator_link(self) -> str | None:
        """The link that opens the simulated platform's page."""
        return self.simulated.link if self.simulated else None


@dataclass(frozen=True, slots=True)
class Site:
    """The applications of the two doors, and the keys of the first."""

    on_port: ASGIApp
    on_socket: ASGIApp
    keys: Keys


def load_site() -> None:
    """Load the web and its libraries, which takes longer than anything else at a start. Safe to repeat."""
    import_from_string(APPLICATION)


def make_site(gateway: Gateway, port: int, house: House) -> Site:
    """Make the site of a gateway whose loopback door is at `port`."""
    create_app, access, over_socket = (import_from_string(name) for name in (APPLICATION, ACCESS, OVER_SOCKET))
    keys: Keys = access(port)
    application: ASGIApp = create_app(gateway, house, keys)
    return Site(application, over_socket(application), keys)
