"""`python agent_nursery.py SOCKET` loads the rehearsal agent once and forks for every stub that connects.

A fork is a process of its own with its own memory, channels, folder and environment. It ends when its stub does, and
the stub ends with its status.
"""

import contextlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from rehearsal_agent.__main__ import main

_SIGNALLED: Final = 128


def _serve(path: str) -> None:
    """Fork a guardian with its agent for everybody who connects, until stdin is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel takes ended guardians away
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen(64)
        print("ready", flush=True)
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            stub, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _stand_for(stub)
            stub.close()


def _stand_for(stub: socket.socket) -> NoReturn:
    """Run an agent on the stub's channels, and end the two together."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, channels, _, _ = socket.recv_fds(stub, 4, 3)
    order = json.loads(stub.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    agent = os.fork()
    if agent == 0:
        stub.close()
        _become(channels, order)
    for channel in channels:
        os.close(channel)
    ended = os.pidfd_open(agent)
    if stub in select.select([ended, stub], [], [])[0]:
        os.kill(agent, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(agent, 0)[1])
    with contextlib.suppress(OSError):  # the stub may have been killed
        stub.sendall(bytes([status if status >= 0 else _SIGNALLED - status]))
    os._exit(0)


def _become(channels: Sequence[int], order: dict[str, Any]) -> NoReturn:
    """Be the agent."""
    for number, channel in enumerate(channels):
        os.dup2(channel, number)
        os.close(channel)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = ["rehearsal_agent", *order["argv"]]
    status = 1  # what the interpreter gives a program that fails
    try:
        status = main()
        sys.stdout.flush()
    finally:
        os._exit(status)  # nothing of the nursery may run on


if __name__ == "__main__":
    _serve(sys.argv[1])
