"""Every failure is a sentence, a code and a mend, with an exit code of the table; never a traceback."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.unit.entrypoints.cli.counter import Counter, Terminal, short_folder

from hongyan.domain import errors
from hongyan.domain.home import SOCKET
from hongyan.entrypoints.cli.main import main
from hongyan.entrypoints.cli.outcome import ExitCode, Failure, exit_code_of

DEADLINE_SECONDS: Final = 60


@pytest.fixture
def empty_home() -> Iterator[Path]:
    """A home on which nothing runs."""
    with short_folder() as home:
        yield home


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (errors.ConfigurationError("config.malformed", "m"), 2),
        (errors.NotFoundError("executor", "x"), 2),
        (errors.NotFoundError("session", "x"), 2),
        (errors.RefusedError("owner.already_paired", "m"), 3),
        (errors.RefusedError("workspace.name_taken", "m"), 3),
        (errors.RefusedError("scope.unavailable", "m"), 3),
        (errors.RefusedError("pairing.not_claimed", "m"), 4),
        (errors.BlockedError("config.secret_missing", "m"), 5),
        (errors.BlockedError("workspace.unavailable", "m"), 5),
        (errors.BlockedError("something.new", "m"), 5),
        (errors.AgentStartError("m"), 5),
        (errors.AgentProtocolError("m"), 5),
        (errors.SchemaTooNewError("m"), 5),
        (errors.StoreDamagedError("m"), 5),
        (errors.StoreFullError("m"), 5),
        (errors.ChatBlockedError("m"), 5),
        (errors.ChatUnreachableError("m"), 5),
        (errors.ChatRejectedError("m"), 3),
        (errors.ChatNotFoundError("m"), 3),
        (errors.ChatUnknownOutcomeError("m"), 6),
        (errors.BusyError("port.taken", "m"), 7),
        (errors.BusyError("home.busy", "m"), 7),
        (errors.BusyError("something.new", "m"), 7),
        (errors.StoreBusyError("m"), 7),
        (errors.AgentBusyError("m"), 7),
        (errors.ConflictError("m", 1), 7),
        (errors.IllegalMoveError("turn", "t", "queued", "stop"), 1),
    ],
)
def test_every_error_of_the_tree_has_its_exit_code(error: errors.HongyanError, exit_code: int) -> None:
    assert Failure.of(error).exit_code == exit_code


@pytest.mark.parametrize(("status", "exit_code"), [(409, 3), (422, 2), (423, 7), (424, 5), (504, 6), (500, 1)])
def test_a_code_that_nobody_knows_ends_as_its_status_says(status: int, exit_code: int) -> None:
    assert Failure("something.new", "m", status=status).exit_code == exit_code


def test_a_code_that_the_table_knows_ends_so_whatever_the_status() -> None:
    assert exit_code_of("store.damaged", ExitCode.INTERNAL) == ExitCode.BLOCKED


def test_a_refusal_of_the_gateway_is_told_with_its_mend(hongyan: Terminal, counter: Counter) -> None:
    counter.refuse("POST /pairings", 409, "owner.already_paired", detail="this App has an owner", hint="Use --replace.")
    told = hongyan("owner", "pair", "--app", "work")
    assert (told.code, told.out) == (3, "")
    assert told.err == "this App has an owner (owner.already_paired)\n  → Use --replace.\n"
    wanted = {
        "code": "owner.already_paired",
        "message": "this App has an owner",
        "retryable": False,
        "hint": "Use --replace.",
    }
    programmed = hongyan("owner", "pair", "--app", "work", "--json")
    assert (programmed.json, programmed.err) == ({"error": wanted}, "")


def test_an_unknown_executor_is_a_matter_of_usage(hongyan: Terminal, counter: Counter) -> None:
    counter.refuse("POST /sessions", 404, "executor.not_found")
    assert hongyan("session", "new", "--workspace", "docs", "--executor", "nobody").code == 2


def test_what_may_be_tried_again_says_so(hongyan: Terminal, counter: Counter) -> None:
    counter.refuse("GET /apps", 503, "store.busy", retryable=True)
    assert hongyan("app", "list", "--json").error["retryable"] is True


@pytest.mark.parametrize("words", [["status"], ["stop"], ["app", "list"], ["owed", "list"], ["send", "ses_1", "x"]])
def test_without_a_gateway_the_way_to_start_one_is_named(words: list[str], empty_home: Path, hongyan: Terminal) -> None:
    told, programmed = hongyan(*words, home=empty_home), hongyan(*words, "--json", home=empty_home)
    assert told.code == programmed.code == 5
    assert programmed.error["code"] == "gateway.not_running"
    assert "hongyan up" in told.err


def test_a_socket_that_a_dead_gateway_left_is_no_gateway(empty_home: Path, hongyan: Terminal) -> None:
    (empty_home / SOCKET).parent.mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(empty_home / SOCKET))
    assert hongyan("status", "--json", home=empty_home).error["code"] == "gateway.not_running"


def test_a_home_too_deep_for_a_socket_is_no_gateway(empty_home: Path, hongyan: Terminal) -> None:
    assert hongyan("status", "--json", home=empty_home / ("d" * 120)).error["code"] == "gateway.not_running"


def test_a_gateway_that_does_not_answer_is_busy(
    empty_home: Path, hongyan: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANSWER_SECONDS", "LOOK_SECONDS"):
        monkeypatch.setattr(f"hongyan.entrypoints.cli.gateway.{name}", 0.05)
    (empty_home / SOCKET).parent.mkdir()
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(empty_home / SOCKET))
        silent.listen()
        read = hongyan("status", "--json", home=empty_home)
        assert (read.code, read.error["code"], read.error["retryable"]) == (7, "gateway.no_answer", True)
        changed = hongyan("workspace", "revoke", "docs", "--json", home=empty_home)
        assert (changed.code, changed.error["code"]) == (6, "gateway.unknown_outcome")


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_that_is_no_json_is_told(status: int, hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /apps", b"<html>", status)
    assert hongyan("app", "list", "--json").error["code"] == "gateway.not_understood"


@pytest.mark.parametrize("answer", [[], {}, 3, None, {"apps": [3, None]}, {"apps": "x"}])
def test_an_answer_of_another_shape_makes_no_traceback(answer: object, hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /apps", answer)
    assert hongyan("app", "list").code == 0


@pytest.mark.parametrize(
    "words",
    [["nonsense"], ["app", "lst"], ["app", "list", "--jsn"], ["up", "--port", "x"], ["binding", "add"], ["send", "a"]],
)
def test_a_wrong_use_is_told_in_both_forms(words: list[str], hongyan: Terminal) -> None:
    told = hongyan(*words)
    assert (told.code, told.out) == (2, "")
    assert "(cli.usage)\n  → " in told.err
    programmed = hongyan(*words[:1], "--json", *words[1:]) if words[0] != "nonsense" else hongyan("--json", *words)
    assert (programmed.code, programmed.error["code"]) == (2, "cli.usage")


def test_a_text_that_looks_like_an_option_is_a_text(hongyan: Terminal, counter: Counter) -> None:
    counter.refuse("POST /sessions/ses_1/turns", 409, "session.closed")
    assert "session.closed" in hongyan("send", "ses_1", "--", "--json").err


def test_no_command_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "status" in shown.out


def _fault(*_: object) -> None:
    raise KeyError("gone")


def test_an_unexpected_fault_is_one_line_and_a_file(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HONGYAN_HOME", str(counter.home))
    (counter.home / "logs").mkdir()
    monkeypatch.setattr("hongyan.entrypoints.cli.commands.apps.table", _fault)
    counter.will("GET /apps", {"apps": []})
    told = hongyan("app", "list")
    assert told.code == 1
    assert "(internal.error)" in told.err
    assert "Traceback" not in told.err
    log = counter.home / "logs" / "cli.log"
    assert str(log) in told.err
    assert "KeyError: 'gone'" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


def _process(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "HONGYAN_"))}
    return subprocess.run(
        [sys.executable, "-m", "hongyan", *words],
        env={**kept, **environ},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=DEADLINE_SECONDS,
        check=False,
    )


def test_a_chinese_terminal_reads_chinese(empty_home: Path) -> None:
    environ = {"LANG": "zh_CN.UTF-8", "PYTHONUTF8": "1", "HONGYAN_HOME": str(empty_home)}
    ended = _process("status", **environ)
    assert (ended.returncode, ended.stdout) == (5, "")
    assert "没有运行网关" in ended.stderr
    assert "gateway.not_running" in ended.stderr


def test_a_terminal_without_unicode_still_gets_the_sentence(empty_home: Path) -> None:
    environ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    ended = _process("--home", str(empty_home), "status", **environ)
    assert ended.returncode == 5
    assert "No gateway runs" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(("words", "exit_code"), [("--version", 0), ("--json status", 5)])
def test_a_reader_that_left_is_no_fault_of_ours(words: str, exit_code: int, empty_home: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "hongyan", "--home", str(empty_home), *words.split()],
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (exit_code, "")


def test_a_letter_that_the_terminal_lacks_is_replaced(empty_home: Path) -> None:
    text = "[gateway]\nport = 1\n"
    home = empty_home / "鸿雁"
    home.mkdir()
    (home / "hongyan.toml").write_text(text, encoding="utf-8")
    ended = _process("config", "check", "--home", str(home), PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "exit_code", "code"),
    [
        ("[gateway]\nport = 1\nprot = 2\n", 2, "config.unknown_key"),
        ("[gateway\n", 2, "config.malformed"),
        (
            '[[apps]]\nname = "w"\napp_id = "cli_0123456789abcdef"\napp_secret = { env = "ABSENT" }\n',
            5,
            "config.secret_missing",
        ),
    ],
)
def test_the_settings_are_checked_without_a_gateway(text: str, exit_code: int, code: str, empty_home: Path) -> None:
    (empty_home / "hongyan.toml").write_text(text, encoding="utf-8")
    told = _process("config", "check", "--home", str(empty_home))
    assert (told.returncode, told.stdout) == (exit_code, "")
    assert f"({code})" in told.stderr
    assert "hongyan.toml:" in told.stderr
    programmed = json.loads(_process("config", "check", "--json", "--home", str(empty_home)).stdout)
    assert programmed["error"]["code"] == code
    assert [problem["code"] for problem in programmed["problems"]] == [code]


def test_settings_without_a_mistake_pass_their_check(empty_home: Path) -> None:
    (empty_home / "hongyan.toml").write_text("[gateway]\nport = 1\n", encoding="utf-8")
    ended = _process("config", "check", "--json", "--home", str(empty_home))
    assert (ended.returncode, json.loads(ended.stdout)) == (0, {"ok": True, "problems": []})


def test_a_backup_and_its_restore_need_no_gateway(empty_home: Path) -> None:
    copied, missing = empty_home / "copy.db", empty_home / "missing.db"
    home = empty_home / "home"
    assert _process("doctor", "--home", str(home), "--json").returncode in {0, 5}
    refused = _process("restore", str(missing), "--home", str(home), "--json")
    assert json.loads(refused.stdout)["error"]["code"].startswith("restore.")
    assert refused.returncode == 3
    blocked = _process("backup", str(copied), "--home", str(home), "--json")
    assert json.loads(blocked.stdout)["error"]["code"]
