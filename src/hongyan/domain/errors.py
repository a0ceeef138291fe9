"""The error tree of the gateway.

    HongyanError
    ├── IllegalMoveError            internal.illegal_move
    ├── ConflictError               store.conflict        (retryable)
    ├── StoreError
    │   ├── StoreFullError          store.full            (retryable)
    │   ├── StoreBusyError          store.busy            (retryable)
    │   ├── StoreDamagedError       store.damaged
    │   └── SchemaTooNewError       store.schema_too_new
    ├── RefusedError                one code a rule, see `RefusedError`
    ├── NotFoundError               <noun>.not_found
    ├── ConfigurationError          config.*
    ├── ChatError                   chat.*                see the subclasses
    └── AgentError                  agent.*               see the subclasses

Every class has a stable `code` that people may search for, says whether the same call may be repeated
(`retryable`), and carries its facts as attributes. `hint` is the one thing a person can do about it.
"""

from datetime import timedelta
from typing import ClassVar

__all__ = [
    "AgentBusyError",
    "AgentError",
    "AgentProtocolError",
    "AgentQuotaError",
    "AgentRefusedError",
    "AgentSessionLostError",
    "AgentStartError",
    "AgentUnavailableError",
    "BlockedError",
    "BusyError",
    "CardTooHeavyError",
    "ChatBlockedError",
    "ChatError",
    "ChatFormRefusedError",
    "ChatNotFoundError",
    "ChatOutOfSequenceError",
    "ChatRejectedError",
    "ChatStreamClosedError",
    "ChatTargetGoneError",
    "ChatThrottledError",
    "ChatUnknownOutcomeError",
    "ChatUnreachableError",
    "ConfigurationError",
    "ConflictError",
    "HongyanError",
    "IllegalMoveError",
    "NotFoundError",
    "RefusedError",
    "SchemaTooNewError",
    "StoreBusyError",
    "StoreDamagedError",
    "StoreError",
    "StoreFullError",
]


class HongyanError(Exception):
    """Something a person or a caller can act on."""

    code: str = "internal.error"
    retryable: ClassVar[bool] = False
    hint: str = ""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or type(self).hint


class IllegalMoveError(HongyanError):
    """A state machine has no such move."""

    code = "internal.illegal_move"

    def __init__(self, noun: str, identity: str, state: str, event: str) -> None:
        super().__init__(f"{noun} {identity} is {state}: {event} is not a move from there")
        self.noun, self.identity, self.state, self.event = noun, identity, state, event


class ConflictError(HongyanError):
    """A transaction met a row that is no longer what the decision was made on; decide again."""

    code = "store.conflict"
    retryable = True

    def __init__(self, label: str, step: int) -> None:
        super().__init__(f"{label}: step {step} met another row count than expected")
        self.label, self.step = label, step


class StoreError(HongyanError):
    """The database could not do what was asked; nothing of the transaction was kept."""

    code = "store.error"
    hint = "Look at the disk that holds the home folder, and at `logs/gateway.log` there."


class StoreFullError(StoreError):
    """No space is left where the database lives."""

    code = "store.full"
    retryable = True
    hint = "Free some space on the disk that holds the home folder; work goes on by itself."


class StoreBusyError(StoreError):
    """Another process holds the database."""

    code = "store.busy"
    retryable = True
    hint = "Only one gateway may use a home; stop the other one."


class StoreDamagedError(StoreError):
    """The database file cannot be read as one."""

    code = "store.damaged"
    hint = "Restore a backup with `hongyan restore FILE`; the damaged file is kept beside it."


class SchemaTooNewError(StoreError):
    """The database was written by a newer version."""

    code = "store.schema_too_new"
    hint = "Install the newer version again, or restore the backup that was made before its migration."


class RefusedError(HongyanError):
    """A rule says no. `code` names the rule; repeating the same call changes nothing."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class NotFoundError(HongyanError):
    """What was named does not exist."""

    def __init__(self, noun: str, name: str, *, hint: str = "") -> None:
        super().__init__(f"no {noun} is called {name!r}", hint=hint)
        self.code = f"{noun}.not_found"
        self.noun, self.name = noun, name


class ConfigurationError(HongyanError):
    """A setting cannot be used as it is written."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class BlockedError(HongyanError):
    """Something outside is missing: a login, a permission, a program, a folder."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class BusyError(HongyanError):
    """Another holder has what is needed: a port, a home, an App."""

    retryable = True

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class ChatError(HongyanError):
    """The chat platform did not do what was asked. `platform_code` is its own number, 0 when it gave none."""

    code = "chat.error"

    def __init__(self, message: str, *, platform_code: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.platform_code = platform_code


class ChatRejectedError(ChatError):
    """The platform refused this request for good; nothing was written."""

    code = "chat.rejected"


class ChatTargetGoneError(ChatRejectedError):
    """The message that was to be answered, edited or reacted to was withdrawn or deleted."""

    code = "chat.target_gone"


class CardTooHeavyError(ChatRejectedError):
    """The card is over a limit of the platform; it was not sent."""

    code = "chat.card_too_heavy"


class ChatStreamClosedError(ChatRejectedError):
    """Text can no longer be streamed into this card; it can still be given another look."""

    code = "chat.stream_closed"


class ChatOutOfSequenceError(ChatRejectedError):
    """The platform has seen a later number of a change to this card."""

    code = "chat.out_of_sequence"


class ChatFormRefusedError(ChatRejectedError):
    """The platform does not take the words in this form: its kind, its size, or its content; another form may do."""

    code = "chat.form_refused"


class ChatNotFoundError(ChatRejectedError):
    """What was asked for does not exist or is not visible to this App."""

    code = "chat.not_found"


class ChatBlockedError(ChatError):
    """The App lacks something (secret, permission, activation, quota) until a person mends it; nothing was written.

    `permissions` names those that the platform asks for; any one of them is enough.
    """

    code = "chat.blocked"

    def __init__(
        self, message: str, *, platform_code: int = 0, hint: str = "", permissions: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, platform_code=platform_code, hint=hint)
        self.permissions = permissions


class ChatThrottledError(ChatError):
    """The platform asks us to wait; nothing was written, the same key may be used again after `retry_after`."""

    code = "chat.throttled"
    retryable = True

    def __init__(self, message: str, *, retry_after: timedelta, platform_code: int = 0) -> None:
        super().__init__(message, platform_code=platform_code)
        self.retry_after = retry_after


class ChatUnreachableError(ChatError):
    """No connection could be made; the request did not leave, nothing was written."""

    code = "chat.unreachable"
    retryable = True


class ChatUnknownOutcomeError(ChatError):
    """The request left but no usable answer came (time-out, reset, 5xx): it may have been carried out."""

    code = "chat.unknown_outcome"


class AgentError(HongyanError):
    """An agent program did not do what was asked."""

    code = "agent.error"


class AgentStartError(AgentError):
    """The agent program could not be started or did not answer in time."""

    code = "agent.start_failed"
    hint = "`hongyan doctor` checks the program; what it wrote is in the home's logs folder."


class AgentProtocolError(AgentError):
    """The agent program wrote something that is not its protocol."""

    code = "agent.protocol"
    hint = "What the agent wrote is in the home's logs folder."


class AgentSessionLostError(AgentError):
    """The agent program no longer knows the session."""

    code = "agent.session_lost"
    hint = "Send /new to open a new conversation; this one stays readable."


class AgentBusyError(AgentError):
    """The agent's session already runs a prompt; a second one is never sent."""

    code = "agent.busy"


class AgentRefusedError(AgentError):
    """The agent answered a request with an error of its own; `message` is its sentence, `agent_code` its number."""

    code = "agent.refused"

    def __init__(self, message: str, *, agent_code: int = 0) -> None:
        super().__init__(message)
        self.agent_code = agent_code


class AgentUnavailableError(AgentError):
    """The agent's model or its provider could not be reached or had no capacity."""

    code = "agent.unavailable"
    hint = "It is tried again by itself when the agent's history proves that nothing ran; else send it again."


class AgentQuotaError(AgentError):
    """The agent's account has spent its quota."""

    code = "agent.quota"
    hint = "It is tried once more after the quota's reset when nothing ran; a larger quota helps sooner."
