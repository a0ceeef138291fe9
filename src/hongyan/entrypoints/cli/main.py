"""`hongyan`: the commands in the order of their help, and the process around them."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hongyan._version import __version__
from hongyan.domain.home import default_home
from hongyan.entrypoints.cli.call import HomeOption, JsonOption, Shared
from hongyan.entrypoints.cli.commands import accounts, approvals, apps, coverage, house, places, service, talks
from hongyan.entrypoints.cli.door import guarded
from hongyan.entrypoints.cli.outcome import ExitCode, Failure
from hongyan.entrypoints.cli.screen import line
from hongyan.entrypoints.cli.words import say

__all__ = ["build", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    home = Path(_home_named(words) or default_home(os.environ)).expanduser()
    return guarded(lambda: _run(words), as_json=_wants_json(words), home=home)


def build() -> typer.Typer:
    """Put the command line together."""
    root = typer.Typer(name="hongyan", no_args_is_help=True, add_completion=False, help=say("help"))
    root.callback()(_before)
    house.register(root)
    service.register(root)
    apps.register(root)
    places.register(root)
    talks.register(root)
    accounts.register(root)
    approvals.register(root)
    coverage.register(root)
    house.register_copies(root)
    return root


def _version(wanted: bool) -> None:
    if wanted:
        line(__version__)
        raise typer.Exit


def _before(
    ctx: typer.Context,
    home: HomeOption = None,
    as_json: JsonOption = False,
    _: Annotated[bool, typer.Option("--version", is_eager=True, callback=_version, help=say("option.version"))] = False,
) -> None:
    ctx.obj = Shared(home, as_json)


def _run(words: Sequence[str]) -> int:
    if any("\ud800" <= letter <= "\udfff" for word in words for letter in word):
        raise Failure("cli.usage", say("not_text"), say("usage.mend"))
    try:
        ended: Any = typer.main.get_command(build()).main(list(words), prog_name="hongyan", standalone_mode=False)
    except SystemExit:  # typer's answer to a reader that left before we had said everything
        return ExitCode.DONE
    except typer.Abort:
        return ExitCode.CANCELLED
    except typer.TyperException as error:
        sentence = error.format_message()
        if not sentence:  # no command at all: its help was printed instead
            return ExitCode.USAGE
        raise Failure("cli.usage", sentence, say("usage.mend")) from None
    return ended if isinstance(ended, int) else ExitCode.DONE


def _wants_json(words: Sequence[str]) -> bool:
    return "--json" in _options(words)


def _home_named(words: Sequence[str]) -> str:
    """Give the home that the words name, before anything has read them: a failure of the reading is noted there."""
    options = _options(words)
    for place, word in enumerate(options):
        name, _, value = word.partition("=")
        if name == "--home":
            return value or "".join(options[place + 1 : place + 2])
    return ""


def _options(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words
