"""Find the scenario ids that tests carry."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard

from tests.architecture.sources import FunctionNode, Source, at, last_name

ID: Final = re.compile(r"[A-Z][a-z0-9]+")
MOST_IDS: Final = 3


def breaches(test_file: Source) -> list[str]:
    """Marks with something that is no id, and tests that claim more than one test can prove."""
    found = []
    for node in ast.walk(test_file.tree):
        if _is_mark(node):
            wrong = [ast.unparse(one) for one in node.args if not _is_id(one)]
            found += [f"{at(test_file, node)} {text} is no scenario id" for text in wrong]
            found += [] if node.args else [f"{at(test_file, node)} names no scenario"]
        elif isinstance(node, FunctionNode) and len(ids_of(node)) > MOST_IDS:
            found.append(f"{at(test_file, node)} {node.name} carries more than {MOST_IDS} ids")
    return found


def ids_of(test: FunctionNode) -> set[str]:
    """Every id on a test's decorators, those of single parameters too."""
    calls = [node for decorator in test.decorator_list for node in ast.walk(decorator) if _is_mark(node)]
    return {str(one.value) for call in calls for one in call.args if isinstance(one, ast.Constant)}


def find_test(test_files: Sequence[Source], node_id: str) -> FunctionNode | None:
    """The function that a pytest node id names; None when there is none."""
    path, *names = node_id.partition("[")[0].split("::")
    nodes: list[ast.AST] = [one.tree for one in test_files if one.path == path]
    for name in names:
        nodes = [child for node in nodes for child in _children(node, name)]
    return next((node for node in nodes if isinstance(node, FunctionNode)), None)


def _children(node: ast.AST, name: str) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode | ast.ClassDef) and child.name == name:
            yield child


def _is_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and last_name(node) == "scenario"


def _is_id(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(ID.fullmatch(node.value))
