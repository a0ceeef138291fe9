"""The named reads of the application: the name, and the row that comes back.

The SQL stands in the store's `queries.sql` under the same name; a test compares the two lists.
"""

from dataclasses import dataclass
from typing import Final

from hongyan.domain.bindings import Binding, Place
from hongyan.domain.conversations import Message, Session, Turn
from hongyan.domain.decisions import Decision
from hongyan.domain.deliveries import Delivery, Part
from hongyan.domain.events import TurnEventRow
from hongyan.domain.identity import ChatApp
from hongyan.domain.issued_cards import IssuedButton, IssuedCard
from hongyan.domain.pairing import Owner, Pairing
from hongyan.domain.requests import Request
from hongyan.domain.workspaces import Workspace
from hongyan.ports.store import Query

__all__ = [
    "ACTIVE_TURNS",
    "ALLOWANCE",
    "ALL_DELIVERIES",
    "ALL_SESSIONS",
    "BINDING",
    "BINDINGS",
    "BINDINGS_OF_OWNER",
    "BUTTON",
    "BUTTONS_OF_CARD",
    "BUTTON_OF",
    "CAPTURED_HEADS",
    "CARD",
    "CHAT_APP",
    "CHAT_APPS",
    "CLAIMED_BY",
    "DECISION",
    "DECISIONS_OF_CARD",
    "DELIVERY",
    "DUE_BESIDE",
    "DUE_WORDS",
    "EVENTS_OF_TURN",
    "EXPIRED_PAIRINGS",
    "HELD_BEFORE",
    "IDLE_SESSIONS",
    "INTENDED_PARTS",
    "INTERRUPTING_TURNS",
    "LAST_LOOK",
    "LAST_SEQ",
    "MESSAGES_OF_SESSION",
    "META",
    "NEWEST_CARD",
    "NEWEST_SESSION",
    "OPEN_CARDS",
    "OPEN_DECISIONS",
    "OPEN_DECISIONS_OF_CHAT",
    "OPEN_PAIRING",
    "OWED",
    "OWED_COUNT",
    "OWED_TOTAL",
    "OWNER",
    "OWNERS",
    "PAIRING",
    "PART",
    "PARTS_OF_DELIVERY",
    "PLACE",
    "QUEUED_BEFORE",
    "RECEIVED_CLASSES",
    "RECENT_DECISIONS",
    "RECENT_REQUESTS",
    "REQUEST",
    "RUNNABLE_HEADS",
    "SESSION",
    "STOPS_WAITING",
    "TURN",
    "TURNS_OF_REQUEST",
    "TURNS_OF_SESSION",
    "TWIN",
    "UNAPPLIED_DECISIONS",
    "UNDELIVERED_PARTS",
    "WAITING_LINES",
    "WORKSPACE",
    "WORKSPACES",
    "WORKSPACE_BY_NAME",
    "WRITTEN_CLASSES",
    "ClassCount",
    "DeliveryLine",
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
RECENT_REQUESTS: Final = Query("recent_requests", Request)
CAPTURED_HEADS: Final = Query("captured_heads", Request)
TWIN: Final = Query("twin", int)
LAST_SEQ: Final = Query("last_seq", int)
STOPS_WAITING: Final = Query("stops_waiting", Request)
OWED: Final = Query("owed", Request)
OWED_COUNT: Final = Query("owed_count", int)
OWED_TOTAL: Final = Query("owed_total", int)
RECEIVED_CLASSES: Final = Query("received_classes", ClassCount)

SESSION: Final = Query("session", Session)
ALL_SESSIONS: Final = Query("all_sessions", Session)
IDLE_SESSIONS: Final = Query("idle_sessions", str)
NEWEST_SESSION: Final = Query("newest_session", Session)
TURN: Final = Query("turn", Turn)
TURNS_OF_SESSION: Final = Query("turns_of_session", Turn)
TURNS_OF_REQUEST: Final = Query("turns_of_request", int)
RUNNABLE_HEADS: Final = Query("runnable_heads", Turn)
ACTIVE_TURNS: Final = Query("active_turns", Turn)
INTERRUPTING_TURNS: Final = Query("interrupting_turns", str)
QUEUED_BEFORE: Final = Query("queued_before", str)
HELD_BEFORE: Final = Query("held_before", str)
MESSAGES_OF_SESSION: Final = Query("messages_of_session", Message)
EVENTS_OF_TURN: Final = Query("events_of_turn", TurnEventRow)

DECISION: Final = Query("decision", Decision)
OPEN_DECISIONS: Final = Query("open_decisions", Decision)
OPEN_DECISIONS_OF_CHAT: Final = Query("open_decisions_of_chat", Decision)
UNAPPLIED_DECISIONS: Final = Query("unapplied_decisions", Decision)
RECENT_DECISIONS: Final = Query("recent_decisions", Decision)
ALLOWANCE: Final = Query("allowance", str)

CARD: Final = Query("card", IssuedCard)
OPEN_CARDS: Final = Query("open_cards", IssuedCard)
NEWEST_CARD: Final = Query("newest_card", IssuedCard)
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
UNDELIVERED_PARTS: Final = Query("undelivered_parts", Part)
INTENDED_PARTS: Final = Query("intended_parts", Part)
DUE_WORDS: Final = Query("due_words", Part)
DUE_BESIDE: Final = Query("due_beside", Part)
CLAIMED_BY: Final = Query("claimed_by", str)
WRITTEN_CLASSES: Final = Query("written_classes", ClassCount)
