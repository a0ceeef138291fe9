"""Agent programs that start at once.

Loading the protocol's types takes half a second of processor time, and nearly every scenario starts an agent, some
start six. Here each agent is a fork of a process that has loaded them, so what a scenario sees is still a real
program. Where the start of the program itself is what a test is about, it starts that.
"""

import atexit
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["quick_agent"]

_STUB: Final = Path(__file__).with_name("agent_stub.py")
_NURSERY: Final = Path(__file__).with_name("agent_nursery.py")


def quick_agent() -> list[str]:
    """Give the command that starts a rehearsal agent; the first call in a process loads it."""
    return [sys.executable, "-I", "-S", str(_STUB), _nursery()]


@cache
def _nursery() -> str:
    """Start the nursery of this process and give the path of its socket. It ends when this process does."""
    folder = tempfile.TemporaryDirectory(prefix="hongyan-agents-")
    path = f"{folder.name}/socket"
    nursery = subprocess.Popen([sys.executable, str(_NURSERY), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if nursery.stdin is None or nursery.stdout is None or not nursery.stdout.readline():
        raise AssertionError("the nursery of agents did not start")

    def close() -> None:
        nursery.communicate(timeout=10)
        folder.cleanup()

    atexit.register(close)
    return path
