// The list of conversations: by place, one tab stop, arrows walk it, a word narrows it.
import { h, icon, button, byId, empty, Keyed } from "./dom.js";
import { w, moment, named, waiting } from "./words.js";
import { post } from "./net.js";

const GROUPS = ["owner_private", "group_topic", "local", "manager"];

export function stateOf(session) {
  return h(`span.state.${session.tone}`, {}, w(session.state, { n: session.n }), session.since ? [" ", waiting(session.since)] : null);
}

export class List {
  constructor(options) {
    Object.assign(this, options); // open(id), alarm(words)
    this.root = byId("list");
    this.find = byId("find");
    this.sessions = [];
    this.chosen = null;
    this.groups = new Keyed(this.root);
    this.rows = new Map();
    this.find.addEventListener("input", () => this.show());
    this.root.addEventListener("keydown", (event) => this.walk(event));
    byId("new").addEventListener("click", () => this.askWhere());
  }

  set(overview) {
    this.sessions = overview.sessions;
    this.place = overview.place;
    this.show();
  }

  choose(id) {
    this.chosen = id;
    this.show();
  }

  show() {
    const wanted = this.find.value.trim().toLowerCase();
    const found = this.sessions.filter((one) => !wanted || `${one.title} ${one.last_text} ${one.app} ${one.executor}`.toLowerCase().includes(wanted));
    const open = found.filter((one) => !one.closed);
    const closed = found.filter((one) => one.closed);
    const groups = GROUPS.map((group) => ({ group, sessions: open.filter((one) => one.group === group) }));
    groups.push({ group: "closed", sessions: closed });
    this.groups.show(groups.filter(({ sessions }) => sessions.length).map((one) => ({ key: one.group, sign: "", build: () => this.group(one.group) })));
    for (const { group, sessions } of groups) if (sessions.length) this.fill(group, sessions);
    byId("nothing-open").classList.toggle("nothing-to-open", this.sessions.length === 0);
    byId("list-empty").hidden = found.length > 0;
    byId("list-empty").replaceChildren(wanted ? h("p.hint", {}, w("list.nothing_found")) : empty(w("no_sessions"), w("no_sessions_how")));
    this.oneTabStop();
  }

  group(group) {
    const rows = h("ul.rows", {});
    this.rows.set(group, new Keyed(rows));
    return h("section.group", { "aria-labelledby": `group-${group}` }, h("h2.caption", { id: `group-${group}` }, w(`group.${group}`)), rows);
  }

  fill(group, sessions) {
    const items = sessions.map((one) => ({
      key: one.id,
      sign: JSON.stringify([one, one.id === this.chosen]),
      build: () => this.row(one),
    }));
    this.rows.get(group).show(items);
  }

  row(one) {
    const chosen = one.id === this.chosen;
    return h(
      "li",
      {},
      h(
        `a.row${chosen ? ".chosen" : ""}`,
        { href: `#/c/${one.id}`, "aria-current": chosen ? "true" : null, data: { session: one.id, mark: one.id } },
        h("span.row-line", {}, h("span.title", {}, named(one.title)), stateOf(one)),
        h("span.row-line.second", {}, h("span.last", {}, named(one.last_text) || w("list.no_words")), moment(one.last_at)),
      ),
    );
  }

  links() {
    return [...this.root.querySelectorAll("a.row")];
  }

  walk(event) {
    const links = this.links();
    const here = links.indexOf(document.activeElement);
    const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: links.length - 1 };
    const next = links[steps[event.key]];
    if (here < 0 || !next) return;
    event.preventDefault();
    next.focus();
    for (const link of links) link.tabIndex = link === next ? 0 : -1;
  }

  oneTabStop() {
    const links = this.links();
    const stop = links.find((link) => link === document.activeElement) ?? links.find((link) => link.ariaCurrent) ?? links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  }

  // A conversation of this machine needs a folder and an agent; with one of each there is nothing to ask.
  askWhere() {
    const { workspaces, executors } = this.place ?? { workspaces: [], executors: [] };
    if (!workspaces.length || !executors.length) return this.alarm(w("new.nowhere"));
    const choice = (name, options) => h("label.field", {}, w(`new.${name}`), h("select", { name }, options.map((one) => h("option", { value: one }, one))));
    const form = h("form", { method: "dialog" }, h("h2", {}, w("new.title")), choice("workspace", workspaces), choice("executor", executors));
    const dialog = h("dialog", {}, form);
    form.append(h("div.acts", {}, button("", w("cancel"), () => dialog.close()), h("button.button.primary", { type: "submit" }, w("new.open"))));
    form.addEventListener("submit", () => this.openNew(Object.fromEntries(new FormData(form))));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return undefined;
  }

  async openNew(place) {
    try {
      const session = await post("/api/v1/sessions", place);
      this.open(session.session_id);
    } catch (error) {
      this.alarm(w("not_done", { reason: error.status ? error.message : w("out_of_reach") }));
    }
  }
}

export const chip = (words) => h("span.chip", {}, icon("terminal"), words);
