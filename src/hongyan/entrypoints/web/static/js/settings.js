// Settings, to read: Apps with what was read back, owners, folders, bindings, agents; and how the console looks.
import { byId, h, icon, button, empty } from "./dom.js";
import { w, has, clock, moment, pairs, TONGUE } from "./words.js";
import { get, post } from "./net.js";
import { keysAreOn } from "./keys.js";

const PARTS = ["apps", "owners", "workspaces", "bindings", "coverage", "executors", "appearance", "machine"];
const COVERED = { checked: "verified", gaps: "waits", unchecked: "quiet", unavailable: "failed" };
const YEAR_SECONDS = 31_536_000;

function remember(name, value) {
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR_SECONDS}; samesite=strict`;
}

const mono = (words) => h("span.mono", {}, words);

export class Settings {
  constructor(options) {
    Object.assign(this, options);
    this.part = "";
    this.states = [];
    this.reports = new Map();
  }

  open(part) {
    this.part = PARTS.includes(part) ? part : "";
    document.documentElement.dataset.part = this.part;
    for (const one of PARTS) byId(`part-${one}`).ariaCurrent = one === (this.part || "apps") ? "page" : null;
    return this.refresh().catch(() => byId("settings-body").replaceChildren(empty(w("place.unread"), w("place.unread_how"))));
  }

  listeners(apps) {
    this.states = apps;
    if (document.documentElement.dataset.place === "settings") this.refresh().catch(() => {});
  }

  async refresh() {
    const part = this.part || "apps";
    const shown = await this[part]();
    if (part !== (this.part || "apps")) return;
    byId("settings-body").replaceChildren(...[shown].flat());
    byId("settings-part").textContent = this.part ? w(`settings.${this.part}`) : "";
  }

  async apps() {
    const { apps } = await get("/api/v1/apps");
    if (!apps.length) return h("p.hint", {}, w("no_apps"));
    return apps.map((app) => this.app(app));
  }

  app(app) {
    const state = app.error_code || app.state;
    const tone = app.error_code || app.state === "stopped" ? "failed" : app.state === "listening" ? "verified" : "waits";
    const words = app.error_code ? app.error_code : w(`listener.${app.state}`);
    const rows = [
      this.check("app.bot", app.bot_name ? [app.bot_name, " ", mono(app.bot_open_id ?? "")] : w("app.not_read"), app.bot_name ? "works" : "unread"),
      this.check("app.connection", app.observed_at ? [w("app.seen"), " ", clock(app.observed_at)] : w("app.not_read"), null, h(`span.state.${tone}`, {}, words)),
      this.check("app.owner", app.owner ? mono(app.owner) : w("app.no_owner"), app.owner ? "works" : "missing"),
      ...(this.reports.get(app.app) ?? []).map((one) => this.reported(one)),
    ];
    const again = button("", w("app.check"), () => this.verify(app.app, again), { data: { state } });
    return h("section.app", { "aria-labelledby": `app-${app.app}` }, h("div.app-head", {}, h("div", {}, h("h2", { id: `app-${app.app}` }, app.app), h("p.hint", {}, mono(app.app_id), ", ", w("from_file"))), again), h("ul.card", {}, rows));
  }

  check(key, found, verdict, state = null, name = null) {
    const tones = { works: ["check", "verified"], missing: ["cross", "failed"], unread: ["dash", "quiet"] };
    const [mark, tone] = tones[verdict] ?? ["arrows", "quiet"];
    return h("li.check", {}, icon(mark, `icon state ${tone}`), h("div", {}, h("p.strong", {}, name ?? w(key)), h("p.hint", {}, found)), state ?? h(`span.state.${tone}`, {}, w(`check.${verdict}`)));
  }

  // What a check found is the platform's own word where it is no state of ours.
  reported({ name, ok, found, mend }) {
    const said = [`listener.${found}`, `found.${found}`].find(has);
    const how = has(`mend.${name}`) ? w(`mend.${name}`) : mend;
    const title = has(`check.${name}`) ? w(`check.${name}`) : name;
    return this.check(null, [said ? w(said) : found, ok ? null : h("p.mend", {}, how)], ok ? "works" : "missing", null, title);
  }

  async verify(name, control) {
    control.ariaDisabled = "true";
    control.textContent = w("app.checking");
    try {
      const report = await post(`/api/v1/apps/${encodeURIComponent(name)}/verify`);
      this.reports.set(name, report.checks);
      await this.refresh();
    } catch (error) {
      this.alarm(w("not_done", { reason: error.status ? error.message : w("out_of_reach") }));
      control.textContent = w("app.check");
      control.ariaDisabled = null;
    }
  }

  async owners() {
    const { owners } = await get("/api/v1/owners");
    if (!owners.length) return h("p.hint", {}, w("app.no_owner"));
    return owners.map((one) => h("section.card.padded", {}, h("h2", {}, one.name || one.open_id), pairs([["field.app", one.app], ["field.id", mono(one.open_id)], ["field.paired", moment(one.paired_at)]])));
  }

  async workspaces() {
    const { workspaces } = await get("/api/v1/workspaces");
    if (!workspaces.length) return h("p.hint", {}, w("settings.no_workspaces"));
    return workspaces.map((one) => h("section.card.padded", {}, h("h2", {}, one.name), pairs([["field.path", mono(one.path)], ["field.grant", w(`grant.${one.grant}`)]])));
  }

  async bindings() {
    const { bindings } = await get("/api/v1/bindings");
    if (!bindings.length) return h("p.hint", {}, w("settings.no_bindings"));
    return bindings.map((one) => {
      const local = one.audience === "local";
      const rows = [
        ["field.where", local ? w("where.local_place") : w(`where.${one.audience}`, { app: one.app })],
        ["field.executor", mono(one.executor)],
        ["field.grant", w(`grant.${one.grant}`)],
        ["field.scope", w(`scope.${one.scope}`)],
        ["field.revision", String(one.revision)],
        ["field.id", mono(one.binding_id)],
      ];
      const state = h(`span.state.${one.state === "live" ? "verified" : "quiet"}`, {}, w(`binding.${one.state}`));
      return h("section.card.padded", {}, h("div.app-head", {}, h("h2", {}, one.workspace || one.binding_id), state), pairs(rows));
    });
  }

  // How far each chat was compared with the platform's history, and what never arrived.
  async coverage() {
    const { coverage } = await get("/api/v1/coverage");
    if (!coverage.length) return h("p.hint", {}, w("coverage.none"));
    return coverage.map((one) => this.covered(one));
  }

  covered(one) {
    const until = one.live_until ? moment(one.live_until) : w("coverage.not_yet");
    const rows = [
      ["coverage.until", until],
      ["coverage.unread", one.unread_until ? [moment(one.unread_from), " – ", moment(one.unread_until)] : ""],
      ["coverage.permission", one.permission ? mono(one.permission) : ""],
      ["field.reason", one.problem && !one.permission ? mono(one.problem) : ""],
      ["field.id", mono(one.binding_id)],
    ];
    const state = h(`span.state.${COVERED[one.status] ?? "quiet"}`, {}, w(`coverage.${one.status}`));
    const gaps = one.gaps.map((gap) => this.gap(gap));
    return h(
      "section.card.padded",
      { data: { binding: one.binding_id } },
      h("div.app-head", {}, h("h2", {}, w("where.owner_private", { app: one.app })), state),
      h("p.hint", {}, w(`coverage.${one.status}.means`)),
      pairs(rows),
      gaps.length ? h("ul.checks", { "aria-label": w("coverage.missed") }, gaps) : null,
    );
  }

  gap(gap) {
    const acts = gap.actions.map((action) => button(action === "ignore" ? "bare.danger" : "", w(`act.${action}`), () => this.settle(gap, action), { data: { mark: action } }));
    return h("li.check", { data: { gap: gap.id } }, icon("gap", "icon state waits"), h("div", {}, h("p.strong", {}, gap.text || w("list.no_words")), h("p.hint", {}, w("coverage.written"), " ", moment(gap.written_at))), h("span.acts", {}, acts));
  }

  async settle(gap, action) {
    try {
      await post(`/api/v1/owed/${gap.id}/${action}`, { expected_version: gap.version });
      await this.refresh();
    } catch (error) {
      this.alarm(w("not_done", { reason: error.status ? error.message : w("out_of_reach") }));
    }
    byId("settings-body").focus({ preventScroll: true });
  }

  async executors() {
    const { executors } = await get("/api/v1/executors");
    if (!executors.length) return h("p.hint", {}, w("settings.no_executors"));
    return executors.map((one) => h("section.card.padded", {}, h("h2", {}, one.name), pairs([["field.protocol", one.protocol], ["field.program", mono(one.program)], ["field.sandbox", w("advisory")]])));
  }

  appearance() {
    const choice = (name, options, chosen, choose) =>
      h("fieldset.choice", {}, h("legend", {}, w(name)), options.map((one) => h("label", {}, h("input", { type: "radio", name, value: one, checked: one === chosen, onchange: () => choose(one) }), w(`${name}.${one}`))));
    const theme = document.documentElement.dataset.theme ?? "system";
    return h(
      "section.card.padded",
      {},
      choice("theme", ["system", "light", "dark"], theme, (one) => {
        remember("hongyan_theme", one);
        if (one === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = one;
      }),
      choice("tongue", ["en", "zh"], TONGUE, (one) => {
        remember("hongyan_tongue", one);
        location.search = ""; // an address that names a language would win over the choice
        location.reload();
      }),
      choice("shortcuts", ["on", "off"], keysAreOn() ? "on" : "off", (one) => localStorage.setItem("hongyan.keys", one)),
    );
  }

  async machine() {
    const status = await get("/api/v1/status");
    const rows = [
      ["field.version", status.version],
      ["field.home", mono(status.home)],
      ["field.started", moment(status.started_at)],
      ["field.process", String(status.pid)],
      ["field.simulator", status.simulator_url ? mono(status.simulator_url) : w("field.none")],
      ["field.sandbox", has(`sandbox.${status.sandbox}`) ? w(`sandbox.${status.sandbox}`) : status.sandbox],
    ];
    return h("section.card.padded", {}, h("h2", {}, w("settings.machine")), pairs(rows), h("p.state.waits", {}, w("advisory")));
  }
}
