"""The words a prompt may contain, and how a prompt becomes a list of steps.

Words act in the order in which they stand. Text outside of the words is echoed at the end, unless a word has
spoken already. Only the last text block of a prompt is read: what a client puts before it is context and no
script.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Word(StrEnum):
    """What can stand in double square brackets, as `[[word]]` or `[[word:argument]]`."""

    SAY = "say"
    """`say:TEXT` answers TEXT."""
    THINK = "think"
    """`think:TEXT` sends TEXT as a thought."""
    PLAN = "plan"
    """`plan:+DONE|>OPEN|WAITING` sends a plan of these steps."""
    SLOW = "slow"
    """`slow:N:MS` answers in N pieces, MS milliseconds apart (20 and 250 if not given)."""
    BIG = "big"
    """`big:KB` answers KB kibibytes of mixed Markdown (100 if not given)."""
    COUNT = "count"
    """`count` adds the number of this turn in its session to the echo."""
    IMAGE = "image"
    """`image` says how many images came with the prompt."""
    SILENT = "silent"
    """`silent` leaves the echo out: a turn may end without a word."""
    TOOL = "tool"
    """`tool:TITLE` lists the workspace; `tool:fail` fails; `tool:note` writes rehearsal-note.txt there."""
    OPEN_TOOL = "open-tool"
    """`open-tool:TITLE` starts a tool call and leaves it open."""
    CLOSE_TOOL = "close-tool"
    """`close-tool` completes the tool call that `open-tool` left open."""
    ASK = "ask"
    """`ask:TEXT` asks for permission to do TEXT and says what the answer was."""
    ASK_ALL = "ask-all"
    """`ask-all:N:TEXT` asks N times (3) at once, for `TEXT 1` and so on, and says what the answers were."""
    WAIT = "wait"
    """`wait:NAME` goes on when a file NAME is in the state directory."""
    TOUCH = "touch"
    """`touch:NAME` writes a file NAME into the state directory."""
    HANG = "hang"
    """`hang` sends nothing until it is cancelled."""
    IGNORE_CANCEL = "ignore-cancel"
    """`ignore-cancel:MS` streams until MS (7000) after its cancel; with a NAME until that file exists."""
    STEERING = "steering"
    """`steering:refuse` refuses words that come while the turn runs; `steering:hang` never answers them."""
    CRASH = "crash"
    """`crash` ends the process at once; `crash:after` streams half of a sentence first; `crash:answered` ends it when
    the answer is in the history but was not sent."""
    EXIT = "exit"
    """`exit` ends the process in good order after the answer."""
    LOSE_SESSION = "lose-session"
    """`lose-session` forgets the session: loading it later answers "Resource not found"."""
    GARBAGE = "garbage"
    """`garbage` prints a line on stdout that is no JSON."""
    REFUSE = "refuse"
    """`refuse` ends the turn with the stop reason "refusal"."""
    ERROR = "error"
    """`error:CODE:TEXT` answers the prompt with a JSON-RPC error."""
    OVERLOADED = "overloaded"
    """`overloaded` answers as agents do when their model has no capacity; `overloaded:NAME` until that file exists."""
    QUOTA = "quota"
    """`quota:MS:NAME` refuses for a spent quota that comes back at MS (UTC, may be empty), until a file NAME exists."""
    UNHEARD = "unheard"
    """`unheard:NAME` ends the process before the prompt is in the history, until a file NAME exists."""
    UNREADABLE = "unreadable"
    """`unreadable` makes the history of this session impossible to load from now on."""
    ODD = "odd"
    """`odd` answers with a kind of content that few clients know."""
    BACKGROUND = "background"
    """`background:NAME` leaves a command running beside the turn until a file NAME exists."""
    HELP = "help"
    """`help` says in two lines what there is."""
    GREET = "greet"
    """`greet:LANGUAGE` introduces the agent."""


SPEAKING: Final = frozenset(
    {
        Word.SILENT,
        Word.SAY,
        Word.SLOW,
        Word.BIG,
        Word.IMAGE,
        Word.TOOL,
        Word.ASK,
        Word.ASK_ALL,
        Word.IGNORE_CANCEL,
        Word.REFUSE,
        Word.ERROR,
    }
    | {Word.OVERLOADED, Word.QUOTA, Word.ODD, Word.HELP, Word.GREET}
)
"""Words after which the rest of the prompt is not echoed."""

_PATTERN: Final = re.compile(r"\[\[(?P<word>[a-z-]+)(?::(?P<argument>.*?))?\]\]", re.DOTALL)
_TRAILING: Final = " \t\r\n.!?,~。！？，～"

ENGLISH: Final = "en"
CHINESE: Final = "zh"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do in a turn."""

    word: Word
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """What a turn does, in order, and the text to echo at its end (None when a word has spoken)."""

    steps: tuple[Step, ...]
    echo: str | None

    def has(self, word: Word) -> bool:
        """Tell whether the prompt contains this word."""
        return any(step.word is word for step in self.steps)


PHRASES: Final[dict[str, Step]] = {
    "help": Step(Word.HELP, ENGLISH),
    "帮助": Step(Word.HELP, CHINESE),
    "slow": Step(Word.SLOW, ENGLISH),
    "slowly": Step(Word.SLOW, ENGLISH),
    "慢慢说": Step(Word.SLOW, CHINESE),
    "hi": Step(Word.GREET, ENGLISH),
    "hello": Step(Word.GREET, ENGLISH),
    "hey": Step(Word.GREET, ENGLISH),
    "你好": Step(Word.GREET, CHINESE),
    "您好": Step(Word.GREET, CHINESE),
    "嗨": Step(Word.GREET, CHINESE),
}
"""Whole prompts that mean something to a newcomer who knows none of the words."""


def read_script(text: str) -> Script:
    """Read a prompt; a bracketed word that does not exist is ordinary text."""
    phrase = PHRASES.get(text.strip(_TRAILING).lower())
    if phrase is not None:
        return Script((phrase,), None)
    steps: list[Step] = []

    def take(match: re.Match[str]) -> str:
        try:
            word = Word(match["word"])
        except ValueError:
            return match[0]
        steps.append(Step(word, match["argument"] or ""))
        return ""

    rest = _PATTERN.sub(take, text).strip()
    spoken = any(step.word in SPEAKING for step in steps)
    return Script(tuple(steps), None if spoken else rest)


def numbers_of(argument: str, *defaults: int) -> tuple[int, ...]:
    """Read `N:MS` style arguments; what is missing or no number takes its default."""
    parts = argument.split(":")
    return tuple(
        int(parts[place]) if place < len(parts) and parts[place].strip().isdigit() else default
        for place, default in enumerate(defaults)
    )
