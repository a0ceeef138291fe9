// The acting person's chats, and the other people one may act as.
import { KeyedList, byId, empty, h, oneTabStop, unseen, walkable } from "./dom.js";
import { avatar, meet, oneLine } from "./message.js";
import { minute, iso } from "./times.js";
import { placeName, placesOf } from "./view.js";
import { language, t } from "./words.js";

export class Chats {
  constructor(store, view) {
    this.store = store;
    this.view = view;
    this.places = byId("places");
    this.people = byId("people");
    this.placeList = new KeyedList(this.places);
    this.peopleList = new KeyedList(this.people);
    walkable(this.places);
    walkable(this.people);
  }

  render() {
    meet(this.store.users.keys());
    const places = placesOf(this.store, this.view.acting);
    this.placeList.show(places.map((place) => this.placeItem(place)));
    oneTabStop(this.places);
    const others = [...this.store.users.values()].filter((user) => user.user_id !== this.view.acting);
    this.peopleList.show(others.map((user) => this.personItem(user)));
    oneTabStop(this.people);
    byId("others").hidden = others.length === 0;
    byId("no-chats").hidden = places.length > 0;
    if (places.length === 0 && byId("no-chats").childElementCount === 0) {
      byId("no-chats").append(h("p.hint", { "data-t": "no_chats" }, t("no_chats")));
    }
  }

  placeItem(place) {
    const last = place.chat?.last_message ?? null;
    const current = place.key === this.view.place;
    const sign = JSON.stringify([language(), current, placeName(place), last, this.view.acting]);
    return { key: place.key, sign, build: () => this.placeRow(place, last, current) };
  }

  placeRow(place, last, current) {
    const name = placeName(place);
    const words = h("span.words", {}, h("span.title", {}, name), " ", h("span.last", {}, this.lastLine(place, last)));
    const row = h(
      "button.row",
      { type: "button", title: name, "aria-current": current ? "true" : undefined },
      avatar(name, place.app?.app_id ?? place.key),
      words,
      last ? h("time", { datetime: iso(last.create_ms) }, minute(last.create_ms)) : null,
    );
    row.addEventListener("click", () => this.view.enter(place.key));
    return h("li", {}, row);
  }

  lastLine(place, last) {
    if (!last) return t("nothing_said");
    if (last.withdrawn) return t("recalled_short");
    const line = oneLine(last);
    const whose = last.sender.id === this.view.acting || place.app ? "" : last.sender.name;
    return whose ? t("said_by", { name: whose, text: line }) : line;
  }

  personItem(user) {
    const sign = JSON.stringify([language(), user.name, user.outside_tenant, user.guest, user.resigned]);
    return { key: user.user_id, sign, build: () => this.personRow(user) };
  }

  personRow(user) {
    const row = h(
      "button.row",
      { type: "button", title: t("act_as", { name: user.name }) },
      avatar(user.name, user.user_id),
      unseen(t("switch_to")),
      h("span.words", {}, h("span.title", {}, user.name), " ", h("span.last", {}, standing(user))),
    );
    row.addEventListener("click", () => this.view.enter(null, { acting: user.user_id, pane: "chats" }));
    return h("li", {}, row);
  }
}

function standing(user) {
  if (user.resigned) return t("resigned");
  if (user.outside_tenant) return t("outside_tenant");
  return user.guest ? t("guest") : t("colleague");
}

export function noResidents(onAdd) {
  const page = empty(t("nobody_here"), t("nobody_hint"));
  const add = h("button.button.primary", { type: "button" }, t("add_someone"));
  add.addEventListener("click", onAdd);
  page.append(add);
  return page;
}
