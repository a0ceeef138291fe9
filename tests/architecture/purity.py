"""Find what the pure rooms must not hold: other imports, clocks, IO, chance, state that outlives a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from tests.architecture.sources import Source, at, last_name

STANDARD: Final = frozenset(
    {
        "__future__",
        "bisect",
        "collections",
        "collections.abc",
        "dataclasses",
        "datetime",
        "enum",
        "functools",
        "hashlib",
        "itertools",
        "json",
        "math",
        "re",
        "string",
        "types",
        "typing",
        "unicodedata",
    }
)
# A room may lean on itself and on what lies further inside.
INSIDE: Final = {"hongyan.domain": ("hongyan.domain",), "hongyan.ports": ("hongyan.domain", "hongyan.ports")}
FORBIDDEN_CALLS: Final = frozenset({"open", "print", "input", "eval", "exec", "breakpoint", "__import__", "globals"})
CLOCKS: Final = frozenset({"now", "utcnow", "today", "time"})
MUTABLE_NODES: Final = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
MUTABLE_CALLS: Final = frozenset({"dict", "list", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"})


def room_of(name: str) -> str | None:
    """The pure room that a dotted module name belongs to."""
    return next((room for room in INSIDE if name == room or name.startswith(f"{room}.")), None)


def breaches(source: Source) -> list[str]:
    """One line for each thing that does not belong into a pure room."""
    room = room_of(source.name)
    if room is None:
        return []
    found = [*_foreign_imports(source, INSIDE[room]), *_forbidden_calls(source), *_mutable_state(source)]
    return found + (_coroutines(source) if room == "hongyan.domain" else [])


def _foreign_imports(source: Source, inside: tuple[str, ...]) -> Iterator[str]:
    for node in ast.walk(source.tree):
        for target in _imported(node):
            own = any(target == room or target.startswith(f"{room}.") for room in inside)
            if not own and target not in STANDARD:
                yield f"{at(source, node)} imports {target}"  # type: ignore[arg-type]  # only statements import


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["." * node.level + (node.module or "")]
    return []


def _forbidden_calls(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call):
            continue
        plain = isinstance(node.func, ast.Name)
        name = last_name(node.func)
        if name in CLOCKS or (plain and name in FORBIDDEN_CALLS):
            yield f"{at(source, node)} calls {name}()"


def _mutable_state(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Global):
            yield f"{at(source, node)} declares a global"
    for statement in source.tree.body:
        value, annotation, name = _assigned(statement)
        if value is None or name == "__all__" or annotation == "Final":
            continue
        if isinstance(value, MUTABLE_NODES) or (isinstance(value, ast.Call) and last_name(value) in MUTABLE_CALLS):
            yield f"{at(source, statement)} keeps mutable state in {name}: freeze it or mark it Final"


def _assigned(statement: ast.stmt) -> tuple[ast.expr | None, str, str]:
    if isinstance(statement, ast.Assign):
        return statement.value, "", last_name(statement.targets[0])
    if isinstance(statement, ast.AnnAssign):
        return statement.value, last_name(statement.annotation), last_name(statement.target)
    return None, "", ""


def _coroutines(source: Source) -> list[str]:
    return [
        f"{at(source, node)} is a coroutine: the domain waits for nothing"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.AsyncFunctionDef | ast.Await)
    ]
