// The open chat or topic: its messages, live, without jumping.
import { api } from "./api.js";
import { CardDesk } from "./card_press.js";
import { KeyedList, byId, empty, h } from "./dom.js";
import { openMenu } from "./menu.js";
import { REACTIONS, messageItem, oneLine, reactionWords } from "./message.js";
import { Follower } from "./scrolling.js";
import { day, dayKey } from "./times.js";
import { placeName } from "./view.js";
import { counted, language, t } from "./words.js";

const SHOWN = 200;

export class Conversation {
  constructor(store, view, tellProblem) {
    Object.assign(this, { store, view, tellProblem });
    this.list = new KeyedList(byId("messages"));
    this.follower = new Follower(byId("scroll"), () => this.seen());
    this.follower.follow(byId("messages"));
    this.cards = new CardDesk(store, view);
    this.where = null;
    this.known = new Set(); // the messages that were there or were announced
    this.loaded = false;
    this.unread = 0;
    this.shown = SHOWN;
    this.pointed = null;
    byId("newer").addEventListener("click", () => this.follower.toEnd());
    byId("earlier").addEventListener("click", () => {
      this.shown += SHOWN;
      this.view.set({});
    });
  }

  render(place) {
    const said = this.said(place);
    this.arrive(place, said);
    this.head(place, said);
    const visible = said.slice(-this.shown);
    byId("earlier").parentElement.hidden = said.length <= visible.length;
    this.list.show(this.items(visible));
    this.blank(place, said);
    this.follower.keep();
    byId("newer").parentElement.hidden = this.unread === 0;
    byId("newer").lastChild.textContent = counted("newer", this.unread);
  }

  // Everything of the chat that is to be shown; a deleted message leaves nothing.
  said(place) {
    const all = [...(this.store.messages.get(place?.chat?.chat_id)?.values() ?? [])];
    const { thread } = this.view;
    const belongs = (message) => (thread ? message.thread_id === thread : !message.thread_id || message.opens_thread);
    return all.filter((message) => message.withdrawn !== "deleted" && belongs(message));
  }

  arrive(place, said) {
    const where = JSON.stringify([this.view.acting, place?.key, this.view.thread]);
    const ids = said.map((message) => message.message_id);
    if (place?.chat) this.read(place.chat.chat_id);
    if (where !== this.where) Object.assign(this, { where, unread: 0, shown: SHOWN, pointed: null, loaded: false });
    if (this.loaded) {
      this.announce(said.filter((message) => !this.known.has(message.message_id)));
    } else {
      this.loaded = !place?.chat || this.store.messages.has(place.chat.chat_id);
      this.known = new Set();
      this.follower.toEnd();
    }
    for (const id of ids) this.known.add(id);
  }

  read(chatId) {
    this.store.open(chatId).catch((error) => {
      if (error.status !== 404) this.tellProblem(error); // a chat that is gone is told by the stream
    });
  }

  // Says new messages of others once, to those who listen; counts them for those who scrolled up.
  announce(fresh) {
    const others = fresh.filter((message) => message.sender.id !== this.view.acting);
    if (!this.follower.atEnd) this.unread += others.length;
    if (fresh.length > others.length) this.follower.toEnd();
    for (const message of others) {
      byId("log").append(h("p", {}, t("said_by", { name: message.sender.name, text: oneLine(message) })));
      if (byId("log").childElementCount > 5) byId("log").firstElementChild.remove();
    }
  }

  seen() {
    if (this.unread === 0) return;
    this.unread = 0;
    byId("newer").parentElement.hidden = true;
  }

  head(place, said) {
    const { thread } = this.view;
    byId("chat-title").textContent = place ? (thread ? t("topic") : placeName(place)) : "";
    byId("chat-where").textContent = place ? (thread ? firstLine(said[0]) : this.whereWords(place)) : "";
    byId("leave-thread").hidden = !thread;
    this.away(place);
    byId("to-chats").hidden = Boolean(thread);
  }

  // A bot that is not there is told across the head: what is written now waits on the platform.
  away(place) {
    const apps = place?.app ? [place.app] : (place?.chat?.bots ?? []).map((id) => this.store.apps.get(id));
    const gone = apps.filter((app) => app && !this.store.listening(app.app_id)).map((app) => app.name);
    byId("away").hidden = gone.length === 0;
    byId("away").lastChild.textContent = gone.length ? t("away", { names: gone.join(", ") }) : "";
  }

  whereWords(place) {
    if (place.app) return t(this.store.listening(place.app.app_id) ? "bot_listening" : "bot_not_listening");
    const { users, bots, kind } = place.chat;
    const members = `${counted("people", users.length)}, ${counted("bots", bots.length)}`;
    return kind === "topic" ? t("topic_group", { members }) : members;
  }

  items(visible) {
    const items = [];
    let today = null;
    for (const message of visible) {
      const key = dayKey(message.create_ms);
      if (key !== today) items.push(this.dayItem(key, message.create_ms));
      today = key;
      items.push(this.messageEntry(message));
    }
    return items;
  }

  dayItem(key, ms) {
    return { key: `day:${key}`, sign: language(), build: () => h("li.day", {}, day(ms)) };
  }

  messageEntry(message) {
    const frame = this.frame(message);
    const { mine, replies, pointed, quoted, inThread } = frame;
    const answered = quoted && [oneLine(quoted), quoted.withdrawn];
    const around = [language(), this.view.acting, mine, replies, pointed, inThread, answered];
    const sign = JSON.stringify([...around, this.cards.sign(message), message]);
    return { key: message.message_id, sign, build: () => messageItem(message, frame) };
  }

  frame(message) {
    const { acting, thread } = this.view;
    const around = this.store.messages.get(message.chat_id);
    const inThread = Boolean(thread);
    const quoted = inThread || message.opens_thread ? null : (around.get(message.parent_id) ?? null);
    const beneath = (other) => other.thread_id === message.thread_id && !other.opens_thread && !other.withdrawn;
    return {
      acting,
      inThread,
      quoted,
      mine: message.sender.id === acting,
      pointed: this.pointed === message.message_id,
      table: message.card ? this.cards.table(message) : null,
      replies: message.opens_thread ? [...around.values()].filter(beneath).length : 0,
      point: (id) => this.point(id),
      offer: (button, said) => this.offer(button, said),
      react: (said, emoji, remove) => this.react(said, emoji, remove),
      openThread: (id) => this.view.set({ thread: id, replyTo: null, editing: null }),
    };
  }

  blank(place, said) {
    const box = byId("blank");
    box.hidden = !place || !this.loaded || said.length > 0;
    if (box.hidden) return;
    const title = t("quiet_title", { name: placeName(place) });
    box.replaceChildren(empty(title, t(place.app ? "quiet_bot" : "quiet_group")));
  }

  point(messageId) {
    this.pointed = messageId;
    this.view.set({});
    const node = byId("messages").querySelector(`[data-id="${CSS.escape(messageId)}"]`);
    node?.scrollIntoView({ block: "center" });
    node?.querySelector("button")?.focus({ preventScroll: true });
  }

  offer(button, message) {
    const group = this.store.chats.get(message.chat_id)?.kind !== "p2p";
    const mine = message.sender.id === this.view.acting;
    const entries = [
      { words: t("reply"), symbol: "reply", run: () => this.reply(message, false) },
      group && !message.thread_id ? { words: t("reply_in_topic"), symbol: "topic", run: () => this.reply(message, true) } : null,
      { words: t("react"), symbol: "smile", run: (opener) => this.offerReactions(opener, message) },
      mine && message.msg_type === "text" ? { words: t("edit"), symbol: "pencil", run: () => this.edit(message) } : null,
      mine ? { words: t("recall"), symbol: "recall", danger: true, run: () => this.recall(message) } : null,
    ];
    openMenu(button, t("actions"), entries.filter(Boolean));
  }

  offerReactions(button, message) {
    const entry = (emoji) => ({ words: reactionWords(emoji), run: () => this.react(message, emoji, false) });
    openMenu(button, t("react"), REACTIONS.map(entry));
  }

  reply(message, inThread) {
    if (message.opens_thread && !this.view.thread) this.view.set({ thread: message.thread_id });
    this.view.set({ replyTo: this.view.thread ? null : { id: message.message_id, inThread }, editing: null });
    byId("words").focus();
  }

  edit(message) {
    this.view.set({ editing: message.message_id, replyTo: null });
    byId("words").focus();
  }

  recall(message) {
    this.attempt(api.act({ user: this.view.acting, recall: message.message_id }));
  }

  react(message, emoji, remove) {
    this.attempt(api.react({ user: this.view.acting, message: message.message_id, emoji, remove }));
  }

  attempt(promise) {
    promise.catch((error) => this.tellProblem(error));
  }
}

function firstLine(message) {
  if (!message) return "";
  return message.withdrawn ? t("recalled_short") : oneLine(message);
}

export const threadRoot = (store, chatId, thread) =>
  [...(store.messages.get(chatId)?.values() ?? [])].find((item) => item.thread_id === thread && item.opens_thread);

