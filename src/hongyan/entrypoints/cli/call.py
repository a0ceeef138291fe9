"""Gives every command its home and its `--json`, whether they were typed before or after its name."""

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Concatenate, Final, ParamSpec

import typer

from hongyan.domain.home import default_home
from hongyan.entrypoints.cli.gateway import Gateway
from hongyan.entrypoints.cli.screen import print_json
from hongyan.entrypoints.cli.words import say

__all__ = ["Call", "HomeOption", "JsonOption", "Shared", "command", "group", "group_that_acts"]

Options = ParamSpec("Options")

HomeOption = Annotated[str | None, typer.Option("--home", metavar="DIR", help=say("option.home"))]
JsonOption = Annotated[bool, typer.Option("--json", help=say("option.json"))]


@dataclass(frozen=True, slots=True)
class Shared:
    """What was typed before the name of a command."""

    home: str | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a command: on which home, for a person or for a program."""

    home: Path
    as_json: bool

    def gateway(self) -> Gateway:
        """Open the connection to this home's gateway; nothing is sent yet."""
        return Gateway(self.home)

    def answered(self, value: object) -> bool:
        """Print an answer for a program; False when a person asked and it is still to be drawn."""
        if self.as_json:
            print_json(value)
        return self.as_json


def command(app: typer.Typer, name: str, help_key: str) -> Callable[..., Callable[..., None]]:
    """Register a function as a command with `--home` and `--json`; its first parameter is the Call."""

    def register(function: Callable[Concatenate[Call, Options], None]) -> Callable[Concatenate[Call, Options], None]:
        app.command(name, help=say(help_key))(_with_shared_options(function))
        return function

    return register


def group(name: str, parent: typer.Typer) -> typer.Typer:
    """Open a group of commands under a noun."""
    opened = typer.Typer(no_args_is_help=True, help=say(f"help.{name}"))
    parent.add_typer(opened, name=name)
    return opened


def group_that_acts(name: str, parent: typer.Typer, function: Callable[[Call], None]) -> typer.Typer:
    """Open a group whose bare name is a command too."""
    opened = typer.Typer(invoke_without_command=True, help=say(f"help.{name}"))
    opened.callback()(_with_shared_options(function))
    parent.add_typer(opened, name=name)
    return opened


_SHARED: Final = (
    inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
    inspect.Parameter("home", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=HomeOption),
    inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption),
)


def _with_shared_options(function: Callable[..., None]) -> Callable[..., None]:
    @wraps(function)
    def run(ctx: typer.Context, *, home: str | None, as_json: bool, **options: Any) -> None:
        before = ctx.obj if isinstance(ctx.obj, Shared) else Shared()
        ctx.obj = Shared(home or before.home, as_json or before.as_json)
        if ctx.invoked_subcommand is None:
            chosen = ctx.obj.home or default_home(os.environ)
            function(Call(_absolute(chosen), ctx.obj.as_json), **options)

    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    parameters = [_SHARED[0], *keywords, *_SHARED[1:]]
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _absolute(home: str) -> Path:
    return Path(os.path.abspath(Path(home).expanduser()))
