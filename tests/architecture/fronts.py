"""Judge `__init__` files: a story, what is handed out, and no code."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from tests.architecture.sources import Source, at, last_name

NAMES_OF_A_FRONT: Final = frozenset({"__all__", "__version__"})


def breaches(front: Source) -> list[str]:
    """One line for each thing a front lacks or should not hold."""
    found = [] if ast.get_docstring(front.tree) else [f"{front.path}:1 tells no story"]
    offered = _offered(front.tree)
    if offered is None:
        found.append(f"{front.path}:1 has no __all__")
    elif list(offered) != sorted(offered, key=_isort_style):
        found.append(f"{front.path}:1 has an unsorted __all__")
    return found + [f"{at(front, node)} holds code" for node in front.tree.body if not _belongs(node)]


def _offered(tree: ast.Module) -> Sequence[str] | None:
    for node in tree.body:
        if _target(node) == "__all__" and isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            names: Sequence[str] = ast.literal_eval(node.value)
            return names
    return None


def _target(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign):
        return last_name(node.targets[0])
    return last_name(node.target) if isinstance(node, ast.AnnAssign) else ""


def _belongs(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.Import | ast.ImportFrom) or _target(node) in NAMES_OF_A_FRONT


def _isort_style(name: str) -> tuple[int, list[tuple[int, str]]]:
    """The order that ruff's RUF022 writes: CONSTANTS, Classes, functions; digits by value."""
    rank = 0 if name.isupper() else 1 if name[:1].isupper() else 2
    return rank, [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
