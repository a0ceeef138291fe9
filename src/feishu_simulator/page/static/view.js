// Where the reader is: who they act as, which chat and topic is open, which pane and filter.
const KEPT = "hongyan.simulator.place";

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

export class View {
  constructor() {
    const { acting = null, place = null, thread = null, filter = "all" } = kept();
    Object.assign(this, { acting, place, thread, filter });
    this.pane = "chat";
    this.replyTo = null;
    this.editing = null;
    this.openRows = new Set();
    this.listeners = [];
  }

  subscribe(listener) {
    this.listeners.push(listener);
  }

  set(changes) {
    Object.assign(this, changes);
    const { acting, place, thread, filter } = this;
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ acting, place, thread, filter }));
    } catch {
      // without storage the place is forgotten at a reload
    }
    for (const listener of this.listeners) listener();
  }

  enter(place, changes = {}) {
    this.set({ place, thread: null, replyTo: null, editing: null, pane: "chat", ...changes });
  }

  toggleRow(key) {
    if (!this.openRows.delete(key)) this.openRows.add(key);
    this.set({});
  }
}

// The chats of the acting person: one with each bot, though nothing was said yet, and their groups, newest first.
export function placesOf(store, acting) {
  const chats = [...store.chats.values()].filter((chat) => chat.users.includes(acting));
  const groups = chats.filter((chat) => chat.kind !== "p2p").map((chat) => ({ key: chat.chat_id, chat, app: null }));
  const bots = [...store.apps.values()].map((app) => ({
    key: `app:${app.app_id}`,
    app,
    chat: chats.find((chat) => chat.kind === "p2p" && chat.bots.includes(app.app_id)) ?? null,
  }));
  const newest = (place) => place.chat?.last_message?.create_ms ?? 0;
  return [...bots, ...groups].sort((one, other) => newest(other) - newest(one));
}

export function placeName(place) {
  return place.app?.name ?? place.chat.name ?? "";
}

// Leads the view to a place that exists: a person is gone after a reset, a chat after a switch.
export function settle(store, view) {
  if (!store.users.has(view.acting)) view.acting = store.users.keys().next().value ?? null;
  const places = placesOf(store, view.acting);
  const place = places.find((item) => item.key === view.place) ?? places[0] ?? null;
  if (place?.key !== view.place) Object.assign(view, { place: place?.key ?? null, thread: null, replyTo: null, editing: null });
  return place;
}
