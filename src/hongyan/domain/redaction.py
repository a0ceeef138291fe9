"""Secrets in foreign words, blotted out before the words are shown: what looks like one is one."""

import re
from typing import Final

__all__ = ["redact"]

BLOT: Final = "***"


def redact(text: str) -> str:
    """Blot out keys, tokens, passwords and private keys; the rest of the text stays as it is."""
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


_NAMED: Final = (
    r"((?:[\w-]*(?:passwo?r?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|ticket)[\w-]*)"
    r"[\"']?\s*[:=]\s*[\"']?)[^\s\"'&,;]+"
)
_PATTERNS: Final = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL), BLOT),
    (re.compile(r"(?i)\b(authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)?\s*)[^\s\"',;]+"), rf"\1{BLOT}"),
    (re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}"), rf"\1{BLOT}"),
    (re.compile(rf"(?i)(?<![\w-]){_NAMED}"), rf"\1{BLOT}"),
    (re.compile(r"(://[^\s/:@]+:)[^\s/@]+(@)"), rf"\1{BLOT}\2"),
    (re.compile(r"\b(?:sk|pk|rk)-[\w-]{16,}"), BLOT),
    (re.compile(r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza)[\w-]{10,}"), BLOT),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), BLOT),
    (re.compile(r"\b[tu]-[A-Za-z0-9_-][A-Za-z0-9._-]{19,}"), BLOT),
)
