"""Looks at this machine for `doctor`; changes nothing."""

import os
import platform
import shutil
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Final

__all__ = ["MINIMUM_FREE_BYTES", "find_program", "free_bytes", "is_private_folder", "python_version", "zone"]

MINIMUM_FREE_BYTES: Final = 200 * 1024 * 1024  # below it a busy day fills the disk


def python_version() -> str:
    """Give the version of the running interpreter."""
    return platform.python_version()


def free_bytes(path: Path) -> int:
    """Give the free space where `path` lives."""
    return shutil.disk_usage(path).free


def is_private_folder(path: Path) -> bool:
    """Tell whether a folder can be written by this user and read by nobody else."""
    return path.is_dir() and os.access(path, os.W_OK) and path.stat().st_mode & 0o077 == 0


def find_program(name: str) -> str | None:
    """Give the absolute path of a program that can be run, or None."""
    return shutil.which(name)


def zone() -> tzinfo:
    """Give the time zone that people at this machine read the clock in."""
    return datetime.now().astimezone().tzinfo or UTC
