"""Who may start what, where: one pure decision over what was read back.

Strangers get silence, people who may be here get a reason. Every refusal has a code.
"""

from dataclasses import dataclass
from enum import StrEnum

from hongyan.domain import limits
from hongyan.domain.approvals import parse_answer
from hongyan.domain.bindings import Binding, BindingState
from hongyan.domain.commands import Command, Malformed, parse_command
from hongyan.domain.decisions import Outcome
from hongyan.domain.messages import WRITTEN, ChatKind, MessageKind, PostedMessage, SenderKind
from hongyan.domain.pairing import Owner, looks_like_code
from hongyan.domain.requests import Request

__all__ = [
    "Admit",
    "AnswerDecision",
    "Ask",
    "Facts",
    "PairingTry",
    "Refusal",
    "Refuse",
    "RunCommand",
    "Silence",
    "Silent",
    "decide_access",
]


class Silent(StrEnum):
    """Why a message is met with silence."""

    STRANGER = "access.stranger"
    NOT_PAIRED = "access.not_paired"
    GROUP_NOT_BOUND = "access.group_not_bound"
    FROM_AN_APP = "access.from_an_app"
    RECALLED = "source.recalled"
    GONE = "source.gone"
    CONFLICT = "source.conflict"
    REVOKED = "access.revoked"
    PAIRING_CODE = "access.pairing_code"
    IGNORED = "source.ignored"
    EDITED = "source.edited"


class Refusal(StrEnum):
    """Why a message of somebody who may be here is not run."""

    NOT_BOUND = "access.not_bound"
    UNREADABLE_PART = "source.unreadable_part"
    WORKSPACE_UNAVAILABLE = "workspace.unavailable"
    EXECUTOR_UNAVAILABLE = "executor.unavailable"
    QUEUE_FULL = "queue.full"
    SESSION_LOST = "agent.session_lost"
    COMMAND_MALFORMED = "command.malformed"
    COMMAND_UNAVAILABLE = "command.unavailable"


@dataclass(frozen=True, slots=True)
class Silence:
    """Close the request without a word."""

    code: Silent


@dataclass(frozen=True, slots=True)
class PairingTry:
    """A stranger sent something with the shape of a pairing code while a pairing is open."""

    text: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Say why not."""

    code: Refusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """Wait for the owner's Run or Ignore."""

    code: str


@dataclass(frozen=True, slots=True)
class AnswerDecision:
    """Decide what an agent asked: the typed answer of the owner."""

    code: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class RunCommand:
    """Carry out a command."""

    command: Command


@dataclass(frozen=True, slots=True)
class Admit:
    """Append the text to the Session's queue."""

    text: str


Decision = Silence | PairingTry | Refuse | Ask | AnswerDecision | RunCommand | Admit


@dataclass(frozen=True, slots=True)
class Facts:
    """What admission knows. `posted` is the read-back, None when the platform no longer has the message.

    `now` is the platform's time as far as known. `twin` says that another request carries the same secondary key.
    """

    request: Request
    posted: PostedMessage | None
    owner: Owner | None
    binding: Binding | None
    pairing_open: bool
    workspace_usable: bool
    executor_known: bool
    bot_name: str
    twin: bool
    now: int
    owner_said_run: bool
    asked_codes: tuple[str, ...] = ()


def decide_access(facts: Facts) -> Decision:
    """Decide what becomes of a captured message."""
    if facts.posted is None:
        return Silence(Silent.GONE)
    if facts.posted.recalled:
        return Silence(Silent.RECALLED)
    return _about_source(facts, facts.posted) or _about_sender(facts, facts.posted) or _about_work(facts, facts.posted)


def _about_source(facts: Facts, posted: PostedMessage) -> Decision | None:
    """The address in the event must be the address of the message; its words need not be."""
    request = facts.request
    if (posted.chat_id, posted.sender) != (request.chat_id, request.sender):
        return Silence(Silent.CONFLICT)
    if posted.sender_kind is SenderKind.APP:
        return Silence(Silent.FROM_AN_APP)
    if request.chat_kind is ChatKind.GROUP:
        return Silence(Silent.GROUP_NOT_BOUND)
    return None


def _about_sender(facts: Facts, posted: PostedMessage) -> Decision | None:
    if facts.owner is not None and posted.sender == facts.owner.open_id:
        return None
    if facts.pairing_open and posted.text is not None and looks_like_code(posted.text):
        return PairingTry(posted.text)
    return Silence(Silent.STRANGER if facts.owner is not None else Silent.NOT_PAIRED)


def _about_work(facts: Facts, posted: PostedMessage) -> Decision:
    if facts.pairing_open and posted.text is not None and looks_like_code(posted.text):
        return PairingTry(posted.text)
    if _revoked_since(facts):
        return Silence(Silent.REVOKED)
    if posted.kind not in WRITTEN or posted.text is None:
        return Refuse(Refusal.UNREADABLE_PART, posted.kind.value)
    if posted.has_attachment:
        return Refuse(Refusal.UNREADABLE_PART, MessageKind.IMAGE.value)
    if _must_ask(facts):
        return Ask("source.twin" if facts.twin else "source.late")
    return _answer(facts, posted.text) or _command(facts, posted.text) or _missing(facts) or Admit(posted.text)


def _answer(facts: Facts, text: str) -> Decision | None:
    """Recognise a typed answer by a code that was asked here lately; other words are the agent's."""
    answer = parse_answer(text)
    return AnswerDecision(*answer) if answer is not None and answer[0] in facts.asked_codes else None


def _command(facts: Facts, text: str) -> Decision | None:
    command = parse_command(text, facts.bot_name)
    if isinstance(command, Malformed):
        code = Refusal.COMMAND_UNAVAILABLE if command.reserved else Refusal.COMMAND_MALFORMED
        return Refuse(code, command.word)
    return RunCommand(command) if isinstance(command, Command) else None


def _must_ask(facts: Facts) -> bool:
    late = facts.now - facts.request.create_time > limits.LATE_ASKS_MS
    return not facts.owner_said_run and (facts.twin or late)


def _revoked_since(facts: Facts) -> bool:
    """Tell whether the binding was revoked while this message waited: it is neither carried out nor answered."""
    binding = facts.binding
    return binding is not None and binding.revoked_at > 0 and facts.request.accepted_at <= binding.revoked_at


def _missing(facts: Facts) -> Decision | None:
    if facts.binding is None or facts.binding.state is BindingState.REVOKED:
        return Refuse(Refusal.NOT_BOUND)
    if not facts.workspace_usable:
        return Refuse(Refusal.WORKSPACE_UNAVAILABLE)
    if not facts.executor_known:
        return Refuse(Refusal.EXECUTOR_UNAVAILABLE, facts.binding.executor)
    return None
