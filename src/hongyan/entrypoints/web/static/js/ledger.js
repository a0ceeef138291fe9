// The ledger: two sums that add up, or say by how much they do not, and the lines behind each number.
import { byId, h, icon, button, empty, Keyed } from "./dom.js";
import { w, has, clock, moment, named, nextOf, number, sentence, setNow, now } from "./words.js";
import { get, post } from "./net.js";

const TONES = {
  captured: "dai", admitted: "dai", queued: "dai", active: "dai", delivering: "dai", asking: "ochre", held: "ochre",
  answered: "song", told: "grey", merged: "grey", silent: "grey", undelivered: "zhu",
  planned: "dai", intended: "dai", written: "dai", verified: "song", mismatch: "zhu", rejected: "zhu", unknown: "ochre",
  withheld: "grey", superseded: "grey",
};

const FORMS = new Set(["text", "post", "words_card"]); // writes that carry words

export class Ledger {
  constructor(options) {
    Object.assign(this, options);
    this.side = "received";
    this.kind = "";
    this.owedOnly = false;
    this.lines = new Keyed(byId("ledger-lines"));
    byId("ledger-all").addEventListener("click", () => this.filter({ side: "received", kind: "", owedOnly: false }));
    byId("ledger-owed").addEventListener("click", () => this.filter({ side: "received", owedOnly: !this.owedOnly }));
  }

  open() {
    return this.refresh().catch(() => this.unread());
  }

  unread() {
    if (!byId("ledger-lines-part").hidden) return;
    byId("sums").replaceChildren(empty(w("place.unread"), w("place.unread_how")));
  }

  filter(changes) {
    Object.assign(this, changes);
    return this.refresh().catch(() => this.alarm(w("out_of_reach")));
  }

  async refresh() {
    const chosen = JSON.stringify([this.side, this.kind, this.owedOnly]);
    const kind = this.side === "received" ? this.kind : "";
    const seen = await get(`/console/ledger?kind=${encodeURIComponent(kind)}`);
    const writes = this.side === "writes" ? (await get("/api/v1/deliveries?limit=1000")).deliveries : [];
    if (chosen !== JSON.stringify([this.side, this.kind, this.owedOnly])) return; // another one is chosen and read by now
    setNow(seen.now);
    byId("ledger-lines-part").hidden = false;
    byId("ledger-when").replaceChildren(w("ledger.checked"), " ", clock(now()));
    byId("sums").replaceChildren(this.sum("received", "class", seen.received), this.sum("writes", "part", seen.writes));
    this.show(seen, writes);
  }

  sum(side, kind, { total, classes, difference }) {
    const rows = Object.entries(classes).map(([name, amount]) => this.classRow(side, kind, name, amount));
    const good = difference === 0;
    const verdict = good ? [icon("check"), w("adds_up")] : [icon("cross"), w("off_by", { n: Math.abs(difference) })];
    const counted = Object.values(classes).reduce((sum, amount) => sum + amount, 0);
    return h(
      "section.sum",
      { "aria-labelledby": `sum-${side}` },
      h("div.sum-head", {}, h("span.total", {}, number(total)), h("h2", { id: `sum-${side}` }, w(side)), h("span.hint", {}, w(`ledger.${side}_all`))),
      this.bar(classes, total),
      h("ul.classes", {}, rows),
      h(`div.verdict.${good ? "good" : "bad"}`, {}, h(`span.state.${good ? "verified" : "failed"}`, {}, verdict), h("span.hint", {}, w("ledger.own_query")), h("span.double", {}, number(counted))),
    );
  }

  bar(classes, total) {
    const parts = Object.entries(classes).filter(([, amount]) => amount);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "bar");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("viewBox", "0 0 1000 8");
    svg.setAttribute("preserveAspectRatio", "none");
    const gaps = Math.max(0, parts.length - 1) * 4;
    let left = 0;
    for (const [name, amount] of parts) {
      const width = Math.max(6, ((1000 - gaps) * amount) / Math.max(1, total));
      const part = document.createElementNS(svg.namespaceURI, "rect");
      for (const [key, value] of Object.entries({ x: left, y: 0, width, height: 8, class: `fill-${TONES[name] ?? "grey"}` })) part.setAttribute(key, value);
      svg.append(part);
      left += width + 4;
    }
    return svg;
  }

  classRow(side, kind, name, amount) {
    const chosen = this.side === side && this.kind === name;
    return h(
      "li",
      {},
      h(
        `button.class${amount ? "" : ".zero"}${chosen ? ".chosen" : ""}`,
        { type: "button", "aria-pressed": String(chosen), onclick: () => this.filter({ side, kind: chosen ? "" : name, owedOnly: false }), data: { mark: `${side}.${name}` } },
        h(`span.key.ground-${TONES[name] ?? "grey"}`, { "aria-hidden": "true" }),
        h("span.name", {}, w(`${kind}.${name}`)),
        has(`about.${kind}.${name}`) ? h("span.hint", {}, w(`about.${kind}.${name}`)) : null,
        h("span.amount", {}, number(amount)),
      ),
    );
  }

  show(seen, writes) {
    const of = this.side === "received" ? "class" : "part";
    byId("ledger-title").textContent = this.kind ? w(`${of}.${this.kind}`) : sentence(w(this.owedOnly ? "ledger.owed" : "ledger.all_lines"));
    byId("ledger-all").ariaPressed = String(!this.kind && !this.owedOnly);
    byId("ledger-owed").ariaPressed = String(this.owedOnly);
    byId("ledger-owed-count").textContent = String(seen.owed.length);
    const rows = this.side === "writes" ? this.writes(writes) : seen.lines.filter((line) => !this.owedOnly || line.owed).map((line) => this.received(line, seen.owed));
    byId("ledger-none").hidden = rows.length > 0;
    byId("ledger-table").hidden = rows.length === 0;
    this.lines.show(rows);
    byId("ledger-more").hidden = seen.whole || this.side === "writes";
    byId("ledger-count").textContent = w("ledger.shown", { n: number(rows.length) });
  }

  received(line, owed) {
    const need = owed.find((one) => one.id === line.id);
    const act = need?.actions.length ? button("link", w(`act.${need.actions[0]}`), () => this.carry(need), { data: { mark: "act" } }) : null;
    const state = line.owed ? h("span.state.waits", {}, w("ledger.owed")) : h("span.state.quiet", {}, w(`class.${line.kind}`));
    const who = named(line.speaker) || w(line.origin === "lark" ? "speaker.someone" : "speaker.you");
    const why = line.why ? (has(`why.${line.why}`) ? w(`why.${line.why}`) : line.why) : "";
    const said = [why, need ? nextOf(need) : ""].filter(Boolean).join(" ");
    return this.line(line.id, line.at, [who, line.text.split("\n")[0], said], [state, act ? " " : "", act], JSON.stringify([line, need]));
  }

  writes(found) {
    const shown = found.filter((one) => !this.kind || one.state === this.kind).slice(0, 200);
    return shown.map((one) => {
      const at = one.verified_at ?? one.written_at ?? one.created_at;
      const text = FORMS.has(one.transport) ? one.content.split("\n")[0] : w(`transport.${one.transport}`);
      const tone = one.state === "verified" ? "verified" : one.state === "unknown" ? "waits" : ["rejected", "mismatch"].includes(one.state) ? "failed" : "quiet";
      return this.line(one.id, at, [w(`phase.${one.phase}`), text, one.code], h(`span.state.${tone}`, {}, w(`part.${one.state}`)), JSON.stringify(one));
    });
  }

  line(key, at, [from, said, why], state, sign) {
    const cell = (name, content) => h("td", { data: { name: w(`column.${name}`) } }, content);
    const build = () => h("tr", {}, cell("time", moment(at)), cell("from", from), cell("said", said), cell("why", why), h("td.end", { data: { name: w("column.state") } }, state));
    return { key, sign, build };
  }

  async carry(need) {
    try {
      await post(`/api/v1/owed/${need.id}/${need.actions[0]}`, { expected_version: need.version });
      await this.refresh();
    } catch (error) {
      this.alarm(w("not_done", { reason: error.status ? error.message : w("out_of_reach") }));
    }
    byId("ledger-heading").focus({ preventScroll: true });
  }
}
