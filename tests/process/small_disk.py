"""Next to no room for what a process writes: a tiny disk of its own, or a limit on how far its files may grow."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

__all__ = ["with_small_files", "with_tiny_disk"]

SIZE: Final = "64k"
BLOCKS: Final = "128"  # the same in blocks of 512 bytes
NEW_NAMESPACE: Final = ("unshare", "--map-root-user", "--mount")  # needs no right, and nobody else sees the mount
MOUNT: Final = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"'
LIMIT: Final = 'ulimit -f "$1" && shift && exec "$@"'
PATIENCE_SECONDS: Final = 10


def with_tiny_disk(disk: Path) -> tuple[str, ...]:
    """Give the words before a command that runs with a disk of 64 KiB at `disk`; skip where nobody may mount one."""
    disk.mkdir()
    words = (*NEW_NAMESPACE, "sh", "-c", MOUNT, "sh", SIZE, str(disk))
    probe = subprocess.run((*words, "true"), capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    if probe.returncode:
        pytest.skip(f"nobody may mount a disk in a namespace of its own here: {probe.stderr.strip()}")
    return words


def with_small_files(disk: Path) -> tuple[str, ...]:
    """Give the words before a command none of whose files may grow beyond 64 KiB; works for everyone."""
    disk.mkdir()
    return ("sh", "-c", LIMIT, "sh", BLOCKS)
