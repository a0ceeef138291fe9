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
    "APPROVAL_KNOWN_MS",
    "APPROVAL_LIFE_MS",
    "APPROVAL_LOOK_MS",
    "BACK_OFF_MOST_MS",
    "BACK_OFF_MS",
    "BESIDE_SLOTS",
    "BOOKS_AGAIN_MS",
    "BOOKS_FIRST_MS",
    "CALLS_KEPT_EVERY_MS",
    "CARD_BYTES",
    "CARD_ELEMENTS",
    "CARD_EVERY_MS",
    "CARD_HEARTBEAT_MS",
    "CARD_OPENS_MS",
    "CARD_PIECES",
    "CARD_REWRITES",
    "CARD_ROTATES_MS",
    "CARD_TABLES",
    "CLEANUP_TRIES",
    "CLOCK_DISAGREEMENT_MS",
    "CODE_LABEL_LETTERS",
    "COMMIT_BATCH",
    "CONFLICT_TRIES",
    "CONNECTIONS_PER_APP",
    "COVERAGE_FIRST_MS",
    "COVERAGE_HISTORY_READS",
    "COVERAGE_LIVELY_MS",
    "COVERAGE_LIVE_MS",
    "COVERAGE_LIVE_READS",
    "COVERAGE_OVERLAP_MS",
    "COVERAGE_PERIOD_MS",
    "COVERAGE_QUIET_PERIOD_MS",
    "COVERAGE_READ_MESSAGES",
    "COVERAGE_READ_SECONDS",
    "COVERAGE_WINDOW_MS",
    "DELIVERY_SLOTS",
    "DRAIN_MS",
    "ELEMENT_LETTERS",
    "FINAL_SHOWN_MS",
    "GAP_DECLARED_MS",
    "GAP_RUNS_MS",
    "GAP_SCANS",
    "HELD_LIFE_MS",
    "HOST_OFFER_MS",
    "IDEMPOTENCY_WINDOW_MS",
    "IDENTITY_PERIOD_MS",
    "INBOUND_KEYS_KEPT_MS",
    "INTERRUPT_WAIT_MS",
    "KEPT_BACK_MS",
    "KEY_LENGTH",
    "LATE_ASKS_MS",
    "LATE_SHOWN_MS",
    "LEASE_LIFE_MS",
    "LISTENER_BACK_OFF_MOST_MS",
    "LISTENER_BACK_OFF_MS",
    "LIST_DEPTH",
    "MARK_YIELDS_MS",
    "OWED_CARD_LIFE_MS",
    "OWED_ROWS",
    "PAIRING_ALPHABET",
    "PAIRING_CODE_LENGTH",
    "PAIRING_LIFE_MS",
    "PAIRING_TRIES",
    "POST_BYTES",
    "POST_CODE_LINES",
    "QUEUE_LIFE_MS",
    "QUEUE_TURNS",
    "RECOVERY_DELAYS_MS",
    "RENEW_EVERY_MS",
    "REREAD_AFTER_MS",
    "REST_TIME_OUT_MS",
    "SAFETY_SCAN_MS",
    "SEARCH_TRIES",
    "SEQUENCE_JUMP",
    "STOP_UNCONFIRMED_MS",
    "STREAM_LETTERS",
    "TABLE_COLUMNS",
    "TABLE_ROW_BYTES",
    "TEXT_BYTES",
    "TEXT_EDITS",
    "TEXT_EDIT_EVERY_MS",
    "THOUGHTS_SHOWN",
    "THOUGHT_LETTERS",
    "WAIT_MOST_MS",
    "WORKING_MARK_AFTER_MS",
]

SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

QUEUE_TURNS: Final = 20  # more than a person types ahead; a full queue is said at once
QUEUE_LIFE_MS: Final = DAY  # what waited longer is no longer what the person wants run
HELD_LIFE_MS: Final = DAY  # a held Turn that nobody decided on fails as unknown
RECOVERY_DELAYS_MS: Final = (MINUTE, 2 * MINUTE, 4 * MINUTE)  # before each look at a Turn that failed without running
REREAD_AFTER_MS: Final = 5 * SECOND  # a source that waited this long is read again before dispatch
LATE_SHOWN_MS: Final = 10 * MINUTE  # a message this late runs, and its age is said
LATE_ASKS_MS: Final = 2 * HOUR  # a message this late asks before it runs

COVERAGE_FIRST_MS: Final = 7 * SECOND  # after the start, which history never holds up
COVERAGE_PERIOD_MS: Final = MINUTE
COVERAGE_LIVELY_MS: Final = 10 * MINUTE  # without a word for this long a chat is quiet
COVERAGE_QUIET_PERIOD_MS: Final = 5 * MINUTE  # well before what was not read becomes history
COVERAGE_WINDOW_MS: Final = DAY  # of history that is read at once
COVERAGE_OVERLAP_MS: Final = MINUTE  # read again: the platform may list a message a little after it was written
COVERAGE_LIVE_MS: Final = 10 * MINUTE  # what was not read for longer is history, and nothing counts as checked
COVERAGE_READ_MESSAGES: Final = 250  # five of the platform's pages
COVERAGE_LIVE_READS: Final = 4  # twenty pages
COVERAGE_HISTORY_READS: Final = 1
COVERAGE_READ_SECONDS: Final = 5.0  # one reading; history can wait, other calls cannot
GAP_DECLARED_MS: Final = 45 * SECOND  # a slow event, or its first redelivery after 15 s, still comes by then
GAP_SCANS: Final = 2
GAP_RUNS_MS: Final = DAY  # what is older is no longer what the person wants run
RENEW_EVERY_MS: Final = 10 * MINUTE  # when another program takes our events, a new connection does not help

DELIVERY_SLOTS: Final = 4  # writes of one App under way at once, each into another chat
BOOKS_FIRST_MS: Final = 97 * SECOND  # after a start, when nothing else happens
BOOKS_AGAIN_MS: Final = 10 * MINUTE  # while a sum is not its total
KEPT_BACK_MS: Final = DAY  # an answer to a message that was recalled while it ran
DRAIN_MS: Final = 3 * SECOND  # how long a stop waits for writes whose answer is on its way
BESIDE_SLOTS: Final = 2  # reactions and read-backs run beside the words, never before them
MARK_YIELDS_MS: Final = SECOND  # reactions give way to words on their way, never longer than this
WORKING_MARK_AFTER_MS: Final = SECOND // 2  # a Turn that ends sooner is never marked as working
SAFETY_SCAN_MS: Final = SECOND  # a lost wake-up costs at most this
IDEMPOTENCY_WINDOW_MS: Final = 50 * MINUTE  # the platform keeps a key for one hour
KEY_LENGTH: Final = 50  # the platform's cap on a key
CLOCK_DISAGREEMENT_MS: Final = 2 * MINUTE  # beyond it we do not trust our reading of the window
REST_TIME_OUT_MS: Final = 10 * SECOND
BACK_OFF_MS: Final = SECOND
BACK_OFF_MOST_MS: Final = 5 * MINUTE
WAIT_MOST_MS: Final = 10 * MINUTE  # nothing is put off for longer: a moment beyond it is of a clock that went back
CLEANUP_TRIES: Final = 5  # removals of a mark that still stands after a write without a clear outcome
SEARCH_TRIES: Final = 3  # history searches for a lost message before it stays unknown
INBOUND_KEYS_KEPT_MS: Final = 30 * DAY  # far beyond the platform's longest redelivery (7.1 h)
CALLS_KEPT_EVERY_MS: Final = 10 * SECOND  # what a crash may cost of the count; a commit a call would cost more
TEXT_BYTES: Final = 140_000  # of a text as JSON spells it; the platform refuses a content over 150 KB
POST_BYTES: Final = 28_000  # the platform refuses a post over 30 KB
POST_CODE_LINES: Final = 6  # phones fold longer code in a post; a card shows it
CARD_PIECES: Final = 50  # of Markdown in one card: the platform counts up to 200, ours and those that it makes of ours
ELEMENT_LETTERS: Final = 9_000  # clients were seen to cut an element silently above ten thousand
TABLE_COLUMNS: Final = 50  # the platform's cap
TABLE_ROW_BYTES: Final = 2_000  # a table with a longer line is no table to look at; it goes as code
CODE_LABEL_LETTERS: Final = 40  # a longer one is no language; it goes into the code
LIST_DEPTH: Final = 6  # deeper items stand at this depth: no phone shows more

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
OWED_CARD_LIFE_MS: Final = DAY  # a list this old is asked for again

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
APPROVAL_LOOK_MS: Final = MINUTE  # how often the clock on the wall is asked: a machine that slept counted nothing
APPROVAL_KNOWN_MS: Final = 2 * DAY  # so long a typed answer to a request that is over is no prompt
HOST_OFFER_MS: Final = 3 * SECOND  # an outside surface that cannot show a request by then is passed over
APPROVAL_CODE_LENGTH: Final = 4  # among the few open in one chat
APPROVAL_ARGUMENT_BYTES: Final = 2_048  # shown on the phone: nobody should approve blind, or scroll for a minute
