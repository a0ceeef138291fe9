"""What this machine is, so that a report can be read beside another one."""

import os
import platform
import sqlite3
from pathlib import Path
from typing import Any

__all__ = ["facts", "label"]


def facts() -> dict[str, Any]:
    """Give cores, processor, versions and the load at this moment; nothing that names the machine or its user."""
    return {
        "label": label(),
        "cores": os.cpu_count() or 1,
        "processor": _processor(),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "system": platform.system(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load_average": [round(value, 2) for value in os.getloadavg()],
    }


def label() -> str:
    """Name the kind of machine, for the names of its reports."""
    return f"{platform.system()}-{platform.machine()}-{os.cpu_count() or 1}cores".lower()


def _processor() -> str:
    """Read the processor's model where the kernel shows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
