// Puts the parts together: one store, one view, drawn again after every change.
import { Chats, noResidents } from "./chats.js";
import { Clock } from "./clock.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { byId, h } from "./dom.js";
import { Faults } from "./faults.js";
import { preferences, showChoices } from "./preferences.js";
import { Residents } from "./residents.js";
import { Store } from "./store.js";
import { Stream } from "./stream.js";
import { TimelinePane } from "./timeline.js";
import { View, settle } from "./view.js";
import { applyWords, loadWords, t } from "./words.js";

const FRAME_MS = 16; // changes that arrive together are drawn once
const PROBLEM_MS = 8_000;

class Page {
  constructor() {
    this.store = new Store();
    this.view = new View();
    const tellProblem = (error) => this.problem(error);
    this.chats = new Chats(this.store, this.view);
    this.conversation = new Conversation(this.store, this.view, tellProblem);
    this.composer = new Composer(this.store, this.view);
    this.timeline = new TimelinePane(this.store, this.view);
    this.faults = new Faults(this.store, tellProblem);
    this.clock = new Clock(this.store, tellProblem);
    this.residents = new Residents(this.store, this.view);
    this.stream = new Stream(this.store, (trouble) => this.trouble(trouble));
    this.timer = null;
    this.troubleKey = null;
  }

  async start() {
    await loadWords();
    this.language();
    this.wire();
    this.store.subscribe(() => this.soon());
    this.view.subscribe(() => this.render());
    await this.stream.start();
    this.render();
    document.documentElement.dataset.ready = "true";
  }

  language() {
    applyWords();
    showChoices();
  }

  wire() {
    preferences(() => {
      this.language();
      this.trouble(this.troubleKey);
      this.render();
    });
    for (const name of ["faults", "clock", "residents"]) this.dialog(name);
    byId("acting").addEventListener("change", () => this.view.enter(this.view.place, { acting: byId("acting").value }));
    byId("leave-thread").addEventListener("click", () => this.view.set({ thread: null, replyTo: null, editing: null }));
    byId("to-chats").addEventListener("click", () => this.show("chats"));
    byId("to-timeline").addEventListener("click", () => this.show("timeline"));
    byId("to-chat").addEventListener("click", () => this.show("chat"));
    for (const pane of ["chats", "chat", "timeline"]) byId(`pane-${pane}`).addEventListener("click", () => this.show(pane));
  }

  dialog(name) {
    const dialog = byId(name);
    byId(`open-${name}`).addEventListener("click", () => this.open(name));
    byId(`close-${name}`).addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close(); // the backdrop
    });
  }

  open(name) {
    byId(name).showModal();
    this.render();
  }

  // A pane that takes the place of another gets the focus when the control that called it is gone.
  show(pane) {
    this.view.set({ pane });
    const heading = { chats: "chats-title", chat: "chat-title", timeline: "timeline-title" }[pane];
    if (!document.activeElement?.checkVisibility()) byId(heading).focus();
  }

  soon() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.render();
    }, FRAME_MS);
  }

  render() {
    const place = settle(this.store, this.view);
    byId("columns").dataset.pane = this.view.pane;
    for (const pane of ["chats", "chat", "timeline"]) {
      byId(`pane-${pane}`).setAttribute("aria-current", String(this.view.pane === pane));
    }
    this.actingChoices();
    this.nobody(place);
    this.chats.render();
    this.conversation.render(place);
    this.composer.render(place);
    this.timeline.render(place);
    this.faults.render();
    this.clock.render();
  }

  actingChoices() {
    const select = byId("acting");
    const users = [...this.store.users.values()];
    const sign = JSON.stringify(users.map((user) => [user.user_id, user.name]));
    if (select.dataset.sign !== sign) {
      select.dataset.sign = sign;
      select.replaceChildren(...users.map((user) => h("option", { value: user.user_id }, user.name)));
    }
    select.disabled = users.length === 0;
    select.value = this.view.acting ?? "";
  }

  nobody(place) {
    const box = byId("nobody");
    box.hidden = place !== null;
    byId("conversation").hidden = !box.hidden;
    if (!box.hidden) box.replaceChildren(noResidents(() => this.open("residents")));
  }

  trouble(key) {
    this.troubleKey = key;
    byId("trouble").hidden = key === null;
    byId("trouble").textContent = key === null ? "" : t(key);
  }

  problem(error) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = t("not_taken", { reason: error.message });
    setTimeout(() => this.trouble(this.troubleKey), PROBLEM_MS);
  }
}

new Page().start();
