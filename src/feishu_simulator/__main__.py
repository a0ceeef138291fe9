"""Start the simulator from the command line."""

import sys

from feishu_simulator.main import run

sys.exit(run())
