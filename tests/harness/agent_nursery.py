"""`python agent_nursery.py SOCKET` loads the rehearsal agent once and forks for every stub that connects.

A fork is a process of its own with its own memory, channels, folder and environment. It ends when its stub does.
"""

import json
import os
import select
import signal
import socket
import sys
import threading
from typing import Final, NoReturn

from rehearsal_agent.__main__ import main

_KILLED: Final = 128 + signal.SIGKILL


def _serve(path: str) -> None:
    """Fork for everybody who connects, until stdin is closed."""
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
