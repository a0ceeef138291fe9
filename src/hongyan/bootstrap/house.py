"""A home in which nothing needs to run: what can be looked at, copied and put back."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hongyan.adapters.host import HostFolders, SystemClock
from hongyan.adapters.host import checks as machine
from hongyan.adapters.store import backup as copies
from hongyan.adapters.store.lock import FileLock
from hongyan.adapters.store.revision import ensure_current
from hongyan.application.observe_app import Check
from hongyan.bootstrap.resources import DATABASE
from hongyan.config import Settings, load_settings
from hongyan.domain.errors import HongyanError

__all__ = ["RestoredHome", "backup_home", "doctor", "look", "make_private", "restore_home"]


@dataclass(frozen=True, slots=True)
class RestoredHome:
    """A home after a restore; `kept_aside` is the database that was there before."""

    kept_aside: Path | None


def make_private(folder: Path) -> None:
    """Make a folder for this user alone; one that is there stays as it is."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def look(settings: Settings) -> list[Check]:
    """Look at what the machine offers to these settings, each with its mend."""
    home = settings.home
    free = machine.free_bytes(home)
    enough = free >= machine.MINIMUM_FREE_BYTES
    looked = [
        Check("python", ok=True, found=machine.python_version()),
        Check("home", machine.is_private_folder(home), str(home), f"chmod 700 {home}"),
        Check("disk", enough, f"{free // 2**20} MB free", "" if enough else "Free some space."),
        Check("sandbox", ok=True, found="none: approvals are advisory on this machine"),
    ]
    for executor in settings.executors:
        program = machine.find_program(executor.command[0]) if executor.command else None
        mend = "" if program else f"Install {executor.command[0] if executor.command else executor.name}."
        looked.append(Check(f"agent: {executor.name}", program is not None, program or "not found", mend))
    for workspace in settings.workspaces:
        seen = HostFolders().look(str(workspace.path)).canonical
        looked.append(Check(f"workspace: {workspace.name}", seen is not None, seen or "not a folder", "Create it."))
    return looked


async def doctor(home: Path, environ: Mapping[str, str]) -> list[Check]:
    """Look at what can be looked at without a running gateway. Raise ConfigurationError for a file that is wrong."""
    settings = load_settings(home, environ)
    make_private(settings.home)
    try:
        condition = ensure_current(settings.home / DATABASE).value
        database = Check("database", ok=True, found=condition)
    except HongyanError as error:
        database = Check("database", ok=False, found=error.message, mend=error.hint)
    return [*look(settings), database]


async def backup_home(home: Path, target: Path) -> None:
    """Copy the database of a home in which nothing needs to run."""
    await copies.backup(home / DATABASE, target)


async def restore_home(home: Path, source: Path) -> RestoredHome:
    """Put a backup in the place of a home's database, which is kept aside. Raise BusyError while a gateway runs."""
    make_private(home)
    restored = await copies.restore(
        source, home / DATABASE, lock=FileLock(home / "hongyan.lock"), restored_at=SystemClock().now()
    )
    return RestoredHome(restored.kept)
