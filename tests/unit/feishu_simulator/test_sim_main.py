"""The simulator as a program of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

WAIT_SECONDS = 20


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run the simulator until the block ends."""
    source = Path(__file__).parents[3] / "src"
    command = [sys.executable, "-m", "feishu_simulator", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ready(process: subprocess.Popen[str], path: Path) -> dict[str, Any]:
    """Wait for the printed link and return the ready file."""
    assert process.stdout is not None
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_serves_and_stops_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "ready.json"
    with program("--ready-file", str(path), "--clock", "virtual") as process:
        found = ready(process, path)
        headers = {"authorization": f"Bearer {found['simulator_token']}"}
        clock = httpx.get(f"{found['simulator_url']}/_sim/clock", headers=headers, trust_env=False, timeout=10)
        process.send_signal(number)
        assert process.wait(WAIT_SECONDS) == 0
    assert found.keys() == {"simulator_url", "simulator_token", "pid", "ready_ms"}
    assert clock.json()["virtual"] is True
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_existing_ready_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    path.write_text("mine")
    with program("--ready-file", str(path)) as process:
        assert process.wait(WAIT_SECONDS) == 2
    assert path.read_text() == "mine"


def test_a_taken_port_is_said_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    with program("--ready-file", str(path)) as process:
        port = ready(process, path)["simulator_url"].rpartition(":")[2]
        with program("--port", port) as second:
            assert second.wait(WAIT_SECONDS) == 7
            assert second.stderr is not None
            assert "cannot listen" in second.stderr.read()
