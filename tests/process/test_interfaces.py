"""Both interfaces, asked everything that their descriptions allow and much that they do not."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tests.harness.processes import GatewayProcess
from tests.process.examined import EXAMPLES, Call, Interface, examine

pytestmark = [pytest.mark.process, pytest.mark.timeout(300 + 10 * EXAMPLES)]

API: Final = "/api/v1"
# What ends the process, and what never ends by itself; both have tests of their own.
BESIDES: Final = frozenset({("POST", f"{API}/stop"), ("GET", f"{API}/events")})
PATIENCE_SECONDS: Final = 30.0


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[GatewayProcess]:
    """A real gateway with everything that a newcomer gets."""
    process = GatewayProcess(tmp_path / "home", "--simulator")
    with asyncio.Runner() as runner:
        runner.run(process.start())
        yield process
        runner.run(process.end())


def test_the_gateways_interface_answers_as_it_says(gateway: GatewayProcess, tmp_path: Path) -> None:
    known = _furnished(gateway)

    def mend(call: Call) -> None:
        body = call.body
        if call.path == f"{API}/backups" and isinstance(body, dict) and str(body.get("path", "")).startswith("/"):
            body["path"] = str(tmp_path / str(len(list(tmp_path.iterdir()))))  # it writes where it is told

    url = gateway.ready["console_url"].split("/login")[0]
    interface = Interface(url, gateway.ready["api_token"], known, BESIDES, mend)
    asked = examine(interface, "/api/openapi.json")
    assert len(asked) > 30
    assert "request.failed" not in gateway.log()


def test_the_simulators_control_interface_answers_as_it_says(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    command = [sys.executable, "-m", "feishu_simulator", "--ready-file", str(ready), "--clock", "virtual"]
    complained = tmp_path / "stderr"
    with (
        complained.open("wb") as told,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=told) as process,
    ):
        try:
            facts = _when_ready(ready)
            url, token = facts["simulator_url"], facts["simulator_token"]
            known = _populated(url, token)
            asked = examine(Interface(url, token, known, frozenset()), "/_sim/openapi.json")
        finally:
            ended = process.poll()
            process.terminate()
            process.wait(PATIENCE_SECONDS)
            assert ended is None, f"the simulator ended by itself: {ended}"
    assert len(asked) > 25
    assert "Traceback" not in complained.read_text(encoding="utf-8")


def _furnished(gateway: GatewayProcess) -> dict[str, Any]:
    """Let one of everything be there; give their names by the fields that take them."""
    headers = {"authorization": f"Bearer {gateway.ready['api_token']}"}
    url = gateway.ready["console_url"].split("/login")[0] + API
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=PATIENCE_SECONDS) as client:
        place = {
            "workspace": client.get("/workspaces").json()["workspaces"][0]["name"],
            "executor": client.get("/executors").json()["executors"][0]["name"],
        }
        session = client.post("/sessions", json=place).json()["session_id"]
        turns = f"/sessions/{session}/turns"
        client.post(turns, json={"message": "[[error:-32603:no capacity]]", "client_turn_id": "one"})
        owed = _first(client, "/owed", "owed")["id"]
        asking = client.post(turns, json={"message": "[[ask:rm -r build]]", "client_turn_id": "two"}).json()
        app = client.get("/apps").json()["apps"][0]["app"]
        return {
            **place,
            "app": app,
            "name": app,
            "session_id": session,
            "turn_id": asking["turn_id"],
            "request_id": owed,
            "action": "run_again",
            "approval_id": _first(client, "/approvals", "approvals")["id"],
            "binding_id": client.get("/bindings").json()["bindings"][0]["binding_id"],
            "pairing_id": client.post("/pairings", json={"app": app, "replace": True}).json()["pairing_id"],
        }


def _first(client: httpx.Client, path: str, name: str) -> dict[str, Any]:
    """Wait until a list holds something, and give its first entry."""
    found: list[dict[str, Any]] = []

    def is_there() -> bool:
        found[:] = client.get(path).json()[name]
        return bool(found)

    _until(is_there, f"nothing stands in {path}")
    return found[0]


def _populated(url: str, token: str) -> dict[str, Any]:
    """Let somebody live on the platform; give their names by the fields that take them."""
    headers = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{url}/_sim", headers=headers, trust_env=False, timeout=PATIENCE_SECONDS) as client:
        app = client.post("/apps", json={"name": "Hongyan"}).json()["app_id"]
        user = client.post("/users", json={"name": "Lin Yan"}).json()["user_id"]
        said = client.post("/messages", json={"user": user, "app": app, "text": "hello"}).json()
        event = client.get("/events").json()["events"][0]["event_id"]
        message = said["message_id"]
        return {
            "app": app,
            "app_id": app,
            "user": user,
            "user_id": user,
            "chat": said["chat_id"],
            "chat_id": said["chat_id"],
            "message": message,
            "message_id": message,
            "reply_to": message,
            "event_id": event,
        }


def _when_ready(file: Path) -> dict[str, Any]:
    _until(lambda: file.exists() and file.read_text(encoding="utf-8") != "", "the simulator did not start")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _until(condition: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)  # another process sets no event of ours
