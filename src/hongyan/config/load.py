"""Reads the file and the environment once, and says of every mistake where it is and how to mend it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict, SettingsError

from hongyan.config.document import Document
from hongyan.config.lines import Lines, Location
from hongyan.config.secrets import SecretSource
from hongyan.config.settings import Settings
from hongyan.domain import home as homes
from hongyan.domain.errors import BlockedError, ConfigurationError

__all__ = ["Problem", "check_settings", "default_home", "load_settings"]

PREFIX: Final = "HONGYAN_"
NESTED: Final = "__"
LISTS: Final = ("apps", "executors", "workspaces")
SHAPES: Final = {
    "dict_type": "should be a table",
    "model_type": "should be a table",
    "string_too_short": "should not be empty",
    "string_type": "should be text in quotes",
    "too_short": "should not be empty",
    "tuple_type": "should be a list",
}
DECODER_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake. `line` is None when it is not in the file: in the environment, or in the file as a whole."""

    line: int | None
    key: str
    message: str
    hint: str
    code: str = "config.invalid_value"


def default_home(environ: Mapping[str, str]) -> Path:
    """Give HONGYAN_HOME, or `hongyan` in the user's data folder."""
    return Path(homes.default_home(environ)).expanduser()


def load_settings(home: Path, environ: Mapping[str, str]) -> Settings:
    """Read the settings of a home; a missing file means the defaults.

    Raise ConfigurationError with the first mistake, its file and its line.
    """
    settings, _, problems = _examine(home, environ)
    if settings is not None:
        return settings
    first, *others = problems
    file = home / homes.SETTINGS_FILE
    place = "environment" if first.key.startswith(PREFIX) else f"{file}:{first.line}" if first.line else str(file)
    more = f" `hongyan config check` lists all {len(problems)} mistakes." if others else ""
    sentence = f"{first.key}: {first.message}" if first.key else first.message
    raise ConfigurationError(first.code, f"{place}: {sentence}", hint=first.hint + more)


def check_settings(home: Path, environ: Mapping[str, str]) -> tuple[Problem, ...]:
    """List every mistake in file and environment, missing secrets too; empty when the gateway can start."""
    settings, lines, problems = _examine(home, environ)
    return problems if settings is None else tuple(_missing_secrets(settings, lines, environ))


def _examine(home: Path, environ: Mapping[str, str]) -> tuple[Settings | None, Lines, tuple[Problem, ...]]:
    """Read and validate; without settings there is at least one problem."""
    try:
        text = (home / homes.SETTINGS_FILE).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        return None, Lines(""), (_unreadable(error),)
    try:
        written = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        return None, Lines(""), (_malformed(error, text),)
    lines = Lines(text)
    try:
        merged = _over(written, _Environment(environ)())
        document = Document.model_validate(merged)
    except SettingsError as error:
        return None, lines, (_unusable_variable(error),)
    except ValidationError as error:
        found = [_problem(one, lines, environ) for one in error.errors(include_url=False, include_input=False)]
        mistakes = sorted((*found, *_same_names(written, lines)), key=lambda problem: problem.line or 0)
        return None, lines, tuple(mistakes)
    twice = tuple(_same_names(merged, lines))
    return (None if twice else document.to_domain(home)), lines, twice


class _Overrides(Document, BaseSettings):
    """The document again, as pydantic-settings wants it for reading variables."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter=NESTED)


class _Environment(EnvSettingsSource):
    """`HONGYAN_GATEWAY__PORT=9000` over the file, from a given environment instead of the process's own."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        super().__init__(_Overrides)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in self._environ.items()}


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one tree of tables over another; a list is replaced as a whole."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _over(under, value) if isinstance(value, dict) and isinstance(under, dict) else value
    return merged


def _unreadable(error: OSError | UnicodeDecodeError) -> Problem:
    reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    hint = "Make it readable for the user who runs the gateway."
    return Problem(None, "", f"the file cannot be read: {reason}", hint, "config.unreadable")


def _malformed(error: ValueError | RecursionError, text: str) -> Problem:
    """Tell a mistake of TOML itself; an end that came too early has the last line."""
    said = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "a value is too large to be read"
    at = DECODER_LINE.search(said)
    ended = len(text.splitlines()) or 1
    line = int(at[1]) if at else ended if "at end of document" in said else None
    sentence = re.sub(r" \(at [^)]*\)$", "", said)
    hint = "Text stands in quotes, a list in [ ], and each table under its [name] or [[name]]."
    return Problem(line, "", f"this is not TOML: {sentence}", hint, "config.malformed")


def _unusable_variable(error: SettingsError) -> Problem:
    field = re.search(r'field "(\w+)"', str(error))
    name = f"{PREFIX}{field[1].upper()}" if field else f"{PREFIX}…"
    return Problem(None, name, "this variable is not JSON", "Write it as JSON, or unset it.", "config.malformed")


def _problem(error: ErrorDetails, lines: Lines, environ: Mapping[str, str]) -> Problem:
    location: Location = error["loc"]
    variable = _variable(location, environ)
    key = variable or _written(location)
    line = None if variable else lines.of(location)
    if error["type"] == "extra_forbidden":
        return Problem(line, key, "there is no such key", _nearest(location), "config.unknown_key")
    if error["type"] == "missing":
        return Problem(line, key, "this key is missing", f"Write {location[-1]} = … here.", "config.missing_key")
    context = error.get("ctx", {})
    sentence = context.get("sentence") or SHAPES.get(error["type"]) or error["msg"].replace("Input should", "should")
    return Problem(line, key, str(sentence), str(context.get("hint", "")))


def _variable(location: Location, environ: Mapping[str, str]) -> str:
    """Give the variable that a value came from; empty when it came from the file."""
    names = [str(part).upper() for part in location]
    candidates = {PREFIX + NESTED.join(names[:length]) for length in range(1, len(names) + 1)}
    return next((name for name in environ if name.upper() in candidates), "")


def _written(location: Location) -> str:
    """Write a location as people do: `apps[0].app_id`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")


def _nearest(location: Location) -> str:
    known = _keys_beside(location)
    close = get_close_matches(str(location[-1]), known, n=1)
    return f"Did you mean {close[0]}?" if close else f"Known here: {', '.join(known)}."


def _keys_beside(location: Location) -> list[str]:
    table: type[BaseModel] = Document
    for part in location[:-1]:
        if isinstance(part, str):
            table = next(_tables(table.model_fields[part].annotation))
    return list(table.model_fields)


def _tables(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _tables(argument)


def _same_names(tree: Mapping[str, Any], lines: Lines) -> Iterator[Problem]:
    for section in LISTS:
        rows = tree.get(section)
        names = [row.get("name") if isinstance(row, dict) else None for row in rows] if isinstance(rows, list) else []
        for index, name in enumerate(names):
            if isinstance(name, str) and name in names[:index]:
                location = (section, index, "name")
                hint = "Give each one a name of its own."
                yield Problem(
                    lines.of(location), _written(location), f"{name} is there already", hint, "config.duplicate_name"
                )


def _missing_secrets(settings: Settings, lines: Lines, environ: Mapping[str, str]) -> Iterator[Problem]:
    sources: list[tuple[Location, SecretSource | None]] = [
        *((("apps", index, "app_secret"), app.app_secret) for index, app in enumerate(settings.apps)),
        *((("executors", index, "model_key"), one.model_key) for index, one in enumerate(settings.executors)),
    ]
    for location, source in sources:
        try:
            _ = source and source.resolve(environ)
        except BlockedError as error:
            yield Problem(lines.of(location), _written(location), error.message, error.hint, error.code)
