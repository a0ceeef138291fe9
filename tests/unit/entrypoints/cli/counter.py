"""A counter at which the command line is served: a fake gateway behind a real Unix socket, and one run of a command."""

import json
import shutil
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import pytest

from hongyan.domain.home import SOCKET
from hongyan.entrypoints.cli.main import main

JOIN_SECONDS: Final = 10
Answer = tuple[int, Any]


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; the path is still quoted and without its prefix."""

    method: str
    path: str
    query: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What a program reads."""
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The failure as a program reads it."""
        return self.json["error"]


@dataclass
class Counter:
    """What the fake gateway answers, and what it was asked."""

    home: Path
    answers: dict[str, Answer | Callable[[Asked], Answer]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def will(self, line: str, body: Any, status: int = 200) -> None:
        """Answer `METHOD /path` with a body."""
        self.answers[line] = (status, body)

    def refuse(self, line: str, status: int, code: str, **more: Any) -> None:
        """Answer `METHOD /path` with a problem document."""
        facts = {"type": f"urn:hongyan:{code}", "title": code, "detail": "it was refused", "hint": "do this", **more}
        self.will(line, {"status": status, "code": code, "retryable": False, **facts}, status)

    def answer(self, asked: Asked) -> Answer:
        """Look an answer up, and write down what was asked."""
        self.asked.append(asked)
        line = f"{asked.method} {asked.path}"
        given = self.answers.get(line, (404, {"code": "route.not_found", "detail": line, "hint": ""}))
        return given(asked) if callable(given) else given

    def lines(self) -> list[str]:
        """What was asked, in short."""
        return [f"{asked.method} {asked.path}" for asked in self.asked]


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name, which may have 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="hy"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def open_counter() -> Iterator[Counter]:
    """Serve a fake gateway on a home of its own."""
    with short_folder() as home:
        counter = Counter(home)
        (home / SOCKET).parent.mkdir(parents=True)
        with socketserver.ThreadingUnixStreamServer(str(home / SOCKET), _handler(counter)) as server:
            server.daemon_threads = True
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                yield counter
            finally:
                server.shutdown()
                thread.join(JOIN_SECONDS)


def _handler(counter: Counter) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers one connection."""

        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("content-length", 0))
            raw = self.rfile.read(length)
            parts = urlsplit(self.path)
            path = parts.path.removeprefix("/api/v1")
            asked = Asked(self.command, path, dict(parse_qsl(parts.query)), json.loads(raw) if raw else None)
            status, body = counter.answer(asked)
            if status == 0:  # the answer is lost
                self.close_connection = True
                return
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names that the base class calls

        def address_string(self) -> str:
            """A Unix socket has no address."""
            return "socket"

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler


class Terminal:
    """Runs commands in this process, as a person or a program types them."""

    def __init__(self, capture: pytest.CaptureFixture[str], home: Path) -> None:
        self._capture, self._home = capture, home

    def __call__(self, *words: str, home: Path | None = None) -> Ended:
        """Run one command on the home."""
        self._capture.readouterr()
        code = main(["--home", str(home or self._home), *words])
        said = self._capture.readouterr()
        return Ended(code, said.out, said.err)
