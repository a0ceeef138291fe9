// The timeline beside the chat: events to the bot, calls from the bot, what was done to them.
import { api } from "./api.js";
import { KeyedList, byId, empty } from "./dom.js";
import { Follower } from "./scrolling.js";
import { row } from "./timeline_rows.js";
import { language, t } from "./words.js";

const FILTERS = ["all", "events", "calls"];

export class TimelinePane {
  constructor(store, view) {
    Object.assign(this, { store, view });
    this.list = new KeyedList(byId("entries"));
    this.follower = new Follower(byId("timeline-scroll"));
    this.follower.follow(byId("entries"));
    this.bodies = new Map(); // event_id to its whole body, read when a row is opened
    for (const filter of FILTERS) {
      byId(`filter-${filter}`).addEventListener("click", () => view.set({ filter }));
    }
  }

  render(place) {
    const { timeline } = this.store;
    const rows = timeline.shown(this.view.filter);
    this.list.show(rows.map((item) => this.entry(item)));
    this.filters(timeline);
    byId("no-entries").hidden = rows.length > 0;
    if (rows.length === 0) byId("no-entries").replaceChildren(empty(t("no_entries"), t("no_entries_hint")));
    byId("sums").textContent = this.sums(place);
    this.follower.keep();
  }

  filters(timeline) {
    const counts = { events: timeline.count("event"), calls: timeline.count("call") };
    for (const filter of FILTERS) {
      const button = byId(`filter-${filter}`);
      const words = t(`filter_${filter}`);
      button.textContent = filter === "all" ? words : `${words} ${counts[filter]}`;
      button.setAttribute("aria-pressed", String(this.view.filter === filter));
    }
  }

  entry(item) {
    const open = this.view.openRows.has(item.key);
    const body = this.bodies.get(item.facts.event_id);
    const sign = `${item.version} ${open} ${body !== undefined} ${language()}`;
    const build = () => row(item, { open, body, toggle: () => this.toggle(item) });
    return { key: item.key, sign, build };
  }

  toggle(item) {
    const { event_id: eventId } = item.facts;
    this.follower.stay();
    this.view.toggleRow(item.key);
    if (item.kind !== "event" || this.bodies.has(eventId)) return;
    api.event(eventId).then(
      ({ body }) => {
        this.bodies.set(eventId, body);
        this.view.set({});
      },
      () => {}, // the row shows what is known without it
    );
  }

  // What was said in the open chat and what of the bots stands there, both from the platform's own list.
  sums(place) {
    const all = [...(this.store.messages.get(place?.chat?.chat_id)?.values() ?? [])];
    const byBot = (message) => message.sender.kind === "app";
    const said = all.filter((message) => !byBot(message)).length;
    const visible = all.filter((message) => byBot(message) && !message.withdrawn).length;
    return t("sums", { said, visible });
  }
}
