// Where one writes: a draft a session, sending once, and what became of a text that was sent.
import { byId, h, button } from "./dom.js";
import { w } from "./words.js";
import { post, get, NoAnswer } from "./net.js";

const MOST_LETTERS = 200_000;
const key = (session) => `hongyan.draft.${session}`;

function kept(session) {
  try {
    return JSON.parse(localStorage.getItem(key(session))) ?? {};
  } catch {
    return {};
  }
}

function keep(session, draft) {
  try {
    if (draft.text || draft.unsure) localStorage.setItem(key(session), JSON.stringify(draft));
    else localStorage.removeItem(key(session));
  } catch {
    // without storage a draft lives as long as this page
  }
}

const fresh = () => crypto.randomUUID();

export class Composer {
  constructor(view) {
    this.view = view;
    this.form = byId("composer");
    this.area = byId("words");
    this.sendButton = byId("send");
    this.reason = byId("why-not");
    this.offer = byId("draft-offer");
    this.session = null;
    this.pending = new Map(); // by session: what was sent and is not accepted yet
    this.notes = new Map(); // by the id of what was sent: what its Turn says beside it
    this.how = "queue";
    for (const one of byId("how").querySelectorAll("button")) one.addEventListener("click", () => this.choose(one.dataset.how));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.area.addEventListener("input", () => this.changed());
    this.area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.send();
    });
    for (const kind of ["paste", "drop"]) this.area.addEventListener(kind, (event) => this.noFiles(event));
    addEventListener("storage", (event) => this.elsewhere(event));
  }

  // A draft can be read and written before anything is known of its conversation.
  prepare(id) {
    this.session = id;
    this.known = null;
    this.wish = false;
    this.offer.replaceChildren();
    const draft = id ? kept(id) : {};
    this.area.value = draft.text ?? "";
    this.turnId = draft.id ?? fresh();
    if (draft.unsure && !this.pending.has(id)) this.pending.set(id, { text: draft.unsure.text, id: draft.unsure.id, steer: draft.unsure.steer, state: "unsure" });
    this.reason.hidden = true;
    this.form.hidden = !draft.text;
    this.grow();
    this.mayWrite();
  }

  enter(session, turns) {
    if (this.session !== session.id) this.prepare(session.id);
    this.known = session;
    this.arrivedAs(turns);
    const gives = session.refusal && !this.area.value; // what was written stays and can be changed or copied
    this.form.hidden = gives;
    this.reason.hidden = !gives;
    this.reason.textContent = gives ? this.refusal() : "";
    const may = Boolean(session.running_turn && session.can_steer);
    byId("how").hidden = !may;
    this.choose(may ? this.how : "queue");
    this.mayWrite();
  }

  // Into the running turn, or after it: only where the agent takes words while it runs is there a choice.
  choose(how) {
    this.how = how;
    for (const one of byId("how").querySelectorAll("button")) one.ariaPressed = String(one.dataset.how === how);
    const key = byId("how").hidden ? "composer.queue" : `composer.${how}_means`;
    byId("queue-hint").textContent = this.known?.running_turn ? w(key) : "";
  }

  refusal() {
    return w(`readonly.${this.known.refusal}`, { executor: this.known.executor });
  }

  reached(there) {
    this.away = !there;
    this.mayWrite();
  }

  // Why nothing can be sent now, in words; empty when something can.
  whyNot() {
    if (this.away) return w("out_of_reach_short");
    if (!this.known) return w("composer.reading");
    if (this.known.refusal) return this.refusal();
    if (this.area.value.length > MOST_LETTERS) return w("composer.too_long");
    const state = this.pending.get(this.session)?.state;
    return state ? w(state === "sending" ? "composer.sending" : "composer.unconfirmed") : "";
  }

  mayWrite() {
    const why = this.whyNot();
    byId("send-why").textContent = why;
    byId("send-why").hidden = !why;
    byId("queue-hint").hidden = why !== "";
    const blocked = why !== "" || !this.area.value.trim();
    this.sendButton.ariaDisabled = blocked ? "true" : null;
    return !blocked;
  }

  changed() {
    this.wish = false;
    keep(this.session, { ...kept(this.session), text: this.area.value, id: this.turnId });
    this.offer.replaceChildren();
    this.grow();
    this.mayWrite();
  }

  grow() {
    this.area.rows = Math.min(8, Math.max(1, this.area.value.split("\n").length));
    while (this.area.rows < 8 && this.area.scrollHeight > this.area.clientHeight + 2) this.area.rows += 1;
  }

  // A draft that another tab wrote is offered; what stands here is never overwritten.
  elsewhere(event) {
    if (!this.session || event.key !== key(this.session)) return;
    const other = kept(this.session).text ?? "";
    this.offer.replaceChildren();
    if (!other || other === this.area.value) return;
    const take = button("small", w("draft.take"), () => {
      this.area.value = other;
      this.turnId = kept(this.session).id ?? fresh();
      this.offer.replaceChildren();
      this.grow();
      this.mayWrite();
      this.area.focus();
    });
    this.offer.replaceChildren(h("span.hint", {}, w("draft.elsewhere", { text: other.slice(0, 40) })), take);
  }

  noFiles(event) {
    const files = (event.clipboardData ?? event.dataTransfer)?.files ?? [];
    if (!files.length) return;
    event.preventDefault();
    this.view.alarm(w("composer.no_files"));
  }

  async send() {
    if (!this.mayWrite()) {
      this.wish = this.pending.get(this.session)?.state === "sending"; // it goes right after the one before it
      return;
    }
    this.wish = false;
    const text = this.area.value;
    const steer = this.how === "steer" ? this.known.running_turn : undefined;
    const item = { text, id: this.turnId, steer, state: "sending", abort: new AbortController() };
    const session = this.session;
    this.pending.set(session, item);
    this.area.value = "";
    this.turnId = fresh();
    keep(session, { text: "", unsure: { text, id: item.id, steer } });
    this.grow();
    this.mayWrite();
    this.view.pendingChanged(true);
    await this.submit(session, item);
  }

  async submit(session, item) {
    const path = item.steer ? `turns/${encodeURIComponent(item.steer)}/steer` : `sessions/${encodeURIComponent(session)}/turns`;
    try {
      this.became(item, await post(`/api/v1/${path}`, { message: item.text, client_turn_id: item.id }, item.abort?.signal));
    } catch (error) {
      if (!item.cancelled) this.failed(session, item, error);
      return;
    }
    this.settle(session);
    if (session === this.session && this.wish) this.send();
    await this.view.refresh(session).catch(() => {}); // it is accepted; the look at it comes again
    this.mayWrite();
    this.view.pendingChanged(false);
  }

  // A correction that was not taken in waits its turn, and says why.
  became(item, { outcome, reason }) {
    if (outcome === "steered") this.view.say(w("steer.taken"));
    if (outcome !== "queued") return;
    const words = w("steer.queued", { reason: w(`steer.${reason}`) });
    this.notes.set(item.id, words);
    this.view.say(words);
  }

  failed(session, item, error) {
    this.wish = false;
    if (error.code === "steer.unknown") this.owed(session, error);
    else if (error instanceof NoAnswer) this.unsure(session, item);
    else this.refused(session, item, error);
    this.mayWrite();
    this.view.pendingChanged(false);
  }

  // What a transcript shows has arrived, whatever was known of it here.
  arrivedAs(turns) {
    const item = this.pending.get(this.session);
    const there = (id) => turns.find((turn) => turn.client_turn_id === id);
    if (item?.state === "unsure" && there(item.id)) this.settle(this.session);
    if (there(this.turnId)?.text !== this.area.value) return;
    this.area.value = "";
    this.turnId = fresh();
    keep(this.session, { ...kept(this.session), text: "", id: undefined });
    this.grow();
  }

  settle(session) {
    this.pending.delete(session);
    const draft = kept(session);
    keep(session, { text: draft.text ?? "", id: draft.id });
  }

  unsure(session, item) {
    item.state = "unsure";
    this.view.alarm(w("send.unsure"));
  }

  // Whether the agent took it is not known: it stands among what needs somebody, and is not sent again from here.
  owed(session, error) {
    this.settle(session);
    this.view.alarm(error.message);
    this.view.refresh(session).catch(() => {});
  }

  // Before acceptance nothing exists: the words go back to where they were written.
  refused(session, item, error) {
    this.settle(session);
    this.restore(session, item);
    this.view.alarm(w("send.refused", { reason: error.message }));
  }

  restore(session, item) {
    const written = session === this.session ? this.area.value : (kept(session).text ?? "");
    const text = written ? `${item.text}\n${written}` : item.text;
    keep(session, { text, id: item.id });
    if (session !== this.session) return;
    this.area.value = text;
    this.turnId = item.id;
    this.grow();
    this.mayWrite();
  }

  // Cancelled before it was accepted: whether it was is read back, not assumed.
  async cancel(session) {
    const item = this.pending.get(session);
    if (!item) return;
    item.cancelled = true;
    item.abort?.abort();
    try {
      if (await this.arrived(session, item)) {
        this.settle(session);
        await this.view.refresh(session);
      } else {
        this.settle(session);
        this.restore(session, item);
        this.view.say(w("send.not_submitted"));
      }
    } catch {
      this.unsure(session, item);
    }
    this.view.pendingChanged(false);
  }

  async arrived(session, item) {
    const seen = await get(`/console/sessions/${encodeURIComponent(session)}`);
    return seen.turns.some((turn) => turn.client_turn_id === item.id);
  }

  // Asks with the same id: if it was accepted, that Turn comes back and nothing runs twice.
  async check(session) {
    const item = this.pending.get(session);
    if (!item || item.state !== "unsure") return;
    item.state = "sending";
    item.cancelled = false;
    item.abort = new AbortController();
    this.view.pendingChanged(false);
    await this.submit(session, item);
  }

  // What the transcript shows at its end for a text that is not accepted yet.
  pendingView(session) {
    const item = this.pending.get(session);
    if (!item) return null;
    const sending = item.state === "sending";
    const act = sending
      ? button("small.bare", w("cancel"), () => this.cancel(session))
      : button("small", w("send.check"), () => this.check(session));
    const said = h("div.said", {}, h("span.said-text", {}, item.text), act);
    const state = h("ol.way", {}, h(`li.last.state.${sending ? "running" : "waits"}`, {}, h("span.dot"), h("span.fact", {}, w(sending ? "send.sending" : "send.unconfirmed"))));
    const speaker = h("p.speaker", {}, h("strong", {}, w("speaker.you")), " ", h("span.hint", {}, w("origin.console")));
    return h("article.turn.queued.pending", {}, h("div.turn-main", {}, h("div.person", {}, speaker, said)), h("div.turn-way", {}, state));
  }
}
