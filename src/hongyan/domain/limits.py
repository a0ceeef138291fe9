"""Every number of the gateway with its reason. Times are milliseconds and sizes bytes unless the name says else."""

from typing import Final

__all__ = [
    "AGENTS_AT_ONCE",
    "AGENT_IDLE_MS",
    "AGENT_PUT_AWAY_MS",
    "AGENT_START_MS",
    "APPROVALS_A_CARD",
    "APPROVAL_ARGUMENT_BYTES",
    "APPROVAL_CODE_LENGTH",
    "APPROVAL_LIFE_MS",
    "BACK_OFF_MOST_MS",
    "BACK_OFF_MS",
    "BESIDE_SLOTS",
    "CALLS_KEPT_EVERY_MS",
    "CARD_BYTES",
    "CARD_ELEMENTS",
    "CARD_EVERY_MS",
    "CARD_HEARTBEAT_MS",
    "CARD_OPENS_MS",
    "CARD_REWRITES",
    "CARD_ROTATES_MS",
    "CARD_TABLES",
    "CLEANUP_TRIES",
    "CLOCK_DISAGREEMENT_MS",
    "COMMIT_BATCH",
    "CONFLICT_TRIES",
    "CONNECTIONS_PER_APP",
    "DELIVERY_SLOTS",
    "FINAL_SHOWN_MS",
    "HELD_LIFE_MS",
    "IDEMPOTENCY_WINDOW_MS",
    "IDENTITY_PERIOD_MS",
    "INBOUND_KEYS_KEPT_MS",
    "INTERRUPT_WAIT_MS",
    "KEY_LENGTH",
    "LATE_ASKS_MS",
    "LEASE_LIFE_MS",
    "LISTENER_BACK_OFF_MOST_MS",
    "LISTENER_BACK_OFF_MS",
    "OWED_ROWS",
    "PAIRING_ALPHABET",
    "PAIRING_CODE_LENGTH",
    "PAIRING_LIFE_MS",
    "PAIRING_TRIES",
    "QUEUE_LIFE_MS",
    "QUEUE_TURNS",
    "REREAD_AFTER_MS",
    "REST_TIME_OUT_MS",
    "SAFETY_SCAN_MS",
    "SEARCH_TRIES",
    "SEQUENCE_JUMP",
    "STOP_UNCONFIRMED_MS",
    "STREAM_LETTERS",
    "TEXT_BYTES",
    "TEXT_EDITS",
    "TEXT_EDIT_EVERY_MS",
    "THOUGHTS_SHOWN",
    "THOUGHT_LETTERS",
]

SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

QUEUE_TURNS: Final = 20  # more than a person types ahead; a full queue is said at once
QUEUE_LIFE_MS: Final = DAY  # what waited longer is no longer what the person wants run
HELD_LIFE_MS: Final = DAY  # a held Turn that nobody decided on fails as unknown
REREAD_AFTER_MS: Final = 5 * SECOND  # a source that waited this long is read again before dispatch
LATE_ASKS_MS: Final = 2 * HOUR  # a message this late asks before it runs

DELIVERY_SLOTS: Final = 4  # writes under way at once
BESIDE_SLOTS: Final = 2  # reactions and read-backs run beside the words, never before them
SAFETY_SCAN_MS: Final = SECOND  # a lost wake-up costs at most this
IDEMPOTENCY_WINDOW_MS: Final = 50 * MINUTE  # the platform keeps a key for one hour
KEY_LENGTH: Final = 50  # the platform's cap on a key
CLOCK_DISAGREEMENT_MS: Final = 2 * MINUTE  # beyond it we do not trust our reading of the window
REST_TIME_OUT_MS: Final = 10 * SECOND
BACK_OFF_MS: Final = SECOND
BACK_OFF_MOST_MS: Final = 5 * MINUTE
CLEANUP_TRIES: Final = 5  # removals of a mark that still stands after a write without a clear outcome
SEARCH_TRIES: Final = 3  # history searches for a lost message before it stays unknown
INBOUND_KEYS_KEPT_MS: Final = 30 * DAY  # far beyond the platform's longest redelivery (7.1 h)
CALLS_KEPT_EVERY_MS: Final = 10 * SECOND  # what a crash may cost of the count; a commit a call would cost more
TEXT_BYTES: Final = 140_000  # of a text as JSON spells it; the platform refuses a content over 150 KB

AGENT_START_MS: Final = 30 * SECOND
AGENT_IDLE_MS: Final = 180 * SECOND  # no event, no open tool call, no open question
INTERRUPT_WAIT_MS: Final = 5 * SECOND  # then "stopping" is said
STOP_UNCONFIRMED_MS: Final = 30 * SECOND  # then the process group is ended
AGENTS_AT_ONCE: Final = 8
AGENT_PUT_AWAY_MS: Final = 15 * MINUTE

CONNECTIONS_PER_APP: Final = 8
COMMIT_BATCH: Final = 256
CONFLICT_TRIES: Final = 3
LEASE_LIFE_MS: Final = 30 * SECOND
LISTENER_BACK_OFF_MS: Final = 250
LISTENER_BACK_OFF_MOST_MS: Final = 5 * SECOND
IDENTITY_PERIOD_MS: Final = 10 * MINUTE

PAIRING_LIFE_MS: Final = 10 * MINUTE
PAIRING_TRIES: Final = 5
PAIRING_CODE_LENGTH: Final = 8
PAIRING_ALPHABET: Final = (
    "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no 0/O, 1/I/L: it is read from one screen, typed on another
)

OWED_ROWS: Final = 10

APPROVALS_A_CARD: Final = 8  # the ninth opens the next card
CARD_BYTES: Final = 28_000  # the platform refuses a card over 30 KB
CARD_ELEMENTS: Final = 180  # the platform refuses a card with more than 200
CARD_TABLES: Final = 3  # refused from the fourth on some tenants
TEXT_EDITS: Final = (
    12  # passing edits of a text that stands for a card; the platform's cap of 20 leaves room for the end
)
TEXT_EDIT_EVERY_MS: Final = 2 * SECOND
CARD_OPENS_MS: Final = 1_500  # a Turn that answers sooner needs no card; neither does one without a tool until then
CARD_EVERY_MS: Final = SECOND  # free tenants have a monthly quota, and each update counts
CARD_HEARTBEAT_MS: Final = 30 * SECOND  # a card that says nothing new still shows that time passes
STREAM_LETTERS: Final = 4_000  # of the answer on the card; the answer itself is its own message, and whole
THOUGHTS_SHOWN: Final = 4
THOUGHT_LETTERS: Final = 1_200
FINAL_SHOWN_MS: Final = 5 * SECOND  # a card waits this long for its answer's read-back before it loses its button
CARD_ROTATES_MS: Final = 8 * MINUTE + 30 * SECOND  # the platform ends a card's stream after ten, and tells nobody
SEQUENCE_JUMP: Final = 1_000  # ahead of whatever number the platform has seen, as after a restored backup
CARD_REWRITES: Final = 5  # tries to bring a card to a look whose write has no clear outcome
APPROVAL_LIFE_MS: Final = DAY  # an agent that waited longer is answered no
APPROVAL_CODE_LENGTH: Final = 4  # among the few open in one chat
APPROVAL_ARGUMENT_BYTES: Final = 2_048  # shown on the phone: nobody should approve blind, or scroll for a minute
