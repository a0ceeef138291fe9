"""Start the gateway from the command line."""

import sys

from hongyan.entrypoints.daemon.main import run

if __name__ == "__main__":
    sys.exit(run())
