"""The slash grammar of chats: recognised only in the message read back, exact text after trimming."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["Command", "CommandName", "Malformed", "parse_command"]


class CommandName(StrEnum):
    """The commands that a chat knows."""

    HELP = "help"
    STATUS = "status"
    NEW = "new"
    STOP = "stop"
    OWED = "owed"


_NAMES: Final = {
    "/help": CommandName.HELP,
    "/帮助": CommandName.HELP,
    "/status": CommandName.STATUS,
    "/状态": CommandName.STATUS,
    "/new": CommandName.NEW,
    "/新会话": CommandName.NEW,
    "/stop": CommandName.STOP,
    "/停止": CommandName.STOP,
    "/owed": CommandName.OWED,
    "/待处理": CommandName.OWED,
}

# Words with a meaning of their own that this version does not carry out: refused, never handed to an agent as text.
_RESERVED: Final = frozenset(
    {
        "/agent",
        "/agents",
        "/cancel",
        "/confirm",
        "/delegate",
        "/effort",
        "/ls",
        "/model",
        "/project",
        "/release",
        "/resume-commission",
        "/stop-commission",
        "/use",
    }
)

_FIRST_WORD: Final = re.compile(r"^(/[^\s/]+)(?:\s+(.*))?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command that may be carried out."""

    name: CommandName


@dataclass(frozen=True, slots=True)
class Malformed:
    """A command that is not carried out: `reserved` for a later version, else with words that do not belong there."""

    word: str
    reserved: bool = False


def parse_command(text: str, bot_name: str) -> Command | Malformed | None:
    """Recognise a command, or give None for ordinary text.

    A leading mention of this bot is allowed, of anybody else it is not. A first word that holds another `/` is a
    path, and an unknown slash word belongs to the agent: both are ordinary text.
    """
    words = _without_mention(text.strip(), bot_name)
    match = _FIRST_WORD.match(words)
    if match is None:
        return None
    word, rest = match.group(1).lower(), (match.group(2) or "").strip()
    if word in _RESERVED:
        return Malformed(word, reserved=True)
    name = _NAMES.get(word)
    if name is None:
        return None
    return Malformed(word) if rest else Command(name)


def _without_mention(text: str, bot_name: str) -> str:
    mention = f"@{bot_name}"
    if bot_name and text.startswith(mention) and text[len(mention) :][:1].isspace():
        return text[len(mention) :].strip()
    return text
