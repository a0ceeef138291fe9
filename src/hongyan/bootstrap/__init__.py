"""The wiring: the only room that names concrete adapters, and the only one that loads some of them late.

A gateway that is idle carries no agent protocol and no migration library: both are loaded by name when they are first
needed. Nothing is decided here. Begin with `opening`, which makes a `Gateway` from the settings; `gateway` carries it,
`house` looks at, copies and puts back a home in which nothing needs to run.
"""

from hongyan.application.observe_app import ListenerView
from hongyan.bootstrap.gateway import STANDBY_RETRY_MS, Gateway
from hongyan.bootstrap.house import RestoredHome, backup_home, doctor, restore_home
from hongyan.bootstrap.opening import open_gateway
from hongyan.bootstrap.resources import Wiring

__all__ = [
    "STANDBY_RETRY_MS",
    "Gateway",
    "ListenerView",
    "RestoredHome",
    "Wiring",
    "backup_home",
    "doctor",
    "open_gateway",
    "restore_home",
]
