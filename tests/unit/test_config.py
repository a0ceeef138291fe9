"""Settings: every mistake has its line, its code and its mend; a secret does not show itself."""

import copy
import pickle
import tomllib
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hongyan.config import Problem, Secret, SecretSource, Settings, check_settings, default_home, load_settings
from hongyan.config.lines import Lines, Location
from hongyan.config.secrets import SecretKind
from hongyan.domain.errors import BlockedError, ConfigurationError
from hongyan.domain.identity import Brand
from hongyan.domain.workspaces import Grant

WHOLE: Final = """\
[gateway]
port = 9000
database = "sqlite"
reactions = false

[[apps]]
name = "work"
app_id = "cli_0123456789abcdef"
app_secret = { env = "WORK_SECRET" }
brand = "lark"
base_url = "http://127.0.0.1:9001"

[[executors]]
name = "opencode"
protocol = "acp"
command = ["opencode", "acp"]
model_url = "https://api.example/v1"
model_key = { file = "keys/model" }
dialect = "openai_chat"
env = { OPENAI_BASE_URL = "{model_url}" }

[[workspaces]]
name = "docs"
path = "/srv/docs"
grant = "workspace_write"
"""
APP: Final = '[[apps]]\nname = "{name}"\napp_id = "cli_0123456789abcdef"\napp_secret = {{ env = "S" }}\n{more}'


def write(home: Path, text: str) -> Path:
    """Write the file of a home."""
    (home / "hongyan.toml").write_text(text, encoding="utf-8")
    return home


def problem(home: Path, text: str, **environ: str) -> Problem:
    """The one mistake of a text; what refuses to start says the same as what only checks."""
    (found,) = check_settings(write(home, text), environ)
    with pytest.raises(ConfigurationError) as caught:
        load_settings(home, environ)
    assert caught.value.code == found.code
    assert found.line is None or f"hongyan.toml:{found.line}: " in caught.value.message
    return found


def test_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "nowhere", {})
    assert settings == Settings(tmp_path / "nowhere")
    assert (settings.gateway.host, settings.gateway.port, settings.gateway.database) == ("127.0.0.1", 8767, "sqlite")


def test_the_whole_file_becomes_typed_values(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, WHOLE), {})
    (app,), (executor,), (workspace,) = settings.apps, settings.executors, settings.workspaces
    assert (settings.gateway.port, settings.gateway.reactions) == (9000, False)
    assert (app.brand, app.app_secret, app.base_url) == (
        Brand.LARK,
        SecretSource(SecretKind.ENV, "WORK_SECRET"),
        "http://127.0.0.1:9001",
    )
    assert executor.command == ("opencode", "acp")
    assert executor.model_key == SecretSource(SecretKind.FILE, str(tmp_path / "keys/model"))
    assert (workspace.path, workspace.grant) == (Path("/srv/docs"), Grant.WRITE)


def test_the_environment_goes_over_the_file(tmp_path: Path) -> None:
    home = write(tmp_path, WHOLE)
    settings = load_settings(home, {"HONGYAN_GATEWAY__PORT": "7000", "HONGYAN_HOME": "/elsewhere", "PORT": "1"})
    assert (settings.gateway.port, settings.gateway.reactions, len(settings.apps)) == (7000, False, 1)


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ('[gateway]\nhost = "0.0.0.0"\n', 2),
        ('[gateway]\ndatabase = "postgresql://u:pw@h/d"\n', 2),
        ('[[executors]]\nname = "c"\ncommand = ["c"]\nprotocol = "codex"\n', 4),
    ],
)
def test_what_this_version_cannot_do_is_refused_where_it_is_written(tmp_path: Path, table: str, line: int) -> None:
    found = problem(tmp_path, table)
    assert (found.line, found.code) == (line, "config.invalid_value")
    assert "pw" not in found.message


def test_a_wrong_variable_is_named_instead_of_a_line(tmp_path: Path) -> None:
    found = problem(tmp_path, "[gateway]\nport = 1\n", HONGYAN_GATEWAY__PROT="2")
    assert (found.line, found.key, found.code) == (None, "HONGYAN_GATEWAY__PROT", "config.unknown_key")


def test_a_variable_that_is_not_json_is_named(tmp_path: Path) -> None:
    found = problem(tmp_path, "", HONGYAN_APPS="[{")
    assert (found.key, found.code) == ("HONGYAN_APPS", "config.malformed")


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = \n", 1), ("[gateway]\nport 3\n", 2), ("[gateway\n", 1), ("\n\nx = [1,\n", 3), ("[gateway]\n[gateway]", 2)],
)
def test_what_is_not_toml_is_told_with_its_line(text: str, line: int, tmp_path: Path) -> None:
    found = problem(tmp_path, text)
    assert (found.line, found.code) == (line, "config.malformed")


@pytest.mark.parametrize("text", ["a = 1" + "0" * 5000, "a = " + "[" * 5000])
def test_what_the_parser_chokes_on_is_told_too(text: str, tmp_path: Path) -> None:
    assert problem(tmp_path, text).code == "config.malformed"


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "hongyan.toml").mkdir()
    assert [one.code for one in check_settings(tmp_path, {})] == ["config.unreadable"]


def test_what_is_not_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "hongyan.toml").write_bytes(b"\xff\xfe\x00")
    assert [one.code for one in check_settings(tmp_path, {})] == ["config.unreadable"]


def test_an_unknown_key_is_refused_with_the_nearest_known_one(tmp_path: Path) -> None:
    found = problem(tmp_path, APP.format(name="work", more='bse_url = "https://open.feishu.cn"\n'))
    assert (found.line, found.key, found.code) == (5, "apps[0].bse_url", "config.unknown_key")
    assert "base_url" in found.hint


@pytest.mark.parametrize("section", ["apps", "executors", "workspaces"])
def test_two_of_one_name_are_refused(section: str, tmp_path: Path) -> None:
    keys = WHOLE.split(f"[[{section}]]\n")[1].split("\n\n")[0].splitlines()
    found = problem(tmp_path, "\n".join([f"[[{section}]]", *keys] * 2))
    assert (found.line, found.key) == (len(keys) + 3, f"{section}[1].name")
    assert found.code == "config.duplicate_name"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("app_id", '"cli_0123"'),
        ("app_id", '"cli_0123456789abcdeg"'),
        ("app_secret", '"in plain sight"'),
        ("app_secret", "{ }"),
        ("app_secret", '{ env = "A", file = "/b" }'),
        ("app_secret", '{ keyring = "work" }'),
        ("base_url", '"http://open.feishu.cn"'),
        ("base_url", '"open.feishu.cn"'),
        ("base_url", '"https://open.feishu.cn:99999999"'),
        ("brand", '"other"'),
        ("name", '"a b"'),
        ("name", "3"),
        ("protocol", '"telnet"'),
        ("command", "[]"),
        ("command", '"opencode acp"'),
        ("dialect", '"latin"'),
        ("path", '"docs"'),
        ("grant", '"everything"'),
        ("port", "70000"),
        ("port", "true"),
        ("database", '"mysql://x"'),
    ],
)
def test_a_wrong_value_is_told_with_its_line_and_never_shown(key: str, value: str, tmp_path: Path) -> None:
    lines = WHOLE.splitlines()
    number = next(number for number, line in enumerate(lines, 1) if line.startswith(f"{key} = "))
    lines[number - 1] = f"{key} = {value}"
    found = problem(tmp_path, "\n".join(lines))
    assert (found.line, found.code) == (number, "config.invalid_value")
    assert "in plain sight" not in found.hint
    assert "pydantic" not in found.message


def test_a_missing_key_points_at_its_table(tmp_path: Path) -> None:
    found = problem(tmp_path, '[gateway]\n\n[[workspaces]]\nname = "docs"\npath = "/srv/docs"\n')
    assert (found.line, found.key, found.code) == (3, "workspaces[0].grant", "config.missing_key")


def test_a_check_tells_all_mistakes_in_the_order_of_the_file(tmp_path: Path) -> None:
    home = write(tmp_path, '[gateway]\nport = -1\nhosst = "x"\n\n[[apps]]\nname = ""\n')
    assert [one.line for one in check_settings(home, {})] == [2, 3, 5, 5, 6]


def test_a_refusal_names_the_first_mistake_and_how_many_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(write(tmp_path, "[gateway]\nport = -1\nreactions = 7\n"), {})
    assert "hongyan.toml:2: gateway.port" in caught.value.message
    assert "2" in caught.value.hint


def test_a_missing_secret_fails_the_check_and_not_the_reading(tmp_path: Path) -> None:
    home = write(tmp_path, APP.format(name="work", more=""))
    assert load_settings(home, {}).apps
    assert [(one.line, one.code) for one in check_settings(home, {})] == [(4, "config.secret_missing")]
    assert check_settings(home, {"S": "x"}) == ()


@given(st.text())
def test_no_text_makes_anything_but_settings_or_a_mistake_with_a_code(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    _settings_or_mistake(tmp_path_factory.getbasetemp(), text)


BRACKETS: Final = ("[", "]", "{", "}", "[[apps]]", "[gateway]", "[apps.app_secret]", '"', '"""', "'", "'''", "\\", "#")
WORDS: Final = (
    "apps",
    "gateway",
    "executors",
    "port",
    "name",
    "env",
    ".",
    ",",
    "=",
    "\n",
    "1",
    "-",
    "true",
    '"x"',
    "nan",
)
PIECES: Final = st.sampled_from(BRACKETS + WORDS)


@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_no_broken_file_makes_a_traceback(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    _settings_or_mistake(tmp_path_factory.getbasetemp(), text)


def _settings_or_mistake(home: Path, text: str) -> None:
    (home / "hongyan.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    problems = check_settings(home, {})
    last = text.count("\n") + 1
    assert all(one.line is None or 1 <= one.line <= last for one in problems)
    try:
        load_settings(home, {})
    except ConfigurationError as error:
        assert error.code.startswith("config.")
        assert problems
    else:
        assert {one.code for one in problems} <= {"config.secret_missing"}


def test_a_key_is_found_in_every_form_of_a_table() -> None:
    text = 'a.b = 1\n[[t]]\nx = """\n[[t]]\ny = 2\n"""\n[t.u]\n"q r" = 1\n[[t]]\n[[t.v]]\nw = [\n  1,\n]\n'
    tomllib.loads(text)
    lines = Lines(text)
    wanted: dict[Location, int | None] = {
        ("a", "b"): 1,
        ("t", 0): 2,
        ("t", 0, "y"): 2,
        ("t", 0, "u", "q r"): 8,
        ("t", 1): 9,
        ("t", 1, "v", 0, "w"): 11,
        ("nothing",): None,
    }
    assert {location: lines.of(location) for location in wanted} == wanted


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({"HONGYAN_HOME": "/h", "XDG_DATA_HOME": "/x"}, "/h"),
        ({"XDG_DATA_HOME": "/x"}, "/x/hongyan"),
        ({"XDG_DATA_HOME": "relative"}, str(Path.home() / ".local/share/hongyan")),
        ({}, str(Path.home() / ".local/share/hongyan")),
    ],
)
def test_the_home_is_where_the_environment_says(environ: dict[str, str], home: str) -> None:
    assert default_home(environ) == Path(home)


@pytest.mark.scenario("P48")
def test_a_secret_never_shows_itself() -> None:
    secret = Secret("hunter2")
    shown = f"{secret} {secret!r} {secret!s} {secret:>9} {[secret]} {(secret,)}"
    assert "hunter2" not in shown
    assert secret.reveal() == "hunter2"
    assert secret == Secret("hunter2") != Secret("other")
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            copied(secret)


def test_a_password_of_the_database_is_not_shown(tmp_path: Path) -> None:
    assert ":pw@" not in repr(load_settings(write(tmp_path, WHOLE), {}))


def test_a_secret_comes_from_a_variable() -> None:
    assert SecretSource(SecretKind.ENV, "S").resolve({"S": "x"}) == Secret("x")


def test_a_secret_comes_from_a_file_without_its_line_end(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("x y\n", encoding="utf-8")
    assert SecretSource(SecretKind.FILE, str(tmp_path / "s")).resolve({}) == Secret("x y")


@pytest.mark.parametrize(
    "source",
    [
        SecretSource(SecretKind.ENV, "ABSENT"),
        SecretSource(SecretKind.FILE, "/nowhere/at/all"),
        SecretSource(SecretKind.FILE, "/"),
        SecretSource(SecretKind.KEYRING, "hongyan/work"),
    ],
)
def test_a_missing_secret_blocks_with_a_mend(source: SecretSource) -> None:
    with pytest.raises(BlockedError) as caught:
        source.resolve({})
    assert caught.value.code == "config.secret_missing"
    assert caught.value.hint
