"""Measure the shape of the code: lengths, annotations, docstrings, late imports, names, reasons of exceptions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from tests.architecture.imports import may_load_late
from tests.architecture.sources import FunctionNode, Source, at, last_name

LONGEST_FILE: Final = 400
LONGEST_FUNCTION: Final = 40
LONGEST_OF_NINE_IN_TEN: Final = 25
DUMPING_GROUNDS: Final = frozenset({"util", "utils", "_utils", "helper", "helpers", "common", "misc", "shared"})
LATE_LOADERS: Final = frozenset({"import_module", "__import__"})
EXCEPTION: Final = re.compile(r"#\s*(?P<what>type: ignore|noqa)(?P<rest>.*)")
CODES_AND_REASON: Final = re.compile(r"(\[[\w, -]+\]|: ?[A-Z]+\d+(, ?[A-Z]+\d+)*)\W+\w+\W+\w+.*")


@dataclass(frozen=True, slots=True)
class Function:
    """One `def`, nested ones too. Its lines do not count the docstring."""

    where: str
    lines: int
    annotated: bool


def file_lines(source: Source) -> int:
    """Physical lines."""
    return len(source.text.splitlines())


def functions(source: Source) -> list[Function]:
    """Every function of a file but the stubs of an overload."""
    return [
        Function(f"{at(source, node)} {node.name}", _lines(node), _annotated(node))
        for node in ast.walk(source.tree)
        if isinstance(node, FunctionNode) and "overload" not in map(last_name, node.decorator_list)
    ]


def _lines(node: FunctionNode) -> int:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is None:
        return lines
    docstring = node.body[0]
    return lines - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def _annotated(node: FunctionNode) -> bool:
    given = node.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    needed = [one for one in parameters if one and one.arg not in {"self", "cls"}]
    returns = node.returns is not None or node.name == "__init__"
    return returns and all(one.annotation for one in needed)


def ninth_decile(lengths: Iterable[int]) -> int:
    """What nine of ten stay within; 0 of nothing."""
    ordered = sorted(lengths)
    return ordered[int(0.9 * (len(ordered) - 1))] if ordered else 0


def undocumented(source: Source) -> list[str]:
    """Modules, public classes and public functions without a docstring; what lies in a function is nobody's door."""
    private = PurePosixPath(source.path).name.startswith("_") and not source.path.endswith("__init__.py")
    told = private or not source.tree.body or ast.get_docstring(source.tree)
    missing = [] if told else [f"{source.path}:1 the module"]
    return missing + [
        f"{at(source, node)} {node.name}" for node in _public(source.tree.body) if ast.get_docstring(node) is None
    ]


def _public(body: Sequence[ast.stmt]) -> Iterator[FunctionNode | ast.ClassDef]:
    for node in body:
        if isinstance(node, FunctionNode | ast.ClassDef) and not node.name.startswith("_"):
            if not _repeats_a_docstring(node):
                yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body)


def _repeats_a_docstring(node: FunctionNode | ast.ClassDef) -> bool:
    """A setter and an overload speak through the getter and the implementation."""
    return bool({"setter", "overload"} & {last_name(one) for one in node.decorator_list})


def late_imports(source: Source) -> list[str]:
    """Imports below a function, and loading by name outside the one file that may."""
    found = [
        f"{at(source, node)} imports late"
        for function in ast.walk(source.tree)
        if isinstance(function, FunctionNode)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    loads = [
        f"{at(source, node)} loads by name"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and last_name(node.func) in LATE_LOADERS
    ]
    return found + (loads if source.path.startswith("src/") and not may_load_late(source) else [])


def is_dumping_ground(source: Source) -> bool:
    """True when a folder or file has a name that says nothing about what lives there."""
    return bool(DUMPING_GROUNDS & set(PurePosixPath(source.path).with_suffix("").parts))


def unexplained(source: Source) -> list[str]:
    """Comments that silence a checker without naming the rule and a reason of two words or more."""
    found = []
    for number, line in enumerate(source.text.splitlines(), 1):
        silencer = EXCEPTION.search(line)
        if silencer and not CODES_AND_REASON.match(silencer["rest"].strip()):
            found.append(f"{source.path}:{number} {silencer['what']} without a reason")
    return found
