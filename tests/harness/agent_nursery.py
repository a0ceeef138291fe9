"""Agent programs that start at once: forks of one process that has loaded the rehearsal agent.

Loading the protocol's types takes half a second of processor time, and nearly every scenario starts an agent, some
start six. A fork is a process of its own with its own memory, channels, folder and environment, so what a scenario
sees is a real program; tests of real processes start the program itself.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Final, NoReturn

__all__ = ["quick_agent"]

_STUB: Final = Path(__file__).with_name("agent_stub.py")
_KILLED: Final = 128 + signal.SIGKILL


def quick_agent() -> list[str]:
    """Give the command that starts a rehearsal agent; the first call in a process loads it."""
    return [sys.executable, "-I", "-S", str(_STUB), _nursery()]


@cache
def _nursery() -> str:
    """Start the nursery of this process and give the path of its socket. It ends when this process does."""
    folder = tempfile.TemporaryDirectory(prefix="hongyan-agents-")
    path = f"{folder.name}/socket"
    nursery = subprocess.Popen([sys.executable, __file__, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if nursery.stdin is None or nursery.stdout is None or not nursery.stdout.readline():
        raise AssertionError("the nursery of agents did not start")

    def close() -> None:
        nursery.communicate(timeout=10)
        folder.cleanup()

    atexit.register(close)
    return path


def _serve(path: str) -> None:
    """Fork for everybody who connects, until stdin is closed."""
    import rehearsal_agent.__main__  # noqa: F401, PLC0415  # here, so that only the nursery loads it

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel takes ended forks away
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen(64)
        print("ready", flush=True)
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            stub, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _become(stub)
            stub.close()


def _become(stub: socket.socket) -> NoReturn:
    """Be the agent that the stub stands for; never returns."""
    from rehearsal_agent.__main__ import main  # noqa: PLC0415  # loaded before the fork

    size, channels, _, _ = socket.recv_fds(stub, 4, 3)
    order = json.loads(stub.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    for number, channel in enumerate(channels):
        os.dup2(channel, number)
        os.close(channel)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = ["rehearsal_agent", *order["argv"]]
    threading.Thread(target=_end_with, args=(stub,), daemon=True).start()
    status = main()
    sys.stdout.flush()
    stub.sendall(bytes([status]))
    os._exit(status)


def _end_with(stub: socket.socket) -> None:
    """Wait until the stub is gone, then end as it did."""
    stub.recv(1)
    os._exit(_KILLED)


if __name__ == "__main__":
    _serve(sys.argv[1])
