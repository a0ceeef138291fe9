"""From the command line to a running gateway, and back to an exit code."""

import argparse
import asyncio
import errno
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hongyan.bootstrap import Wiring
from hongyan.config import Settings, load_settings
from hongyan.domain.errors import BlockedError, HongyanError, StoreFullError
from hongyan.domain.home import LOG_FOLDER, default_home
from hongyan.entrypoints.daemon.failures import ExitCode, tell
from hongyan.entrypoints.daemon.logs import log_to
from hongyan.entrypoints.daemon.ready import must_not_exist
from hongyan.entrypoints.daemon.serve import Start, serve

__all__ = ["run"]


def run(arguments: Sequence[str] | None = None, wiring: Wiring | None = None) -> int:
    """Run the gateway until it is asked to stop; give the exit code and say on stderr why it is not 0.

    A test may hand in its own wiring.
    """
    started = time.monotonic()
    given = _parser().parse_args(arguments)
    try:
        return _run(given, started, wiring)
    except HongyanError as error:
        return tell(error)
    except OSError as error:
        return tell(_about_disk(error))
    except KeyboardInterrupt:
        return ExitCode.DONE


def _run(given: argparse.Namespace, started: float, wiring: Wiring | None) -> int:
    must_not_exist(given.ready_file)
    home = Path(given.home or default_home(os.environ)).expanduser().absolute()
    _make_home(home)
    settings = load_settings(home, os.environ)
    log_to(home / LOG_FOLDER)
    start = Start(
        settings=settings,
        port=settings.gateway.port if given.port is None else given.port,
        simulator=_wants_simulator(given.simulator, settings),
        ready_file=given.ready_file,
        opens_browser=given.open,
        language=_language(),
        started=started,
        wiring=wiring,
    )
    return asyncio.run(serve(start))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hongyan up", description="Run the gateway in the foreground.")
    parser.add_argument("--home", help="where everything of this gateway lives (default: HONGYAN_HOME)")
    parser.add_argument("--port", type=_port, help="the loopback port of console and interface; 0 takes a free one")
    parser.add_argument("--ready-file", type=Path, help="written when it serves; it must not exist")
    parser.add_argument(
        "--simulator",
        action=argparse.BooleanOptionalAction,
        help="bring up the simulated Feishu and the rehearsal agent (default: when no App is configured)",
    )
    parser.add_argument("--open", action=argparse.BooleanOptionalAction, default=True, help="open a browser")
    return parser


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return number


def _wants_simulator(asked: bool | None, settings: Settings) -> bool:
    return not settings.apps if asked is None else asked


def _make_home(home: Path) -> None:
    """Make the home and its folders for this user alone."""
    for folder in (home, home / "run", home / LOG_FOLDER):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700, parents=True)


def _about_disk(error: OSError) -> HongyanError:
    """Say what the file system refused while the home was taken."""
    place = error.filename or "the home"
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFullError(f"no space is left for {place}")
    hint = "Choose another home: `hongyan --home DIR up`."
    return BlockedError("home.not_writable", f"{place} cannot be used: {error.strerror or error}", hint=hint)


def _language() -> str:
    names = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next((name for name in names if name), "en")
