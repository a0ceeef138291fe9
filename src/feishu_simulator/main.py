"""The simulator as a program: `python -m feishu_simulator`."""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from feishu_simulator.server import Simulator
from feishu_simulator.settings import SimulatorSettings

DONE, USAGE, BUSY = 0, 2, 7


def run(argv: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT and return the exit code.

    0 after a clean stop, 2 when the ready file exists already, 7 when a port is taken.
    """
    options = _parser().parse_args(argv)
    return asyncio.run(_serve(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="feishu_simulator", description="Serve a simulated Feishu on loopback.")
    parser.add_argument("--port", type=int, default=0, help="the port; 0 takes a free one")
    parser.add_argument("--ready-file", type=Path, help="written when it serves: JSON with the address and the token")
    parser.add_argument("--seed", type=int, default=0, help="the same seed mints the same ids")
    parser.add_argument("--visit", type=int, default=0, help="another number: the same people and chats, new messages")
    parser.add_argument("--exit-with-stdin", action="store_true", help="stop when standard input closes")
    parser.add_argument("--clock", choices=("real", "virtual"), default="real")
    return parser


async def _serve(options: argparse.Namespace) -> int:
    started_ns = time.monotonic_ns()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    if options.exit_with_stdin:
        asyncio.get_running_loop().add_reader(sys.stdin, _watch_stdin, stop)
    settings = SimulatorSettings(port=options.port, seed=options.seed, visit=options.visit, clock=options.clock)
    simulator = Simulator(settings)
    try:
        await simulator.start()
    except OSError as error:
        print(f"the simulator cannot listen: {error}", file=sys.stderr)
        return BUSY
    try:
        if options.ready_file is not None:
            _write_ready(options.ready_file, simulator, (time.monotonic_ns() - started_ns) // 1_000_000)
        print(simulator.page_url, flush=True)
        await stop.wait()  # serves for as long as it is wanted
    except FileExistsError:
        print(f"the ready file {options.ready_file} exists already", file=sys.stderr)
        return USAGE
    finally:
        await simulator.stop()
    return DONE


def _watch_stdin(stop: asyncio.Event) -> None:
    """Stop at the end of input: a parent that was killed closes it without a word."""
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin)
        stop.set()


def _write_ready(path: Path, simulator: Simulator, ready_ms: int) -> None:
    """Write the ready file for its owner only; FileExistsError when it is there."""
    ready = {
        "simulator_url": simulator.base_url,
        "simulator_token": simulator.control_token,
        "pid": os.getpid(),
        "ready_ms": ready_ms,
    }
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(ready, file)
