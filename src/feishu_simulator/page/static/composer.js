// The composer: Enter sends, Shift-Enter breaks a line, a draft is kept for each chat and topic.
import { api } from "./api.js";
import { byId } from "./dom.js";
import { openMenu } from "./menu.js";
import { threadRoot } from "./conversation.js";
import { placeName } from "./view.js";
import { t } from "./words.js";

const MOST_BYTES = { image: 10 * 1024 * 1024, file: 30 * 1024 * 1024 };

export class Composer {
  constructor(store, view) {
    Object.assign(this, { store, view });
    this.words = byId("words");
    this.queue = Promise.resolve(); // one act after the other, so that quick messages keep their order
    this.draftKey = null;
    this.place = null;
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.words.addEventListener("keydown", (event) => this.key(event));
    this.words.addEventListener("input", () => this.typed());
    byId("forget").addEventListener("click", () => this.forget());
    byId("attach").addEventListener("click", () => byId("chosen").click());
    byId("chosen").addEventListener("change", () => this.attach());
    byId("mention").addEventListener("click", () => this.offerMembers());
  }

  render(place) {
    this.place = place;
    const reason = this.closedReason(place);
    byId("composer").hidden = reason !== null;
    byId("closed").hidden = reason === null || !place;
    byId("closed").textContent = reason ?? "";
    byId("mention").hidden = !place || place.app !== null;
    this.about();
    this.swapDraft();
    const name = place ? placeName(place) : "";
    const person = this.store.users.get(this.view.acting)?.name ?? "";
    const words = t(this.view.thread ? "write_topic" : "write_to", { name, person });
    this.words.placeholder = words;
    this.words.setAttribute("aria-label", words);
    byId("send-words").textContent = t(this.view.editing ? "save" : "send");
  }

  closedReason(place) {
    if (!place) return "";
    if (place.chat?.dissolved) return t("chat_dissolved");
    const root = this.view.thread ? threadRoot(this.store, place.chat?.chat_id, this.view.thread) : null;
    return root?.withdrawn ? t("topic_recalled") : null;
  }

  about() {
    const { editing, replyTo } = this.view;
    byId("about").hidden = !editing && !replyTo;
    if (editing) byId("about-words").textContent = t("editing");
    else if (replyTo) byId("about-words").textContent = this.replyWords(replyTo);
  }

  replyWords({ id, inThread }) {
    const message = this.store.messages.get(this.place?.chat?.chat_id)?.get(id);
    const values = { name: message?.sender.name ?? "", text: message?.text.split("\n")[0] ?? "" };
    return t(inThread ? "replying_topic" : "replying", values);
  }

  swapDraft() {
    const { acting, place, thread, editing } = this.view;
    const key = `draft:${JSON.stringify([acting, place, thread, editing])}`;
    if (key === this.draftKey) return;
    this.draftKey = key;
    const kept = sessionStorage.getItem(key);
    const edited = editing ? this.store.messages.get(this.place?.chat?.chat_id)?.get(editing) : null;
    this.words.value = kept ?? edited?.text ?? "";
    this.problem("");
    this.grow();
  }

  typed() {
    this.problem("");
    this.keepDraft();
    this.grow();
  }

  keepDraft() {
    try {
      if (this.words.value) sessionStorage.setItem(this.draftKey, this.words.value);
      else sessionStorage.removeItem(this.draftKey);
    } catch {
      // a full or forbidden storage loses the draft at a reload, nothing else
    }
  }

  grow() {
    this.words.style.height = "auto";
    this.words.style.height = `${this.words.scrollHeight}px`;
  }

  key(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.send();
    } else if (event.key === "Escape" && (this.view.editing || this.view.replyTo)) {
      this.forget();
    }
  }

  forget() {
    if (this.view.editing) sessionStorage.removeItem(this.draftKey);
    this.view.set({ editing: null, replyTo: null });
    this.words.focus();
  }

  send() {
    const text = this.words.value.trim();
    if (!text || !this.place) return;
    const key = this.draftKey;
    const body = this.view.editing ? { edit: this.view.editing } : this.address();
    this.words.value = "";
    this.keepDraft();
    this.grow();
    this.view.set({ editing: null, replyTo: null });
    this.act({ ...body, text: this.withIds(text) }, () => this.giveBack(key, text));
  }

  // What the platform did not take stands in the composer again.
  giveBack(key, text) {
    if (key !== this.draftKey || this.words.value) return;
    this.words.value = text;
    this.keepDraft();
    this.grow();
  }

  act(body, onFailure = () => {}) {
    const user = this.view.acting;
    this.queue = this.queue
      .then(() => api.act({ user, ...body }))
      .catch((error) => {
        onFailure();
        this.problem(t("not_taken", { reason: error.message }));
      });
  }

  address() {
    const { chat, app } = this.place;
    const where = chat ? { chat: chat.chat_id } : { app: app.app_id };
    const root = this.view.thread ? threadRoot(this.store, chat?.chat_id, this.view.thread) : null;
    if (root) return { ...where, reply_to: root.message_id, in_thread: true };
    const { replyTo } = this.view;
    return replyTo ? { ...where, reply_to: replyTo.id, in_thread: replyTo.inThread } : where;
  }

  members() {
    const { chat, app } = this.place;
    const bots = (chat?.bots ?? [app?.app_id]).map((id) => ({ id, name: this.store.apps.get(id)?.name }));
    const users = (chat?.users ?? []).map((id) => ({ id, name: this.store.users.get(id)?.name }));
    return [...bots, ...users].filter((member) => member.name && member.id !== this.view.acting);
  }

  // "@Hongyan" of a member becomes a mention; longer names first, so that none is cut.
  withIds(text) {
    const members = this.members().sort((one, other) => other.name.length - one.name.length);
    return members.reduce(
      (words, { id, name }) => words.replaceAll(`@${name}`, () => `<at user_id="${id}">${name}</at>`),
      text,
    );
  }

  offerMembers() {
    const entry = ({ name }) => ({ words: name, run: () => this.insert(`@${name} `) });
    openMenu(byId("mention"), t("mention"), this.members().map(entry));
  }

  insert(words) {
    this.words.focus();
    this.words.setRangeText(words, this.words.selectionStart, this.words.selectionEnd, "end");
    this.typed();
  }

  async attach() {
    const files = [...byId("chosen").files];
    byId("chosen").value = "";
    for (const file of files) {
      const kind = file.type.startsWith("image/") ? "image" : "file";
      if (file.size > MOST_BYTES[kind]) {
        this.problem(t("too_large", { name: file.name, most: MOST_BYTES[kind] / 1024 / 1024 }));
        continue;
      }
      this.act({ ...this.address(), [kind]: { name: file.name, base64: await base64(file) } });
    }
    this.view.set({ replyTo: null });
  }

  problem(words) {
    byId("problem").textContent = words;
    byId("problem").hidden = !words;
  }
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
