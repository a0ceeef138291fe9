"""`scripts/newcomer` walks from a clone to a clean stop, and notices every step that fails."""

import subprocess
from pathlib import Path

import pytest
from tests.architecture.scripts import load_script

newcomer = load_script("newcomer")

UP = """#!/usr/bin/env python3
import http.server, json, os, signal, sys
print("bootstrap: downloaded in 1.5 s", file=sys.stderr)
print("bootstrap: installed in 0 s", file=sys.stderr, flush=True)
{before}
class Gateway(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response({health})
        self.end_headers()
port = int(sys.argv[sys.argv.index("--port") + 1])
server = http.server.HTTPServer(("127.0.0.1", port), Gateway)
link = f"http://127.0.0.1:{{port}}/?once=secret"
ready = {{"console_url": link, "simulator_url": link, "pid": os.getpid()}}
with open(sys.argv[sys.argv.index("--ready-file") + 1], "x") as file:
    json.dump(ready, file)
print(link, flush=True)
{after}
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit({status})
"""
GIT_SECONDS = 30


def make_source(folder: Path, *, before: str = "", after: str = "", health: int = 200, status: int = 0) -> Path:
    """A repository whose `scripts/up` plays the gateway."""
    up = folder / "scripts" / "up"
    up.parent.mkdir(parents=True)
    up.write_text(UP.format(before=before, after=after, health=health, status=status))
    up.chmod(0o755)
    person = ["-c", "user.name=Lin Yan", "-c", "user.email=lin.yan@hongyan.example"]
    for words in (["init", "--quiet"], ["add", "."], [*person, "commit", "--quiet", "--message", "a gateway"]):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=GIT_SECONDS)
    return folder


def walk(tmp_path: Path, source: Path, timeout: float = 30) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    newcomer.Walk(folder, timeout).go(str(source))


def test_the_steps_are_told_with_their_seconds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    walk(tmp_path, make_source(tmp_path / "source"))
    steps = dict(line.rsplit(maxsplit=2)[:2] for line in capsys.readouterr().out.splitlines())
    assert list(steps) == ["clone", "download", "install", "start", "first links"]
    assert (steps["download"], steps["install"]) == ("1.5", "0.0")


def test_the_environment_is_empty_but_for_path_and_home(tmp_path: Path) -> None:
    before = "print(sorted(set(os.environ) - {'LC_CTYPE'}), os.environ['PATH'], flush=True)"
    walk(tmp_path, make_source(tmp_path / "source", before=before))
    assert "['HOME', 'PATH'] /usr/bin:/bin" in (tmp_path / "empty/output.log").read_text()


@pytest.mark.parametrize(
    ("flaw", "told"),
    [
        ({"before": "sys.exit(5)"}, "ended with status 5"),
        ({"health": 503}, "does not answer"),
        ({"status": 1}, "after the interrupt it ended with status 1"),
        ({"after": "signal.signal(signal.SIGINT, signal.SIG_IGN)"}, "still ran"),
        ({"before": "signal.pause()"}, "no links"),
    ],
    ids=["does not start", "does not serve", "stops badly", "does not stop", "never gets ready"],
)
def test_a_step_that_fails_ends_the_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flaw: dict[str, int | str], told: str
) -> None:
    monkeypatch.setattr(newcomer, "STOP_SECONDS", 1)
    source = make_source(tmp_path / "source", **flaw)  # type: ignore[arg-type]  # one flaw at a time, of either type
    with pytest.raises(newcomer.StepFailedError, match=told):
        walk(tmp_path, source, timeout=2)


def test_a_source_that_cannot_be_cloned_ends_the_walk(tmp_path: Path) -> None:
    with pytest.raises(newcomer.StepFailedError, match="git clone"):
        walk(tmp_path, tmp_path / "nowhere")
