"""The file as it may be written: which keys there are, and what each may hold."""

import re
from pathlib import Path
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from hongyan.config.secrets import SecretKind, SecretSource
from hongyan.config.settings import (
    EMBEDDED,
    AppSettings,
    Dialect,
    ExecutorSettings,
    GatewaySettings,
    Protocol,
    Settings,
    Thoughts,
    WorkspaceSettings,
)
from hongyan.domain.identity import AppId, Brand
from hongyan.domain.workspaces import Grant

__all__ = ["Document"]

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
APP_ID: Final = re.compile(r"cli_[0-9a-fA-F]{16}")
SECRET_FORM: Final = 'Write { env = "NAME" }, { file = "/path" } or { keyring = "service/name" }.'


def _refuse(message: str, hint: str = "") -> PydanticCustomError:
    return PydanticCustomError("refused", "{sentence}", {"sentence": message, "hint": hint})


def _a_name(value: str) -> str:
    if NAME.fullmatch(value) is None:
        raise _refuse("is not a usable name", "Use letters, digits, dot, dash and underscore, at most 64 of them.")
    return value


def _an_app_id(value: str) -> str:
    if APP_ID.fullmatch(value) is None:
        raise _refuse("is not an App id", "It is `cli_` and 16 hexadecimal digits; copy it from the developer console.")
    return value


def _an_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise _refuse("is not an address", "Write it with its scheme: https://host.")
    return value


def _a_platform_address(value: str) -> str:
    parts = urlsplit(_an_address(value))
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise _refuse("is plain http to another machine", "Use https; http is for a simulated platform on loopback.")
    return value


def _a_database(value: str) -> str:
    if value.startswith(("postgresql://", "postgres://")):
        raise _refuse("is not available in this version", 'Write "sqlite".')
    if value != EMBEDDED:
        raise _refuse("names no database", 'Write "sqlite".')
    return value


def _a_loopback_host(value: str) -> str:
    if value not in LOOPBACK:
        raise _refuse("is not this machine", "Write 127.0.0.1: nobody else is answered.")
    return value


def _a_spoken_protocol(value: Protocol) -> Protocol:
    if value is not Protocol.ACP:
        raise _refuse("is not available in this version", 'Write "acp": many agents speak it.')
    return value


def _an_absolute_path(value: str) -> str:
    if not value.startswith("/") or "\0" in value:
        raise _refuse("is not an absolute path", "Write the whole path, from /.")
    return value


def _not_a_truth(value: object) -> object:
    if isinstance(value, bool):
        raise _refuse("should be a number")
    return value


Name = Annotated[str, AfterValidator(_a_name)]
Address = Annotated[str, AfterValidator(_an_address)]
Command = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class SecretTable(_Table):
    """Where a secret lies: one of the three."""

    env: str | None = None
    file: str | None = None
    keyring: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_a_table(cls, value: object) -> object:
        if isinstance(value, str):
            raise _refuse("holds a secret in plain sight", SECRET_FORM)
        return value

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        given = [value for value in (self.env, self.file, self.keyring) if value]
        if len(given) != 1:
            raise _refuse("must name one place", SECRET_FORM)
        if self.keyring and not all(self.keyring.rpartition("/")[::2]):
            raise _refuse("is no keyring entry", 'Write { keyring = "service/name" }.')
        return self

    def to_domain(self, home: Path) -> SecretSource:
        """Give the source; a relative path counts from the home."""
        if self.file:
            return SecretSource(SecretKind.FILE, str(home / Path(self.file).expanduser()))
        kind = SecretKind.ENV if self.env else SecretKind.KEYRING
        return SecretSource(kind, self.env or self.keyring or "")


class GatewayTable(_Table):
    """`[gateway]`."""

    host: Annotated[str, AfterValidator(_a_loopback_host)] = "127.0.0.1"
    port: Annotated[int, BeforeValidator(_not_a_truth), Field(ge=0, le=65_535)] = 8767
    database: Annotated[str, AfterValidator(_a_database)] = EMBEDDED
    reactions: bool = True

    def to_domain(self) -> GatewaySettings:
        """Give the settings."""
        return GatewaySettings(self.host, self.port, self.database, self.reactions)


class AppTable(_Table):
    """`[[apps]]`."""

    name: Name
    app_id: Annotated[str, AfterValidator(_an_app_id)]
    app_secret: SecretTable
    brand: Brand = Brand.FEISHU
    base_url: Annotated[str, AfterValidator(_a_platform_address)] | None = None

    def to_domain(self, home: Path) -> AppSettings:
        """Give the settings."""
        return AppSettings(self.name, AppId(self.app_id), self.app_secret.to_domain(home), self.brand, self.base_url)


class ExecutorTable(_Table):
    """`[[executors]]`."""

    name: Name
    protocol: Annotated[Protocol, AfterValidator(_a_spoken_protocol)]
    command: Command
    model_url: Address | None = None
    model_key: SecretTable | None = None
    dialect: Dialect | None = None
    env: dict[str, str] = Field(default_factory=dict)
    login: tuple[str, ...] = ()
    thoughts: Thoughts = Thoughts.HIDDEN

    def to_domain(self, home: Path) -> ExecutorSettings:
        """Give the settings."""
        return ExecutorSettings(
            name=self.name,
            protocol=self.protocol,
            command=self.command,
            env=self.env,
            model_url=self.model_url,
            model_key=self.model_key.to_domain(home) if self.model_key else None,
            dialect=self.dialect,
            login=self.login,
            thoughts=self.thoughts,
        )


class WorkspaceTable(_Table):
    """`[[workspaces]]`."""

    name: Name
    path: Annotated[str, AfterValidator(_an_absolute_path)]
    grant: Grant

    def to_domain(self) -> WorkspaceSettings:
        """Give the settings."""
        return WorkspaceSettings(self.name, Path(self.path), self.grant)


class Document(_Table):
    """The whole file."""

    gateway: GatewayTable = GatewayTable()
    apps: tuple[AppTable, ...] = ()
    executors: tuple[ExecutorTable, ...] = ()
    workspaces: tuple[WorkspaceTable, ...] = ()

    def to_domain(self, home: Path) -> Settings:
        """Give the settings of this home."""
        return Settings(
            home=home,
            gateway=self.gateway.to_domain(),
            apps=tuple(app.to_domain(home) for app in self.apps),
            executors=tuple(executor.to_domain(home) for executor in self.executors),
            workspaces=tuple(workspace.to_domain() for workspace in self.workspaces),
        )
