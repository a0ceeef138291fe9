"""What keeps a gateway running after the terminal is closed: a systemd user unit or a launchd agent, as text."""

import hashlib
import os
import plistlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hongyan.domain.home import LOG_FOLDER, default_home

__all__ = ["Supervisor", "launchd", "supervisor", "systemd"]

DAEMON: Final = "hongyan.entrypoints.daemon"
ENVIRONMENT_FILE: Final = "service.env"  # a supervisor does not know the shell's variables
LASTING: Final = "2 5 7"  # usage, blocked, busy: trying again by itself mends none of them
UNIT: Final = """\
[Unit]
Description=Hongyan gateway ({home})

[Service]
ExecStart={command}
EnvironmentFile=-{environment}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus={lasting}
KillMode=mixed
TimeoutStopSec=45

[Install]
WantedBy=default.target
"""


@dataclass(frozen=True, slots=True)
class Supervisor:
    """One way to keep the gateway running: a file to write and the commands around it."""

    name: str
    path: Path
    text: bytes
    install: tuple[tuple[str, ...], ...]
    active: tuple[str, ...]
    remove: tuple[tuple[str, ...], ...]


def supervisor(home: Path, environ: Mapping[str, str], platform: str = sys.platform) -> Supervisor:
    """Choose this machine's supervisor."""
    return launchd(home, environ) if platform == "darwin" else systemd(home, environ)


def systemd(home: Path, environ: Mapping[str, str]) -> Supervisor:
    """Describe a user unit of systemd."""
    name = f"hongyan{_suffix(home, environ)}.service"
    folder = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    text = UNIT.format(
        home=str(home).replace("%", "%%"),
        command=" ".join(_quoted(word) for word in _command(home)),
        environment=str(home / ENVIRONMENT_FILE).replace("%", "%%"),
        lasting=LASTING,
    )
    tool = ("systemctl", "--user")
    reload = (*tool, "daemon-reload")
    return Supervisor(
        name=name,
        path=folder / name,
        text=text.encode(),
        install=(reload, (*tool, "enable", "--now", name)),
        active=(*tool, "is-active", "--quiet", name),
        remove=((*tool, "disable", "--now", name), reload),
    )


def launchd(home: Path, environ: Mapping[str, str]) -> Supervisor:
    """Describe an agent of launchd."""
    name = f"hongyan.gateway{_suffix(home, environ)}"
    path = Path.home() / "Library" / "LaunchAgents" / f"{name}.plist"
    domain = f"gui/{os.getuid()}"
    written = {
        "Label": name,
        "ProgramArguments": list(_command(home)),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": 45,
        "StandardErrorPath": str(home / LOG_FOLDER / "service.log"),
    }
    return Supervisor(
        name=name,
        path=path,
        text=plistlib.dumps(written),
        install=(("launchctl", "bootstrap", domain, str(path)),),
        active=("launchctl", "print", f"{domain}/{name}"),
        remove=(("launchctl", "bootout", f"{domain}/{name}"),),
    )


def _command(home: Path) -> Sequence[str]:
    return (sys.executable, "-m", DAEMON, "--home", str(home), "--no-open")


def _suffix(home: Path, environ: Mapping[str, str]) -> str:
    """Tell the services of several homes apart; the default home's has the plain name."""
    usual = {name: value for name, value in environ.items() if name != "HONGYAN_HOME"}
    if home == Path(default_home(usual)).expanduser():
        return ""
    return f"-{hashlib.sha256(os.fsencode(home)).hexdigest()[:8]}"


def _quoted(word: str) -> str:
    """Write a word so that systemd reads it back as it is."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
