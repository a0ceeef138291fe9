// The keyboard: `/` finds, `g` and a letter goes, `?` lists the keys. Off while one types, and off when switched off.
import { byId, h, button } from "./dom.js";
import { w } from "./words.js";

const GO = { c: "#/", n: "#/needs", l: "#/ledger", s: "#/settings" };
const SECOND_KEY_MS = 1_500;

export const keysAreOn = () => localStorage.getItem("hongyan.keys") !== "off";

function typing(target) {
  return target.closest("input, textarea, select, dialog, [contenteditable]") !== null;
}

export function listenKeys({ go, find }) {
  let led = 0;
  byId("skip").addEventListener("click", () => byId("main").focus());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || !keysAreOn()) return;
    const place = Date.now() - led < SECOND_KEY_MS ? GO[event.key] : undefined;
    led = event.key === "g" ? Date.now() : 0;
    if (place) go(place);
    else if (event.key === "/") focusFind(go, find);
    else if (event.key === "?") showKeys();
    else return;
    event.preventDefault();
  });
}

function focusFind(go, find) {
  if (document.documentElement.dataset.place !== "conversations") go("#/");
  requestAnimationFrame(() => find().focus());
}

function showKeys() {
  const rows = ["find", "conversations", "needs", "ledger", "settings", "keys", "list", "send", "break"].map((name) =>
    h("div.pair", {}, h("dt", {}, h("kbd", {}, w(`key.${name}`))), h("dd", {}, w(`key.${name}.does`))),
  );
  const dialog = h("dialog", {}, h("h2", {}, w("keys")), h("dl.keys", {}, rows));
  dialog.append(h("div.acts", {}, button("primary", w("close"), () => dialog.close())));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
