"""What an agent program can do and what it tells while it works, whatever its protocol.

A Turn ends exactly once: by `TurnEnded`, or by `Lost` when the process is gone.
"""

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "AgentEvent",
    "AgentSeat",
    "AgentWarned",
    "Capabilities",
    "Evidence",
    "Lost",
    "PermissionAnswer",
    "PermissionAsked",
    "PermissionWithdrawn",
    "PlanChanged",
    "PlanStatus",
    "PlanStep",
    "Prompt",
    "ReadBack",
    "ReadBackKind",
    "Reasoned",
    "SteerOutcome",
    "Steered",
    "TextArrived",
    "ThoughtArrived",
    "ToolChanged",
    "ToolStatus",
    "TurnEnded",
    "TurnEnding",
]


class ReadBackKind(StrEnum):
    """How much of its own history an agent can show after a crash."""

    LEDGER = "ledger"  # our message ids and the status of each turn
    REPLAY = "replay"  # text only: enough to show, not enough to prove
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one live agent can do, as it said itself when it started."""

    name: str
    version: str
    resume: bool
    read_back: ReadBackKind
    steer: bool
    images: bool


@dataclass(frozen=True, slots=True)
class AgentSeat:
    """Where an agent works for one Session: which executor, in which folder, and the session id it knows.

    `upstream` is empty before the agent opened a session of its own.
    """

    session_id: str
    executor: str
    workspace: str
    upstream: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt. `key` is the gateway's own id of this dispatch; agents that keep a ledger give it back."""

    key: str
    text: str


class ToolStatus(StrEnum):
    """Where a tool call stands."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TextArrived:
    """A piece of the agent's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtArrived:
    """A piece of a thought that the agent summed up for a reader."""

    text: str


@dataclass(frozen=True, slots=True)
class Reasoned:
    """The agent reasons, in words that were not written for a reader: a sign of life, and neither kept nor shown."""


class PlanStatus(StrEnum):
    """Where a step of a plan stands."""

    WAITING = "waiting"
    OPEN = "open"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of the agent's plan, in its words."""

    text: str
    status: PlanStatus


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The agent's whole plan as it is now."""

    steps: tuple[PlanStep, ...]


@dataclass(frozen=True, slots=True)
class ToolChanged:
    """A tool call opened or moved; calls are told apart by `tool_id`, titles may arrive late."""

    tool_id: str
    title: str
    kind: str
    status: ToolStatus


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """The agent asks for leave and waits. `ask_id` is good for one answer through the port's `answer`.

    `kind` is the agent's own kind of tool, `arguments` its whole input as text, `locations` the paths it names;
    `whole_session` says that the agent also takes a yes for the rest of the session.
    """

    ask_id: str
    tool_id: str
    title: str
    kind: str
    arguments: str
    locations: tuple[str, ...]
    whole_session: bool


@dataclass(frozen=True, slots=True)
class PermissionWithdrawn:
    """The agent no longer waits for an answer: it was interrupted, ended, or took its request back."""

    ask_id: str


class PermissionAnswer(StrEnum):
    """What an agent may be answered."""

    ALLOW_ONCE = "allow_once"
    ALLOW_SESSION = "allow_session"
    REJECT = "reject"
    CANCEL = "cancel"


class SteerOutcome(StrEnum):
    """What became of words that were handed to a running prompt."""

    TAKEN = "taken"
    NO_TURN = "no_turn"  # the prompt had ended by then; the agent keeps nothing of the words
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Steered:
    """The agent took more words of the person into the running prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class AgentWarned:
    """The agent said something about itself that belongs to no answer."""

    text: str


class TurnEnding(StrEnum):
    """How a turn ended at the agent."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The agent ended its turn. `answer` is the text that follows its last tool call (all text when it used none).

    `code` and `message` are the agent's own words for a failure; `code` is `agent.…`, empty otherwise. `retry_at` is
    when a spent quota comes back (UTC milliseconds), 0 when the agent does not say.
    """

    ending: TurnEnding
    answer: str
    code: str = ""
    message: str = ""
    retry_at: int = 0


@dataclass(frozen=True, slots=True)
class Lost:
    """The process is gone or its pipes are; `partial` is the text it had said in this turn."""

    code: str
    reason: str
    partial: str = ""


AgentEvent = (
    TextArrived
    | ThoughtArrived
    | Reasoned
    | PlanChanged
    | ToolChanged
    | PermissionAsked
    | PermissionWithdrawn
    | Steered
    | AgentWarned
    | TurnEnded
    | Lost
)


class Evidence(StrEnum):
    """What the agent's own history proves about one prompt."""

    ABSENT = "absent"  # it never took it up
    ENDED = "ended"  # it ended; the answer is there
    UNFINISHED = "unfinished"  # it took it up, it did not end, and nothing runs any more
    RUNNING = "running"  # an agent that outlived us still works on it
    UNKNOWN = "unknown"  # the history proves nothing


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The evidence for one prompt, with the answer when it ended and the ending the agent recorded."""

    evidence: Evidence
    ending: TurnEnding | None = None
    answer: str = ""
