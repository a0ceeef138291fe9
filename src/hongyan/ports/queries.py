"""The named reads of the application: the name, and the row that comes back.

The SQL stands in the store's `queries.sql` under the same name; a test compares the two lists.
"""

from dataclasses import dataclass
from typing import Final

from hongyan.domain.bindings import Binding, Place
from hongyan.domain.continuations import Continuation
from hongyan.domain.conversations import Message, Session, SessionState, Turn, TurnState
from hongyan.domain.coverage import Coverage, Gap
from hongyan.domain.decisions import Decision
from hongyan.domain.deliveries import Delivery, Part, PartState
from hongyan.domain.events import TurnEventRow
from hongyan.domain.identity import AppId, ChatApp, TurnId
from hongyan.domain.issued_cards import IssuedButton, IssuedCard
from hongyan.domain.ledger import BookLine, DayCount
from hongyan.domain.owed import ActRow
from hongyan.domain.pairing import Owner, Pairing
from hongyan.domain.quota import AppCalls
from hongyan.domain.requests import ClosedAs, Origin, Request, RequestState
from hongyan.domain.workspaces import Workspace
from hongyan.ports.store import Query

__all__ = [
    "ACTIVE_TURNS",
    "ACTS_OF_CARD",
    "ALLOWANCE",
    "ALL_DELIVERIES",
    "ALL_SESSIONS",
    "ANSWER_PARTS",
    "BINDING",
    "BINDINGS",
    "BINDINGS_OF_OWNER",
    "BOOK_LINES",
    "BUTTON",
    "BUTTONS_OF_CARD",
    "BUTTON_OF",
    "CALLS_OF_APPS",
    "CAPTURED_HEADS",
    "CARD",
    "CARD_OF_DELIVERY",
    "CARD_OF_PART",
    "CHAT_APP",
    "CHAT_APPS",
    "CLAIMED_BY",
    "CONTINUATIONS_OF_REQUEST",
    "CONTINUATIONS_WAITING",
    "CONTINUATION_OF_TURN",
    "COVERAGE",
    "COVERED_BINDINGS",
    "DECISION",
    "DECISIONS_OF_CARD",
    "DECISIONS_OF_CHAT",
    "DECISIONS_OF_SESSION",
    "DECLARED_GAPS",
    "DELIVERY",
    "DUE_BESIDE",
    "DUE_CONTINUATIONS",
    "DUE_WORDS",
    "EVENTS_OF_TURN",
    "EXPIRED_PAIRINGS",
    "FORMER_COVERAGE",
    "GAP",
    "GAPS_OF_CARD",
    "GAPS_OF_CHAT",
    "GAP_IDS",
    "HELD_BEFORE",
    "IDLE_SESSIONS",
    "INTENDED_PARTS",
    "INTERRUPTING_TURNS",
    "KEPT_BACK_BEFORE",
    "LAST_CURSOR",
    "LAST_LOOK",
    "LAST_SEQ",
    "LAST_WORDS_OF_TURNS",
    "LEDGER_DAYS",
    "LOOSE_PARTS",
    "MESSAGE_PAGE",
    "META",
    "NEWER_INPUT",
    "NEWEST_CARD",
    "NEWEST_OWED_CARD",
    "NEWEST_SESSION",
    "OPEN_CARDS",
    "OPEN_DECISIONS",
    "OPEN_PAIRING",
    "OPEN_REQUESTS",
    "OWED",
    "OWED_COUNT",
    "OWED_TOTAL",
    "OWNER",
    "OWNERS",
    "PAIRING",
    "PART",
    "PARTS_OF_DELIVERY",
    "PLACE",
    "PLANNED_WORDS_OF_REQUEST",
    "QUEUED_BEFORE",
    "RECEIVED_CLASSES",
    "RECEIVED_COUNTED",
    "RECEIVED_LINES",
    "RECENT_DECISIONS",
    "RECENT_REQUESTS",
    "REQUEST",
    "REQUESTS_OF_CARD",
    "REVOKED_DECISIONS",
    "REVOKED_TURNS",
    "RUNNABLE_HEADS",
    "SESSION",
    "SESSION_LINES",
    "STEERS_OF_TURNS",
    "STEERS_ON_THEIR_WAY",
    "STEPS_OF_TURNS",
    "STOPS_WAITING",
    "TURN",
    "TURNS_OF_REQUEST",
    "TURNS_OF_SESSION",
    "TURN_LINES",
    "TWIN",
    "UNAPPLIED_DECISIONS",
    "UNDELIVERED_PARTS",
    "WAITING_LINES",
    "WORKSPACE",
    "WORKSPACES",
    "WORKSPACE_BY_NAME",
    "WRITTEN_CLASSES",
    "WRITTEN_COUNTED",
    "AnswerPart",
    "ClassCount",
    "DeliveryLine",
    "LastWords",
    "ReceivedLine",
    "SessionLine",
    "TurnLine",
]


@dataclass(frozen=True, slots=True)
class ClassCount:
    """One class of a partition, or its total, with the number of rows in it."""

    name: str
    amount: int


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """One write as the ledger shows it. Times are UTC milliseconds."""

    id: str
    request_id: str | None
    phase: str
    chat_id: str
    transport: str
    state: str
    provider_id: str
    attempts: int
    code: str
    content: str
    created_at: int
    written_at: int
    verified_at: int


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One Session as a list shows it. Times are UTC milliseconds; empty texts and 0 mean "none".

    The `running_…` fields and `hold_reason` are those of the Turn in its lane, the `last_…` ones of its newest Turn.
    `asked` and `owed` count what of it waits for somebody.
    """

    id: str
    binding_id: str
    workspace_id: str
    executor: str
    state: SessionState
    queued: int
    opened_at: int
    running_turn: str
    running_state: str
    running_at: int
    hold_reason: str
    last_state: str
    last_text: str
    last_at: int
    asked: int
    owed: int


@dataclass(frozen=True, slots=True)
class TurnLine:
    """One Turn as a transcript shows it. `closed_as`, `owed` and `version` are those of its request, if still its."""

    id: TurnId
    session_id: str
    client_turn_id: str
    origin: Origin
    text: str
    position: int
    state: TurnState
    queued_at: int
    running_at: int
    ended_at: int
    stopped_by: str
    stop_at: int
    code: str
    detail: str
    hold_reason: str
    answer: str
    request_id: str
    sender: str
    received_at: int
    closed_as: str
    owed: int
    version: int


@dataclass(frozen=True, slots=True)
class SteerLine:
    """Words that a Turn took while it ran. `at` is UTC milliseconds."""

    turn_id: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class LastWords:
    """One part that carries a Turn's last words, and how far it came."""

    turn_id: TurnId
    state: str
    code: str
    written_at: int
    verified_at: int


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """How far one part of a Turn's answer came; `is_due` when something is still to happen to it."""

    state: PartState
    is_due: int


@dataclass(frozen=True, slots=True)
class ReceivedLine:
    """One request as the ledger shows it."""

    id: str
    accepted_at: int
    app: AppId
    sender: str
    origin: Origin
    text: str
    code: str
    state: RequestState
    closed_as: ClosedAs
    owed: int
    owed_why: str
    session_id: str
    turn_state: str
    turn_code: str


META: Final = Query("meta", str)
CHAT_APP: Final = Query("chat_app", ChatApp)
CHAT_APPS: Final = Query("chat_apps", ChatApp)

OWNER: Final = Query("owner", Owner)
OWNERS: Final = Query("owners", Owner)
PAIRING: Final = Query("pairing", Pairing)
OPEN_PAIRING: Final = Query("open_pairing", Pairing)
EXPIRED_PAIRINGS: Final = Query("expired_pairings", Pairing)

WORKSPACE: Final = Query("workspace", Workspace)
WORKSPACES: Final = Query("workspaces", Workspace)
WORKSPACE_BY_NAME: Final = Query("workspace_by_name", Workspace)
BINDING: Final = Query("binding", Binding)
BINDINGS: Final = Query("bindings", Binding)
BINDINGS_OF_OWNER: Final = Query("bindings_of_owner", Binding)
PLACE: Final = Query("place", Place)

REQUEST: Final = Query("request", Request)
OPEN_REQUESTS: Final = Query("open_requests", Request)
RECENT_REQUESTS: Final = Query("recent_requests", Request)
CAPTURED_HEADS: Final = Query("captured_heads", Request)
TWIN: Final = Query("twin", int)
LAST_SEQ: Final = Query("last_seq", int)
STOPS_WAITING: Final = Query("stops_waiting", Request)
STEERS_ON_THEIR_WAY: Final = Query("steers_on_their_way", Request)
STEERS_OF_TURNS: Final = Query("steers_of_turns", SteerLine)
OWED: Final = Query("owed", Request)
KEPT_BACK_BEFORE: Final = Query("kept_back_before", Request)
OWED_COUNT: Final = Query("owed_count", int)
OWED_TOTAL: Final = Query("owed_total", int)
RECEIVED_LINES: Final = Query("received_lines", ReceivedLine)
RECEIVED_CLASSES: Final = Query("received_classes", ClassCount)
RECEIVED_COUNTED: Final = Query("received_counted", ClassCount)

SESSION: Final = Query("session", Session)
ALL_SESSIONS: Final = Query("all_sessions", Session)
IDLE_SESSIONS: Final = Query("idle_sessions", str)
SESSION_LINES: Final = Query("session_lines", SessionLine)
NEWEST_SESSION: Final = Query("newest_session", Session)
TURN: Final = Query("turn", Turn)
TURNS_OF_SESSION: Final = Query("turns_of_session", Turn)
TURN_LINES: Final = Query("turn_lines", TurnLine)
TURNS_OF_REQUEST: Final = Query("turns_of_request", int)
RUNNABLE_HEADS: Final = Query("runnable_heads", Turn)
ACTIVE_TURNS: Final = Query("active_turns", Turn)
REVOKED_TURNS: Final = Query("revoked_turns", Turn)
INTERRUPTING_TURNS: Final = Query("interrupting_turns", str)
QUEUED_BEFORE: Final = Query("queued_before", str)
HELD_BEFORE: Final = Query("held_before", str)
MESSAGE_PAGE: Final = Query("message_page", Message)
STEPS_OF_TURNS: Final = Query("steps_of_turns", TurnEventRow)
LAST_CURSOR: Final = Query("last_cursor", int)
EVENTS_OF_TURN: Final = Query("events_of_turn", TurnEventRow)

DECISION: Final = Query("decision", Decision)
OPEN_DECISIONS: Final = Query("open_decisions", Decision)
DECISIONS_OF_CHAT: Final = Query("decisions_of_chat", Decision)
REVOKED_DECISIONS: Final = Query("revoked_decisions", Decision)
UNAPPLIED_DECISIONS: Final = Query("unapplied_decisions", Decision)
DECISIONS_OF_SESSION: Final = Query("decisions_of_session", Decision)
RECENT_DECISIONS: Final = Query("recent_decisions", Decision)
ALLOWANCE: Final = Query("allowance", str)

CARD: Final = Query("card", IssuedCard)
CARD_OF_PART: Final = Query("card_of_part", IssuedCard)
CARD_OF_DELIVERY: Final = Query("card_of_delivery", IssuedCard)
OPEN_CARDS: Final = Query("open_cards", IssuedCard)
NEWEST_CARD: Final = Query("newest_card", IssuedCard)
NEWEST_OWED_CARD: Final = Query("newest_owed_card", IssuedCard)
REQUESTS_OF_CARD: Final = Query("requests_of_card", Request)
ACTS_OF_CARD: Final = Query("acts_of_card", ActRow)
WAITING_LINES: Final = Query("waiting_lines", int)
DECISIONS_OF_CARD: Final = Query("decisions_of_card", Decision)
BUTTON: Final = Query("button", IssuedButton)
BUTTON_OF: Final = Query("button_of", IssuedButton)
BUTTONS_OF_CARD: Final = Query("buttons_of_card", IssuedButton)
LAST_LOOK: Final = Query("last_look", Part)

DELIVERY: Final = Query("delivery", Delivery)
ALL_DELIVERIES: Final = Query("all_deliveries", DeliveryLine)
PART: Final = Query("part", Part)
PARTS_OF_DELIVERY: Final = Query("parts_of_delivery", Part)
LAST_WORDS_OF_TURNS: Final = Query("last_words_of_turns", LastWords)
ANSWER_PARTS: Final = Query("answer_parts", AnswerPart)
UNDELIVERED_PARTS: Final = Query("undelivered_parts", Part)
INTENDED_PARTS: Final = Query("intended_parts", Part)
LOOSE_PARTS: Final = Query("loose_parts", int)
PLANNED_WORDS_OF_REQUEST: Final = Query("planned_words_of_request", Part)
DUE_WORDS: Final = Query("due_words", Part)
DUE_BESIDE: Final = Query("due_beside", Part)
CLAIMED_BY: Final = Query("claimed_by", str)
LEDGER_DAYS: Final = Query("ledger_days", DayCount)
BOOK_LINES: Final = Query("book_lines", BookLine)
CALLS_OF_APPS: Final = Query("calls_of_apps", AppCalls)
WRITTEN_CLASSES: Final = Query("written_classes", ClassCount)
WRITTEN_COUNTED: Final = Query("written_counted", ClassCount)

COVERED_BINDINGS: Final = Query("covered_bindings", Binding)
COVERAGE: Final = Query("coverage", Coverage)
FORMER_COVERAGE: Final = Query("former_coverage", Coverage)
GAP: Final = Query("gap", Gap)
GAP_IDS: Final = Query("gap_ids", str)
DECLARED_GAPS: Final = Query("declared_gaps", Gap)
GAPS_OF_CARD: Final = Query("gaps_of_card", Gap)
GAPS_OF_CHAT: Final = Query("gaps_of_chat", Gap)

DUE_CONTINUATIONS: Final = Query("due_continuations", Continuation)
CONTINUATIONS_OF_REQUEST: Final = Query("continuations_of_request", Continuation)
CONTINUATION_OF_TURN: Final = Query("continuation_of_turn", Continuation)
CONTINUATIONS_WAITING: Final = Query("continuations_waiting", int)
NEWER_INPUT: Final = Query("newer_input", int)
