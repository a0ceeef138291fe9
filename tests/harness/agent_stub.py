"""Stands for an agent program whose work a fork of the nursery does; loads next to nothing.

    python -I -S agent_stub.py SOCKET [OPTION]...

Hands its three channels, its folder, its environment and its options over and lives until the fork has ended, with the
same status. When this process is killed, the fork sees its end of the socket close and ends as well.
"""

import json
import os
import socket
import sys

CHANNELS = (0, 1, 2)


def main() -> int:
    """Return the status with which the fork ended."""
    order = json.dumps({"argv": sys.argv[2:], "cwd": os.getcwd(), "env": dict(os.environ)}).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as nursery:
        nursery.connect(sys.argv[1])
        socket.send_fds(nursery, [len(order).to_bytes(4, "big")], CHANNELS)
        nursery.sendall(order)
        for channel in CHANNELS:
            os.close(channel)  # the fork's end of a pipe must be the only one
        status = nursery.recv(1)
    return status[0] if status else 1


if __name__ == "__main__":
    sys.exit(main())
