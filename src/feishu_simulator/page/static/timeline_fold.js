// Folds changes into timeline rows: an event with its attempts, a call with its outcome, a line opened or closed.
const KEPT_ROWS = 1_000;
const LINE_ACTIONS = new Set(["opened", "closed", "half_dead"]);

export class Timeline {
  constructor() {
    this.rows = new Map();
    this.firstByUuid = new Map(); // app and uuid to the message that the first call made
    this.clicks = new Map(); // event_id to the click that is told before its event
    this.strikes = new Map(); // subject to the rule that struck it last
  }

  fold({ kind, facts, at_ms: atMs, number }) {
    if (kind === "event") this.event(facts);
    else if (kind === "request") this.request(facts);
    else if (kind === "click") this.click(facts);
    else if (kind === "fault" && facts.action === "used") this.strikes.set(facts.subject, facts);
    else if (kind === "connection" && LINE_ACTIONS.has(facts.action)) {
      this.put(`c:${number}`, { kind: "line", atMs, facts });
    }
  }

  event(facts) {
    const key = `e:${facts.event_id}`;
    const strike = facts.attempt?.fault ? this.strikes.get(`event:${facts.event_type}`) : undefined;
    const earlier = this.rows.get(key);
    const click = earlier?.click ?? this.clicks.get(facts.event_id);
    this.clicks.delete(facts.event_id);
    this.put(key, { kind: "event", atMs: facts.created_ms, facts, strike: strike ?? earlier?.strike, click });
  }

  // A click belongs to the callback that it made; one that no bot heard of stands alone.
  click(facts) {
    const earlier = this.rows.get(`e:${facts.event_id}`);
    if (earlier) this.put(`e:${facts.event_id}`, { ...earlier, click: facts });
    else if (facts.event_id === null) this.put(`k:${facts.click_id}`, { kind: "click", atMs: facts.at_ms, facts, click: facts });
    else this.clicks.set(facts.event_id, facts);
  }

  request(facts) {
    const strike = facts.fault ? this.strikes.get(`${facts.method} ${facts.template}`) : undefined;
    this.put(`r:${facts.number}`, { kind: "call", atMs: facts.at_ms, facts, strike, repeated: this.repeats(facts) });
  }

  // A second call with a uuid that already made a message is answered with that message.
  repeats(facts) {
    if (!facts.uuid || !facts.message_id || facts.method !== "POST") return false;
    const key = `${facts.app_id} ${facts.uuid}`;
    const first = this.firstByUuid.get(key);
    if (first === undefined) this.firstByUuid.set(key, { message: facts.message_id, number: facts.number });
    return first !== undefined && first.message === facts.message_id && first.number !== facts.number;
  }

  put(key, row) {
    const version = (this.rows.get(key)?.version ?? 0) + 1;
    this.rows.set(key, { ...row, key, version });
    if (this.rows.size > KEPT_ROWS) this.rows.delete(this.rows.keys().next().value);
  }

  count(kind) {
    return [...this.rows.values()].filter((row) => row.kind === kind).length;
  }

  shown(filter) {
    const wanted = { events: "event", calls: "call" }[filter];
    const rows = [...this.rows.values()].filter((row) => !wanted || row.kind === wanted);
    return rows.sort((one, other) => one.atMs - other.atMs); // a call is told when it ends and stands where it began
  }
}
