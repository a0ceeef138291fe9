"""The file that keeps what an agent program writes on its error channel."""

import os
from pathlib import Path
from typing import Final

__all__ = ["LOG_BYTES", "AgentLog"]

LOG_BYTES: Final = 1024 * 1024
"""A file this big is moved aside and begun anew, so at most two of them exist and the last words are always kept."""


class AgentLog:
    """Appends bytes to a file that only its owner may read."""

    def __init__(self, file: Path, most_bytes: int = LOG_BYTES) -> None:
        self._file, self._most_bytes, self._is_closed = file, most_bytes, False
        file.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = self._open()
        self._written = os.fstat(self._descriptor).st_size

    def write(self, piece: bytes) -> None:
        """Keep a piece; at the cap the file becomes `NAME.1` and a new one begins. Nothing happens after `close`."""
        if self._is_closed:
            return
        if self._written + len(piece) > self._most_bytes and self._written:
            os.close(self._descriptor)
            self._file.replace(self._file.with_name(f"{self._file.name}.1"))
            self._descriptor, self._written = self._open(), 0
        kept = piece[-self._most_bytes :]
        os.write(self._descriptor, kept)
        self._written += len(kept)

    def close(self) -> None:
        """Let go of the file. Safe to repeat."""
        if not self._is_closed:
            self._is_closed = True
            os.close(self._descriptor)

    def _open(self) -> int:
        return os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
