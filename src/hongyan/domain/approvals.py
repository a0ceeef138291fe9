"""An agent asks to do something: which risk it is, and whether a person has to be asked about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.domain import limits
from hongyan.domain.decisions import Outcome
from hongyan.domain.errors import ConfigurationError

__all__ = ["DEFAULT_POLICY", "Policy", "Risk", "Rule", "cut_arguments", "parse_answer", "parse_policy", "risk_of"]


class Risk(StrEnum):
    """The classes of what an agent may ask to do."""

    READS = "reads"
    WRITES = "writes"  # inside the workspace
    COMMANDS = "commands"
    NETWORK = "network"
    OUTSIDE = "outside"  # touches something beyond the workspace


class Rule(StrEnum):
    """What happens to a request of one class."""

    AUTO = "auto"
    ASK = "ask"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Policy:
    """One rule a class. `never` refuses before anybody is asked."""

    rules: Mapping[Risk, Rule]

    def rule(self, risk: Risk) -> Rule:
        """Give the rule of a class."""
        return self.rules[risk]

    def text(self) -> str:
        """Give the policy as it is written on the command line."""
        return ",".join(f"{risk}={self.rules[risk]}" for risk in Risk)


_DEFAULTS: Final = {
    Risk.READS: Rule.AUTO,
    Risk.WRITES: Rule.ASK,
    Risk.COMMANDS: Rule.ASK,
    Risk.NETWORK: Rule.ASK,
    Risk.OUTSIDE: Rule.NEVER,
}
DEFAULT_POLICY: Final = Policy(_DEFAULTS)

_KINDS: Final = {
    "read": Risk.READS,
    "search": Risk.READS,
    "think": Risk.READS,
    "edit": Risk.WRITES,
    "delete": Risk.WRITES,
    "move": Risk.WRITES,
    "execute": Risk.COMMANDS,
    "fetch": Risk.NETWORK,
}


def risk_of(tool_kind: str, locations: tuple[str, ...], workspace: str) -> Risk:
    """Name the class of a request by the agent's own kind of tool and the paths it names; unknown kinds are commands.

    A read or write of a path beyond the workspace is `outside`. Relative paths are taken as inside: the agent works
    in the workspace.
    """
    risk = _KINDS.get(tool_kind, Risk.COMMANDS)
    inside = workspace.rstrip("/") + "/"
    beyond = any(
        (path.startswith("/") and not (path + "/").startswith(inside)) or "/../" in f"/{path}/" for path in locations
    )
    return Risk.OUTSIDE if beyond and risk in {Risk.READS, Risk.WRITES} else risk


def parse_policy(text: str, before: Policy = DEFAULT_POLICY) -> Policy:
    """Read `reads=auto,writes=ask,…`; a class that is not named keeps the rule that it had before.

    Raise ConfigurationError `approvals.policy` naming the part that cannot be read.
    """
    rules = dict(before.rules)
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, rule = part.partition("=")
        try:
            rules[Risk(name.strip())] = Rule(rule.strip())
        except ValueError:
            hint = f"Write class=rule; classes: {', '.join(Risk)}; rules: {', '.join(Rule)}."
            raise ConfigurationError("approvals.policy", f"{part!r} is no rule", hint=hint) from None
    return Policy(rules)


_ANSWERS: Final = {
    "yes": Outcome.ALLOWED_ONCE,
    "allow": Outcome.ALLOWED_ONCE,
    "允许": Outcome.ALLOWED_ONCE,
    "always": Outcome.ALLOWED_SESSION,
    "本次会话": Outcome.ALLOWED_SESSION,
    "no": Outcome.REJECTED,
    "reject": Outcome.REJECTED,
    "拒绝": Outcome.REJECTED,
}


def parse_answer(text: str) -> tuple[str, Outcome] | None:
    """Read a typed answer, `yes CODE` and its like: the code in capitals and what it decides. None for other words."""
    words = text.split()
    if len(words) != 2:
        return None
    outcome, code = _ANSWERS.get(words[0].lower()), words[1].upper()
    fits = len(code) == limits.APPROVAL_CODE_LENGTH and all(letter in limits.PAIRING_ALPHABET for letter in code)
    return (code, outcome) if outcome is not None and fits else None


def cut_arguments(text: str, limit: int = limits.APPROVAL_ARGUMENT_BYTES) -> tuple[str, int]:
    """Cut what is shown on a phone to `limit` UTF-8 bytes; give it with the number of bytes left out."""
    whole = text.encode()
    if len(whole) <= limit:
        return text, 0
    shown = whole[:limit].decode(errors="ignore")
    return shown, len(whole) - len(shown.encode())
