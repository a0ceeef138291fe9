-- name: meta
SELECT value FROM meta WHERE key = :key

-- name: chat_app
SELECT * FROM apps WHERE app_id = :app_id

-- name: chat_apps
SELECT * FROM apps ORDER BY name, app_id

-- name: owner
-- The one active owner of an App.
SELECT * FROM owners WHERE app = :app AND state = 'active'

-- name: owners
SELECT * FROM owners WHERE state = 'active' ORDER BY paired_at, id

-- name: pairing
SELECT * FROM pairings WHERE id = :id

-- name: open_pairing
-- The one pairing of an App whose code may still be sent or confirmed.
SELECT * FROM pairings WHERE app = :app AND state IN ('live', 'claimed')

-- name: expired_pairings
SELECT * FROM pairings WHERE state IN ('live', 'claimed') AND expires_at <= :now ORDER BY id

-- name: workspace
SELECT * FROM workspaces WHERE id = :id

-- name: workspaces
SELECT * FROM workspaces WHERE state = 'live' ORDER BY name

-- name: workspace_by_name
SELECT * FROM workspaces WHERE name = :name AND state = 'live'

-- name: binding
SELECT * FROM bindings WHERE id = :id

-- name: bindings
SELECT * FROM bindings ORDER BY created_at, id

-- name: bindings_of_owner
SELECT * FROM bindings WHERE app = :app AND owner = :owner AND state = 'live' ORDER BY created_at, id

-- name: place
SELECT * FROM places WHERE id = :id

-- name: request
SELECT * FROM requests WHERE id = :id

-- name: open_requests
-- What an App received and what has no end yet, oldest first.
SELECT * FROM requests
WHERE app = :app AND state IN ('captured', 'admitted', 'asking', 'rejected', 'command', 'turn')
ORDER BY seq

-- name: recent_requests
SELECT * FROM requests ORDER BY seq DESC LIMIT :limit

-- name: captured_heads
-- The oldest captured request of each place, when it is due: within a place the order of acceptance is kept. What is
-- due beyond `far` was put off before the clock went back: nothing waits that long, so it is due now.
SELECT r.* FROM requests r
WHERE r.state = 'captured' AND (r.next_at <= :now OR r.next_at > :far)
  AND NOT EXISTS (
    SELECT 1 FROM requests e WHERE e.place_id = r.place_id AND e.state = 'captured' AND e.seq < r.seq
  )
ORDER BY r.seq LIMIT :limit

-- name: twin
-- How many other requests carry the same chat, sender, time and content under another message id.
SELECT count(*) AS amount FROM requests WHERE secondary_key = :key AND id <> :id

-- name: last_seq
-- A delivery shares its number with its first part.
SELECT max(seq) AS seq FROM (
  SELECT coalesce(max(seq), 0) AS seq FROM requests
  UNION ALL SELECT coalesce(max(seq), 0) FROM parts
  UNION ALL SELECT coalesce(max(seq), 0) FROM messages
) AS every_seq

-- name: stops_waiting
-- Stop commands whose last word is not planned yet.
SELECT r.* FROM requests r
WHERE r.target_turn = :turn_id AND r.state = 'command' AND r.command = 'stop'
  AND NOT EXISTS (
    SELECT 1 FROM deliveries d WHERE d.request_id = r.id AND d.phase = 'reply' AND d.closes_as = 'answered'
  )
ORDER BY r.seq

-- name: steers_on_their_way
-- Words that were handed to a running Turn and whose fate is not kept yet.
SELECT * FROM requests WHERE state = 'admitted' AND command = 'steer' ORDER BY seq

-- name: steers_of_turns
-- What was said into Turns while they ran.
SELECT r.turn_id, r.text, r.accepted_at AS at FROM turns t JOIN requests r ON r.turn_id = t.id
WHERE t.session_id = :session_id AND t.position BETWEEN :first AND :last
  AND r.command = 'steer' AND r.closed_as = 'merged'
ORDER BY r.seq

-- name: owed
SELECT * FROM requests WHERE owed = 1 ORDER BY seq

-- name: kept_back_before
-- Answers to recalled messages that nobody decided about in time.
SELECT * FROM requests WHERE owed = 1 AND owed_why = 'source.recalled' AND closed_at < :before ORDER BY seq

-- name: owed_count
SELECT
  (SELECT count(*) FROM requests WHERE owed = 1 AND app = :app AND chat_id = :chat_id)
  + (SELECT count(*) FROM gaps WHERE state = 'declared' AND app = :app AND chat_id = :chat_id) AS amount

-- name: owed_total
SELECT
  (SELECT count(*) FROM requests WHERE owed = 1) + (SELECT count(*) FROM gaps WHERE state = 'declared')
  + (SELECT count(*) FROM meta WHERE key = 'books.problem') AS amount

-- name: received_classes
-- Each class by its own condition and the total by none: the sum is checked against it, never computed from it. What is
-- closed is tallied, what is open is counted.
SELECT 'total' AS name, amount FROM tallies WHERE name = 'requests'
UNION ALL SELECT 'captured', count(*) FROM requests WHERE state = 'captured'
UNION ALL SELECT 'admitted', count(*) FROM requests WHERE state = 'admitted'
UNION ALL SELECT 'asking', count(*) FROM requests WHERE state = 'asking'
UNION ALL SELECT 'queued', count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
  WHERE r.state = 'turn' AND t.state = 'queued'
UNION ALL SELECT 'active', count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
  WHERE r.state = 'turn' AND t.state IN ('claimed', 'starting', 'running', 'interrupting', 'completing')
UNION ALL SELECT 'held', count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
  WHERE r.state = 'turn' AND t.state = 'held'
UNION ALL SELECT 'delivering', (
    SELECT count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
    WHERE r.state = 'turn' AND t.state IN ('completed', 'failed', 'timed_out', 'cancelled', 'interrupted')
  ) + (SELECT count(*) FROM requests WHERE state IN ('rejected', 'command'))
UNION ALL SELECT substr(name, 10), amount FROM tallies WHERE name IN (
    'requests.answered', 'requests.told', 'requests.merged', 'requests.silent', 'requests.undelivered')

-- name: received_counted
-- Every row counted: each class by its own condition and the total by none. The tallies stand beside them, under the
-- name of their table, so that both are of one moment.
SELECT 'total' AS name, count(*) AS amount FROM requests
UNION ALL SELECT 'captured', count(*) FROM requests WHERE state = 'captured'
UNION ALL SELECT 'admitted', count(*) FROM requests WHERE state = 'admitted'
UNION ALL SELECT 'asking', count(*) FROM requests WHERE state = 'asking'
UNION ALL SELECT 'queued', count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
  WHERE r.state = 'turn' AND t.state = 'queued'
UNION ALL SELECT 'active', count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
  WHERE r.state = 'turn' AND t.state IN ('claimed', 'starting', 'running', 'interrupting', 'completing')
UNION ALL SELECT 'held', count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
  WHERE r.state = 'turn' AND t.state = 'held'
UNION ALL SELECT 'delivering', (
    SELECT count(*) FROM requests r JOIN turns t ON t.id = r.turn_id
    WHERE r.state = 'turn' AND t.state IN ('completed', 'failed', 'timed_out', 'cancelled', 'interrupted')
  ) + (SELECT count(*) FROM requests WHERE state IN ('rejected', 'command'))
UNION ALL SELECT 'answered', count(*) FROM requests WHERE state = 'closed' AND closed_as = 'answered'
UNION ALL SELECT 'told', count(*) FROM requests WHERE state = 'closed' AND closed_as = 'told'
UNION ALL SELECT 'merged', count(*) FROM requests WHERE state = 'closed' AND closed_as = 'merged'
UNION ALL SELECT 'silent', count(*) FROM requests WHERE state = 'closed' AND closed_as = 'silent'
UNION ALL SELECT 'undelivered', count(*) FROM requests WHERE state = 'closed' AND closed_as = 'undelivered'
UNION ALL SELECT name, amount FROM tallies

-- name: ledger_days
-- Both partitions by day and binding: the classes by their condition, the totals by none. `offset` makes days local.
SELECT 'received' AS side, coalesce(r.binding_id, '') AS binding_id, (r.accepted_at + :offset) / 86400000 AS day,
  CASE
      WHEN r.state IN ('captured', 'admitted', 'asking') THEN r.state
      WHEN r.state IN ('rejected', 'command') THEN 'delivering'
      WHEN r.state = 'turn' AND t.state IN ('queued', 'held') THEN t.state
      WHEN r.state = 'turn' AND t.state IN ('claimed', 'starting', 'running', 'interrupting', 'completing') THEN 'active'
      WHEN r.state = 'turn' AND t.state IN ('completed', 'failed', 'timed_out', 'cancelled', 'interrupted')
        THEN 'delivering'
      WHEN r.state = 'closed' AND r.closed_as IN ('answered', 'told', 'merged', 'silent', 'undelivered')
        THEN r.closed_as
      ELSE 'unclassified' END AS name, count(*) AS amount
FROM requests r LEFT JOIN turns t ON t.id = r.turn_id
WHERE r.accepted_at >= :since GROUP BY 1, 2, 3, 4
UNION ALL SELECT 'received', coalesce(r.binding_id, ''), (r.accepted_at + :offset) / 86400000, 'total', count(*)
FROM requests r WHERE r.accepted_at >= :since GROUP BY 1, 2, 3, 4
UNION ALL SELECT 'writes', coalesce(d.binding_id, ''), (d.created_at + :offset) / 86400000, p.state, count(*)
FROM deliveries d JOIN parts p ON p.delivery_id = d.id
WHERE d.created_at >= :since GROUP BY 1, 2, 3, 4
UNION ALL SELECT 'writes', coalesce(d.binding_id, ''), (d.created_at + :offset) / 86400000, 'total', count(*)
FROM deliveries d JOIN parts p ON p.delivery_id = d.id
WHERE d.created_at >= :since GROUP BY 1, 2, 3, 4

-- name: book_lines
-- Everything received and written, in the order of its id, a piece at a time.
SELECT * FROM (
  SELECT 'received' AS kind, r.id, r.id AS request_id, r.app, r.chat_id, coalesce(r.binding_id, '') AS binding_id,
    coalesce(r.session_id, '') AS session_id, coalesce(r.turn_id, '') AS turn_id, r.message_id, r.origin,
    r.kind AS form, r.state, r.closed_as AS outcome, r.code, r.owed, 0 AS attempts, r.accepted_at AS began_at,
    0 AS written_at, r.closed_at AS ended_at
  FROM requests r WHERE r.id > :after ORDER BY r.id LIMIT :limit
) AS received
UNION ALL SELECT * FROM (
  SELECT 'write' AS kind, p.id, coalesce(d.request_id, '') AS request_id, p.app, p.chat_id,
    coalesce(d.binding_id, '') AS binding_id, coalesce(d.session_id, '') AS session_id,
    coalesce(d.turn_id, '') AS turn_id, p.provider_id AS message_id, d.phase AS origin, p.transport AS form, p.state,
    p.state AS outcome, p.code, 0 AS owed, p.attempts, d.created_at AS began_at, p.written_at, p.verified_at AS ended_at
  FROM parts p JOIN deliveries d ON d.id = p.delivery_id WHERE p.id > :after ORDER BY p.id LIMIT :limit
) AS written
ORDER BY 2 LIMIT :limit

-- name: received_lines
-- The newest requests with what decides their class.
SELECT r.id, r.accepted_at, r.app, r.sender, r.origin, r.text, r.code, r.state, r.closed_as, r.owed, r.owed_why,
  coalesce(r.session_id, '') AS session_id, coalesce(t.state, '') AS turn_state, coalesce(t.code, '') AS turn_code
FROM requests r LEFT JOIN turns t ON t.id = r.turn_id
ORDER BY r.seq DESC LIMIT :limit

-- name: session
SELECT * FROM sessions WHERE id = :id

-- name: all_sessions
SELECT * FROM sessions ORDER BY opened_at DESC, id

-- name: idle_sessions
-- Sessions in which nothing runs or waits, and that are closed or whose last Turn ended before a moment.
SELECT s.id FROM sessions s
WHERE s.lane IS NULL AND s.queued = 0
  AND (s.state = 'closed'
    OR coalesce((SELECT max(t.ended_at) FROM turns t WHERE t.session_id = s.id), s.opened_at) < :before)

-- name: session_lines
-- One line a Session for a list: what holds its lane, its newest Turn, what of it waits for somebody. No transcript.
SELECT s.id, s.binding_id, s.workspace_id, s.executor, s.state, s.queued, s.opened_at,
  coalesce(l.id, '') AS running_turn, coalesce(l.state, '') AS running_state,
  coalesce(l.running_at, 0) AS running_at, coalesce(l.hold_reason, '') AS hold_reason,
  coalesce(t.state, '') AS last_state,
  substr(CASE WHEN coalesce(t.answer, '') <> '' THEN t.answer ELSE coalesce(t.text, '') END, 1, 200) AS last_text,
  CASE WHEN coalesce(t.ended_at, 0) > 0 THEN t.ended_at ELSE coalesce(t.queued_at, s.opened_at) END AS last_at,
  (SELECT count(*) FROM decisions d WHERE d.session_id = s.id AND d.state = 'asked') AS asked,
  (SELECT count(*) FROM requests r WHERE r.owed = 1 AND r.session_id = s.id) AS owed
FROM sessions s
LEFT JOIN turns l ON l.id = s.lane
LEFT JOIN turns t ON t.session_id = s.id AND t.position = s.next_position
ORDER BY last_at DESC, s.id

-- name: newest_session
SELECT * FROM sessions WHERE place_id = :place_id ORDER BY opened_at DESC, epoch DESC, id LIMIT 1

-- name: turn
SELECT * FROM turns WHERE id = :id

-- name: turns_of_session
SELECT * FROM turns WHERE session_id = :session_id ORDER BY position

-- name: turn_lines
-- The newest Turns of a Session before a position, with what is known of the message that each came from.
SELECT t.id, t.session_id, t.client_turn_id, t.origin, t.text, t.position, t.state, t.queued_at, t.running_at, t.ended_at,
  t.stopped_by, t.stop_at,
  t.code, t.detail, t.hold_reason, t.answer, coalesce(t.request_id, '') AS request_id,
  coalesce(r.sender, '') AS sender, coalesce(r.accepted_at, t.queued_at) AS received_at,
  CASE WHEN r.turn_id = t.id THEN r.closed_as ELSE '' END AS closed_as,
  CASE WHEN r.turn_id = t.id THEN r.owed ELSE 0 END AS owed, coalesce(r.version, 0) AS version
FROM turns t LEFT JOIN requests r ON r.id = t.request_id
WHERE t.session_id = :session_id AND t.position < :before
ORDER BY t.position DESC LIMIT :limit

-- name: turns_of_request
SELECT count(*) AS amount FROM turns WHERE request_id = :request_id

-- name: runnable_heads
-- The first queued Turn of each Session whose lane is free.
SELECT t.* FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE t.state = 'queued' AND s.lane IS NULL
  AND NOT EXISTS (
    SELECT 1 FROM turns e WHERE e.session_id = t.session_id AND e.state = 'queued' AND e.position < t.position
  )
ORDER BY t.queued_at, t.id LIMIT :limit

-- name: active_turns
SELECT * FROM turns WHERE state IN ('claimed', 'starting', 'running', 'interrupting', 'completing')
ORDER BY queued_at, id

-- name: revoked_turns
-- Waiting or running on the authority of a binding that does not hold any more.
SELECT t.* FROM turns t JOIN bindings b ON b.id = t.binding_id
WHERE t.state IN ('queued', 'claimed', 'starting', 'running')
  AND (b.state <> 'live' OR b.revision <> t.binding_revision)
ORDER BY t.queued_at, t.id

-- name: interrupting_turns
SELECT id FROM turns WHERE state = 'interrupting' ORDER BY id

-- name: queued_before
SELECT id FROM turns WHERE state = 'queued' AND queued_at < :before ORDER BY position

-- name: held_before
SELECT id FROM turns WHERE state = 'held' AND held_at < :before ORDER BY id

-- name: message_page
-- The newest entries of a transcript before one of them: what is appended later moves no earlier page.
SELECT * FROM messages WHERE session_id = :session_id AND seq < :before ORDER BY seq DESC LIMIT :limit

-- name: steps_of_turns
SELECT e.* FROM turns t JOIN turn_events e ON e.turn_id = t.id
WHERE t.session_id = :session_id AND t.position BETWEEN :first AND :last AND e.kind IN ('tool_changed', 'thought_arrived')
ORDER BY t.position, e.cursor

-- name: last_cursor
-- Where the kept events of a Turn end; a Turn that runs again goes on from there.
SELECT coalesce(max(cursor), 0) AS cursor FROM turn_events WHERE turn_id = :turn_id

-- name: events_of_turn
SELECT * FROM turn_events WHERE turn_id = :turn_id AND cursor > :after ORDER BY cursor

-- name: decision
SELECT * FROM decisions WHERE id = :id

-- name: open_decisions
SELECT * FROM decisions WHERE state = 'asked' ORDER BY seq

-- name: decisions_of_chat
-- Open ones first: a code that comes up again means the open request.
SELECT * FROM decisions WHERE app = :app AND chat_id = :chat_id AND asked_at >= :since
ORDER BY state = 'asked' DESC, seq DESC

-- name: revoked_decisions
-- Asked on the authority of a binding that does not hold any more.
SELECT d.* FROM decisions d JOIN turns t ON t.id = d.turn_id JOIN bindings b ON b.id = t.binding_id
WHERE d.state = 'asked' AND (b.state <> 'live' OR b.revision <> t.binding_revision) ORDER BY d.seq

-- name: unapplied_decisions
-- Decided, but not known yet whether the answer reached the one who asked.
SELECT * FROM decisions WHERE state = 'decided' AND applied = '' ORDER BY seq

-- name: decisions_of_session
SELECT * FROM decisions WHERE session_id = :session_id AND asked_at >= :since ORDER BY seq

-- name: recent_decisions
SELECT * FROM decisions ORDER BY seq DESC LIMIT :limit

-- name: allowance
-- The decision that allowed a class of requests for the rest of a Session.
SELECT decision_id FROM allowances WHERE session_id = :session_id AND risk = :risk

-- name: card
SELECT * FROM cards WHERE id = :id

-- name: card_of_part
-- The card whose message a part posts.
SELECT * FROM cards WHERE part_id = :part_id

-- name: card_of_delivery
SELECT * FROM cards WHERE delivery_id = :delivery_id

-- name: open_cards
-- Every card that may still get another look.
SELECT * FROM cards WHERE state IN ('staged', 'visible', 'uncertain') ORDER BY seq

-- name: newest_card
-- The card of requests that was opened last in a chat.
SELECT * FROM cards WHERE kind = 'approval' AND app = :app AND chat_id = :chat_id ORDER BY ordinal DESC LIMIT 1

-- name: newest_owed_card
-- The list of what waits that was asked for last in a chat.
SELECT * FROM cards WHERE kind = 'owed' AND app = :app AND chat_id = :chat_id ORDER BY seq DESC LIMIT 1

-- name: requests_of_card
SELECT r.* FROM requests r WHERE r.id IN (SELECT b.subject FROM buttons b WHERE b.card_id = :card_id) ORDER BY r.seq

-- name: gaps_of_card
-- Missed messages that a card lists and that nobody decided on yet.
SELECT g.* FROM gaps g
WHERE g.state = 'declared' AND g.id IN (SELECT b.subject FROM buttons b WHERE b.card_id = :card_id)
ORDER BY g.create_time, g.id

-- name: acts_of_card
-- What was done about the requests of a card since it was issued, oldest first.
SELECT a.subject, a.fact, a.at, a.facts FROM audit a
WHERE substr(a.fact, 1, 4) = 'act.' AND a.at >= (SELECT c.created_at FROM cards c WHERE c.id = :card_id)
  AND a.subject IN (SELECT b.subject FROM buttons b WHERE b.card_id = :card_id)
ORDER BY a.at, a.id

-- name: waiting_lines
SELECT count(*) FROM decisions d
WHERE d.state = 'asked' AND EXISTS (SELECT 1 FROM buttons b WHERE b.subject = d.id AND b.card_id = :card_id)

-- name: decisions_of_card
SELECT d.* FROM decisions d WHERE d.id IN (SELECT b.subject FROM buttons b WHERE b.card_id = :card_id) ORDER BY d.seq

-- name: button
SELECT * FROM buttons WHERE id = :id

-- name: button_of
SELECT * FROM buttons WHERE card_id = :card_id AND subject = :subject

-- name: buttons_of_card
SELECT * FROM buttons WHERE card_id = :card_id ORDER BY subject, ordinal

-- name: last_look
-- The look of a card that was planned last.
SELECT * FROM parts WHERE delivery_id = :delivery_id ORDER BY ordinal DESC LIMIT 1

-- name: delivery
SELECT * FROM deliveries WHERE id = :id

-- name: all_deliveries
SELECT p.id, d.request_id, d.phase, p.chat_id, p.transport, p.state, p.provider_id, p.attempts, p.code, p.content,
  d.created_at, p.written_at, p.verified_at
FROM parts p JOIN deliveries d ON d.id = p.delivery_id
ORDER BY p.seq DESC, p.ordinal DESC LIMIT :limit

-- name: part
SELECT * FROM parts WHERE id = :id

-- name: parts_of_delivery
SELECT * FROM parts WHERE delivery_id = :delivery_id ORDER BY ordinal, seq

-- name: last_words_of_turns
-- The parts that carry the last words of Turns; one that was sent again is left out for the newer one.
SELECT d.turn_id, p.state, p.code, p.written_at, p.verified_at
FROM turns t
JOIN deliveries d ON d.request_id = t.request_id AND d.turn_id = t.id
JOIN parts p ON p.delivery_id = d.id
WHERE t.session_id = :session_id AND t.position BETWEEN :first AND :last
  AND d.closes_as <> '' AND p.transport IN ('text', 'post', 'words_card')
  AND NOT EXISTS (SELECT 1 FROM parts n WHERE n.replaces = p.id)
ORDER BY p.seq, p.ordinal

-- name: answer_parts
-- The parts of what a Turn answered; one that was sent again is left out for the newer one.
SELECT p.state, CASE WHEN p.next_at IS NULL THEN 0 ELSE 1 END AS is_due
FROM deliveries d JOIN parts p ON p.delivery_id = d.id
WHERE d.request_id = :request_id AND d.turn_id = :turn_id AND d.phase = 'final'
  AND NOT EXISTS (SELECT 1 FROM parts n WHERE n.replaces = p.id)

-- name: undelivered_parts
-- Parts of a request whose words did not arrive for certain and that no newer part replaces.
SELECT p.* FROM parts p JOIN deliveries d ON d.id = p.delivery_id
WHERE d.request_id = :request_id AND d.closes_as <> '' AND p.transport IN ('text', 'post', 'words_card')
  AND p.next_at IS NULL
  AND (p.state IN ('unknown', 'rejected', 'mismatch') OR (p.state = 'withheld' AND p.code = 'source.recalled'))
  AND NOT EXISTS (SELECT 1 FROM parts n WHERE n.replaces = p.id)
ORDER BY p.seq, p.ordinal

-- name: intended_parts
SELECT * FROM parts WHERE state = 'intended' ORDER BY seq, ordinal

-- name: loose_parts
-- Writes of an App that were under way when a former process ended and that this one did not look for yet, and looks of
-- cards that are about to be written. One behind another of the same order comes after it.
SELECT count(*) AS amount FROM parts p
WHERE p.app = :app AND (p.state = 'intended' OR (
  ((p.state = 'unknown' AND p.next_at <= :since)
    OR (p.state = 'planned' AND p.transport IN ('card_stream', 'card_patch', 'card_edit')))
  AND NOT EXISTS (
    SELECT 1 FROM parts e
    WHERE e.order_key = p.order_key AND (e.seq < p.seq OR (e.seq = p.seq AND e.ordinal < p.ordinal))
      AND e.state IN ('planned', 'unknown') AND e.next_at IS NOT NULL
  )))

-- name: planned_words_of_request
SELECT p.* FROM deliveries d JOIN parts p ON p.delivery_id = d.id
WHERE d.request_id = :request_id AND p.state = 'planned' AND p.transport IN ('text', 'post', 'words_card')
ORDER BY p.seq, p.ordinal

-- name: due_words
-- Words to write now, and cards that ask; a card that only shows progress never stands before either. Parts of one
-- order key go one after the other: a later part of the same delivery follows a written one; another delivery follows
-- an end, or an unknown that its own quick retries did not settle. Every chat's first comes before any chat's second.
-- `far` as in captured_heads.
SELECT p.* FROM parts p
WHERE p.state IN ('planned', 'unknown') AND (p.next_at <= :now OR p.next_at > :far)
  AND (p.transport IN ('text', 'post', 'words_card') OR (p.transport IN ('card', 'card_text')
    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = p.delivery_id AND d.phase = 'progress')))
  AND NOT EXISTS (
    SELECT 1 FROM parts e
    WHERE e.order_key = p.order_key AND (e.seq < p.seq OR (e.seq = p.seq AND e.ordinal < p.ordinal))
      AND (e.state IN ('planned', 'intended')
        OR (e.state = 'written' AND e.delivery_id <> p.delivery_id)
        OR (e.state = 'unknown' AND e.next_at IS NOT NULL AND (e.attempts < 3 OR e.delivery_id = p.delivery_id)))
  )
ORDER BY row_number() OVER (PARTITION BY p.app, p.chat_id ORDER BY p.next_at, p.seq, p.ordinal),
  p.next_at, p.seq, p.ordinal LIMIT :limit

-- name: due_beside
-- Read-backs of what was written; cards that show progress; and marks and new looks of cards, each after the end of
-- the one before it on the same message. `far` as in captured_heads.
SELECT p.* FROM parts p
WHERE (p.next_at <= :now OR p.next_at > :far)
  AND ((p.transport IN ('text', 'post', 'words_card', 'card', 'card_text', 'card_stream', 'card_patch', 'card_edit')
        AND p.state = 'written')
    OR (p.transport IN ('card', 'card_text') AND p.state IN ('planned', 'unknown')
      AND EXISTS (SELECT 1 FROM deliveries d WHERE d.id = p.delivery_id AND d.phase = 'progress'))
    OR (p.transport NOT IN ('text', 'post', 'words_card', 'card', 'card_text') AND p.state IN ('planned', 'unknown')
      AND NOT EXISTS (
        SELECT 1 FROM parts e
        WHERE e.order_key = p.order_key AND (e.seq < p.seq OR (e.seq = p.seq AND e.ordinal < p.ordinal))
          AND (e.state IN ('planned', 'intended') OR (e.state IN ('written', 'unknown') AND e.next_at IS NOT NULL)))))
ORDER BY p.next_at, p.seq, p.ordinal LIMIT :limit

-- name: claimed_by
SELECT part_id FROM provider_ids WHERE app = :app AND provider_id = :provider_id

-- name: calls_of_apps
-- What each App called today and since the first day of the month.
SELECT c.app, coalesce(a.name, c.app) AS name, sum(CASE WHEN c.day = :day THEN c.amount ELSE 0 END) AS today,
  sum(c.amount) AS this_month
FROM api_calls c LEFT JOIN apps a ON a.app_id = c.app
WHERE c.day >= :first AND c.day <= :day
GROUP BY c.app, a.name ORDER BY c.app

-- name: written_classes
-- As received_classes: what came to its end is tallied.
SELECT 'total' AS name, amount FROM tallies WHERE name = 'parts'
UNION ALL SELECT 'planned', count(*) FROM parts WHERE state = 'planned'
UNION ALL SELECT 'intended', count(*) FROM parts WHERE state = 'intended'
UNION ALL SELECT 'written', count(*) FROM parts WHERE state = 'written'
UNION ALL SELECT substr(name, 7), amount FROM tallies WHERE name IN (
    'parts.verified', 'parts.mismatch', 'parts.rejected', 'parts.unknown', 'parts.withheld', 'parts.superseded')

-- name: written_counted
-- As received_counted.
SELECT 'total' AS name, count(*) AS amount FROM parts
UNION ALL SELECT 'planned', count(*) FROM parts WHERE state = 'planned'
UNION ALL SELECT 'intended', count(*) FROM parts WHERE state = 'intended'
UNION ALL SELECT 'written', count(*) FROM parts WHERE state = 'written'
UNION ALL SELECT 'verified', count(*) FROM parts WHERE state = 'verified'
UNION ALL SELECT 'mismatch', count(*) FROM parts WHERE state = 'mismatch'
UNION ALL SELECT 'rejected', count(*) FROM parts WHERE state = 'rejected'
UNION ALL SELECT 'unknown', count(*) FROM parts WHERE state = 'unknown'
UNION ALL SELECT 'withheld', count(*) FROM parts WHERE state = 'withheld'
UNION ALL SELECT 'superseded', count(*) FROM parts WHERE state = 'superseded'
UNION ALL SELECT name, amount FROM tallies

-- name: covered_bindings
-- The current binding of each place, while it is live and its chat is known.
SELECT b.* FROM bindings b JOIN places p ON p.binding_id = b.id AND p.chat_id = b.chat_id AND p.thread_key = ''
WHERE b.state = 'live' AND b.chat_id <> ''
ORDER BY b.created_at, b.id

-- name: coverage
SELECT * FROM coverage WHERE binding_id = :binding_id

-- name: former_coverage
-- How far the chat was read under the bindings before: a span that none of them had read is still to be read.
SELECT * FROM coverage WHERE app = :app AND chat_id = :chat_id AND owner = :owner
ORDER BY live_cursor DESC, binding_id LIMIT 1

-- name: gap
SELECT * FROM gaps WHERE id = :id

-- name: gap_ids
SELECT id FROM gaps ORDER BY id

-- name: declared_gaps
SELECT * FROM gaps WHERE state = 'declared' ORDER BY create_time, id

-- name: gaps_of_chat
SELECT * FROM gaps WHERE app = :app AND chat_id = :chat_id ORDER BY create_time, id

-- name: due_continuations
-- Attempts whose moment has come, where nothing runs in the Session.
SELECT c.* FROM continuations c JOIN sessions s ON s.id = c.session_id
WHERE c.state = 'waiting' AND c.not_before <= :now AND s.lane IS NULL
ORDER BY c.not_before, c.id LIMIT :limit

-- name: continuations_of_request
SELECT * FROM continuations WHERE request_id = :request_id ORDER BY planned_at DESC, n DESC, id

-- name: continuation_of_turn
SELECT * FROM continuations WHERE reserved_turn = :turn_id

-- name: continuations_waiting
SELECT count(*) AS amount FROM continuations WHERE state = 'waiting'

-- name: newer_input
-- What somebody said in the same place after a request and that asks for work; commands do not.
SELECT count(*) AS amount FROM requests
WHERE place_id = :place_id AND seq > :seq
  AND (turn_id IS NOT NULL OR state IN ('captured', 'admitted', 'asking'))
