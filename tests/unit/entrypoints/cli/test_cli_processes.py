"""Commands that become another program, and the service that keeps one running."""

import os
import plistlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entrypoints.cli.counter import Terminal, short_folder

from hongyan.entrypoints.cli.units import launchd, supervisor, systemd


class _Became(BaseException):
    """The process would be another program now."""


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the process became, module first."""
    programs: list[list[str]] = []

    def become(program: str, words: list[str]) -> None:
        assert program == sys.executable == words[0]
        assert words[1] == "-m"
        programs.append(words[2:])
        raise _Became

    monkeypatch.setattr(os, "execv", become)
    return programs


@pytest.fixture
def home() -> Iterator[Path]:
    """A home on which nothing runs."""
    with short_folder() as folder:
        yield folder


def _run(hongyan: Terminal, *words: str, home: Path) -> None:
    with pytest.raises(_Became):
        hongyan(*words, home=home)


@pytest.mark.parametrize(
    ("typed", "passed"),
    [
        ("up", []),
        ("up --port 0 --no-simulator --no-open", ["--port", "0", "--no-simulator", "--no-open"]),
        ("up --simulator --ready-file /r.json", ["--ready-file", "/r.json", "--simulator"]),
    ],
)
def test_up_becomes_the_gateway_on_its_home(
    typed: str, passed: list[str], hongyan: Terminal, home: Path, became: list[list[str]]
) -> None:
    _run(hongyan, *typed.split(), home=home)
    assert became == [["hongyan.entrypoints.daemon", "--home", str(home), *passed]]


def test_the_simulator_runs_alone(hongyan: Terminal, home: Path, became: list[list[str]]) -> None:
    _run(hongyan, "simulator", "--port", "0", "--ready-file", "/r.json", home=home)
    assert became == [["feishu_simulator", "--port", "0", "--ready-file", "/r.json"]]


@pytest.mark.parametrize(
    ("typed", "passed"),
    [
        ("restore /b.db", ["restore", "/b.db"]),
        ("backup /b.db", ["backup", "/b.db"]),
        ("doctor", ["doctor"]),
        ("config check", ["check"]),
    ],
)
def test_what_needs_no_gateway_works_without_one(
    typed: str, passed: list[str], hongyan: Terminal, home: Path, became: list[list[str]]
) -> None:
    _run(hongyan, *typed.split(), "--json", home=home)
    assert became == [["hongyan.entrypoints.cli.offline", *passed, "--home", str(home), "--json"]]


def test_a_unit_names_the_home_whatever_it_is_called() -> None:
    unit = systemd(Path('/srv/a b%c"d$e'), {}).text.decode()
    command = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    words = shlex.split(command.removeprefix("ExecStart=").replace("$$", "$").replace("%%", "%"))
    assert words == [sys.executable, "-m", "hongyan.entrypoints.daemon", "--home", '/srv/a b%c"d$e', "--no-open"]


def test_an_agent_of_launchd_names_the_home() -> None:
    written = plistlib.loads(launchd(Path("/srv/home"), {}).text)
    assert written["ProgramArguments"][1:] == [
        "-m",
        "hongyan.entrypoints.daemon",
        "--home",
        "/srv/home",
        "--no-open",
    ]


def test_each_home_has_a_service_of_its_own() -> None:
    environ = {"XDG_DATA_HOME": "/data", "HONGYAN_HOME": "/elsewhere"}
    assert systemd(Path("/data/hongyan"), environ).name == "hongyan.service"
    names = {systemd(Path(home), environ).name for home in ("/data/hongyan", "/elsewhere", "/third")}
    assert len(names) == 3


def test_each_platform_has_its_supervisor() -> None:
    assert supervisor(Path("/h"), {}, "darwin").path.suffix == ".plist"
    assert supervisor(Path("/h"), {}, "linux").path.suffix == ".service"


@pytest.fixture
def systemctl(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A supervisor's tool that writes down what it is asked and fails when a file says so."""
    tools = home / "bin"
    tools.mkdir()
    tool = tools / "systemctl"
    tool.write_text(
        f'#!/bin/sh\necho "$@" >> {home}/asked\n[ ! -e {home}/broken ] || {{ echo "no bus" >&2; exit 1; }}\n',
        encoding="utf-8",
    )
    tool.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setattr("hongyan.entrypoints.cli.commands.service.supervisor", systemd)
    return home / "asked"


def _view(ended: Any) -> tuple[int, bool, bool]:
    return ended.code, ended.json["installed"], ended.json["active"]


def test_a_service_is_installed_seen_and_removed(hongyan: Terminal, home: Path, systemctl: Path) -> None:
    assert _view(hongyan("service", "status", "--json", home=home)) == (5, False, False)
    assert _view(hongyan("service", "install", "--json", home=home)) == (0, True, True)
    assert "enable --now" in systemctl.read_text(encoding="utf-8")
    assert _view(hongyan("service", "status", "--json", home=home)) == (0, True, True)
    assert _view(hongyan("service", "remove", "--json", home=home)) == (0, False, False)
    assert "disable --now" in systemctl.read_text(encoding="utf-8")
    assert hongyan("service", "remove", home=home).code == 0


def test_a_service_that_cannot_be_started_says_why(hongyan: Terminal, home: Path, systemctl: Path) -> None:
    (home / "broken").touch()
    ended = hongyan("service", "install", "--json", home=home)
    assert (ended.code, ended.error["code"]) == (5, "service.refused")
    assert "no bus" in ended.error["message"]
    assert systemctl.exists()


def test_a_machine_without_a_supervisor_says_so(
    hongyan: Terminal, home: Path, systemctl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    assert hongyan("service", "install", "--json", home=home).error["code"] == "service.unavailable"
    assert not systemctl.exists()
