"""Read the Python files of a tree into what the measures need: path, dotted name, text and syntax tree."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
SKIPPED: Final = frozenset({"__pycache__", "node_modules", ".venv"})

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One file; `path` is relative to the tree's root, with `/`."""

    path: str
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The dotted module name: `src/pkg/a/__init__.py` is `pkg.a`, `tests/x.py` is `tests.x`."""
        parts = list(PurePosixPath(self.path).with_suffix("").parts)
        if parts[0] == "src":
            del parts[0]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """What a relative import starts from."""
        return self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]


def source(path: str, text: str) -> Source:
    """Raise SyntaxError when the text is not Python."""
    return Source(path, text, ast.parse(text, path))


def read_sources(folder: str, root: Path = ROOT) -> list[Source]:
    """Every Python file below the folder, by path; none when the folder does not exist."""
    files = sorted((root / folder).rglob("*.py"))
    relative = [(file, file.relative_to(root)) for file in files]
    return [
        source(short.as_posix(), file.read_text(encoding="utf-8"))
        for file, short in relative
        if not SKIPPED & set(short.parts)
    ]


def last_name(node: ast.expr) -> str:
    """`a.b.C[x](y)` gives `C`; nothing for what has no name."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def dotted(node: ast.expr) -> str:
    """`a.b.c` as text; nothing when a part is not a plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (front := dotted(node.value)):
        return f"{front}.{node.attr}"
    return ""


def at(source: Source, node: ast.stmt | ast.expr | ast.arg) -> str:
    """`path:line`, to be clicked."""
    return f"{source.path}:{node.lineno}"
