// Adding people, groups and bots, so that an empty platform can be used without a script.
import { api } from "./api.js";
import { byId } from "./dom.js";
import { t } from "./words.js";

export class Residents {
  constructor(store, view) {
    Object.assign(this, { store, view });
    this.form("add-person", "person-name", (name) => api.addUser(name, byId("person-outside").checked));
    this.form("add-group", "group-name", (name) => this.addGroup(name));
    this.form("add-app", "app-name", (name) => this.addApp(name));
  }

  form(id, nameId, add) {
    byId(id).addEventListener("submit", async (event) => {
      event.preventDefault();
      const field = byId(nameId);
      const name = field.value.trim();
      if (!name) return;
      try {
        await add(name);
        field.value = "";
        this.said(t("added", { name }));
      } catch (error) {
        this.said(t("not_taken", { reason: error.message }));
      }
    });
  }

  addGroup(name) {
    const users = [...this.store.users.keys()];
    const bots = [...this.store.apps.keys()];
    const kind = byId("group-topics").checked ? "topic" : "group";
    return api.addGroup({ name, kind, users, bots, owner: this.view.acting ?? undefined });
  }

  async addApp(name) {
    const app = await api.addApp(name);
    byId("app-credentials").hidden = false;
    byId("app-credentials").textContent = `app_id ${app.app_id}\napp_secret ${app.app_secret}`;
  }

  said(words) {
    byId("residents-said").textContent = words;
  }
}
