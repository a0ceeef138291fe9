"""A stand-in for the Feishu/Lark platform on loopback, and the witness of every test.

It speaks the platform's REST surface (`rest/`) and its long connection (`longconn.py`), keeps Apps, people, chats and
messages (`platform.py` holds them together), breaks on request (`faults.py`) and counts time on its own clock
(`clock.py`). Tests and people act on it through `control/`. It knows nothing of the gateway and must never import it.
Begin with `server.py`, then `platform.py`.
"""

from feishu_simulator.server import Simulator
from feishu_simulator.settings import SimulatorSettings

__all__ = ["Simulator", "SimulatorSettings"]
