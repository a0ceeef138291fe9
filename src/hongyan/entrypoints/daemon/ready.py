"""What a start leaves behind for others: the ready file for programs, two links for a person."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from hongyan.entrypoints.daemon.failures import UsageError
from hongyan.entrypoints.daemon.neighbour import Links

__all__ = ["Ready", "must_not_exist", "print_links", "write_ready"]

_WORDS: Final = {
    "en": (
        ("Hongyan runs.", "Hongyan runs here already."),
        "Console",
        "opens once, within a minute; `hongyan status` gives another",
        "Simulated Feishu",
    ),
    "zh": (
        ("鸿雁已运行。", "鸿雁已经在这里运行。"),
        "控制台",
        "一分钟内有效，只能打开一次；`hongyan status` 可以再给一个",
        "模拟飞书",
    ),
}


@dataclass(frozen=True, slots=True)
class Ready:
    """The ready file. The simulator's fields are None without one."""

    console_url: str
    api_token: str
    simulator_url: str | None
    simulator_token: str | None
    pid: int
    ready_ms: int


def must_not_exist(path: Path | None) -> None:
    """Raise UsageError `ready_file.exists` when something is there, for it would be another start's.

    `ready_file.no_folder` when the file could not be written later.
    """
    if path is None:
        return
    if path.exists():
        raise _exists(path)
    if not path.absolute().parent.is_dir():
        told = f"the folder of the ready file {path} does not exist"
        raise UsageError("ready_file.no_folder", told, hint="Make the folder, or name another.")


def write_ready(path: Path | None, ready: Ready) -> None:
    """Write the ready file for its owner only, whole or not at all. Raise UsageError when something is there."""
    if path is None:
        return
    whole = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(ready), file)
        os.link(whole, path)  # exclusive, and never seen half written
    except FileExistsError:
        raise _exists(path) from None
    finally:
        whole.unlink()


def _exists(path: Path) -> UsageError:
    return UsageError("ready_file.exists", f"the ready file {path} exists already", hint="Remove it, or name another.")


def print_links(links: Links, language: str, *, already: bool = False) -> None:
    """Print the links in a short block; Chinese when the locale is. A terminal that is gone stops nothing."""
    runs, console, how, simulator = _WORDS["zh" if language.startswith("zh") else "en"]
    block = f"\n{runs[already]}\n\n  {console}  ({how})\n    {links.console}\n"
    if links.simulator is not None:
        block += f"  {simulator}\n    {links.simulator}\n"
    with suppress(OSError):
        print(block, flush=True)
