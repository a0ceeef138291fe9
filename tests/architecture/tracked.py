"""Find in tracked text what a reader elsewhere cannot use or must not see."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

GIT_SECONDS: Final = 30
BINARY: Final = frozenset({".png", ".jpg", ".ico", ".woff2", ".gif", ".webp", ".zip", ".gz"})
# The patterns are split so that this file does not find itself.
PLACES: Final = {
    "a path of one machine": re.compile("(?<![\\w.])/(wo" + "rk|ro" + "ot)/"),
    "the address of a registry": re.compile(
        r"py" + r"pi\.org|python" + r"hosted\.org|registry\.npm" + r"js\.org|deb\.deb" + r"ian\.org"
    ),
    "a tool of one workplace": re.compile("measure_" + "style|scenario_" + "coverage|share" + "d/(design|facts|style)"),
}
SECRETS: Final = {
    "a private key": re.compile("-----BEGIN [A-Z ]*PRIVATE" + " KEY-----\n?[A-Za-z0-9+/=]{40}"),
    "a cloud key": re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    "an access token": re.compile(r"\b(gh[pousr]_[A-Za-z0-9]{30,}|xox[abprs]-[A-Za-z0-9-]{20,}|sk-[A-Za-z0-9]{24,})"),
    "a signed token": re.compile(r"\beyJ[\w-]{15,}\.eyJ[\w-]{15,}\.[\w-]{20,}"),
}
NARRATION: Final = {
    "a date": re.compile(r"\b20\d\d-[01]\d-[0-3]\d\b"),
    "a year": re.compile(r"\b(in|since|as of|until) 20\d\d\b", re.I),
    "the number of an issue": re.compile(r"\b(issue|bug|ticket|PR|pull request) #?\d+\b|(?<![\w&/])#\d+\b", re.I),
    "a note to oneself": re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b"),
}


def tracked_files(root: Path) -> list[Path]:
    """What git holds of a checkout, relative to it, whoever owns the folder."""
    command = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, check=True, timeout=GIT_SECONDS).stdout.decode()
    return [path for name in listed.split("\0") if name and (path := Path(name)) and (root / path).is_file()]


def breaches(path: Path, text: str) -> list[str]:
    """One line for each place, secret and piece of narration in a file."""
    found = [*_found(path, text, PLACES), *_found(path, text, SECRETS)]
    if path.suffix == ".py":
        found += _found(path, prose_of_python(text), NARRATION)
    elif path.suffix == ".md" and path.name != "CHANGELOG.md":  # a release has its day
        found += _found(path, text, NARRATION)
    return found


def _found(path: Path, text: str, patterns: dict[str, re.Pattern[str]]) -> Iterator[str]:
    for what, pattern in patterns.items():
        for hit in pattern.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, hit.start()) + 1} {what}: {hit[0]}"


def prose_of_python(text: str) -> str:
    """Comments and docstrings on their own lines, everything else blank."""
    lines = [""] * (len(text.splitlines()) + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] += token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if ast.get_docstring(node, clean=False) is not None:
                for offset, line in enumerate((ast.get_docstring(node, clean=False) or "").split("\n")):
                    lines[first.lineno - 1 + offset] += line
    return "\n".join(lines)
