// One open conversation: its Turns, what runs in it, and where the reader is in it.
import { byId, h, icon, flight, empty } from "./dom.js";
import { w, named, sentence, wait, now, setNow } from "./words.js";
import { get, post } from "./net.js";
import { TurnView } from "./turn.js";
import { Composer } from "./composer.js";
import { showStanding } from "./standing.js";
import { chip } from "./list.js";

const NEAR_END = 48;
const QUIET_MS = 30_000;
const LATE_STOP_MS = 5_000;
const SAY_EVERY_MS = 5_000;
const GROUP_TURNS = 30; // a screen or two

// Moves only what does not stand where it should.
function inOrder(parent, nodes) {
  let cursor = parent.firstElementChild;
  for (const node of nodes) {
    if (node === cursor) cursor = cursor.nextElementSibling;
    else parent.insertBefore(node, cursor);
  }
}

export class Conversation {
  constructor(options) {
    Object.assign(this, options); // alarm(words), say(words), overview()
    this.scroll = byId("transcript");
    this.turnsNode = byId("turns");
    this.composer = new Composer(this);
    this.id = null;
    this.follows = true;
    this.saidAt = 0;
    this.scroll.addEventListener("scroll", () => this.scrolled(), { passive: true });
    byId("latest").addEventListener("click", () => this.toEnd());
    byId("stop").addEventListener("click", () => this.running && this.stop(this.running.turn.id));
    new ResizeObserver(() => this.settleScroll()).observe(this.turnsNode);
    new ResizeObserver(() => this.settleScroll()).observe(this.scroll);
    byId("earlier").addEventListener("click", () => this.earlier());
    setInterval(() => this.activity(), 1000);
  }

  async open(id) {
    if (id === this.id) return;
    this.id = id;
    this.reading = this.again = null;
    this.views = new Map();
    this.groups = new Map();
    this.cursor = undefined;
    this.session = null;
    this.follows = true;
    this.turnsNode.replaceChildren();
    showStanding(null);
    byId("conversation").hidden = id === null;
    byId("nothing-open").hidden = id !== null;
    this.composer.prepare(id);
    this.drawPending();
    if (id !== null) await this.refresh(id);
  }

  // One read at a time: of two under way the older could arrive last and stay. A wish during a read is read after it.
  refresh(id = this.id) {
    if (id === null || id !== this.id) return Promise.resolve();
    if (this.reading) return (this.again ??= this.afterwards(this.reading, id));
    const reading = this.read(id).finally(() => {
      if (this.reading === reading) this.reading = null;
    });
    this.reading = reading;
    return reading;
  }

  async afterwards(reading, id) {
    await reading.catch(() => {});
    if (this.reading) return undefined; // the reader went away and came back: what is read now is newer
    this.again = null;
    return this.refresh(id);
  }

  // Late answers belong to the visit that they were asked for, and to no other.
  async read(id) {
    const views = this.views;
    let seen;
    try {
      seen = await get(`/console/sessions/${encodeURIComponent(id)}`);
    } catch (error) {
      if (views !== this.views) return;
      if (error.status === 404) return void this.gone();
      if (!this.session) this.turnsNode.replaceChildren(empty(w("place.unread"), w("place.unread_how")));
      throw error; // what stands here stays
    }
    if (views !== this.views) return;
    setNow(seen.now);
    this.session = seen.session;
    if (this.cursor === undefined || this.hasGap(seen.turns)) this.start(seen);
    this.merge(seen.turns);
  }

  gone() {
    this.turnsNode.replaceChildren(h("p.hint", {}, w("session.gone")));
    byId("composer").hidden = true;
    byId("why-not").hidden = true;
    showStanding(null);
  }

  hasGap(turns) {
    const newest = Math.max(0, ...[...this.views.values()].map((view) => view.turn.position));
    return turns.length > 0 && newest > 0 && turns[0].position > newest + 1;
  }

  start(seen) {
    this.cursor = seen.cursor;
    this.views.clear();
    this.groups.clear();
    this.turnsNode.replaceChildren();
    byId("earlier").hidden = !seen.cursor;
  }

  get viewOptions() {
    return {
      executor: this.session.executor,
      notes: this.composer.notes,
      stop: (id) => this.stop(id),
      refresh: () => this.refresh(),
      approvals: { after: (_, words) => this.say(words), alarm: (words) => this.alarm(words) },
    };
  }

  merge(turns) {
    this.head();
    const options = this.viewOptions;
    for (const turn of turns) {
      const known = this.views.get(turn.id);
      if (known) {
        const was = known.ended;
        known.view = options;
        known.update(turn);
        if (!was && known.ended) this.say(w(turn.way.at(-1).key, { n: 0 }));
      } else {
        this.views.set(turn.id, new TurnView(turn, options));
      }
    }
    this.order();
    this.composer.enter(this.session, turns);
    this.stand();
    this.drawPending();
    this.activity();
    this.settleScroll();
    this.nearStart();
  }

  stand() {
    const newest = [...this.views.values()].reduce((one, other) => (one && one.turn.position > other.turn.position ? one : other), null);
    showStanding(newest, this.session);
  }

  // Turns stand in groups: a group that is out of sight costs the browser nothing, and a thousand groups cost more.
  order() {
    const views = [...this.views.values()].sort((one, other) => one.turn.position - other.turn.position);
    const groups = new Map();
    for (const { turn, node } of views) {
      const number = Math.floor(turn.position / GROUP_TURNS);
      if (!groups.has(number)) groups.set(number, []);
      groups.get(number).push(node);
    }
    for (const [number, nodes] of groups) {
      if (!this.groups.has(number)) this.groups.set(number, h("div.group-of-turns", {}));
      inOrder(this.groups.get(number), nodes);
    }
    inOrder(this.turnsNode, [...groups.keys()].map((number) => this.groups.get(number)));
    const nothing = !views.length && !this.composer.pending.has(this.id);
    byId("no-turns").hidden = !nothing;
    if (nothing && !byId("no-turns").childElementCount) byId("no-turns").append(empty(w("conversation.empty")));
  }

  head() {
    const one = this.session;
    byId("conversation-title").textContent = named(one.title);
    const where = one.group === "local" ? w("where.local_place") : w(`where.${one.group}`, { app: one.app });
    byId("conversation-where").replaceChildren(h("span.where-words", {}, where), chip(one.executor));
    document.title = `${one.title} · Hongyan`;
  }

  async earlier() {
    if (!this.cursor || this.loading) return;
    this.loading = true;
    const { views, cursor } = this;
    try {
      const page = await get(`/console/sessions/${encodeURIComponent(this.id)}?cursor=${encodeURIComponent(cursor)}`);
      if (views !== this.views || cursor !== this.cursor) return;
      const before = this.scroll.scrollHeight - this.scroll.scrollTop;
      this.cursor = page.cursor;
      byId("earlier").hidden = !page.cursor;
      const options = this.viewOptions;
      for (const turn of page.turns) if (!this.views.has(turn.id)) this.views.set(turn.id, new TurnView(turn, options));
      this.order();
      this.scroll.scrollTop = this.scroll.scrollHeight - before; // the line that is read stays where it is
      requestAnimationFrame(() => this.nearStart()); // whoever scrolled on meanwhile is there already
    } catch {
      // the button stays and asks again
    } finally {
      this.loading = false;
    }
  }

  // The page before comes before its place does.
  nearStart() {
    if (this.cursor && this.scroll.scrollTop < 2 * this.scroll.clientHeight) this.earlier();
  }

  pendingChanged(own) {
    this.drawPending();
    this.order();
    if (own) this.toEnd();
  }

  drawPending() {
    const shown = this.composer.pendingView(this.id);
    byId("pending").replaceChildren(...(shown ? [shown] : []));
    this.settleScroll();
  }

  // --- what runs -------------------------------------------------------------------------

  takeEvent(event) {
    const view = this.views?.get(event.turn_id);
    if (!view || view.ended) return false;
    if (!view.steps) return true;
    view.steps.take(event);
    this.settleScroll();
    return event.kind === "permission_asked";
  }

  get running() {
    if (!this.views) return null;
    return [...this.views.values()].find((view) => view.turn.is_open && view.turn.state !== "queued") ?? null;
  }

  activity() {
    const line = byId("activity");
    const view = this.running;
    line.hidden = !view;
    if (!view) return;
    const { turn, steps } = view;
    const asked = turn.decisions.find((decision) => decision.state === "asked");
    const words = sentence(this.activityWords(turn, steps, asked));
    const since = asked ? asked.asked_at : turn.running_at;
    const shown = byId("activity-words");
    if (shown.dataset.words !== words) {
      shown.dataset.words = words;
      shown.textContent = words;
      if (now() - this.saidAt > SAY_EVERY_MS) {
        this.saidAt = now();
        this.say(words);
      }
    }
    byId("activity-time").textContent = since ? wait(now() - since) : "";
    const moves = !asked && turn.state !== "held";
    const mark = byId("activity-mark");
    if (mark.dataset.moves !== String(moves)) {
      mark.dataset.moves = String(moves);
      mark.replaceChildren(moves ? flight() : icon("seal"));
    }
    line.classList.toggle("waits", !moves);
    byId("stop").hidden = ["interrupting", "completing", "held"].includes(turn.state); // what is held is run again or dropped
  }

  activityWords(turn, steps, asked) {
    if (asked) return w("activity.decision", { name: named(asked.subject).slice(0, 80) });
    if (turn.state === "interrupting" && now() - turn.stop_at >= LATE_STOP_MS) return w("activity.stopping");
    if (turn.state === "held") return w(turn.way.at(-1).key);
    if (turn.state !== "running") return w(`turn.${turn.state}`);
    const heard = steps?.lastAt || turn.running_at;
    if (heard && now() - heard >= QUIET_MS) return w("activity.quiet", { time: wait(now() - heard) });
    return steps?.latest ? w(steps.latest.key, { name: steps.latest.name ?? "" }) : w("turn.running");
  }

  async stop(turnId) {
    try {
      const { state } = await post(`/api/v1/turns/${encodeURIComponent(turnId)}/stop`);
      this.say(w(`turn.${state}`));
      await this.refresh();
    } catch (error) {
      this.alarm(w("not_done", { reason: error.status ? error.message : w("out_of_reach") }));
    }
  }

  // --- where the reader is ---------------------------------------------------------------

  scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroll;
    this.nearStart();
    if (this.ours) return;
    this.follows = scrollHeight - scrollTop - clientHeight < NEAR_END;
    byId("latest").hidden = this.follows;
  }

  settleScroll() {
    if (!this.follows) return;
    this.ours = true;
    this.scroll.scrollTop = this.scroll.scrollHeight;
    requestAnimationFrame(() => (this.ours = false));
  }

  toEnd() {
    this.follows = true;
    byId("latest").hidden = true;
    this.settleScroll();
  }
}

