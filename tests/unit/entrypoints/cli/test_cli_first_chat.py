"""The shortest way from nothing to a bound chat: real processes, the platform started apart, only the command line."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tests.unit.entrypoints.cli.counter import short_folder

APP_ID: Final = "cli_00000000000000a1"
SECRET: Final = "a secret of this test"
DEADLINE_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.1
SETTINGS: Final = """\
[[apps]]
name = "work"
app_id = "{app_id}"
app_secret = {{ env = "WORK_SECRET" }}
base_url = "{url}"

[[executors]]
name = "rehearsal"
protocol = "acp"
command = ["{python}", "-m", "rehearsal_agent"]
"""


@dataclass(frozen=True)
class Machine:
    """One home on this machine, with the variables of its owner's shell."""

    home: Path
    environ: Mapping[str, str]

    def hongyan(self, *words: str) -> tuple[int, Any]:
        """Run a command for a program: its exit code and what it answered."""
        ended = subprocess.run(
            [sys.executable, "-m", "hongyan", *words, "--json"],
            env=dict(self.environ),
            capture_output=True,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
        assert ended.stderr == ""
        return ended.returncode, json.loads(ended.stdout)

    def done(self, *words: str) -> Any:
        """Run a command that must succeed."""
        code, answer = self.hongyan(*words)
        assert code == 0, answer
        return answer

    @contextmanager
    def running(self, *words: str) -> Iterator[dict[str, Any]]:
        """Run a command that stays, from its ready file until a stop that must be clean."""
        ready = self.home / f"{words[0]}.json"
        command = [sys.executable, "-m", "hongyan", *words, "--port", "0", "--ready-file", str(ready)]
        log = self.home / f"{words[0]}.log"
        with log.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(command, env=dict(self.environ), stdout=output, stderr=output)
        try:
            until(lambda: process.poll() is not None or _is_written(ready))
            assert process.poll() is None, log.read_text(encoding="utf-8")
            yield json.loads(ready.read_text(encoding="utf-8"))
            process.send_signal(signal.SIGTERM)
            assert process.wait(DEADLINE_SECONDS) == 0
        except BaseException:
            for file in (log, *self.home.glob("logs/*.log")):  # pytest shows them beside the failure
                sys.stdout.write(file.read_text(encoding="utf-8"))
            raise
        finally:
            process.kill()
            process.wait(DEADLINE_SECONDS)


def until(wanted: Callable[[], bool]) -> None:
    """Look again until it is so, within the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    pause = threading.Event()
    while not wanted():
        assert time.monotonic() < deadline
        pause.wait(LOOK_SECONDS)


def _is_written(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine on which nothing of ours runs."""
    with short_folder() as home:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HONGYAN_", "LC_", "LANG"))}
        mine = {"HONGYAN_HOME": str(home), "WORK_SECRET": SECRET, "XDG_RUNTIME_DIR": str(home)}
        yield Machine(home, kept | mine)


@contextmanager
def platform(machine: Machine) -> Iterator[tuple[httpx.Client, str]]:
    """Start the simulated platform apart, with one App and one person in a private chat with its bot."""
    with machine.running("simulator") as ready:
        headers = {"authorization": f"Bearer {ready['simulator_token']}"}
        with httpx.Client(base_url=ready["simulator_url"], headers=headers, timeout=DEADLINE_SECONDS) as control:
            _post(control, "/_sim/apps", {"app_id": APP_ID, "app_secret": SECRET})
            _post(control, "/_sim/users", {"user_id": "linyan", "name": "Lin Yan"})
            _post(control, "/_sim/chats", {"kind": "p2p", "users": ["linyan"], "bots": [APP_ID]})
            yield control, ready["simulator_url"]


def _post(control: httpx.Client, path: str, body: Mapping[str, object]) -> None:
    control.post(path, json=body).raise_for_status()


def _say(control: httpx.Client, text: str) -> None:
    _post(control, "/_sim/messages", {"user": "linyan", "app": APP_ID, "text": text})


@pytest.mark.process
def test_a_person_gets_an_answer_with_nothing_but_the_command_line(machine: Machine) -> None:
    with platform(machine) as (control, url):
        settings = SETTINGS.format(app_id=APP_ID, url=url, python=sys.executable)
        (machine.home / "hongyan.toml").write_text(settings, encoding="utf-8")
        with machine.running("up", "--no-simulator", "--no-open") as ready:
            assert (ready["simulator_url"], ready["simulator_token"]) == (None, None)
            until(lambda: machine.done("app", "list")[0]["state"] == "listening")
            _bind(machine, control)
            _say(control, "hello")
            until(lambda: _answered(machine) == 1)
            ledger = machine.done("ledger", "--check")
            assert ledger["received"]["balanced"]
            assert ledger["writes"]["balanced"]
    assert machine.hongyan("status")[1]["error"]["code"] == "gateway.not_running"


def _bind(machine: Machine, control: httpx.Client) -> None:
    """Pair, authorise and bind, as the design's page of interfaces lists the commands."""
    report = machine.hongyan("app", "verify", "work")[1]
    assert report["bot_open_id"]
    pairing = machine.done("owner", "pair", "--app", "work")
    assert machine.hongyan("owner", "confirm", pairing["pairing_id"])[0] == 4
    _say(control, pairing["code"])
    until(lambda: machine.hongyan("owner", "confirm", pairing["pairing_id"])[0] == 0)
    (owner,) = machine.done("owner", "list")
    assert (owner["app"], owner["name"]) == ("work", "Lin Yan")
    (machine.home / "docs").mkdir()
    machine.done("workspace", "add", "docs", str(machine.home / "docs"), "--grant", "workspace_write")
    words = "binding add --app work --audience owner_private --role project --workspace docs --executor rehearsal"
    assert machine.done(*words.split())["revision"] == 1


def _answered(machine: Machine) -> int:
    found = machine.done("ledger")["received"]
    count: int = found.get("classes", found)["answered"]
    return count
