"""The files of a world's home: what a scenario writes before a start and reads past the gateway."""

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from feishu_simulator.model import App

__all__ = ["read_rows", "write_configuration"]


def write_configuration(
    home: Path,
    profiles: Sequence[tuple[str, App]],
    executors: Mapping[str, Sequence[str]],
    base_url: str,
    *,
    reactions: bool,
) -> None:
    """Write the configuration file anew, and the secret of each App beside it."""
    home.mkdir(mode=0o700, exist_ok=True)
    agents = "".join(
        f'[[executors]]\nname = "{name}"\nprotocol = "acp"\ncommand = {json.dumps(command)}\n'
        f'thoughts = "{"hidden" if name == "reticent" else "summaries"}"\n'
        f'env = {{ REHEARSAL_STATE = "{home / "agent-state"}", PYTHONPATH = "{os.environ.get("PYTHONPATH", "")}" }}\n'
        for name, command in executors.items()
    )
    apps = "".join(
        f'[[apps]]\nname = "{name}"\napp_id = "{app.app_id}"\n'
        f'app_secret = {{ file = "{_secret(home, name, app)}" }}\nbase_url = "{base_url}"\n'
        for name, app in profiles
    )
    gateway = f"[gateway]\nreactions = {str(reactions).lower()}\n"
    (home / "hongyan.toml").write_text(gateway + apps + agents)


def read_rows(path: Path, sql: str, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Read a database file that another process or thread may be writing."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        rows = connection.execute(sql, arguments).fetchall()
    connection.close()
    return rows


def _secret(home: Path, profile: str, app: App) -> Path:
    secret = home / f"secret-{profile}"
    secret.write_text(app.secret)
    secret.chmod(0o600)
    return secret
