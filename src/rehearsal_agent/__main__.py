"""Starts the rehearsal agent: `python -m rehearsal_agent`."""

import argparse
import asyncio
import logging
import os
import sys
from pathlib import Path

from rehearsal_agent.agent import serve
from rehearsal_agent.journal import Journal


def default_state_directory() -> Path:
    """Return where sessions are kept when no directory is named."""
    named = os.environ.get("REHEARSAL_STATE")
    return Path(named) if named else Path.home() / ".local" / "state" / "rehearsal-agent"


def main() -> int:
    """Read the options and speak the protocol until stdin is closed."""
    parser = argparse.ArgumentParser(
        prog="rehearsal_agent",
        description="A deterministic agent for demos and tests. It speaks the Agent Client Protocol.",
    )
    parser.add_argument("--state", type=Path, help="where sessions are kept (default: REHEARSAL_STATE)")
    parser.add_argument("--plain", action="store_true", help="replay without ids and status")
    parser.add_argument("--start-delay", type=float, default=0.0, metavar="S", help="delay of the first answer")
    options = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL, stream=sys.stderr)
    state: Path = options.state or default_state_directory()
    if sys.stdin.isatty():
        print(
            "The rehearsal agent is listening; a client should start it. Ctrl-D ends it.",
            file=sys.stderr,
        )
    else:
        print(f"rehearsal agent: ready, state in {state}", file=sys.stderr)
    serving = serve(Journal(state), plain=options.plain, start_delay_seconds=options.start_delay, version="1")
    try:
        asyncio.run(serving)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
