// What the platform is like now, kept current by the stream of changes.
import { api } from "./api.js";
import { Timeline } from "./timeline_fold.js";

export class Store {
  constructor() {
    this.listeners = [];
    this.clear();
  }

  clear() {
    this.apps = new Map();
    this.users = new Map();
    this.chats = new Map();
    this.faults = new Map();
    this.connections = new Map();
    this.messages = new Map(); // chat_id to Map of message_id to message, only of chats that were opened
    this.pending = new Map(); // chat_id to the changes that arrived while its messages were being read
    this.timeline = new Timeline();
    this.clock = { now_ms: 0, virtual: false, read_at: 0 };
    this.lastChange = 0;
  }

  // Reads everything anew and shows it at once: chats that were open stay open and do not blink.
  async load() {
    const opened = [...this.messages.keys()];
    const [state, timeline] = await Promise.all([api.state(), api.timeline()]);
    const there = new Set(state.chats.map((chat) => chat.chat_id));
    const read = await Promise.all(opened.filter((id) => there.has(id)).map(readMessages));
    this.clear();
    this.messages = new Map(read);
    for (const app of state.apps) this.apps.set(app.app_id, app);
    for (const user of state.users) this.users.set(user.user_id, user);
    for (const chat of state.chats) this.chats.set(chat.chat_id, chat);
    for (const fault of state.faults) this.faults.set(fault.fault_id, fault);
    for (const line of state.connections) this.connections.set(line.connection_id, line);
    this.setClock(state.clock);
    // both answers are snapshots; what lies between them comes twice from the stream and is the same twice
    this.lastChange = Math.min(state.last_change, timeline.last_change);
    for (const change of timeline.changes) this.timeline.fold(change);
    this.tell();
  }

  async open(chatId) {
    if (this.messages.has(chatId) || this.pending.has(chatId)) return;
    this.pending.set(chatId, []);
    try {
      const [, said] = await readMessages(chatId);
      this.messages.set(chatId, said);
      for (const change of this.pending.get(chatId) ?? []) this.applyToMessages(change);
    } finally {
      this.pending.delete(chatId);
    }
    this.tell();
  }

  apply(change) {
    this.lastChange = change.number;
    if (change.at_ms > this.clock.now_ms) this.setClock({ ...this.clock, now_ms: change.at_ms });
    this.timeline.fold(change);
    this[`on_${change.kind}`]?.(change.facts, change);
    this.tell();
  }

  on_app(facts) {
    this.apps.set(facts.app_id, facts);
  }

  on_user(facts) {
    this.users.set(facts.user_id, facts);
  }

  on_chat(facts) {
    this.chats.set(facts.chat_id, facts);
  }

  on_fault(facts) {
    if (facts.action === "removed") this.faults.delete(facts.fault_id);
    else this.faults.set(facts.fault_id, facts);
  }

  on_connection(facts) {
    this.connections.set(facts.connection_id, facts);
  }

  on_clock(facts) {
    this.setClock({ ...this.clock, ...facts });
  }

  on_message(facts, change) {
    const chat = this.chats.get(facts.chat_id);
    if (chat && (facts.action === "said" || chat.last_message?.message_id === facts.message_id)) {
      chat.last_message = facts;
    }
    this.changeMessages(facts.chat_id, change);
  }

  on_reaction(facts, change) {
    for (const [chatId, said] of this.messages) {
      if (said.has(facts.message_id)) this.changeMessages(chatId, change);
    }
    for (const waiting of this.pending.values()) waiting.push(change);
  }

  changeMessages(chatId, change) {
    this.pending.get(chatId)?.push(change);
    if (this.messages.has(chatId)) this.applyToMessages(change);
  }

  applyToMessages({ kind, facts }) {
    for (const said of this.messages.values()) {
      if (kind === "reaction") applyReaction(said.get(facts.message_id), facts);
    }
    const said = this.messages.get(facts.chat_id);
    if (kind !== "message" || !said) return;
    said.set(facts.message_id, facts);
    const root = facts.thread_id ? said.get(facts.root_id) : null;
    if (root) said.set(root.message_id, { ...root, thread_id: facts.thread_id, opens_thread: true });
  }

  setClock(clock) {
    this.clock = { ...clock, read_at: Date.now() };
  }

  nowMs() {
    return this.clock.virtual ? this.clock.now_ms : this.clock.now_ms + Date.now() - this.clock.read_at;
  }

  listening(appId) {
    return [...this.connections.values()].some((line) => line.app_id === appId && line.live && !line.half_dead);
  }

  subscribe(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener();
  }
}

async function readMessages(chatId) {
  const { messages } = await api.messages(chatId);
  return [chatId, new Map(messages.map((message) => [message.message_id, message]))];
}

function applyReaction(message, facts) {
  if (!message) return;
  const others = message.reactions.filter((item) => item.reaction_id !== facts.reaction_id);
  message.reactions = facts.action === "removed" ? others : [...others, facts];
}
