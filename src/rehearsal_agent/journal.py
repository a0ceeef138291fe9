"""What survives the process: a JSON lines file a session, the log of all prompts, the files tests wait for.

Every line is on the disk before the call returns. A turn whose end is missing was cut off: it is unfinished.
"""

import json
import os
import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

_SIGNAL_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
"""No dots and slashes: a name in a prompt can reach neither other directories nor the agent's own files."""


class TurnStatus(StrEnum):
    """How a turn ended; UNFINISHED is never written, it is what a missing end means."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    UNFINISHED = "unfinished"


class EntryKind(StrEnum):
    """What a piece of an answer is."""

    TEXT = "text"
    THOUGHT = "thought"
    TOOL = "tool"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of an answer; `tool_id` is set for tool calls only."""

    kind: EntryKind
    text: str
    tool_id: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the client sent: text blocks in order, number of images, the client's own id of the message."""

    texts: tuple[str, ...]
    images: int = 0
    client_message_id: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn of the history."""

    prompt: Prompt
    status: TurnStatus = TurnStatus.UNFINISHED
    entries: tuple[Entry, ...] = ()


@dataclass(slots=True)
class RecordedSession:
    """A session as it stands on the disk."""

    session_id: str
    cwd: str
    turns: list[RecordedTurn] = field(default_factory=list)
    readable: bool = True
    background: list[str] = field(default_factory=list)


class Journal:
    """The state directory. Processes may share it as long as one of them drives a session."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._sessions = directory / "sessions"
        self._sessions.mkdir(parents=True, exist_ok=True)

    def open_session(self, cwd: str) -> str:
        """Begin a session and return its id."""
        session_id = f"rehearsal-{uuid.uuid4().hex[:16]}"
        _append(self._file(session_id), {"kind": "session", "session_id": session_id, "cwd": cwd})
        return session_id

    def read(self, session_id: str) -> RecordedSession | None:
        """Return the session with its history, None when it is unknown or was lost."""
        file = self._file(session_id)
        if not _SIGNAL_NAME.fullmatch(session_id) or not file.is_file():
            return None
        return _fold(file.read_text(encoding="utf-8").splitlines())

    def sessions(self) -> Iterator[RecordedSession]:
        """Yield every session that is not lost, by id."""
        for file in sorted(self._sessions.glob("*.jsonl")):
            session = self.read(file.stem)
            if session is not None:
                yield session

    def record_prompt(self, session_id: str, prompt: Prompt) -> None:
        """Keep a prompt in the history, then in the log of what a real agent would send to its model."""
        _append(self._file(session_id), {"kind": "user", **asdict(prompt)})
        witness = {
            "session": session_id,
            "client_message_id": prompt.client_message_id,
            "text": prompt.texts[-1] if prompt.texts else "",
            "context": "\n".join(prompt.texts[:-1]),
            "images": prompt.images,
            "at_monotonic": time.monotonic(),
            "pid": os.getpid(),
        }
        _append(self._directory / "prompts.log", witness)

    def record_steer(self, session_id: str, text: str) -> None:
        """Keep words that came while a turn ran in a log of their own."""
        _append(self._directory / "steers.log", {"session": session_id, "text": text, "pid": os.getpid()})

    def record_end(self, session_id: str, status: TurnStatus, entries: list[Entry]) -> None:
        """Keep the answer of the running turn; a lost session keeps nothing."""
        if self._file(session_id).is_file():
            lines = [asdict(entry) for entry in entries]
            _append(self._file(session_id), {"kind": "agent", "status": status, "entries": lines})

    def record_unreadable(self, session_id: str) -> None:
        """Keep that this history cannot be loaded any more."""
        _append(self._file(session_id), {"kind": "unreadable"})

    def record_background(self, session_id: str, name: str) -> None:
        """Keep that a command runs beside the turns until a file of that name exists."""
        _append(self._file(session_id), {"kind": "background", "name": name})

    def lose(self, session_id: str) -> None:
        """Forget a session, and keep the file under another name for whoever debugs a test."""
        file = self._file(session_id)
        if file.is_file():
            file.rename(file.with_suffix(".lost"))

    def signal_file(self, name: str) -> Path | None:
        """Return the path of a file that tests synchronise with, None for a name that is not allowed."""
        return self._directory / name if _SIGNAL_NAME.fullmatch(name) else None

    def _file(self, session_id: str) -> Path:
        return self._sessions / f"{session_id}.jsonl"


def _append(file: Path, line: dict[str, Any]) -> None:
    """Write one line and wait for the disk; the directory too when the file is new."""
    is_new = not file.exists()
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    if is_new:
        directory = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def _fold(lines: list[str]) -> RecordedSession | None:
    session: RecordedSession | None = None
    for record in _records(lines):
        match record["kind"]:
            case "session":
                session = RecordedSession(record["session_id"], record["cwd"])
            case "user" if session is not None:
                texts = tuple(record["texts"])
                prompt = Prompt(texts, record["images"], record["client_message_id"])
                session.turns.append(RecordedTurn(prompt))
            case "unreadable" if session is not None:
                session.readable = False
            case "background" if session is not None:
                session.background.append(record["name"])
            case "agent" if session is not None and session.turns:
                entries = tuple(
                    Entry(EntryKind(entry["kind"]), entry["text"], entry["tool_id"]) for entry in record["entries"]
                )
                session.turns[-1] = RecordedTurn(session.turns[-1].prompt, TurnStatus(record["status"]), entries)
    return session


def _entry(line: dict[str, str]) -> Entry:
    return Entry(EntryKind(line["kind"]), line["text"], line["tool_id"])


def _records(lines: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the whole lines; the last one may be torn when the process was killed while it wrote."""
    for line in lines:
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            return
