"""The tables, as SQLAlchemy metadata: read by migrations and tests only, never by a running gateway.

Columns are integers (times are UTC milliseconds), texts (enums by their value, JSON) and blobs. A column is NULL only
where "none" is a value of its own.
"""

from typing import Final

from sqlalchemy import Index, MetaData, Table, UniqueConstraint

from hongyan.adapters.store.columns import flag as _flag
from hongyan.adapters.store.columns import number as _number
from hongyan.adapters.store.columns import text as _text
from hongyan.adapters.store.schema_continuations import add_continuations
from hongyan.adapters.store.schema_coverage import add_coverage
from hongyan.adapters.store.schema_tallies import add_tallies

__all__ = ["metadata"]

metadata: Final = MetaData()


meta = Table("meta", metadata, _text("key", key=True), _text("value"))

apps = Table(
    "apps",
    metadata,
    _text("app_id", key=True),
    _text("name"),
    _text("brand"),
    _text("base_url"),
    _text("bot_open_id", optional=True),
    _text("bot_name"),
    _text("other_bot"),
    _number("observed_at"),
)

owners = Table(
    "owners",
    metadata,
    _text("id", key=True),
    _text("app"),
    _text("open_id"),
    _text("union_id"),
    _text("name"),
    _text("chat_id"),
    _text("state"),
    _number("paired_at"),
)

pairings = Table(
    "pairings",
    metadata,
    _text("id", key=True),
    _text("app"),
    _text("code_hash"),
    _text("state"),
    _number("tries"),
    _flag("replace_owner"),
    _number("created_at"),
    _number("expires_at"),
    _text("open_id", optional=True),
    _text("union_id", optional=True),
    _text("name"),
    _text("chat_id", optional=True),
)

workspaces = Table(
    "workspaces",
    metadata,
    _text("id", key=True),
    _text("name"),
    _text("path"),
    _text("device"),
    _text("inode"),
    _text("grant_kind"),
    _text("state"),
    _text("node_id"),
    _number("created_at"),
)

bindings = Table(
    "bindings",
    metadata,
    _text("id", key=True),
    _text("app"),
    _text("audience"),
    _text("chat_id"),
    _text("owner"),
    _text("role"),
    _text("workspace_id"),
    _text("executor"),
    _text("grant_kind"),
    _text("scope"),
    _text("state"),
    _number("revision"),
    _number("created_at"),
    _number("revoked_at"),
    _text("approve"),
)

places = Table(
    "places",
    metadata,
    _text("id", key=True),
    _text("app"),
    _text("chat_id"),
    _text("thread_key"),
    _text("binding_id"),
    _text("session_id", optional=True),
    _text("running_turn", optional=True),
    _number("generation"),
)

requests = Table(
    "requests",
    metadata,
    _text("id", key=True),
    _text("app"),
    _text("place_id"),
    _text("chat_id"),
    _text("chat_kind"),
    _text("thread_root"),
    _text("message_id"),
    _text("sender"),
    _text("sender_kind"),
    _text("kind"),
    _text("origin"),
    _text("secondary_key"),
    _number("create_time"),
    _number("accepted_at"),
    _number("seq"),
    _text("state"),
    _text("code"),
    _text("text"),
    _text("text_hash"),
    _number("update_time"),
    _number("read_at"),
    _text("binding_id", optional=True),
    _text("session_id", optional=True),
    _text("turn_id", optional=True),
    _text("command"),
    _text("target_turn", optional=True),
    _text("closed_as"),
    _number("closed_at"),
    _flag("owed"),
    _text("owed_why"),
    _number("version"),
    _number("tries"),
    _number("next_at"),
    UniqueConstraint("app", "message_id", name="one_request_a_message"),
)

sessions = Table(
    "sessions",
    metadata,
    _text("id", key=True),
    _text("place_id"),
    _text("binding_id"),
    _text("workspace_id"),
    _text("executor"),
    _text("upstream"),
    _text("state"),
    _text("lane", optional=True),
    _number("epoch"),
    _number("next_position"),
    _number("queued"),
    _number("opened_at"),
    _number("closed_at"),
)

turns = Table(
    "turns",
    metadata,
    _text("id", key=True),
    _text("session_id"),
    _text("request_id", optional=True),
    _text("client_turn_id"),
    _text("payload_hash"),
    _text("origin"),
    _text("text"),
    _number("position"),
    _text("state"),
    _text("binding_id"),
    _number("binding_revision"),
    _number("attempt"),
    _number("queued_at"),
    _number("claimed_at"),
    _number("intent_at"),
    _number("running_at"),
    _number("held_at"),
    _number("ended_at"),
    _number("stop_at"),
    _text("stopped_by"),
    _text("code"),
    _text("detail"),
    _text("hold_reason"),
    _text("answer"),
    _number("epoch"),
)

messages = Table(
    "messages",
    metadata,
    _text("id", key=True),
    _text("session_id"),
    _text("turn_id"),
    _text("speaker"),
    _text("text"),
    _number("seq"),
    _number("at"),
)

turn_events = Table(
    "turn_events",
    metadata,
    _text("turn_id", key=True),
    _number("cursor", key=True),
    _text("kind"),
    _text("body"),
    _number("at"),
)

deliveries = Table(
    "deliveries",
    metadata,
    _text("id", key=True),
    _text("request_id", optional=True),
    _text("turn_id", optional=True),
    _text("session_id", optional=True),
    _text("binding_id", optional=True),
    _number("binding_revision"),
    _text("app"),
    _text("chat_id"),
    _text("phase"),
    _text("closes_as"),
    _number("created_at"),
    _number("seq"),
)

parts = Table(
    "parts",
    metadata,
    _text("id", key=True),
    _text("delivery_id"),
    _number("ordinal"),
    _text("transport"),
    _text("app"),
    _text("chat_id"),
    _text("target"),
    _flag("in_thread"),
    _text("content"),
    _text("key"),
    _text("state"),
    _text("provider_id"),
    _number("attempts"),
    _number("first_attempt_at"),
    _number("first_boot"),
    _text("boot_id"),
    _number("searches"),
    _text("code"),
    _number("next_at", optional=True),
    _text("order_key"),
    _number("seq"),
    _number("written_at"),
    _number("verified_at"),
    _text("replaces"),
)

decisions = Table(
    "decisions",
    metadata,
    _text("id", key=True),
    _text("kind"),
    _text("state"),
    _text("outcome"),
    _text("applied"),
    _text("applied_reason"),
    _text("app"),
    _text("chat_id"),
    _text("session_id"),
    _text("turn_id"),
    _text("subject"),
    _text("risk"),
    _text("reason"),
    _text("arguments"),
    _text("digest"),
    _text("call_id"),
    _number("asked_at"),
    _number("expires_at"),
    _number("decided_at"),
    _text("decided_by"),
    _text("decided_where"),
    _text("code"),
    _number("version"),
    _number("seq"),
)

allowances = Table(
    "allowances",
    metadata,
    _text("session_id", key=True),
    _text("risk", key=True),
    _text("decision_id"),
)

audit = Table(
    "audit",
    metadata,
    _text("id", key=True),
    _text("subject"),
    _text("fact"),
    _number("at"),
    _text("facts"),
)

cards = Table(
    "cards",
    metadata,
    _text("id", key=True),
    _text("kind"),
    _text("state"),
    _text("app"),
    _text("chat_id"),
    _text("subject"),
    _text("delivery_id"),
    _text("part_id"),
    _number("ordinal"),
    _number("lines"),
    _text("language"),
    _text("carrier"),
    _text("entity"),
    _number("sequence"),
    _number("edits"),
    _number("opened_boot"),
    _text("boot_id"),
    _number("created_at"),
    _number("seq"),
)

buttons = Table(
    "buttons",
    metadata,
    _text("id", key=True),
    _text("card_id"),
    _text("subject"),
    _text("act"),
    _text("digest"),
    _number("ordinal"),
)

api_calls = Table(
    "api_calls",
    metadata,
    _text("app", key=True),
    _text("day", key=True),
    _number("amount"),
)

provider_ids = Table(
    "provider_ids",
    metadata,
    _text("app", key=True),
    _text("provider_id", key=True),
    _text("part_id"),
)

add_coverage(metadata)
add_continuations(metadata)
add_tallies(metadata)

Index("requests_by_place", requests.c.place_id, requests.c.state, requests.c.seq)
Index("requests_by_state", requests.c.state, requests.c.next_at)
Index("requests_by_class", requests.c.state, requests.c.closed_as)
Index("requests_by_seq", requests.c.seq)
Index("requests_by_secondary_key", requests.c.secondary_key)
Index("requests_by_target_turn", requests.c.target_turn)
Index("requests_by_turn", requests.c.turn_id)
Index("requests_owed", requests.c.owed, requests.c.seq)
Index("sessions_by_place", sessions.c.place_id, sessions.c.opened_at)
Index("turns_by_session", turns.c.session_id, turns.c.state, turns.c.position)
Index("turns_by_state", turns.c.state, turns.c.queued_at)
Index("turns_by_request", turns.c.request_id)
Index("messages_by_seq", messages.c.seq)
Index("messages_by_session", messages.c.session_id, messages.c.seq)
Index("deliveries_by_request", deliveries.c.request_id)
Index("parts_by_delivery", parts.c.delivery_id, parts.c.ordinal)
Index("parts_by_order", parts.c.order_key, parts.c.seq, parts.c.ordinal)
Index("parts_by_seq", parts.c.seq, parts.c.ordinal)
Index("parts_due", parts.c.state, parts.c.transport, parts.c.next_at)
Index("decisions_by_state", decisions.c.state, decisions.c.applied, decisions.c.seq)
Index("cards_by_state", cards.c.state, cards.c.seq)
Index("cards_by_chat", cards.c.app, cards.c.chat_id, cards.c.kind, cards.c.ordinal)
Index("cards_by_part", cards.c.part_id)
Index("cards_by_delivery", cards.c.delivery_id)
Index("buttons_by_card", buttons.c.card_id)
Index("buttons_by_subject", buttons.c.subject)
Index("audit_by_subject", audit.c.subject)
Index("parts_replacing", parts.c.replaces)
