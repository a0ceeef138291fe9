CREATE TABLE allowances (
	session_id TEXT NOT NULL, 
	risk TEXT NOT NULL, 
	decision_id TEXT NOT NULL, 
	PRIMARY KEY (session_id, risk)
);
CREATE TABLE api_calls (
	app TEXT NOT NULL, 
	day TEXT NOT NULL, 
	amount BIGINT NOT NULL, 
	PRIMARY KEY (app, day)
);
CREATE TABLE apps (
	app_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	brand TEXT NOT NULL, 
	base_url TEXT NOT NULL, 
	bot_open_id TEXT, 
	bot_name TEXT NOT NULL, 
	other_bot TEXT NOT NULL, 
	observed_at BIGINT NOT NULL, 
	PRIMARY KEY (app_id)
);
CREATE TABLE audit (
	id TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	fact TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	facts TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX audit_by_subject ON audit (subject);
CREATE TABLE bindings (
	id TEXT NOT NULL, 
	app TEXT NOT NULL, 
	audience TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	role TEXT NOT NULL, 
	workspace_id TEXT NOT NULL, 
	executor TEXT NOT NULL, 
	grant_kind TEXT NOT NULL, 
	scope TEXT NOT NULL, 
	state TEXT NOT NULL, 
	revision BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	revoked_at BIGINT NOT NULL, 
	approve TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE buttons (
	id TEXT NOT NULL, 
	card_id TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	act TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	ordinal BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX buttons_by_card ON buttons (card_id);
CREATE INDEX buttons_by_subject ON buttons (subject);
CREATE TABLE cards (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	app TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	delivery_id TEXT NOT NULL, 
	part_id TEXT NOT NULL, 
	ordinal BIGINT NOT NULL, 
	lines BIGINT NOT NULL, 
	language TEXT NOT NULL, 
	carrier TEXT NOT NULL, 
	entity TEXT NOT NULL, 
	sequence BIGINT NOT NULL, 
	edits BIGINT NOT NULL, 
	opened_boot BIGINT NOT NULL, 
	boot_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	seq BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX cards_by_chat ON cards (app, chat_id, kind, ordinal);
CREATE INDEX cards_by_delivery ON cards (delivery_id);
CREATE INDEX cards_by_part ON cards (part_id);
CREATE INDEX cards_by_state ON cards (state, seq);
CREATE TABLE continuations (
	id TEXT NOT NULL, 
	request_id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	cause TEXT NOT NULL, 
	n BIGINT NOT NULL, 
	reserved_turn TEXT, 
	evidence TEXT NOT NULL, 
	not_before BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	planned_at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX continuations_by_request ON continuations (request_id, planned_at);
CREATE INDEX continuations_by_turn ON continuations (reserved_turn);
CREATE INDEX continuations_due ON continuations (state, not_before);
CREATE TABLE coverage (
	binding_id TEXT NOT NULL, 
	app TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	began BIGINT NOT NULL, 
	live_cursor BIGINT NOT NULL, 
	history_cursor BIGINT NOT NULL, 
	history_until BIGINT NOT NULL, 
	read_at BIGINT NOT NULL, 
	problem TEXT NOT NULL, 
	permission TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (binding_id)
);
CREATE TABLE decisions (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	outcome TEXT NOT NULL, 
	applied TEXT NOT NULL, 
	applied_reason TEXT NOT NULL, 
	app TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	risk TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	arguments TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	call_id TEXT NOT NULL, 
	asked_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	decided_at BIGINT NOT NULL, 
	decided_by TEXT NOT NULL, 
	decided_where TEXT NOT NULL, 
	code TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	seq BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX decisions_by_state ON decisions (state, applied, seq);
CREATE TABLE deliveries (
	id TEXT NOT NULL, 
	request_id TEXT, 
	turn_id TEXT, 
	session_id TEXT, 
	binding_id TEXT, 
	binding_revision BIGINT NOT NULL, 
	app TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	closes_as TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	seq BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX deliveries_by_request ON deliveries (request_id);
CREATE TABLE gaps (
	id TEXT NOT NULL, 
	app TEXT NOT NULL, 
	binding_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	sender TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	text TEXT NOT NULL, 
	thread_root TEXT NOT NULL, 
	create_time BIGINT NOT NULL, 
	side TEXT NOT NULL, 
	state TEXT NOT NULL, 
	first_seen BIGINT NOT NULL, 
	scans BIGINT NOT NULL, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX gaps_by_chat ON gaps (app, chat_id, create_time);
CREATE TABLE messages (
	id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	speaker TEXT NOT NULL, 
	text TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX messages_by_seq ON messages (seq);
CREATE INDEX messages_by_session ON messages (session_id, seq);
CREATE TABLE meta (
	key TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (key)
);
CREATE TABLE owners (
	id TEXT NOT NULL, 
	app TEXT NOT NULL, 
	open_id TEXT NOT NULL, 
	union_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	paired_at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE pairings (
	id TEXT NOT NULL, 
	app TEXT NOT NULL, 
	code_hash TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tries BIGINT NOT NULL, 
	replace_owner INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	open_id TEXT, 
	union_id TEXT, 
	name TEXT NOT NULL, 
	chat_id TEXT, 
	PRIMARY KEY (id)
);
CREATE TABLE parts (
	id TEXT NOT NULL, 
	delivery_id TEXT NOT NULL, 
	ordinal BIGINT NOT NULL, 
	transport TEXT NOT NULL, 
	app TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	target TEXT NOT NULL, 
	in_thread INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	key TEXT NOT NULL, 
	state TEXT NOT NULL, 
	provider_id TEXT NOT NULL, 
	attempts BIGINT NOT NULL, 
	first_attempt_at BIGINT NOT NULL, 
	first_boot BIGINT NOT NULL, 
	boot_id TEXT NOT NULL, 
	searches BIGINT NOT NULL, 
	code TEXT NOT NULL, 
	next_at BIGINT, 
	order_key TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	written_at BIGINT NOT NULL, 
	verified_at BIGINT NOT NULL, 
	replaces TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX parts_by_delivery ON parts (delivery_id, ordinal);
CREATE INDEX parts_by_order ON parts (order_key, seq, ordinal);
CREATE INDEX parts_by_seq ON parts (seq, ordinal);
CREATE INDEX parts_due ON parts (state, transport, next_at);
CREATE INDEX parts_replacing ON parts (replaces);
CREATE TABLE places (
	id TEXT NOT NULL, 
	app TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	thread_key TEXT NOT NULL, 
	binding_id TEXT NOT NULL, 
	session_id TEXT, 
	running_turn TEXT, 
	generation BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE provider_ids (
	app TEXT NOT NULL, 
	provider_id TEXT NOT NULL, 
	part_id TEXT NOT NULL, 
	PRIMARY KEY (app, provider_id)
);
CREATE TABLE requests (
	id TEXT NOT NULL, 
	app TEXT NOT NULL, 
	place_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	chat_kind TEXT NOT NULL, 
	thread_root TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	sender TEXT NOT NULL, 
	sender_kind TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	secondary_key TEXT NOT NULL, 
	create_time BIGINT NOT NULL, 
	accepted_at BIGINT NOT NULL, 
	seq BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	code TEXT NOT NULL, 
	text TEXT NOT NULL, 
	text_hash TEXT NOT NULL, 
	update_time BIGINT NOT NULL, 
	read_at BIGINT NOT NULL, 
	binding_id TEXT, 
	session_id TEXT, 
	turn_id TEXT, 
	command TEXT NOT NULL, 
	target_turn TEXT, 
	closed_as TEXT NOT NULL, 
	closed_at BIGINT NOT NULL, 
	owed INTEGER NOT NULL, 
	owed_why TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	tries BIGINT NOT NULL, 
	next_at BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_request_a_message UNIQUE (app, message_id)
);
CREATE INDEX requests_by_class ON requests (state, closed_as);
CREATE INDEX requests_by_place ON requests (place_id, state, seq);
CREATE INDEX requests_by_secondary_key ON requests (secondary_key);
CREATE INDEX requests_by_seq ON requests (seq);
CREATE INDEX requests_by_state ON requests (state, next_at);
CREATE INDEX requests_by_target_turn ON requests (target_turn);
CREATE INDEX requests_by_turn ON requests (turn_id);
CREATE INDEX requests_owed ON requests (owed, seq);
CREATE TABLE sessions (
	id TEXT NOT NULL, 
	place_id TEXT NOT NULL, 
	binding_id TEXT NOT NULL, 
	workspace_id TEXT NOT NULL, 
	executor TEXT NOT NULL, 
	upstream TEXT NOT NULL, 
	state TEXT NOT NULL, 
	lane TEXT, 
	epoch BIGINT NOT NULL, 
	next_position BIGINT NOT NULL, 
	queued BIGINT NOT NULL, 
	opened_at BIGINT NOT NULL, 
	closed_at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX sessions_by_place ON sessions (place_id, opened_at);
CREATE TABLE tallies (
	name TEXT NOT NULL, 
	amount BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE turn_events (
	turn_id TEXT NOT NULL, 
	cursor BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	body TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (turn_id, cursor)
);
CREATE TABLE turns (
	id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	request_id TEXT, 
	client_turn_id TEXT NOT NULL, 
	payload_hash TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	text TEXT NOT NULL, 
	position BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	binding_id TEXT NOT NULL, 
	binding_revision BIGINT NOT NULL, 
	attempt BIGINT NOT NULL, 
	queued_at BIGINT NOT NULL, 
	claimed_at BIGINT NOT NULL, 
	intent_at BIGINT NOT NULL, 
	running_at BIGINT NOT NULL, 
	held_at BIGINT NOT NULL, 
	ended_at BIGINT NOT NULL, 
	stop_at BIGINT NOT NULL, 
	stopped_by TEXT NOT NULL, 
	code TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	hold_reason TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	epoch BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX turns_by_request ON turns (request_id);
CREATE INDEX turns_by_session ON turns (session_id, state, position);
CREATE INDEX turns_by_state ON turns (state, queued_at);
CREATE TABLE workspaces (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	path TEXT NOT NULL, 
	device TEXT NOT NULL, 
	inode TEXT NOT NULL, 
	grant_kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	node_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO tallies (name, amount) VALUES ('requests', 0), ('requests.answered', 0), ('requests.told', 0), ('requests.merged', 0), ('requests.silent', 0), ('requests.undelivered', 0), ('parts', 0), ('parts.verified', 0), ('parts.mismatch', 0), ('parts.rejected', 0), ('parts.unknown', 0), ('parts.withheld', 0), ('parts.superseded', 0);
