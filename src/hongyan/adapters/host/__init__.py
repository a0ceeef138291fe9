"""This machine: its clocks, its chance, wake-ups between workers, and what its folders are.

Nothing here knows a chat or an agent. Begin with `clock`.
"""

from hongyan.adapters.host.clock import SystemClock
from hongyan.adapters.host.entropy import SystemEntropy
from hongyan.adapters.host.folders import HostFolders
from hongyan.adapters.host.wakeup import LocalWakeup

__all__ = ["HostFolders", "LocalWakeup", "SystemClock", "SystemEntropy"]
