"""Start the gateway from the command line.

What is loaded here lives as long as the process. It is loaded without a collector that would look through it again and
again, and without `rich`: structlog and httpx load that when they find it, for a terminal that a daemon never paints
on. Together they take a third of the time that loading needs, and rich 3 MB. Whoever presses Ctrl-C meanwhile ends a
process that has done nothing yet, without a trace on the terminal.
"""

import gc
import signal
import sys

gc.disable()
interrupted = signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.modules["rich"] = None  # type: ignore[assignment]  # None refuses an import; who can do without then does

from hongyan.entrypoints.daemon.main import run  # noqa: E402 - not before what is above

signal.signal(signal.SIGINT, interrupted)
gc.freeze()
gc.enable()

if __name__ == "__main__":
    sys.exit(run())
