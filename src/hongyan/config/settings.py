"""What the settings are once they are read: frozen values that no other room can change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from hongyan.config.secrets import SecretSource
from hongyan.domain.identity import AppId, Brand
from hongyan.domain.workspaces import Grant

__all__ = [
    "EMBEDDED",
    "AppSettings",
    "Dialect",
    "ExecutorSettings",
    "GatewaySettings",
    "Protocol",
    "Settings",
    "Thoughts",
    "WorkspaceSettings",
]

EMBEDDED: Final = "sqlite"


class Protocol(StrEnum):
    """How an agent program is spoken to."""

    ACP = "acp"
    CODEX = "codex"
    CLAUDE = "claude"
    DSH_WEB = "dsh_web"


class Dialect(StrEnum):
    """Which interface of a model an agent speaks."""

    OPENAI_CHAT = "openai_chat"
    OPENAI_RESPONSES = "openai_responses"
    ANTHROPIC = "anthropic"


class Thoughts(StrEnum):
    """What an agent sends as its thoughts: reasoning that is nobody's to read, or summaries for the owner."""

    HIDDEN = "hidden"
    SUMMARIES = "summaries"


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """The gateway itself. `database` is `sqlite`, or a `postgresql://` address, which may hold a password."""

    host: str = "127.0.0.1"
    port: int = 8767
    database: str = field(default=EMBEDDED, repr=False)
    reactions: bool = True


@dataclass(frozen=True, slots=True)
class AppSettings:
    """One App of the platform. `base_url` is None for the brand's own address."""

    name: str
    app_id: AppId
    app_secret: SecretSource
    brand: Brand = Brand.FEISHU
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class ExecutorSettings:
    """One agent program. `env` is given to it on top of the allow-list; `login` is what logs it in by itself."""

    name: str
    protocol: Protocol
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    model_url: str | None = None
    model_key: SecretSource | None = None
    dialect: Dialect | None = None
    login: tuple[str, ...] = ()
    thoughts: Thoughts = Thoughts.HIDDEN


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """One directory that the owner authorises in the file."""

    name: str
    path: Path
    grant: Grant


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that file and environment say, with the home they belong to."""

    home: Path
    gateway: GatewaySettings = field(default_factory=GatewaySettings)
    apps: tuple[AppSettings, ...] = ()
    executors: tuple[ExecutorSettings, ...] = ()
    workspaces: tuple[WorkspaceSettings, ...] = ()
