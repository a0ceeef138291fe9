"""Where a home lies and what lies in it under which name; the paths are text, joined by whoever opens them."""

from collections.abc import Mapping
from typing import Final

__all__ = ["LOG_FOLDER", "SETTINGS_FILE", "SOCKET", "default_home"]

SETTINGS_FILE: Final = "hongyan.toml"
SOCKET: Final = "run/gateway.sock"  # the command line talks to the gateway here
LOG_FOLDER: Final = "logs"


def default_home(environ: Mapping[str, str]) -> str:
    """Give HONGYAN_HOME, else the user's data folder; it may begin with `~`.

    A relative XDG_DATA_HOME is passed over, as its specification asks.
    """
    if chosen := environ.get("HONGYAN_HOME"):
        return chosen
    shared = environ.get("XDG_DATA_HOME", "")
    return f"{shared if shared.startswith('/') else '~/.local/share'}/hongyan"
