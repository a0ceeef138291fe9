"""The graph of imports: cycles, and the arrows between rooms. Late and type-only imports count too."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

from tests.architecture.sources import Source

# A room is named in the picture by the last part of its module.
ROOMS: Final = (
    "hongyan.domain",
    "hongyan.ports",
    "hongyan.application",
    "hongyan.adapters.lark",
    "hongyan.adapters.lark_cli",
    "hongyan.adapters.store",
    "hongyan.adapters.executors",
    "hongyan.adapters.sandbox",
    "hongyan.adapters.host",
    "hongyan.config",
    "hongyan.bootstrap",
    "hongyan.entrypoints.daemon",
    "hongyan.entrypoints.cli",
    "hongyan.entrypoints.web",
    "hongyan.entrypoints.mcp",
    "feishu_simulator",
    "rehearsal_agent",
)


def may_load_late(source: Source) -> bool:
    """True for the one module that loads others by their names; there a name in a string is an import."""
    return source.name == "hongyan.bootstrap" or source.package == "hongyan.bootstrap"


def import_graph(sources: Iterable[Source]) -> dict[str, set[str]]:
    """Module to the modules of the same tree that it names anywhere in its text."""
    by_name = {source.name: source for source in sources}
    return {
        name: {owner for target in _targets(source) if (owner := _owner(target, by_name))} - {name}
        for name, source in by_name.items()
    }


def _targets(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree) if may_load_late(source) else _statements(source.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(source.package, node)
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif may_load_late(source) and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(":")[0]


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Everything below that may hold an import; expressions, nine in ten nodes of a tree, hold none."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from _statements(child)


def _base(package: str, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    parts = package.split(".")
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def _owner(target: str, known: Mapping[str, Source]) -> str | None:
    """The module itself, or the one that holds the imported name."""
    return next((name for name in (target, target.rpartition(".")[0]) if name in known), None)


def a_cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """One way round, first and last the same; empty when every import points on."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def room_of(name: str) -> str | None:
    """The picture's name for the room that holds a module."""
    room = next((room for room in ROOMS if name == room or name.startswith(f"{room}.")), None)
    return room and room.rpartition(".")[2]


def arrows(graph: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """(room, room) for every import that goes through a door."""
    pairs = {(room_of(name), room_of(target)) for name, targets in graph.items() for target in targets}
    return {(tail, head) for tail, head in pairs if tail and head and tail != head}
