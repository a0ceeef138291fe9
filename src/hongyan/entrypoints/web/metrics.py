"""What is counted, in the text format that Prometheus reads. Labels are classes and configured Apps: bounded."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hongyan.domain.ledger import Ledger, Partition
from hongyan.entrypoints.web.gateway import Listener

__all__ = ["METRICS_TYPE", "write_metrics"]

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_Row = tuple[dict[str, str], int]


def write_metrics(version: str, ledger: Ledger, listeners: Sequence[Listener]) -> str:
    """Write every metric with its help, from one reading of the store."""
    sides = {"received": ledger.received, "writes": ledger.writes}
    names = {one.app_id: one.app for one in listeners}
    calls = [(names[one.app], one) for one in ledger.calls if one.app in names]
    metrics: list[tuple[str, str, Iterable[_Row]]] = [
        ("hongyan_build_info", "The version that runs.", [({"version": version}, 1)]),
        ("hongyan_received", "Messages received, by the one class that each is in.", _classes(ledger.received)),
        ("hongyan_writes", "Writes to the platform, by the one state that each is in.", _classes(ledger.writes)),
        ("hongyan_total", "All rows of a partition.", [({"side": name}, side.total) for name, side in sides.items()]),
        (
            "hongyan_difference",
            "Sum of the classes minus the total; anything but 0 needs somebody.",
            [({"side": name}, side.difference) for name, side in sides.items()],
        ),
        ("hongyan_owed", "Things that wait for the owner.", [({}, ledger.owed)]),
        (
            "hongyan_platform_calls_today",
            "Calls to the platform today, by App.",
            [({"app": name}, one.today) for name, one in calls],
        ),
        (
            "hongyan_platform_calls_month",
            "Calls to the platform in this month, by App.",
            [({"app": name}, one.this_month) for name, one in calls],
        ),
        (
            "hongyan_listening",
            "1 while the long connection of an App stands.",
            [({"app": one.app}, int(one.state == "listening")) for one in listeners],
        ),
    ]
    return "".join(line for name, meaning, rows in metrics for line in _written(name, meaning, rows))


def _classes(partition: Partition) -> list[_Row]:
    return [({"class": name}, amount) for name, amount in partition.classes.items()]


def _written(name: str, meaning: str, rows: Iterable[_Row]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}\n# TYPE {name} gauge\n"
    for labels, value in rows:
        inside = ",".join(f'{label}="{_escaped(said)}"' for label, said in labels.items())
        yield f"{name}{{{inside}}} {value}\n" if inside else f"{name} {value}\n"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
