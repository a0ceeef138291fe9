// Needs you: one list, oldest first, each with its reason and its one useful action; the chosen one stands beside it.
import { byId, h, icon, button, empty, Keyed } from "./dom.js";
import { pairs, w, has, clock, moment, named, nextOf, now, age, plain, setNow } from "./words.js";
import { get, post } from "./net.js";
import { ApprovalRow } from "./approval.js";

const DANGER = ["drop", "close", "ignore"];

// A row is one line of many; the whole title stands beside it, above the buttons.
const short = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

export class Needs {
  constructor(options) {
    Object.assign(this, options);
    this.rows = new Keyed(byId("needs-rows"));
    this.detail = byId("need-detail");
    this.chosen = null;
    this.seen = null;
    byId("need-back").addEventListener("click", () => this.choose(null));
  }

  open() {
    return this.refresh().catch(() => this.unread());
  }

  // What was read before stays; where nothing was, it says so.
  unread() {
    if (this.seen) return;
    byId("needs-list").hidden = true;
    byId("needs-empty").hidden = false;
    byId("needs-empty").replaceChildren(empty(w("place.unread"), w("place.unread_how")));
  }

  async refresh() {
    const seen = await get("/console/needs");
    setNow(seen.now);
    this.seen = seen;
    this.show();
  }

  items() {
    const { approvals, owed, sessions } = this.seen;
    const of = (one) => ({ key: one.id, one, session: sessions[one.session_id], title: named(sessions[one.session_id]?.title ?? "") });
    const asked = approvals.map((one) => ({ ...of(one), kind: "approval", at: one.asked_at }));
    const rest = owed.map((one) => ({ ...of(one), kind: this.kindOf(one), at: one.since }));
    return [...asked, ...rest].sort((first, second) => first.at - second.at);
  }

  kindOf(one) {
    if (one.actions.includes("send_again")) return "delivery";
    if (one.actions.includes("run")) return "message";
    return one.turn_state === "held" ? "held" : "failed";
  }

  show() {
    const items = this.items();
    const none = items.length === 0;
    byId("needs-count").textContent = none ? "" : w("needs.count", { n: items.length });
    byId("needs-empty").hidden = !none;
    byId("needs-list").hidden = none;
    const running = this.seen.running;
    if (none) byId("needs-empty").replaceChildren(empty(w("nothing_owed"), w(["needs.none_running", "needs.one_running"][running] ?? "needs.running", { n: running })));
    if (!items.some((item) => item.key === this.chosen)) this.chosen = null;
    this.rows.show(items.map((item) => ({ key: item.key, sign: JSON.stringify([item.one, item.key === this.chosen]), build: () => this.row(item) })));
    this.showDetail(items.find((item) => item.key === this.chosen));
  }

  row(item) {
    const { kind, one, key } = item;
    const tone = kind === "failed" ? "failed" : "waits";
    const first = kind === "approval" ? button("", w("needs.review"), () => this.choose(key, true), { data: { mark: "review" } }) : one.actions.length ? this.act(one, one.actions[0], "") : null;
    return h(
      `li.need${key === this.chosen ? ".chosen" : ""}`,
      { data: { need: key } },
      icon(kind === "approval" ? "seal" : kind === "delivery" ? "question" : kind === "message" ? "gap" : "warning", `icon state ${tone}`),
      h(
        "button.need-body",
        { type: "button", onclick: () => this.choose(key, true), "aria-expanded": String(key === this.chosen), data: { mark: "body" } },
        h("span.need-kind", {}, h(`span.state.${tone}`, {}, w(`need.${kind}`)), " ", h("span.hint", {}, age(now() - item.at))),
        h("span.need-title", {}, short(this.titleOf(item))),
        h("span.hint", {}, this.reasonOf(item)),
      ),
      first,
    );
  }

  titleOf({ kind, one, title }) {
    if (kind !== "approval") return one.text || w("list.no_words");
    return w("need.approval_title", { subject: plain(one.subject), session: title });
  }

  reasonOf({ kind, one, title }) {
    if (kind === "approval") return one.diff ? w("need.lines", { added: one.diff.added, removed: one.diff.removed }) : w("need.agent_waits");
    const why = has(`why.${one.why}`) ? w(`why.${one.why}`) : w("why.other", { code: one.why });
    const said = [why, nextOf(one)].filter(Boolean).join(" ");
    return title ? `${title}: ${said}` : said;
  }

  choose(key, focus = false) {
    this.chosen = key;
    document.documentElement.dataset.need = key ? "open" : "";
    this.show();
    if (focus) this.detail.querySelector("h2")?.focus({ preventScroll: true });
    else byId("needs-title").focus({ preventScroll: true });
  }

  showDetail(item) {
    byId("need-aside").hidden = !item;
    if (!item) {
      this.shown = null;
      return void this.detail.replaceChildren();
    }
    if (this.shown?.key === item.key) return void (this.shown.row?.update(item.one));
    const { one, kind, key } = item;
    const heading = h("h2", { tabindex: -1 }, this.titleOf(item));
    const head = [h(`p.state.${kind === "failed" ? "failed" : "waits"}`, {}, w(`need.${kind}`)), heading];
    const link = one.session_id ? h("p", {}, h("a", { href: `#/c/${one.session_id}` }, w("needs.open"))) : "";
    const folded = h("details.folded", {}, h("summary", {}, icon("right", "icon turner"), w("need.ids")), this.ids(item));
    if (kind === "approval") {
      const row = new ApprovalRow(one, { tag: "div", bare: true, evidence: link || null, alarm: this.alarm, after: (_, words) => this.done(words) });
      this.shown = { key, row };
      return void this.detail.replaceChildren(...head, row.node, folded);
    }
    this.shown = { key };
    const acts = one.actions.map((action, place) => this.act(one, action, place ? "bare" : "primary"));
    return void this.detail.replaceChildren(...head, h("p.letter", {}, one.text), h("p", {}, this.reasonOf(item)), link, h("div.acts", {}, acts), folded);
  }

  // Ids and what the agent may reach: there for who needs them, out of the way of who decides.
  ids({ kind, one, session }) {
    const mono = (words) => (words ? h("span.mono", {}, words) : "");
    const known = [
      ["field.id", mono(one.id)],
      ["field.session", mono(one.session_id)],
      ["field.turn", mono(one.turn_id)],
      ["field.executor", mono(session?.executor)],
      ["field.grant", session ? w(`grant.${session.grant}`) : ""],
      ["field.scope", session ? w(`scope.${session.scope}`) : ""],
    ];
    const asked = [["field.risk", has(`risk.${one.risk}`) ? w(`risk.${one.risk}`) : one.risk], ["field.call", mono(one.call_id)], ["field.asked", moment(one.asked_at)], ["field.expires", clock(one.expires_at)]];
    return pairs([...known, ...(kind === "approval" ? asked : [["field.reason", mono(one.why)]])]);
  }

  act(one, action, style) {
    const danger = DANGER.includes(action) ? "bare danger" : style;
    return button(danger.replace(" ", "."), w(`act.${action}`), () => this.carry(one, action), { data: { mark: action } });
  }

  async carry(one, action) {
    try {
      await post(`/api/v1/owed/${one.id}/${action}`, { expected_version: one.version });
      this.done(w("act.done", { act: w(`act.${action}`) }));
    } catch (error) {
      this.alarm(w("not_done", { reason: error.status ? error.message : w("out_of_reach") }));
    }
  }

  // After an action the focus goes to the next item, or to the list's heading.
  async done(words) {
    this.say(words);
    const keys = this.items().map((item) => item.key);
    const next = keys[keys.indexOf(this.chosen) + 1];
    this.chosen = null;
    document.documentElement.dataset.need = "";
    await this.refresh().catch(() => {});
    const row = next && byId("needs-rows").querySelector(`[data-need="${CSS.escape(next)}"] .need-body`);
    (row ?? byId("needs-title")).focus({ preventScroll: true });
  }
}
