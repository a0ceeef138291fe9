"""What the web asks of the gateway that it shows."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from hongyan.application.desk import Desk
from hongyan.application.observe_app import AppReport, Check
from hongyan.domain.changes import Changes
from hongyan.domain.errors import NotFoundError
from hongyan.domain.identity import AppId

__all__ = ["Executor", "Gateway", "House", "Listener", "app_called", "name_of"]


class Listener(Protocol):
    """What is known of one App's long connection. `observed_at` is UTC milliseconds, 0 for never."""

    @property
    def app(self) -> str:
        """The App's name in the configuration."""

    @property
    def app_id(self) -> str:
        """The App's id on the platform."""

    @property
    def state(self) -> str:
        """The listener's state word."""

    @property
    def observed_at(self) -> int:
        """When the state was observed."""

    @property
    def error_code(self) -> str:
        """What keeps the App from being used; empty for nothing."""


class Executor(Protocol):
    """One configured agent program."""

    @property
    def name(self) -> str:
        """Its name in the configuration."""

    @property
    def protocol(self) -> str:
        """How it is spoken to."""

    @property
    def command(self) -> Sequence[str]:
        """The program and its arguments."""


class SettingsSeen(Protocol):
    """The part of the settings that is shown."""

    @property
    def executors(self) -> Sequence[Executor]:
        """The configured agent programs."""


class Gateway(Protocol):
    """A running gateway."""

    @property
    def desk(self) -> Desk:
        """The ports that use cases work on."""

    @property
    def settings(self) -> SettingsSeen:
        """What file and environment say."""

    def listeners(self) -> Sequence[Listener]:
        """Tell what is known of each App's long connection."""

    def subscribe(self, callback: Callable[[Changes], None]) -> Callable[[], None]:
        """Call back for every commit, once it is durable; give what ends that."""

    async def verify_app(self, name: str) -> AppReport:
        """Check one App step by step. Raise NotFoundError, or what makes it unusable."""

    async def doctor(self) -> Sequence[Check]:
        """Look at everything that can fail."""

    async def backup(self, target: Path) -> None:
        """Copy the database while the gateway runs."""


class House(Protocol):
    """The process around the gateway. `started_at` is UTC milliseconds; the simulator's are None without one."""

    @property
    def home(self) -> Path:
        """Where everything of this gateway lives."""

    @property
    def version(self) -> str:
        """The version that runs."""

    @property
    def pid(self) -> int:
        """The process id."""

    @property
    def started_at(self) -> int:
        """When it started."""

    @property
    def stop(self) -> Callable[[], None]:
        """Ask it to stop; returns at once."""

    def at_leave(self, callback: Callable[[], None]) -> None:
        """Call back when the process begins to stop, before its doors close."""

    @property
    def simulator_url(self) -> str | None:
        """The simulated platform's address."""

    @property
    def simulator_link(self) -> str | None:
        """The link that opens the simulated platform's page."""


def app_called(gateway: Gateway, name: str) -> AppId:
    """Give the id of an App by its configured name or by its id. Raise NotFoundError."""
    for listener in gateway.listeners():
        if name in {listener.app, listener.app_id}:
            return AppId(listener.app_id)
    known = ", ".join(sorted(listener.app for listener in gateway.listeners())) or "none"
    raise NotFoundError("app", name, hint=f"Configured Apps: {known}.")


def name_of(gateway: Gateway, app: AppId) -> str:
    """Give the configured name of an App, or its id when it is not configured any more."""
    return next((listener.app for listener in gateway.listeners() if listener.app_id == app), app)
