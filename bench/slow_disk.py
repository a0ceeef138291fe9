"""Run a benchmark again on a disk whose every sync takes 2 ms longer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

__all__ = ["run_on_slow_disk"]

_SOURCE: Final = Path(__file__).with_name("slowsync.c")
_MICROSECONDS: Final = 2000
_COMPILE_SECONDS: Final = 60.0


def run_on_slow_disk(module: str, folder: Path, *, timeout_seconds: float = 600.0) -> dict[str, Any] | None:
    """Run `python -m module` with the slow sync preloaded and give what it printed as JSON.

    None when this machine has no C compiler or does not preload (macOS).
    """
    library = folder / "slowsync.so"
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-o", str(library), str(_SOURCE)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_COMPILE_SECONDS)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "SLOWSYNC_US": str(_MICROSECONDS),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    answer = subprocess.run(
        [sys.executable, "-m", module],
        check=True,
        stdout=subprocess.PIPE,
        env=environment,
        timeout=timeout_seconds,
    )
    found: dict[str, Any] = json.loads(answer.stdout)
    return found
