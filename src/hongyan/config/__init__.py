"""Settings: file and environment become typed values, once.

`load` reads `<home>/hongyan.toml` and the `HONGYAN_…` variables over it; `document` says which keys exist and what they
may hold; `lines` finds a key's line, so that every complaint names one; `settings` and `secrets` are what the rest of
the gateway sees. Nothing here opens a database, a socket or a secret before it is asked for. Begin with `settings`.
"""

from hongyan.config.load import Problem, check_settings, default_home, load_settings
from hongyan.config.secrets import Secret, SecretSource
from hongyan.config.settings import (
    AppSettings,
    Dialect,
    ExecutorSettings,
    GatewaySettings,
    Protocol,
    Settings,
    Thoughts,
    WorkspaceSettings,
)

__all__ = [
    "AppSettings",
    "Dialect",
    "ExecutorSettings",
    "GatewaySettings",
    "Problem",
    "Protocol",
    "Secret",
    "SecretSource",
    "Settings",
    "Thoughts",
    "WorkspaceSettings",
    "check_settings",
    "default_home",
    "load_settings",
]
