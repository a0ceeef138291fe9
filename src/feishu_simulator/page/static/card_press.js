// Pressing: one click at a time a card, then a toast with what the bot answered.
import { api } from "./api.js";
import { textOf, toastText } from "./card_text.js";
import { picture } from "./content.js";
import { h } from "./dom.js";
import { toast } from "./toast.js";
import { t } from "./words.js";

export class CardDesk {
  constructor(store, view) {
    Object.assign(this, { store, view });
    this.busy = new Map(); // message_id to the marks of the control that waits
    this.drafts = new Map(); // message_id to what stands in its fields
    this.panels = new Map(); // message_id to which panels are open
  }

  table(message) {
    const id = message.message_id;
    return {
      busy: this.busy.get(id) ?? null,
      drafts: kept(this.drafts, id),
      panels: kept(this.panels, id),
      form: null,
      nameOf: (reference) => this.nameOf(reference),
      picture: (key, words) => picture(key, words),
      press: (marks, put, confirm) => this.press(message, marks, put, confirm),
    };
  }

  sign(message) {
    return message.card ? [this.busy.get(message.message_id), [...this.store.users.keys()].length] : null;
  }

  // A card names people by the id its App knows, a tenant's id or a vendor's.
  nameOf(reference) {
    for (const user of this.store.users.values()) {
      const ids = [user.user_id, user.union_id, ...Object.values(user.open_ids ?? {})];
      if (ids.includes(reference)) return user.name;
    }
    return [...this.store.apps.values()].find((app) => app.app_id === reference)?.name ?? "";
  }

  async press(message, marks, put, confirm) {
    const id = message.message_id;
    if (this.busy.has(id) || (confirm && !(await confirmed(confirm)))) return;
    this.busy.set(id, marks);
    this.view.set({});
    try {
      this.tell(await api.click({ user: this.view.acting, message: id, ...marks, ...put }));
      if (put.form_value) this.drafts.delete(id);
    } catch (error) {
      toast("error", t("not_taken", { reason: error.message }));
    } finally {
      this.busy.delete(id);
      this.view.set({});
    }
  }

  tell(click) {
    if (click.state === "failed") toast("error", t("click_failed", { code: click.code, problem: click.problem }));
    else if (click.toast) toast(click.toast.type, toastText(click.toast));
  }
}

function kept(map, id) {
  if (!map.has(id)) map.set(id, new Map());
  return map.get(id);
}

function confirmed({ title, text }) {
  const yes = h("button.button.primary", { value: "yes" }, t("confirm"));
  const no = h("button.button", { value: "no", autofocus: true }, t("cancel"));
  const ask = h(
    "dialog.confirm",
    { "aria-label": textOf(title) },
    h("form", { method: "dialog" }, h("h2", {}, textOf(title)), h("p", {}, textOf(text)), h("div.actions", {}, no, yes)),
  );
  document.body.append(ask);
  ask.showModal();
  return new Promise((resolve) => {
    ask.addEventListener("close", () => {
      ask.remove();
      resolve(ask.returnValue === "yes");
    });
  });
}
